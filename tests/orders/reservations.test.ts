import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  type Answer,
  call,
  expectRefusal,
  listProduct,
  must,
  openGuest,
  openTestTenant,
  orderFor,
  type Person,
  persist,
  register,
  registerClient,
  stockOf,
  supabaseAs,
  supabaseAsService,
} from "../souk.js";
import {
  customerOf,
  doBusiness,
  getOrder,
  item,
  moved,
  ordersIn,
  pay,
  place,
  placed,
} from "./ordering.js";

// Limits for unpaid reservations of a customer. An order can replace an unpaid order of the same customer.

const manyOf = (supplier: Person, overrides: object = {}) =>
  listProduct(supplier, { inventory: { quantity: 200 }, ...overrides });

/** Fails unless an order was refused for a limit of the marketplace. */
function expectBound(answer: Answer, cap: string, maximum: number, details: object = {}) {
  expectRefusal(answer, 422, "LIMIT_REACHED", { cap, maximum, ...details });
}

const codesOf = (answers: Answer[]) =>
  answers.map(({ status, body }) => body.error?.code ?? status).toSorted();

describe("the unpaid pieces of a product", () => {
  it("are at most 20 per customer, in one order or several", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const [saffron, mint] = await Promise.all([manyOf(supplier), manyOf(supplier)]);
    expectBound(await place(customer, orderFor(saffron, 21)), "max_unpaid_pieces", 20, {
      field: "items[0].quantity",
      value: 21,
    });
    const first = await placed(customer, saffron, 12);
    const second = await placed(customer, saffron, 8);
    const beyond = [item(mint, 20), item(saffron)];
    expectBound(
      await place(customer, { ...orderFor(saffron), items: beyond }),
      "max_unpaid_pieces",
      20,
      { field: "items[1].quantity", value: 1 },
    );
    const { error } = await supabaseAs(customer).rpc("place_order", orderFor(saffron));
    expect(error).toMatchObject({ code: "PT422", message: "LIMIT_REACHED" });
    expect(await stockOf(saffron)).toEqual({ product: { quantity: 200, reserved: 20 } });

    // Other products and other customers are not affected.
    await placed(customer, mint, 20);
    await placed(await register({ tenant_id: tenantId }), saffron, 20);
    // Cancelled, paid and shipped pieces do not count.
    await moved(customer, first, "cancelled");
    expect((await pay(operator, second)).status).toBe(201);
    const third = await placed(customer, saffron, 20);
    await must("POST", `/api/orders/${third.id}/shipments`, {
      as: operator,
      body: { items: [{ item_id: third.items[0].id, quantity: 15 }] },
    });
    await placed(customer, saffron, 15);
    expectBound(await place(customer, orderFor(saffron)), "max_unpaid_pieces", 20);
  });

  it("are counted over variants and over the lines of an order", async () => {
    const { supplier, customer } = await openTestTenant();
    const product = await manyOf(supplier, {
      variants: ["red", "blue"].map((name) => ({ name, inventory: { quantity: 100 } })),
    });
    const [red, blue] = product.variants.map(({ id }: { id: string }) => ({ variant_id: id }));
    const order = (...items: object[]) => ({ ...orderFor(product), items });
    expectBound(
      await place(customer, order(item(product, 12, red), item(product, 9, blue))),
      "max_unpaid_pieces",
      20,
      { field: "items[1].quantity", value: 9 },
    );
    const both = order(item(product, 12, red), item(product, 8, blue));
    await must("POST", "/api/orders", { as: customer, body: both });
  });

  it("are a tenth of the free stock where that is more than 20", async () => {
    const testTenant = await openTestTenant();
    const { operator, supplier, customer, tenantId } = testTenant;
    const other = await register({ tenant_id: tenantId });
    const plenty = await manyOf(supplier, { inventory: { quantity: 10_000 } });
    expectBound(await place(customer, orderFor(plenty, 1001)), "max_unpaid_pieces", 1000, {
      field: "items[0].quantity",
      value: 1001,
    });
    await placed(customer, plenty, 100);
    // What the customer holds itself counts as free, so several orders reach as far as one.
    const { error } = await supabaseAs(customer).rpc("place_order", orderFor(plenty, 900));
    expect(error).toBeNull();
    expectBound(await place(customer, orderFor(plenty)), "max_unpaid_pieces", 1000);
    expectBound(await place(other, orderFor(plenty, 901)), "max_unpaid_pieces", 900);
    const replaced = await placed(other, plenty, 900);
    await placed(other, plenty, 899, { replaces: replaced.id });

    // The stock of all variants counts, but not the product's own, which is not sold.
    const colours = await manyOf(supplier, {
      inventory: { quantity: 5000 },
      variants: ["red", "blue"].map((name) => ({ name, inventory: { quantity: 155 } })),
    });
    const [red, blue] = colours.variants.map(({ id }: { id: string }) => ({ variant_id: id }));
    const order = (...items: object[]) => ({ ...orderFor(colours), items });
    expectBound(
      await place(customer, order(item(colours, 30, red), item(colours, 2, blue))),
      "max_unpaid_pieces",
      31,
      { field: "items[1].quantity", value: 2 },
    );
    const both = order(item(colours, 30, red), item(colours, 1, blue));
    await must("POST", "/api/orders", { as: customer, body: both });

    // A setting is exact, also one of 20.
    await doBusiness(testTenant, { max_unpaid_pieces: 20 });
    const more = await manyOf(supplier, { inventory: { quantity: 10_000 } });
    expectBound(await place(customer, orderFor(more, 21)), "max_unpaid_pieces", 20);
    await placed(customer, more, 20);
    await placed(operator, more, 2000, { customer_id: await customerOf(customer) });
  });

  it("are limited by the marketplace's setting, also for guests; admins and clients order without that limit", async () => {
    const testTenant = await openTestTenant();
    const { operator, supplier, customer, marketplace, tenantId } = testTenant;
    await doBusiness(testTenant, { max_unpaid_pieces: 2 });
    const [product, client, guest] = await Promise.all([
      manyOf(supplier),
      registerClient(tenantId),
      openGuest(marketplace),
    ]);
    const contact = { email: "gil@example.com" };
    expectBound(await place(guest, orderFor(product, 3, { contact })), "max_unpaid_pieces", 2);
    await placed(guest, product, 2, { contact });
    const customer_id = await customerOf(customer);
    for (const seller of [operator, client]) await placed(seller, product, 30, { customer_id });
    // They count as the customer's unpaid pieces all the same.
    expectBound(await place(customer, orderFor(product)), "max_unpaid_pieces", 2);
  });
});

