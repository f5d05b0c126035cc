import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { eventually } from "../eventually.js";
import { listenToTable } from "../realtime/listening.js";
import {
  ADDRESS,
  call,
  expectRefusal,
  listProduct,
  marketplaceFields,
  must,
  openGuest,
  openMarketplace,
  openTestTenant,
  orderFor,
  type Person,
  register,
  registerClient,
  stockOf,
  supabaseAs,
  supabaseAsService,
} from "../souk.js";
import { reads } from "../tenancy/expected.js";
import {
  customerOf,
  item,
  move,
  moved,
  ordersIn,
  place,
  placed,
  UNTAXED_ITEM,
  UNTAXED_PART,
} from "./ordering.js";
import { moveExists, STATUSES } from "./statuses.js";

/** The counts of an item with only open pieces. */
const UNTOUCHED = {
  shipped_quantity: 0,
  delivered_quantity: 0,
  cancelled_quantity: 0,
  returned_quantity: 0,
  lost_quantity: 0,
};

/** The counts of an item with one piece in an order with this status. */
const COUNTS = {
  shipped: { shipped_quantity: 1 },
  delivered: { shipped_quantity: 1, delivered_quantity: 1 },
};

describe("placing an order", () => {
  it("returns the whole record, with a total computed by the database", async () => {
    const { supplier, customer, marketplace, tenantId } = await openTestTenant();
    const [saffron, mint] = await Promise.all([
      listProduct(supplier, { price: 0.1 }),
      listProduct(supplier, { name: "Mint", price: 19.99 }),
    ]);
    const made = await place(customer, {
      ...orderFor(saffron),
      items: [item(saffron, 3), item(mint, 2)],
      currency: "EUR",
      // These fields of a cart have no effect.
      total_amount: 1,
      status: "delivered",
      payment_status: "paid",
    });
    expect(made.status).toBe(201);
    const { supplier_id } = saffron;
    expect(made.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      tenant_id: tenantId,
      marketplace_id: marketplace.id,
      number: 1,
      customer_id: await customerOf(customer),
      status: "pending",
      payment_status: "pending",
      subtotal_amount: 40.28,
      delivery_amount: 0,
      discount_amount: 0,
      tax_included: true,
      tax_amount: 0,
      tax_lines: [],
      tax_due: 0,
      owed_amount: 40.28,
      total_amount: 40.28,
      refund_due: 0,
      refund_due_for: { items: [], deliveries: [] },
      currency: "EUR",
      delivery_method: null,
      payment_method: null,
      payment_due_at: expect.any(String),
      payment_due_at_local: expect.any(String),
      items: [
        {
          id: expect.any(String),
          product_id: saffron.id,
          variant_id: null,
          supplier_id,
          name: "Saffron",
          quantity: 3,
          ...UNTOUCHED,
          starts_at: null,
          starts_at_local: null,
          price: 0.1,
          amount: 0.3,
          ...UNTAXED_ITEM,
          net_amount: 0.3,
        },
        {
          id: expect.any(String),
          product_id: mint.id,
          variant_id: null,
          supplier_id,
          name: "Mint",
          quantity: 2,
          ...UNTOUCHED,
          starts_at: null,
          starts_at_local: null,
          price: 19.99,
          amount: 39.98,
          ...UNTAXED_ITEM,
          net_amount: 39.98,
        },
      ],
      parts: [
        {
          supplier_id,
          status: "pending",
          subtotal: 40.28,
          delivery_amount: 0,
          delivery_owed: true,
          delivery_recipient: "operator",
          ...UNTAXED_PART,
          total_amount: 40.28,
          legal: {},
        },
      ],
      shipping_address: ADDRESS,
      billing_address: ADDRESS,
      tax_id: null,
      contact: null,
      language: null,
      history: [],
      payments: [],
      cancellations: [],
      returns: [],
      notes: [],
      commissions: [],
      external_id: null,
      imported_at: null,
      imported_at_local: null,
      created_at: expect.any(String),
      created_at_local: expect.any(String),
      updated_at: expect.any(String),
      updated_at_local: expect.any(String),
    });
    expect(made.headers.get("location")).toBe(`/functions/v1/orders/${made.body.id}`);
    for (const path of ["/api/orders", "/orders"]) {
      expect(await must("GET", `${path}/${made.body.id}`, { as: customer })).toEqual(made.body);
    }
    expect(await stockOf(saffron)).toEqual({ product: { quantity: 10, reserved: 3 } });
    expect(await stockOf(mint)).toEqual({ product: { quantity: 10, reserved: 2 } });
  });

  it("is refused in another currency than the marketplace's", async () => {
    const testTenant = await openTestTenant();
    const { operator, supplier, customer, marketplace, tenantId } = testTenant;
    const product = await listProduct(supplier);
    const [client, guest] = await Promise.all([registerClient(tenantId), openGuest(marketplace)]);
    const customer_id = await customerOf(customer);
    for (const [person, overrides] of [
      [customer, {}],
      [guest, { contact: { email: "gil@example.com" } }],
      [client, { customer_id }],
      [operator, { customer_id }],
    ] as [Person, object][]) {
      for (const currency of ["USD", "eur", "EUR ", "", "\u20ac"]) {
        const order = orderFor(product, 1, { ...overrides, currency });
        expectRefusal(await place(person, order), 422, "VALIDATION_ERROR", {
          field: "currency",
          value: currency,
        });
        const { error } = await supabaseAs(person).rpc("place_order", order);
        expect(error).toMatchObject({ code: "PT422", message: "VALIDATION_ERROR" });
        expect(JSON.parse(error?.details ?? "")).toMatchObject({ field: "currency" });
      }
    }
    expect(await ordersIn(testTenant)).toBe(0);
    expect(await stockOf(product)).toEqual({ product: { quantity: 10, reserved: 0 } });

    const yen = await openMarketplace(operator, { currency: "JPY" });
    const tea = await listProduct(supplier, { marketplace_id: yen.id, price: 500 });
    const made = await placed(customer, tea, 1, { currency: "JPY" });
    expect(made).toMatchObject({ currency: "JPY", total_amount: 500 });
    const { data } = await supabaseAs(customer)
      .rpc("place_order", orderFor(product, 1, { currency: "EUR" }))
      .throwOnError();
    expect(data).toMatchObject({ currency: "EUR" });
  });

  it("accepts only the current price", async () => {
    const testTenant = await openTestTenant();
    const product = await listProduct(testTenant.supplier, { price: 12.5 });
    const good = await listProduct(testTenant.supplier);
    for (const price of [12.49, 12.51, 0]) {
      expectRefusal(
        await place(testTenant.customer, orderFor({ ...product, price })),
        422,
        "PRICE_MISMATCH",
        { field: "items[0].price", value: price },
      );
    }
    expectRefusal(
      await place(testTenant.customer, {
        ...orderFor(product),
        items: [item(good), item(product, 1, { price: 1 })],
      }),
      422,
      "PRICE_MISMATCH",
      { field: "items[1].price", value: 1 },
    );
    // The database compares with the product's current price.
    await supabaseAs(testTenant.supplier)
      .from("products")
      .update({ price: 13 })
      .eq("id", product.id)
      .throwOnError();
    expectRefusal(await place(testTenant.customer, orderFor(product)), 422, "PRICE_MISMATCH");
    expect(await ordersIn(testTenant)).toBe(0);
    expect(await stockOf(product)).toEqual({ product: { quantity: 10, reserved: 0 } });
    expect(await stockOf(good)).toEqual({ product: { quantity: 10, reserved: 0 } });
  });

  it("is refused completely when any item exceeds the stock", async () => {
    const testTenant = await openTestTenant();
    const { supplier, customer } = testTenant;
    const [plenty, scarce] = await Promise.all([
      listProduct(supplier),
      listProduct(supplier, { inventory: { quantity: 2 } }),
    ]);
    expectRefusal(await place(customer, orderFor(scarce, 3)), 422, "INSUFFICIENT_INVENTORY", {
      field: "items[0].quantity",
      value: 3,
    });
    expectRefusal(
      await place(customer, { ...orderFor(plenty), items: [item(plenty, 4), item(scarce, 3)] }),
      422,
      "INSUFFICIENT_INVENTORY",
      { field: "items[1].quantity", value: 3 },
    );
    // The same product twice: together they exceed the stock.
    expectRefusal(
      await place(customer, { ...orderFor(scarce), items: [item(scarce, 1), item(scarce, 2)] }),
      422,
      "INSUFFICIENT_INVENTORY",
      { field: "items[1].quantity", value: 2 },
    );
    expect(await ordersIn(testTenant)).toBe(0);
    expect(await stockOf(plenty)).toEqual({ product: { quantity: 10, reserved: 0 } });
    expect(await stockOf(scarce)).toEqual({ product: { quantity: 2, reserved: 0 } });
    const both = await must("POST", "/api/orders", {
      as: customer,
      body: { ...orderFor(scarce), items: [item(scarce), item(scarce)] },
    });
    expect(both.items).toHaveLength(2);
    expect(await stockOf(scarce)).toEqual({ product: { quantity: 2, reserved: 2 } });
  });

  it("refuses products that are not for sale in the marketplace", async () => {
    const testTenant = await openTestTenant();
    const { supplier, customer } = testTenant;
    const elsewhere = await openTestTenant();
    const good = await listProduct(supplier);
    const second = await must("POST", "/api/marketplaces", {
      as: testTenant.operator,
      body: marketplaceFields(),
    });
    const here = { marketplace_id: good.marketplace_id };
    const [draft, inactive, discontinued, ofSecond, foreign] = await Promise.all([
      listProduct(supplier, { ...here, status: "draft" }),
      listProduct(supplier, here),
      listProduct(supplier, here),
      listProduct(supplier, { marketplace_id: second.id }),
      listProduct(elsewhere.supplier),
    ]);
    const products = supabaseAs(supplier).from("products");
    await products.update({ status: "inactive" }).eq("id", inactive.id).throwOnError();
    await products.update({ status: "discontinued" }).eq("id", discontinued.id).throwOnError();
    const unknown = { ...good, id: randomUUID() };
    for (const product of [draft, inactive, discontinued, ofSecond, foreign, unknown]) {
      expectRefusal(
        await place(customer, { ...orderFor(good), items: [item(good), item(product)] }),
        404,
        "NOT_FOUND",
        { field: "items[1].product_id", value: product.id },
      );
    }
    expect(await stockOf(good)).toEqual({ product: { quantity: 10, reserved: 0 } });
    expect(await stockOf(foreign)).toEqual({ product: { quantity: 10, reserved: 0 } });
    expect(await ordersIn(testTenant)).toBe(0);
  });

  it("sells variants, each at its own price and from its own stock", async () => {
    const { supplier, customer } = await openTestTenant();
    const product = await listProduct(supplier, {
      price: 10,
      variants: [
        { name: "small", inventory: { quantity: 2 } },
        { name: "large", price: 15, inventory: { quantity: 5 } },
      ],
    });
    const [small, large] = product.variants;
    const withItems = (...items: object[]) => ({ ...orderFor(product), items });
    const order = await must("POST", "/api/orders", {
      as: customer,
      body: withItems(
        item(product, 1, { variant_id: small.id }),
        item(product, 2, { variant_id: large.id, price: 15 }),
      ),
    });
    expect(order).toMatchObject({
      total_amount: 40,
      items: [{ variant_id: small.id }, { variant_id: large.id }],
    });
    const stock = {
      product: { quantity: 10, reserved: 0 },
      small: { quantity: 2, reserved: 1 },
      large: { quantity: 5, reserved: 2 },
    };
    expect(await stockOf(product)).toEqual(stock);

    expectRefusal(await place(customer, withItems(item(product))), 422, "VALIDATION_ERROR", {
      field: "items[0].variant_id",
    });
    expectRefusal(
      await place(customer, withItems(item(product, 1, { variant_id: large.id }))),
      422,
      "PRICE_MISMATCH",
      { field: "items[0].price", value: 10 },
    );
    expectRefusal(
      await place(customer, withItems(item(product, 2, { variant_id: small.id }))),
      422,
      "INSUFFICIENT_INVENTORY",
      { field: "items[0].quantity", value: 2 },
    );
    const other = await listProduct(supplier, { variants: [{ name: "one" }] });
    for (const variant_id of [other.variants[0].id, randomUUID()]) {
      expectRefusal(
        await place(customer, withItems(item(product, 1, { variant_id }))),
        404,
        "NOT_FOUND",
        { field: "items[0].variant_id", value: variant_id },
      );
    }
    expect(await stockOf(product)).toEqual(stock);
  });

  it("needs no stock for products that are not physical", async () => {
    const { supplier, customer, operator } = await openTestTenant();
    for (const kind of ["digital", "service"]) {
      const product = await listProduct(supplier, { kind, inventory: { quantity: 0 } });
      const order = await placed(customer, product, 50);
      expect(order.total_amount).toBe(625);
      await moved(operator, order, "delivered");
      await moved(operator, order, "returned");
      expect(await stockOf(product)).toEqual({ product: { quantity: 0, reserved: 0 } });
    }
  });

  it("requires an active marketplace", async () => {
    const testTenant = await openTestTenant();
    const { operator, supplier, customer, marketplace } = testTenant;
    const product = await listProduct(supplier);
    const customer_id = await customerOf(customer);
    for (const status of ["inactive", "suspended"]) {
      await must("PUT", `/api/marketplaces/${marketplace.id}`, { as: operator, body: { status } });
      const field = { field: "marketplace_id", value: marketplace.id };
      // Customers see only active marketplaces, so for them it does not exist.
      expectRefusal(await place(customer, orderFor(product)), 404, "NOT_FOUND", field);
      const refused = await place(operator, orderFor(product, 1, { customer_id }));
      expect(refused.status).toBe(422);
      expect(refused.body.error.details).toMatchObject(field);
    }
    const foreign = await openTestTenant();
    for (const marketplace_id of [foreign.marketplace.id, randomUUID()]) {
      expectRefusal(
        await place(customer, orderFor(product, 1, { marketplace_id })),
        404,
        "NOT_FOUND",
        { field: "marketplace_id", value: marketplace_id },
      );
    }
    expect(await ordersIn(testTenant)).toBe(0);
  });

  it("is for the caller as a customer, and for a named customer as admin or client", async () => {
    const testTenant = await openTestTenant();
    const { operator, supplier, customer, tenantId } = testTenant;
    const [product, client, other, foreign] = await Promise.all([
      listProduct(supplier),
      registerClient(tenantId),
      register({ tenant_id: tenantId }),
      openTestTenant(),
    ]);
    const [own, others, foreigners] = await Promise.all(
      [customer, other, foreign.customer].map(customerOf),
    );
    expectRefusal(
      await place(customer, orderFor(product, 1, { customer_id: others })),
      403,
      "FORBIDDEN",
      { field: "customer_id", value: others },
    );
    const placedForSelf = await placed(customer, product, 1, { customer_id: own });
    expect(placedForSelf.customer_id).toBe(own);
    for (const person of [operator, client]) {
      expectRefusal(await place(person, orderFor(product)), 422, "VALIDATION_ERROR", {
        field: "customer_id",
      });
      for (const customer_id of [foreigners, randomUUID()]) {
        expectRefusal(
          await place(person, orderFor(product, 1, { customer_id })),
          404,
          "NOT_FOUND",
          { field: "customer_id", value: customer_id },
        );
      }
      const order = await placed(person, product, 1, { customer_id: own });
      expect(order.customer_id).toBe(own);
      expect(await must("GET", `/orders/${order.id}`, { as: person })).toEqual(order);
      expect(await must("GET", `/orders/${order.id}`, { as: customer })).toMatchObject({
        id: order.id,
        customer_id: own,
      });
    }
    for (const customer_id of [own, undefined]) {
      expectRefusal(await place(supplier, orderFor(product, 1, { customer_id })), 403, "FORBIDDEN");
    }
    expect((await call("POST", "/api/orders", { body: orderFor(product) })).status).toBe(401);
    expect(await ordersIn(testTenant)).toBe(3);
  });

  it("reports the invalid field", async () => {
    const testTenant = await openTestTenant();
    const product = await listProduct(testTenant.supplier);
    const good = orderFor(product);
    const wrong: [string, object][] = [
      ["marketplace_id", { ...good, marketplace_id: undefined }],
      ["marketplace_id", { ...good, marketplace_id: "here" }],
      ["items", { ...good, items: [] }],
      ["items", { ...good, items: undefined }],
      ["items[0].product_id", { ...good, items: [{ quantity: 1, price: 1 }] }],
      ["items[0].price", { ...good, items: [item(product, 1, { price: undefined })] }],
      ["items[0].price", { ...good, items: [item(product, 1, { price: "12.5" })] }],
      ["items[0].quantity", { ...good, items: [item(product, 0)] }],
      ["items[0].quantity", { ...good, items: [item(product, -1)] }],
      ["items[0].quantity", { ...good, items: [item(product, 1.5)] }],
      ["shipping_address", { ...good, shipping_address: undefined }],
      ["shipping_address.city", { ...good, shipping_address: { ...ADDRESS, city: "" } }],
      ["shipping_address.street", { ...good, shipping_address: { ...ADDRESS, street: " \t" } }],
      ["shipping_address", { ...good, shipping_address: { ...ADDRESS, note: "é".repeat(4096) } }],
      // Unknown fields are refused: with a misspelt field the delivery would be free.
      ["deliveryMethod", { ...good, deliveryMethod: "courier" }],
      ["items[0].startsAt", { ...good, items: [item(product, 1, { startsAt: "now" })] }],
    ];
    for (const [field, body] of wrong) {
      expectRefusal(await place(testTenant.customer, body), 422, "VALIDATION_ERROR", { field });
    }
    expect(await ordersIn(testTenant)).toBe(0);
    expect(await stockOf(product)).toEqual({ product: { quantity: 10, reserved: 0 } });
  });

  it("of the last piece sets the product out of stock, until a piece is available again", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const product = await listProduct(supplier, { inventory: { quantity: 2 } });
    const status = async () =>
      (await must("GET", `/products/${product.id}`, { as: operator })).status;
    const soldOut = async () => {
      const { data } = await supabaseAs(operator)
        .from("events")
        .select("payload")
        .eq("name", "product.out_of_stock")
        .throwOnError();
      return data;
    };
    await placed(customer, product);
    expect(await status()).toBe("active");
    const last = await placed(customer, product);
    expect(await status()).toBe("out_of_stock");
    expect(await soldOut()).toEqual([
      { payload: expect.objectContaining({ event: "product.out_of_stock" }) },
    ]);
    expectRefusal(await place(customer, orderFor(product)), 422, "INSUFFICIENT_INVENTORY");
    await moved(customer, last, "cancelled");
    expect(await status()).toBe("active");
    const again = await placed(customer, product);
    expect(await status()).toBe("out_of_stock");
    expect(await soldOut()).toHaveLength(2);
    // The piece was shipped and returned, so it is in stock again.
    await moved(operator, again, "shipped");
    expect(await status()).toBe("out_of_stock");
    await moved(operator, again, "returned");
    expect(await status()).toBe("active");
  });
});