describe("the unpaid orders of a customer", () => {
  it("are at most 50", async () => {
    const { supplier, customer, marketplace, tenantId } = await openTestTenant();
    const [product, free] = await Promise.all([manyOf(supplier), manyOf(supplier, { price: 0 })]);
    const waiting = {
      tenant_id: tenantId,
      marketplace_id: marketplace.id,
      customer_id: await customerOf(customer),
      currency: "EUR",
      payment_due_at: "2099-01-01T00:00:00Z",
    };
    const orders = supabaseAsService().from("orders");
    await orders.insert(Array(49).fill(waiting)).throwOnError();
    const last = await placed(customer, product);
    expectBound(await place(customer, orderFor(product)), "max_unpaid_orders", 50);
    // A free order counts as paid.
    await placed(customer, free);
    await moved(customer, last, "cancelled");
    await placed(customer, product);
  });

  it("are limited for concurrent orders too", async () => {
    const testTenant = await openTestTenant();
    const { supplier, customer } = testTenant;
    await doBusiness(testTenant, { max_unpaid_orders: 3 });
    const products = await Promise.all([1, 2, 3].map(() => manyOf(supplier)));
    const answers = await Promise.all(
      Array.from({ length: 9 }, (_, i) => place(customer, orderFor(products[i % 3]))),
    );
    expect(codesOf(answers)).toEqual([201, 201, 201, ...Array(6).fill("LIMIT_REACHED")]);
    expect(await ordersIn(testTenant)).toBe(3);
  });
});