/** The stock, initially ten, after an order of three has reached a status. */
const STOCK: Record<string, object> = {
  pending: { quantity: 10, reserved: 3 },
  confirmed: { quantity: 10, reserved: 3 },
  processing: { quantity: 10, reserved: 3 },
  shipped: { quantity: 7, reserved: 0 },
  delivered: { quantity: 7, reserved: 0 },
  cancelled: { quantity: 10, reserved: 0 },
  returned: { quantity: 10, reserved: 0 },
};

describe("moving an order", () => {
  it.each(
    STATUSES,
  )("from %s is possible only to the specified statuses, and the stock follows", async (from) => {
    const { operator, supplier, customer } = await openTestTenant();
    /** An order of three pieces of a new product, moved to the status. */
    const orderThere = async () => {
      const product = await listProduct(supplier);
      const order = await placed(customer, product, 3);
      if (from === "returned") await moved(operator, order, "shipped");
      if (from !== "pending") await moved(operator, order, from);
      return { product, order };
    };
    const still = await orderThere();
    expect(await stockOf(still.product)).toEqual({ product: STOCK[from] });
    for (const to of STATUSES) {
      if (moveExists(from, to)) {
        const { product, order } = await orderThere();
        await moved(operator, order, to);
        expect(await stockOf(product), `${from} → ${to}`).toEqual({ product: STOCK[to] });
      } else {
        const refused = await move(operator, still.order, to);
        expect(refused.status, `${from} → ${to}`).toBe(422);
        expectRefusal(refused, 422, "INVALID_TRANSITION", { field: "status", value: to });
      }
    }
    // Refused moves had no effect.
    const after = await must("GET", `/orders/${still.order.id}`, { as: operator });
    expect(after.status).toBe(from);
    expect(after.history).toHaveLength(from === "pending" ? 0 : from === "returned" ? 2 : 1);
    expect(await stockOf(still.product)).toEqual({ product: STOCK[from] });
  });

  it("is recorded in the ledger of the stock", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const product = await listProduct(supplier);
    const [kept, sent] = [await placed(customer, product, 3), await placed(customer, product, 2)];
    await moved(customer, kept, "cancelled");
    await moved(operator, sent, "shipped");
    await moved(operator, sent, "delivered");
    await moved(operator, sent, "returned");
    const { data } = await supabaseAs(operator)
      .from("inventory_movements")
      .select("reason, order_id, quantity_change, reserved_change")
      .not("order_id", "is", null)
      .order("id")
      .throwOnError();
    expect(data?.map((row) => Object.values(row))).toEqual([
      ["reserve", kept.id, 0, 3],
      ["reserve", sent.id, 0, 2],
      ["release", kept.id, 0, -3],
      ["ship", sent.id, -2, -2],
      ["return", sent.id, 2, 0],
    ]);
  });

  it("records who moved it, when, and why, through PUT and PATCH with both paths", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const order = await placed(customer, await listProduct(supplier));
    const steps: [string, string, Person, string, string | undefined][] = [
      ["PATCH", "/api/orders", supplier, "confirmed", "On its way to the packers."],
      ["PUT", "/orders", operator, "processing", undefined],
      ["PUT", "/api/orders", supplier, "shipped", "DHL 42"],
      ["PATCH", "/orders", operator, "delivered", undefined],
    ];
    let last = order;
    for (const [method, path, as, status, note] of steps) {
      const body = { status, note };
      const next = await must(method, `${path}/${order.id}/status`, { as, body });
      expect(next).toEqual({
        ...last,
        status,
        items: [{ ...last.items[0], ...COUNTS[status as keyof typeof COUNTS] }],
        parts: [{ ...last.parts[0], status }],
        commissions: expect.any(Array),
        updated_at: next.updated_at,
        updated_at_local: next.updated_at_local,
        history: [
          ...last.history,
          {
            old_status: last.status,
            new_status: status,
            note: note ?? null,
            actor_id: as.id,
            created_at: expect.any(String),
            created_at_local: expect.any(String),
          },
        ],
      });
      const at = (moment: string) => new Date(moment).getTime();
      expect(at(next.history.at(-1).created_at)).toBeGreaterThanOrEqual(at(last.updated_at));
      last = next;
    }
    expect(await must("GET", `/orders/${order.id}`, { as: operator })).toEqual(last);
  });

  it("to cancelled is allowed to the customer while it is pending or confirmed", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const product = await listProduct(supplier);
    const stranger = await register({ tenant_id: tenantId });
    for (const status of ["pending", "confirmed"]) {
      const order = await placed(customer, product);
      if (status !== "pending") await moved(operator, order, status);
      expectRefusal(await move(stranger, order, "cancelled"), 404, "NOT_FOUND");
      const cancelled = await moved(customer, order, "cancelled", "Changed my mind.");
      expect(cancelled.history.at(-1)).toMatchObject({
        old_status: status,
        new_status: "cancelled",
        actor_id: customer.id,
        note: "Changed my mind.",
      });
      expect(await stockOf(product)).toEqual({ product: { quantity: 10, reserved: 0 } });
    }
    const late = await placed(customer, product);
    await moved(operator, late, "processing");
    expectRefusal(await move(customer, late, "cancelled"), 403, "FORBIDDEN");
    expect((await must("GET", `/orders/${late.id}`, { as: customer })).history).toHaveLength(1);
    expect(await stockOf(product)).toEqual({ product: { quantity: 10, reserved: 1 } });

    const mine = await placed(customer, product);
    for (const status of ["confirmed", "processing", "shipped", "delivered", "returned"]) {
      expectRefusal(await move(customer, mine, status), 403, "FORBIDDEN");
    }
  });

  it("forward is allowed to a supplier if all items are its own", async () => {
    const { supplier, customer, operator, tenantId } = await openTestTenant();
    const rival = await register({ tenant_id: tenantId, role: "supplier" });
    const [saffron, mint] = await Promise.all([
      listProduct(supplier),
      listProduct(rival, { name: "Mint" }),
    ]);
    const own = await placed(customer, saffron);
    expectRefusal(await move(rival, own, "confirmed"), 404, "NOT_FOUND");
    expectRefusal(await move(supplier, own, "cancelled"), 403, "FORBIDDEN");
    await moved(supplier, own, "shipped");
    expectRefusal(await move(supplier, own, "returned"), 403, "FORBIDDEN");
    await moved(supplier, own, "delivered");

    const shared = await must("POST", "/api/orders", {
      as: customer,
      body: { ...orderFor(saffron), items: [item(saffron), item(mint)] },
    });
    for (const person of [supplier, rival]) {
      expectRefusal(await move(person, shared, "confirmed"), 403, "FORBIDDEN");
    }
    await moved(operator, shared, "confirmed");
  });

  it("is refused to clients, other tenants and anonymous callers", async () => {
    const { customer, supplier, tenantId } = await openTestTenant();
    const order = await placed(customer, await listProduct(supplier));
    const [client, foreign] = await Promise.all([registerClient(tenantId), openTestTenant()]);
    expectRefusal(await move(client, order, "confirmed"), 403, "FORBIDDEN");
    for (const person of [foreign.operator, foreign.supplier, foreign.customer]) {
      expectRefusal(await move(person, order, "cancelled"), 404, "NOT_FOUND");
      expect((await call("GET", `/orders/${order.id}`, { as: person })).status).toBe(404);
    }
    const path = `/api/orders/${order.id}/status`;
    expect((await call("PATCH", path, { body: { status: "cancelled" } })).status).toBe(401);
    expect((await must("GET", `/orders/${order.id}`, { as: customer })).status).toBe("pending");
  });

  it("reports what is wrong in the request", async () => {
    const { operator, customer, supplier } = await openTestTenant();
    const order = await placed(customer, await listProduct(supplier));
    for (const [body, field] of [
      [{}, "status"],
      [{ status: "lost" }, "status"],
      [{ status: 1 }, "status"],
      [{ status: "confirmed", note: "x".repeat(2001) }, "note"],
      [{ status: "confirmed", notes: "x" }, "notes"],
    ] as const) {
      const path = `/api/orders/${order.id}/status`;
      expectRefusal(await call("PATCH", path, { as: operator, body }), 422, "VALIDATION_ERROR", {
        field,
      });
    }
    for (const id of [randomUUID(), "none"]) {
      expectRefusal(await move(operator, { id }, "confirmed"), 404, "NOT_FOUND");
    }
  });
});

describe("the list of orders", () => {
  it("is sorted by amounts within each currency", async () => {
    const { operator, supplier, customer, marketplace } = await openTestTenant();
    const yen = await openMarketplace(operator, { currency: "JPY" });
    for (const [marketplace_id, price] of [
      [marketplace.id, 64.5],
      [yen.id, 500],
      [marketplace.id, 8],
      [yen.id, 10],
    ]) {
      await placed(customer, await listProduct(supplier, { marketplace_id, price }));
    }
    const amounts = async (order: string) => {
      const path = `/api/orders?sort=total_amount&order=${order}`;
      const { orders } = await must("GET", path, { as: operator });
      return orders.map((one: { total_amount: number }) => one.total_amount);
    };
    expect(await amounts("asc")).toEqual([8, 64.5, 10, 500]);
    expect(await amounts("desc")).toEqual([64.5, 8, 500, 10]);
  });

  it("has pages and filters, and shows callers their own orders", async () => {
    const testTenant = await openTestTenant();
    const { operator, supplier, customer, tenantId, marketplace } = testTenant;
    const [client, rival, neighbour, foreign] = await Promise.all([
      registerClient(tenantId),
      register({ tenant_id: tenantId, role: "supplier" }),
      register({ tenant_id: tenantId }),
      openTestTenant(),
    ]);
    const [saffron, mint] = await Promise.all([
      listProduct(supplier, { price: 5 }),
      listProduct(rival, { name: "Mint", price: 3 }),
    ]);
    const first = await placed(customer, saffron, 3);
    const second = await must("POST", "/api/orders", {
      as: neighbour,
      body: { ...orderFor(saffron), items: [item(saffron), item(mint)] },
    });
    const third = await placed(customer, mint);
    await moved(operator, third, "confirmed");
    const site = await must("POST", "/api/marketplaces", {
      as: operator,
      body: marketplaceFields(),
    });

    const ids = async (as: Person, query = "") => {
      const list = await must("GET", `/api/orders${query}`, { as });
      // biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
      return list.orders.map((order: any) => order.id);
    };
    const newestFirst = [third.id, second.id, first.id];
    for (const person of [operator, client]) expect(await ids(person)).toEqual(newestFirst);
    expect(await ids(customer)).toEqual([third.id, first.id]);
    expect(await ids(neighbour)).toEqual([second.id]);
    expect(await ids(foreign.operator)).toEqual([]);

    // A supplier sees only its own items.
    expect(await ids(supplier)).toEqual([second.id, first.id]);
    expect(await ids(rival)).toEqual([third.id, second.id]);
    const seen = await must("GET", `/orders/${second.id}`, { as: rival });
    expect(seen.items).toEqual([second.items[1]]);
    const { data } = await supabaseAs(rival).from("order_items").select("product_id");
    expect(new Set(data?.map((row) => row.product_id))).toEqual(new Set([mint.id]));
    expect((await call("GET", `/orders/${first.id}`, { as: rival })).status).toBe(404);

    expect(await ids(operator, "?status=confirmed")).toEqual([third.id]);
    expect(await ids(operator, "?status=shipped")).toEqual([]);
    expect(await ids(operator, `?marketplace_id=${marketplace.id}`)).toEqual(newestFirst);
    expect(await ids(operator, `?marketplace_id=${site.id}`)).toEqual([]);
    expect(await ids(operator, "?sort=total_amount&order=asc")).toEqual([
      third.id,
      second.id,
      first.id,
    ]);
    expect(await ids(operator, "?sort=total_amount&order=desc")).toEqual([
      first.id,
      second.id,
      third.id,
    ]);
    const page = await must("GET", "/orders?page=2&limit=2", { as: operator });
    expect(page).toEqual({
      orders: [await must("GET", `/orders/${first.id}`, { as: operator })],
      total: 3,
      page: 2,
      limit: 2,
    });
    expect(await must("GET", "/orders?page=9&limit=2", { as: operator })).toEqual({
      orders: [],
      total: 3,
      page: 9,
      limit: 2,
    });
    expect(await must("GET", "/orders?limit=5000", { as: operator })).toMatchObject({
      total: 3,
      limit: 1000,
    });
    for (const [query, field] of [
      ["?status=lost", "status"],
      ["?page=0", "page"],
      ["?limit=many", "limit"],
      ["?sort=secret", "sort"],
      ["?marketplace_id=1", "marketplace_id"],
    ]) {
      const refused = await call("GET", `/api/orders${query}`, { as: operator });
      expectRefusal(refused, 422, "VALIDATION_ERROR", { field });
    }
  });
});