describe("an order that replaces an unpaid one", () => {
  it("takes over its stock, and cancels it", async () => {
    const testTenant = await openTestTenant();
    const { operator, supplier, customer } = testTenant;
    await doBusiness(testTenant, { max_unpaid_orders: 1, max_unpaid_pieces: 3 });
    const product = await listProduct(supplier, { inventory: { quantity: 3 } });
    const first = await placed(customer, product, 3);
    expectRefusal(await place(customer, orderFor(product, 2)), 422, "INSUFFICIENT_INVENTORY");
    const second = await placed(customer, product, 2, { replaces: first.id });
    expect(await getOrder(customer, first)).toMatchObject({
      status: "cancelled",
      history: [
        { old_status: "pending", new_status: "cancelled", note: "replaced by another order" },
      ],
    });
    expect(second).toMatchObject({ status: "pending", number: 2 });
    expect(await stockOf(product)).toEqual({ product: { quantity: 3, reserved: 2 } });
    const { events } = await must("GET", "/api/events?name=order.cancelled", { as: operator });
    expect(events).toHaveLength(1);
    expect(events[0].data.order.id).toBe(first.id);

    // Through supabase-js, and for a confirmed order too.
    await moved(operator, second, "confirmed");
    const { data: third } = await supabaseAs(customer)
      .rpc("place_order", { ...orderFor(product, 3), replaces: second.id })
      .throwOnError();
    expect((await getOrder(customer, second)).status).toBe("cancelled");
    expect((await getOrder(customer, third)).status).toBe("pending");
  });

  it("leaves it unchanged when it is refused", async () => {
    const { supplier, customer } = await openTestTenant();
    const product = await listProduct(supplier, { inventory: { quantity: 3 } });
    const first = await placed(customer, product, 2);
    const replaces = first.id;
    expectRefusal(
      await place(customer, orderFor(product, 4, { replaces })),
      422,
      "INSUFFICIENT_INVENTORY",
    );
    expectRefusal(
      await place(customer, orderFor({ ...product, price: 1 }, 1, { replaces })),
      422,
      "PRICE_MISMATCH",
    );
    expect(await getOrder(customer, first)).toEqual(first);
    expect(await stockOf(product)).toEqual({ product: { quantity: 3, reserved: 2 } });
  });

  it("only finds an unpaid order of its customer that is not being processed", async () => {
    const [testTenant, elsewhere] = await Promise.all([openTestTenant(), openTestTenant()]);
    const { operator, supplier, customer, tenantId } = testTenant;
    const neighbour = await register({ tenant_id: tenantId });
    const [product, foreign] = await Promise.all([manyOf(supplier), manyOf(elsewhere.supplier)]);
    const [theirs, far] = await Promise.all([
      placed(neighbour, product),
      placed(elsewhere.customer, foreign),
    ]);
    const customer_id = await customerOf(customer);
    for (const [as, overrides] of [
      [customer, {}],
      [operator, { customer_id }],
    ] as const) {
      for (const replaces of [theirs.id, far.id, randomUUID()]) {
        expectRefusal(
          await place(as, orderFor(product, 1, { ...overrides, replaces })),
          404,
          "NOT_FOUND",
          { field: "replaces", value: replaces },
        );
      }
    }
    expect((await getOrder(neighbour, theirs)).status).toBe("pending");

    const [paid, begun, gone] = await Promise.all([1, 2, 3].map(() => placed(customer, product)));
    await pay(operator, paid);
    await moved(operator, begun, "processing");
    await moved(customer, gone, "cancelled");
    for (const { id: replaces } of [paid, begun, gone]) {
      expectRefusal(
        await place(customer, orderFor(product, 1, { replaces })),
        422,
        "INVALID_TRANSITION",
        { field: "replaces", value: replaces },
      );
    }
    expectRefusal(
      await place(customer, orderFor(product, 1, { replaces: "x" })),
      422,
      "VALIDATION_ERROR",
      { field: "replaces" },
    );
    // A caller who orders for a customer replaces that customer's order.
    const open = await placed(customer, product);
    const made = await placed(operator, product, 1, { customer_id, replaces: open.id });
    expect(made.customer_id).toBe(customer_id);
    expect((await getOrder(customer, open)).status).toBe("cancelled");
  });

  it("is created once by concurrent checkouts that replace the same order", async () => {
    const testTenant = await openTestTenant();
    const { supplier, marketplace } = testTenant;
    const [product, guest] = await Promise.all([
      listProduct(supplier, { inventory: { quantity: 4 } }),
      openGuest(marketplace),
    ]);
    const contact = { email: "gil@example.com" };
    const { id: replaces } = await placed(guest, product, 4, { contact });
    const body = orderFor(product, 3, { contact, replaces });
    const answers = await Promise.all(Array.from({ length: 6 }, () => place(guest, body)));
    expect(codesOf(answers)).toEqual([201, ...Array(5).fill("INVALID_TRANSITION")]);
    expect(await stockOf(product)).toEqual({ product: { quantity: 4, reserved: 3 } });
    expect(await ordersIn(testTenant)).toBe(2);

    // A checkout that is repeated with its key is the same.
    const [made] = answers.filter(({ status }) => status === 201);
    const again = { as: guest, body: { ...body, replaces: made?.body.id } };
    const headers = { "idempotency-key": randomUUID() };
    const [first, second] = await Promise.all(
      [1, 2].map(() => persist("POST", "/api/orders", { ...again, headers })),
    );
    const third = await call("POST", "/api/orders", { ...again, headers });
    expect(third.status).toBe(201);
    for (const answer of [first, second]) {
      if (answer?.status === 201) expect(answer.body).toEqual(third.body);
      else expect(answer?.body.error.code).toBe("CONFLICT");
    }
    expect(await stockOf(product)).toEqual({ product: { quantity: 4, reserved: 3 } });
  });

  it("does not deadlock when customers replace orders with each other's products", async () => {
    const { supplier, tenantId } = await openTestTenant();
    const [salt, pepper] = await Promise.all([manyOf(supplier), manyOf(supplier)]);
    const customers = await Promise.all(
      Array.from({ length: 6 }, () => register({ tenant_id: tenantId })),
    );
    const wares = (i: number) => (i % 2 ? [salt, pepper] : [pepper, salt]);
    const replaced = await Promise.all(
      customers.map(async (customer, i) => {
        const [before, after] = wares(i);
        const { id: replaces } = await placed(customer, before, 2);
        return place(customer, orderFor(after, 3, { replaces }));
      }),
    );
    expect(codesOf(replaced)).toEqual(Array(6).fill(201));
    for (const product of [salt, pepper]) {
      expect(await stockOf(product)).toEqual({ product: { quantity: 200, reserved: 9 } });
    }
  });
});