describe("a search of orders", () => {
  it("finds numbers, names and e-mail addresses, for each caller only in what it sees", async () => {
    const testTenant = await openTestTenant();
    const { operator, supplier, customer, tenantId } = testTenant;
    const [client, rival, foreign] = await Promise.all([
      registerClient(tenantId),
      register({ tenant_id: tenantId, role: "supplier" }),
      openTestTenant(),
    ]);
    const [saffron, mint] = [
      await listProduct(supplier),
      await listProduct(rival, { name: "Mint", price: 3 }),
    ];
    const orderOf = async (name: string, email?: string) => {
      const { id } = await must("POST", "/api/customers", { as: client, body: { name, email } });
      const body = { ...orderFor(saffron), customer_id: id };
      return must("POST", "/api/orders", { as: operator, body });
    };
    await orderOf("Anna Müller", "Anna.M@example.com");
    await must("POST", "/api/orders", {
      as: customer,
      body: {
        ...orderFor(mint),
        contact: { email: "gil@shop.example.com", name: "Gil Ōno" },
        shipping_address: { ...ADDRESS, name: "Yasmin Haddad" },
      },
    });
    await orderOf("李 Wei");

    const found = async (as: Person, search: string, more = "") => {
      const query = `search=${encodeURIComponent(search)}&sort=number&order=asc${more}`;
      const { orders, total } = await must("GET", `/api/orders?${query}`, { as });
      const numbers = orders.map(({ number }: { number: number }) => number);
      expect(total).toBe(numbers.length);
      const { data } = await supabaseAs(as).rpc("found_orders", { search }).select("number");
      const rows = data as unknown as { number: number }[];
      if (!more) expect(rows.map(({ number }) => number).sort()).toEqual(numbers);
      return numbers;
    };
    for (const [search, numbers] of [
      ["1", [1]],
      [" #2 ", [2]],
      ["٣", [3]],
      ["muller", [1]],
      ["MÜLL ann", [1]],
      ["anna.m@EXAMPLE.com", [1]],
      ["example.com", [1, 2]],
      ["gil@shop", [2]],
      ["ono", [2]],
      ["haddad yas", [2]],
      ["李", [3]],
      ["we", [3]],
      ["li", []],
      ["anna wei", []],
      ["nobody", []],
      ["%", []],
      ["9", []],
    ] as const) {
      expect([search, await found(operator, search)]).toEqual([search, numbers]);
      expect([search, await found(client, search)]).toEqual([search, numbers]);
      expect(await found(foreign.operator, search)).toEqual([]);
    }
    // A supplier finds what the records of its orders contain, and nothing of customers' accounts.
    for (const [person, search, numbers] of [
      [supplier, "1", [1]],
      [supplier, "2", []],
      [supplier, "muller", []],
      [supplier, "anna.m@example.com", []],
      [supplier, "gil", []],
      [rival, "gil@shop.example.com", [2]],
      [rival, "haddad", [2]],
      [rival, "1", []],
      [customer, "gil", [2]],
      [customer, customer.email, [2]],
      [customer, "muller", []],
      [customer, "1", []],
    ] as const) {
      expect([search, await found(person, search)]).toEqual([search, numbers]);
    }

    // It is one filter among others. Only spaces are no search.
    const both = await found(operator, "example.com", "&status=pending");
    expect(both).toEqual([1, 2]);
    expect(await found(operator, "example.com", "&status=shipped")).toEqual([]);
    expect(await found(operator, "ono", "&booked_from=2026-01-01")).toEqual([2]);
    expect(await found(operator, "ono", "&booked_to=2026-01-01")).toEqual([]);
    expect(await found(operator, " \u00a0", "&limit=20")).toEqual([1, 2, 3]);
    const path = `/api/orders?search=${"x".repeat(201)}`;
    expectRefusal(await call("GET", path, { as: operator }), 422, "VALIDATION_ERROR", {
      field: "search",
    });
  });
});

describe("orders through supabase-js", () => {
  it("can be placed and moved with the same rules", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const product = await listProduct(supplier, { inventory: { quantity: 2 } });
    const placeDirectly = (person: Person, overrides: object) =>
      supabaseAs(person).rpc("place_order", { ...orderFor(product), ...overrides });
    const refusals: [Person, object, number, string, object][] = [
      [
        customer,
        { items: [item(product, 1, { price: 1 })] },
        422,
        "PRICE_MISMATCH",
        { field: "items[0].price", value: 1 },
      ],
      [
        customer,
        { items: [item(product, 3)] },
        422,
        "INSUFFICIENT_INVENTORY",
        { field: "items[0].quantity", value: 3 },
      ],
      [
        customer,
        { items: [item(product, -1)] },
        422,
        "VALIDATION_ERROR",
        { field: "items[0].quantity", value: -1 },
      ],
      [customer, { items: [] }, 422, "VALIDATION_ERROR", { field: "items", value: [] }],
      [customer, { items: {} }, 422, "VALIDATION_ERROR", { field: "items", value: {} }],
      [supplier, {}, 403, "FORBIDDEN", {}],
      [operator, {}, 422, "VALIDATION_ERROR", { field: "customer_id", value: null }],
    ];
    for (const [person, overrides, status, code, details] of refusals) {
      const refused = await placeDirectly(person, overrides);
      expect(refused.error).toMatchObject({ code: `PT${status}`, message: code });
      expect(refused.status).toBe(status);
      expect(JSON.parse(refused.error?.details ?? "")).toEqual(details);
    }
    const order = (await placeDirectly(customer, {}).throwOnError()).data;
    expect(await must("GET", `/orders/${order.id}`, { as: customer })).toEqual(order);
    const moveDirectly = (person: Person, status: string) =>
      supabaseAs(person).rpc("change_order_status", { order_id: order.id, status });
    expect((await moveDirectly(customer, "shipped")).error).toMatchObject({
      code: "PT403",
      message: "FORBIDDEN",
    });
    expect((await moveDirectly(operator, "returned")).error).toMatchObject({
      code: "PT422",
      message: "INVALID_TRANSITION",
    });
    expect((await moveDirectly(customer, "cancelled")).data).toMatchObject({ status: "cancelled" });
    expect((await moveDirectly(operator, "cancelled")).error).toMatchObject({
      code: "PT422",
      message: "INVALID_TRANSITION",
    });
    expect(await stockOf(product)).toEqual({ product: { quantity: 2, reserved: 0 } });

    const nobody = await supabaseAs().rpc("place_order", orderFor(product));
    expect(nobody.status).toBe(401);
  });

  it("have an address and items that fit into every list of orders", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const product = await listProduct(supplier, { kind: "service", inventory: { quantity: 0 } });
    const dear = await listProduct(supplier, {
      price: 99_999_999_999.99,
      kind: "service",
      inventory: { quantity: 0 },
    });
    const to = (shipping_address: unknown) => ({ shipping_address });
    const field = (name: string, value: unknown) => ({ [name]: value });
    const filler = "x".repeat(8192);
    const kept = "x".repeat(8000);
    const wrong: [object, string, unknown?][] = [
      [to([]), "shipping_address", []],
      [to("Fez"), "shipping_address", "Fez"],
      [to({}), "shipping_address.street"],
      [to({ ...ADDRESS, note: filler }), "shipping_address"],
      [{ items: Array(501).fill(item(product)) }, "items"],
      [{ items: [item(product), item(product, 1, { prize: 1 })] }, "items[1].prize"],
      [{ items: [item(dear, 999_999)] }, "items", [item(dear, 999_999)]],
    ];
    for (const [name, longest] of [
      ["street", 500],
      ["city", 200],
      ["postal_code", 40],
    ] as const) {
      // A postal code is optional without a country, and a blank one counts as none.
      const blank = name === "postal_code" ? [] : [null, "", " \n\t"];
      for (const value of [...blank, 30000, {}, "x".repeat(longest + 1)]) {
        wrong.push([to({ ...ADDRESS, ...field(name, value) }), `shipping_address.${name}`, value]);
      }
    }
    for (const [overrides, blamed, value = null] of wrong) {
      const { error } = await supabaseAs(customer).rpc("place_order", {
        ...orderFor(product),
        ...overrides,
      });
      expect(error, blamed).toMatchObject({ code: "PT422", message: "VALIDATION_ERROR" });
      expect(JSON.parse(error?.details ?? "")).toEqual({ field: blamed, value });
    }
    const address = {
      ...ADDRESS,
      street: "x".repeat(500),
      door: { code: 7 },
      note: kept.slice(999),
    };
    const { data } = await supabaseAs(customer)
      .rpc("place_order", orderFor(product, 1, { shipping_address: address }))
      .throwOnError();
    expect(data.shipping_address).toEqual(address);
    for (const as of [operator, supplier, customer]) {
      const { orders } = await must("GET", "/api/orders", { as });
      expect(orders.map(({ id }: { id: string }) => id)).toEqual([data.id]);
    }
    // The service role cannot write larger ones either.
    const { error } = await supabaseAsService()
      .from("orders")
      .update({ shipping_address: { street: 1 } })
      .eq("id", data.id);
    expect(error?.message).toBe("VALIDATION_ERROR");
  });

  it("cannot be written in any other way", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const product = await listProduct(supplier);
    const order = await placed(customer, product);
    const client = await registerClient(tenantId);
    const before = await must("GET", `/orders/${order.id}`, { as: operator });
    for (const person of [customer, supplier, client, operator]) {
      const db = supabaseAs(person);
      const attempts = await Promise.all([
        db.from("orders").insert({ ...order, id: randomUUID(), items: undefined }),
        db.from("orders").insert({
          marketplace_id: order.marketplace_id,
          customer_id: order.customer_id,
          currency: "EUR",
          shipping_address: ADDRESS,
        }),
        db.from("orders").update({ status: "confirmed" }).eq("id", order.id),
        db.from("order_parts").update({ subtotal: 0 }).eq("order_id", order.id),
        db.from("order_parts").insert({ order_id: order.id, subtotal: 0 }),
        db.from("order_parts").delete().eq("order_id", order.id),
        db.from("orders").update({ payment_status: "paid" }).eq("id", order.id),
        db.from("orders").delete().eq("id", order.id),
        db.from("order_items").insert({
          order_id: order.id,
          position: 2,
          product_id: product.id,
          name: "Gift",
          quantity: 1,
          price: 0,
        }),
        db.from("order_items").update({ price: 0 }).eq("order_id", order.id),
        db.from("order_items").delete().eq("order_id", order.id),
        db.from("order_status_changes").insert({
          order_id: order.id,
          old_status: "pending",
          new_status: "delivered",
        }),
        db.from("order_status_changes").delete().eq("order_id", order.id),
        db.from("order_details").update({ status: "confirmed" }).eq("id", order.id),
        db.from("inventory").update({ reserved: 0 }).eq("product_id", product.id),
      ]);
      for (const [index, { status }] of attempts.entries()) {
        // 42501 is 403. A row with an unknown or foreign column is refused as well.
        expect(status, `attempt ${index}`).toBeGreaterThanOrEqual(400);
      }
    }
    expect(await must("GET", `/orders/${order.id}`, { as: operator })).toEqual(before);
    expect(await ordersInTenant(tenantId)).toBe(1);
    expect(await stockOf(product)).toEqual({ product: { quantity: 10, reserved: 1 } });
  });
});

describe("an order of several suppliers", () => {
  it("shows each supplier its own part, and neither the others nor their sums", async () => {
    const testTenant = await openTestTenant();
    const { operator, supplier, customer, tenantId, marketplace } = testTenant;
    const rival = await register({ tenant_id: tenantId, role: "supplier" });
    await must("PUT", `/api/marketplaces/${marketplace.id}`, {
      as: operator,
      body: {
        settings: {
          business: {
            delivery: { methods: [{ key: "post", name: "Post", price: 4.95 }] },
            commission_percent: 10,
          },
        },
      },
    });
    const [saffron, mint] = await Promise.all([
      listProduct(supplier, { price: 20.13 }),
      listProduct(rival, { name: "Mint", price: 31.79 }),
    ]);
    const [byOperator, bySupplier] = await Promise.all([
      listenToTable(operator, "orders", tenantId),
      listenToTable(supplier, "orders", tenantId),
    ]);
    const order = await must("POST", "/api/orders", {
      as: customer,
      body: {
        ...orderFor(saffron),
        items: [...orderFor(saffron).items, ...orderFor(mint).items],
        delivery_method: "post",
      },
    });
    const path = `/api/orders/${order.id}`;
    const whole = { subtotal_amount: 51.92, delivery_amount: 4.95, total_amount: 56.87 };
    expect(order).toMatchObject(whole);
    await must("POST", `${path}/payments`, {
      as: operator,
      body: { status: "paid", amount: 56.87, reference: "one" },
    });
    for (const [as, visibility] of [
      [rival, "customer"],
      [supplier, "customer"],
      [operator, "customer"],
    ] as const) {
      await must("POST", `${path}/notes`, { as, body: { text: "Soon.", visibility } });
    }
    await must("PATCH", `${path}/status`, { as: operator, body: { status: "shipped" } });
    await must("POST", `${path}/returns`, {
      as: operator,
      body: { items: order.items.map(({ id }: { id: string }) => ({ item_id: id, quantity: 1 })) },
    });

    const own = { subtotal_amount: 20.13, delivery_amount: 0, total_amount: 20.13 };
    const { orders } = await must("GET", "/api/orders?sort=total_amount", { as: supplier });
    for (const seen of [await must("GET", path, { as: supplier }), ...orders]) {
      expect(seen).toMatchObject({ id: order.id, ...own });
      expect(seen.items).toMatchObject([{ supplier_id: saffron.supplier_id }]);
      expect(seen.notes).toMatchObject([
        { supplier_id: saffron.supplier_id },
        { supplier_id: null },
      ]);
    }
    for (const as of [operator, customer]) {
      expect(await must("GET", path, { as })).toMatchObject(whole);
      expect((await must("GET", path, { as })).notes).toHaveLength(3);
    }

    // Neither in any table or view, nor in published changes.
    const db = supabaseAs(supplier);
    const rows = await Promise.all(
      Object.keys(reads).map(async (name) => {
        const { data } = await db.from(name).select().throwOnError();
        return name === "suppliers" ? [] : [name, data];
      }),
    );
    const embedded = await db
      .from("orders")
      .select("*, order_parts(*), order_items(*)")
      .throwOnError();
    await eventually(() => expect(bySupplier.length).toBeGreaterThanOrEqual(3));
    // Amounts as in JSON, because the seconds of a time may have the same digits.
    const secrets = [mint.id, mint.supplier_id, '":51.92,', '":56.87,', '":31.79,'];
    const seen = JSON.stringify([rows, embedded.data, bySupplier]).replaceAll("}", ",");
    for (const secret of secrets) expect(seen).not.toContain(secret);
    const { data: guessed } = await db.from("order_details").select("id").eq("total_amount", 56.87);
    expect(guessed).toEqual([]);
    // Published changes contain no sums for other members either. They read the order itself.
    expect(JSON.stringify(byOperator)).not.toContain("56.87");
  });
});

async function ordersInTenant(tenantId: string): Promise<number | null> {
  const { count } = await supabaseAsService()
    .from("orders")
    .select("id", { count: "exact", head: true })
    .eq("tenant_id", tenantId)
    .throwOnError();
  return count;
}
