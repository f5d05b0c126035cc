import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createClient, type PastOrderLine } from "../../packages/client/src/index.js";
import { runJob } from "../clock.js";
import { query } from "../database.js";
import { CSV, counts, importsAt, NDJSON, ndjson } from "../imports/importing.js";
import { click, openCategory, outcomes, promote, report, statsOf } from "../placement/promoting.js";
import {
  ADDRESS,
  call,
  expectRefusal,
  listProduct,
  must,
  openMarketplace,
  openTestTenant,
  orderFor,
  PASSWORD,
  type Person,
  register,
  registerClient,
  stackInUse,
  stockOf,
  supabaseAs,
  supabaseAsService,
  type TestTenant,
} from "../souk.js";
import {
  customerOf,
  doBusiness,
  getOrder,
  move,
  moved,
  pay,
  placed,
  takeBack,
  UNTAXED_ITEM,
  UNTAXED_PART,
} from "./ordering.js";

const { send, imported } = importsAt("/api/orders/import");

// biome-ignore lint/suspicious/noExplicitAny: records as the API answers them.
type Record_ = any;

const DAY = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY).toISOString();

/** Normalises a time as Postgres writes it. */
const at = (time: string | null) => time && new Date(time).toISOString();

/** A line for one order with two pieces by default. */
function past(product: Record_, overrides: object = {}): Record_ {
  return {
    external_id: `old-${randomUUID()}`,
    placed_at: daysAgo(400),
    customer: { email: `${randomUUID()}@example.com`, name: "Old Customer" },
    items: [{ product_id: product.id, quantity: 2, price: 9.5 }],
    shipping_address: ADDRESS,
    status: "delivered",
    payment_status: "paid",
    completed_at: daysAgo(395),
    ...overrides,
  };
}

async function ordersOf(as: Person, filter = ""): Promise<Record_[]> {
  return (await must("GET", `/api/orders?sort=created_at&order=asc${filter}`, { as })).orders;
}

/** The order that a line has created. */
async function orderOf(as: Person, { external_id }: { external_id: string }): Promise<Record_> {
  const filter = `&external_id=${encodeURIComponent(external_id)}`;
  return (await ordersOf(as, filter))[0];
}

async function eventsOf({ tenantId }: TestTenant): Promise<string[]> {
  const { data } = await supabaseAsService()
    .from("events")
    .select("name")
    .eq("tenant_id", tenantId)
    .or("name.like.order.*,name.like.note.*,name.like.payment.*,name.like.user.*")
    .throwOnError();
  return (data as { name: string }[]).map(({ name }) => name).sort();
}

async function movementsOf(product: Record_): Promise<number> {
  const [row] = await query<{ n: number }>(
    "select count(*)::int as n from public.inventory_movements where product_id = $1",
    [product.id],
  );
  return row?.n as number;
}

describe("an import of past orders", () => {
  it("creates orders at their original time, with all later changes", async () => {
    const testTenant = await openTestTenant();
    const { operator, supplier, marketplace } = testTenant;
    const [coffee, tea] = await Promise.all([
      listProduct(supplier, { name: "Coffee", external_id: "coffee", price: 20 }),
      listProduct(operator, { name: "Tea", variants: [{ name: "green", sku: randomUUID() }] }),
    ]);
    // The legal identity of suppliers at the time of a past order is unknown.
    await must("PATCH", `/api/suppliers/${coffee.supplier_id}`, {
      as: operator,
      body: { legal: { name: "Coffee & Co" } },
    });
    const [{ sku }] = tea.variants;
    const customer = {
      email: "Old.Customer@Example.com",
      name: "Old Customer",
      external_id: "c-7",
    };
    const line = past(coffee, {
      marketplace_id: marketplace.id,
      customer,
      items: [
        { product_external_id: "coffee", quantity: 3, price: 18.5 },
        { product_id: tea.id, variant_sku: sku, quantity: 1, price: 0.99 },
      ],
      shipping_address: { ...ADDRESS, floor: 3 },
    });
    expect(await imported(operator, ndjson([line]), NDJSON)).toEqual({ ...counts(1), errors: [] });

    const order = await orderOf(operator, line);
    expect(await getOrder(operator, order)).toEqual(order);
    const customerId = order.customer_id;
    expect(order).toEqual({
      id: expect.any(String),
      tenant_id: testTenant.tenantId,
      marketplace_id: marketplace.id,
      number: 1,
      customer_id: customerId,
      status: "delivered",
      payment_status: "paid",
      subtotal_amount: 56.49,
      delivery_amount: 0,
      discount_amount: 0,
      tax_included: true,
      tax_amount: 0,
      tax_lines: [],
      tax_due: 0,
      owed_amount: 56.49,
      total_amount: 56.49,
      refund_due: 0,
      refund_due_for: { items: [], deliveries: [] },
      currency: "EUR",
      delivery_method: null,
      payment_method: null,
      payment_due_at: null,
      payment_due_at_local: null,
      items: [
        {
          id: expect.any(String),
          product_id: coffee.id,
          variant_id: null,
          supplier_id: coffee.supplier_id,
          name: "Coffee",
          quantity: 3,
          shipped_quantity: 3,
          delivered_quantity: 3,
          cancelled_quantity: 0,
          returned_quantity: 0,
          lost_quantity: 0,
          starts_at: null,
          starts_at_local: null,
          price: 18.5,
          amount: 55.5,
          ...UNTAXED_ITEM,
          net_amount: 55.5,
        },
        {
          id: expect.any(String),
          product_id: tea.id,
          variant_id: tea.variants[0].id,
          supplier_id: null,
          name: "Tea – green",
          quantity: 1,
          shipped_quantity: 1,
          delivered_quantity: 1,
          cancelled_quantity: 0,
          returned_quantity: 0,
          lost_quantity: 0,
          starts_at: null,
          starts_at_local: null,
          price: 0.99,
          amount: 0.99,
          ...UNTAXED_ITEM,
          net_amount: 0.99,
        },
      ],
      parts: [
        {
          supplier_id: coffee.supplier_id,
          status: "delivered",
          subtotal: 55.5,
          delivery_amount: 0,
          delivery_owed: true,
          delivery_recipient: "operator",
          ...UNTAXED_PART,
          total_amount: 55.5,
          legal: {},
        },
        {
          supplier_id: null,
          status: "delivered",
          subtotal: 0.99,
          delivery_amount: 0,
          delivery_owed: true,
          delivery_recipient: "operator",
          ...UNTAXED_PART,
          total_amount: 0.99,
          legal: {},
        },
      ],
      shipping_address: { ...ADDRESS, floor: 3 },
      billing_address: { ...ADDRESS, floor: 3 },
      tax_id: null,
      contact: null,
      language: null,
      history: [
        {
          old_status: "pending",
          new_status: "delivered",
          note: null,
          actor_id: null,
          created_at: expect.any(String),
          created_at_local: expect.any(String),
        },
      ],
      payments: [
        {
          id: expect.any(String),
          status: "paid",
          amount: 56.49,
          currency: "EUR",
          reference: "imported",
          items: null,
          delivery_amount: null,
          borne_by: null,
          actor_id: null,
          created_at: expect.any(String),
          created_at_local: expect.any(String),
        },
      ],
      cancellations: [],
      returns: [],
      notes: [],
      commissions: [],
      external_id: line.external_id,
      imported_at: expect.any(String),
      imported_at_local: expect.any(String),
      created_at: expect.any(String),
      created_at_local: expect.any(String),
      updated_at: expect.any(String),
      updated_at_local: expect.any(String),
    });
    expect(at(order.created_at)).toBe(line.placed_at);
    expect(at(order.history[0].created_at)).toBe(line.completed_at);
    expect(at(order.payments[0].created_at)).toBe(line.placed_at);
    expect(await must("GET", `/api/customers/${customerId}`, { as: operator })).toMatchObject({
      user_id: null,
      name: "Old Customer",
      email: "old.customer@example.com",
      external_id: "c-7",
    });
    // A supplier sees its part of it.
    const [theirs] = await ordersOf(supplier);
    expect(theirs).toMatchObject({ total_amount: 55.5, items: [{ product_id: coffee.id }] });
    // Lists filter by the original time.
    expect(await ordersOf(operator, `&to=${daysAgo(399)}`)).toHaveLength(1);
    expect(await ordersOf(operator, `&from=${daysAgo(399)}`)).toEqual([]);
    // Numbers of new orders continue.
    expect((await placed(testTenant.customer, coffee)).number).toBe(2);
  });

  it("imports cancelled, returned and refunded orders with their times", async () => {
    const { operator, supplier } = await openTestTenant();
    const product = await listProduct(supplier);
    const [cancelled, returned, kept, open, unsent] = [
      past(product, {
        status: "cancelled",
        payment_status: "refunded",
        completed_at: undefined,
        cancelled_at: daysAgo(398),
      }),
      past(product, { status: "returned", payment_status: "refunded", returned_at: daysAgo(390) }),
      past(product, { payment_status: "refunded" }),
      past(product, { status: "processing", payment_status: "failed", completed_at: undefined }),
      past(product, { status: "returned", completed_at: undefined, returned_at: daysAgo(390) }),
    ];
    const lines = [cancelled, returned, kept, open, unsent];
    expect(await imported(operator, ndjson(lines), NDJSON)).toEqual({ ...counts(5), errors: [] });

    const moves = ({ history }: Record_) =>
      history.map((move: Record_) => [move.old_status, move.new_status, at(move.created_at)]);
    const payments = ({ payments }: Record_) =>
      payments.map((one: Record_) => [one.status, one.amount, at(one.created_at)]);

    const first = await orderOf(operator, cancelled);
    expect(moves(first)).toEqual([["pending", "cancelled", cancelled.cancelled_at]]);
    expect(payments(first)).toEqual([
      ["paid", 19, cancelled.placed_at],
      ["refunded", 19, cancelled.cancelled_at],
    ]);

    const second = await orderOf(operator, returned);
    expect(moves(second)).toEqual([
      ["pending", "delivered", returned.completed_at],
      ["delivered", "returned", returned.returned_at],
    ]);
    expect(payments(second)[1]).toEqual(["refunded", 19, returned.returned_at]);
    expect(second.items).toMatchObject([{ quantity: 2, returned_quantity: 2 }]);
    expect(second.returns).toMatchObject([
      { items: [{ item_id: second.items[0].id, quantity: 2, amount: 19 }], amount: 19 },
    ]);
    expect(at(second.returns[0].created_at)).toBe(returned.returned_at);

    expect(payments(await orderOf(operator, kept))[1]).toEqual(["refunded", 19, kept.completed_at]);
    expect(await orderOf(operator, open)).toMatchObject({
      status: "processing",
      payment_status: "failed",
      history: [],
      payments: [],
      returns: [],
    });
    expect(moves(await orderOf(operator, unsent))).toEqual([
      ["shipped", "returned", unsent.returned_at],
    ]);
    // Importing the same lines again changes nothing.
    expect(await imported(operator, ndjson(lines), NDJSON)).toMatchObject(counts(0, 0, 5));
  });

  it("changes nothing when it is repeated, in one body or in another", async () => {
    const testTenant = await openTestTenant();
    const { operator, supplier } = testTenant;
    const product = await listProduct(supplier, { external_id: "saffron" });
    const lines = [
      past(product),
      past(product, {
        items: [{ product_external_id: "saffron", quantity: 1, price: 3 }],
        customer: { external_id: "nobody's address" },
      }),
    ];
    const twice = ndjson([...lines, ...lines]);
    expect(await imported(operator, twice, NDJSON)).toEqual({ ...counts(2, 0, 2), errors: [] });
    const before = await ordersOf(operator);
    const { total } = await must("GET", "/api/customers", { as: operator });
    expect(await imported(operator, twice, NDJSON)).toEqual({ ...counts(0, 0, 4), errors: [] });
    // The same when the product was deleted and another one has its external_id.
    await must("DELETE", `/api/products/${product.id}`, { as: supplier });
    await listProduct(supplier, { external_id: "saffron" });
    expect(await imported(operator, twice, NDJSON)).toEqual({ ...counts(0, 0, 4), errors: [] });
    expect(await ordersOf(operator)).toEqual(before);
    expect((await must("GET", "/api/customers", { as: operator })).total).toBe(total);
  });

  it("changes nothing when it is repeated after its orders moved on", async () => {
    const { operator, supplier } = await openTestTenant();
    const product = await listProduct(supplier);
    const shipped = { status: "shipped", payment_status: "pending", completed_at: undefined };
    const waiting = { ...shipped, status: "pending" };
    const lines = [
      past(product, shipped),
      past(product, shipped),
      past(product, waiting),
      past(product, { ...waiting, payment_status: "failed" }),
      past(product),
      past(product),
      past(product, { payment_status: "refunded" }),
    ];
    const again = () => imported(operator, ndjson(lines), NDJSON);
    expect(await again()).toMatchObject(counts(7));
    const orders: Record_[] = [];
    for (const line of lines) orders.push(await orderOf(operator, line));
    const [first, second, third, fourth, fifth, sixth] = orders;
    await moved(operator, first, "delivered");
    await moved(operator, second, "returned");
    await moved(operator, third, "cancelled");
    await pay(operator, fourth);
    await must("POST", `/api/orders/${fourth.id}/shipments`, { as: supplier, body: {} });
    await pay(operator, fifth, "refunded");
    await takeBack(operator, sixth, [{ item_id: sixth.items[0].id, quantity: 1 }]);
    const before = await ordersOf(operator);
    expect(await again()).toEqual({ ...counts(0, 0, 7), errors: [] });
    expect(await ordersOf(operator)).toEqual(before);
    // A line may agree with the order as it is now. The other system has its own time of a move since then.
    const now = [
      { ...lines[0], status: "delivered", completed_at: daysAgo(1) },
      { ...lines[1], status: "returned", returned_at: daysAgo(1) },
      { ...lines[2], status: "cancelled", cancelled_at: daysAgo(1) },
      { ...lines[3], payment_status: "paid" },
    ];
    expect(await imported(operator, ndjson(now), NDJSON)).toEqual({
      ...counts(0, 0, 4),
      errors: [],
    });
    // It may not claim what never was.
    const never = [
      { ...lines[0], status: "cancelled", cancelled_at: daysAgo(3) },
      { ...lines[2], status: "shipped" },
      { ...lines[3], payment_status: "refunded" },
      { ...lines[4], completed_at: daysAgo(396) },
      { ...lines[5], payment_status: "pending" },
    ];
    expect((await imported(operator, ndjson(never), NDJSON)).errors).toMatchObject(
      ["status", "status", "payment_status", "completed_at", "payment_status"].map((field) => ({
        code: "CONFLICT",
        field,
      })),
    );
  });

  it("changes nothing when it is repeated after its products and customers changed", async () => {
    const { operator, supplier } = await openTestTenant();
    const skus = ["red", "blue", "green"].map((name) => ({ name, sku: `${name}-${randomUUID()}` }));
    const [coffee, tea, lamp] = await Promise.all([
      listProduct(supplier, { name: "Coffee", external_id: "coffee" }),
      listProduct(supplier, { name: "Tea", external_id: "tea", variants: skus }),
      listProduct(supplier, { name: "Lamp", external_id: "lamp" }),
    ]);
    const of = (product_external_id: string, overrides: object = {}) => ({
      product_external_id,
      quantity: 1,
      price: 3,
      ...overrides,
    });
    const lines = [
      past(coffee, { items: [of("coffee"), of("lamp")] }),
      past(tea, { items: skus.map(({ sku }) => of("tea", { variant_sku: sku })) }),
      past(lamp, { items: [of("lamp"), { ...of("coffee"), supplier_id: coffee.supplier_id }] }),
      past(lamp),
    ];
    const again = (some = lines) => imported(operator, ndjson(some), NDJSON);
    expect(await again()).toMatchObject(counts(4));
    const before = await ordersOf(operator);

    const service = supabaseAsService();
    await must("PUT", `/api/products/${coffee.id}`, { as: supplier, body: { name: "Kahve" } });
    await service.from("products").update({ external_id: "kahve" }).eq("id", coffee.id);
    const [red, blue, green] = tea.variants;
    await must("PUT", `/api/products/${tea.id}`, {
      as: supplier,
      body: { variants: [{ ...red, sku: "rouge" }, blue, { ...green, sku: null }] },
    });
    await must("DELETE", `/api/products/${lamp.id}`, { as: supplier });
    const rival = await register({ tenant_id: coffee.tenant_id, role: "supplier" });
    for (const external_id of ["coffee", "lamp", "tea"]) {
      await listProduct(rival, { external_id });
    }
    for (const order of before) {
      const email = `${randomUUID()}@example.com`;
      await service.from("customers").update({ email }).eq("id", order.customer_id).throwOnError();
    }
    expect(await again()).toEqual({ ...counts(0, 0, 4), errors: [] });
    // The present names are right as well.
    const present = {
      ...lines[1],
      items: [of("tea", { variant_sku: "rouge" }), ...lines[1].items.slice(1)],
    };
    const renamed = { ...lines[0], items: [of("kahve"), of("lamp")] };
    expect(await again([present, renamed])).toEqual({ ...counts(0, 0, 2), errors: [] });
    const wrong = [
      { ...lines[0], items: [of("lamp"), of("coffee")] },
      { ...lines[0], items: [of("tea"), of("lamp")] },
      { ...lines[1], items: lines[1].items.toReversed() },
      { ...lines[1], items: [of("tea"), ...lines[1].items.slice(1)] },
      { ...lines[2], customer: { email: "somebody.else@example.com" } },
    ];
    expect((await again(wrong)).errors).toMatchObject(
      ["items", "items", "items", "items", "customer"].map((field) => ({
        code: "CONFLICT",
        field,
      })),
    );
    expect(await ordersOf(operator)).toEqual(before);
  });

  it("refuses a line that contradicts an existing order", async () => {
    const { operator, supplier } = await openTestTenant();
    const [product, other] = await Promise.all([listProduct(supplier), listProduct(supplier)]);
    const line = past(product, {
      status: "returned",
      returned_at: daysAgo(390),
      items: [
        { product_id: product.id, quantity: 2, price: 9.5 },
        { product_id: other.id, quantity: 1, price: 1 },
      ],
    });
    await imported(operator, ndjson([line]), NDJSON);
    const before = await ordersOf(operator);
    const [one, two] = line.items;
    const otherwise: [object, string][] = [
      [{ placed_at: daysAgo(401) }, "placed_at"],
      [{ customer: { email: "somebody.else@example.com" } }, "customer"],
      [{ items: [one] }, "items"],
      [{ items: [one, two, two] }, "items"],
      [{ items: [two, one] }, "items"],
      [{ items: [{ ...one, quantity: 3 }, two] }, "items"],
      [{ items: [{ ...one, price: 9.51 }, two] }, "items"],
      [{ items: [{ ...one, product_id: other.id }, two] }, "items"],
      [{ items: [one, { ...two, supplier_id: randomUUID() }] }, "items"],
      [{ items: [one, { ...two, variant_sku: "none" }] }, "items"],
      [{ status: "delivered", returned_at: undefined }, "status"],
      [{ payment_status: "pending" }, "payment_status"],
      [{ shipping_address: { ...ADDRESS, city: "Rabat" } }, "shipping_address"],
      [{ billing_address: { ...ADDRESS, city: "Rabat" } }, "billing_address"],
      [{ tax_id: "MA-1" }, "tax_id"],
      [{ completed_at: daysAgo(396) }, "completed_at"],
      [{ completed_at: undefined }, "completed_at"],
      [{ returned_at: daysAgo(389) }, "returned_at"],
    ];
    const lines = otherwise.map(([overrides]) => ({ ...line, ...overrides }));
    const summary = await imported(operator, ndjson([...lines, line]), NDJSON);
    expect(summary.errors).toEqual(
      otherwise.map(([, field], index) => ({
        line: index + 1,
        code: "CONFLICT",
        message: expect.stringContaining("An import does not change orders."),
        field,
      })),
    );
    expect(summary).toMatchObject(counts(0, 0, 1, otherwise.length));
    // The same for two lines in one body.
    const fresh = past(product);
    expect(
      await imported(
        operator,
        ndjson([fresh, { ...fresh, status: "shipped", completed_at: null }]),
        NDJSON,
      ),
    ).toMatchObject({
      ...counts(1, 0, 0, 1),
      errors: [{ line: 2, code: "CONFLICT", field: "status" }],
    });
    expect((await ordersOf(operator)).filter(({ id }) => id === before[0].id)).toEqual(before);
  });

  it("creates the first valid line of several for one order", async () => {
    const { operator, supplier } = await openTestTenant();
    const line = past(await listProduct(supplier));
    const nothing = { ...line, items: [{ ...line.items[0], product_id: randomUUID() }] };
    expect(await imported(operator, ndjson([nothing, line, line]), NDJSON)).toMatchObject({
      ...counts(1, 0, 1, 1),
      errors: [{ line: 1, code: "NOT_FOUND" }],
    });
  });

  it("reports each invalid line and continues", async () => {
    const [{ operator, supplier }, otherTestTenant] = await Promise.all([
      openTestTenant(),
      openTestTenant(),
    ]);
    const [product, theirs] = await Promise.all([
      listProduct(supplier, { name: "Good", external_id: "good" }),
      listProduct(otherTestTenant.supplier),
    ]);
    const item = { product_id: product.id, quantity: 1, price: 1 };
    const bad: [unknown, string | null, string?][] = [
      ["no object", null, "INVALID_JSON"],
      [past(product, { external_id: undefined }), "external_id"],
      [past(product, { external_id: "" }), "external_id"],
      [past(product, { colour: "red" }), "colour"],
      [past(product, { placed_at: undefined }), "placed_at"],
      [past(product, { placed_at: "yesterday" }), "placed_at"],
      [past(product, { placed_at: "2025-02-30T00:00:00Z" }), "placed_at"],
      [past(product, { placed_at: "2025-01-01T00:00:00" }), "placed_at"],
      [past(product, { placed_at: daysAgo(-1), completed_at: daysAgo(-2) }), "placed_at"],
      [past(product, { completed_at: undefined }), "completed_at"],
      [past(product, { completed_at: daysAgo(401) }), "completed_at"],
      [past(product, { completed_at: daysAgo(-1) }), "completed_at"],
      [past(product, { status: "shipped" }), "completed_at"],
      [past(product, { status: "cancelled", completed_at: undefined }), "cancelled_at"],
      [past(product, { cancelled_at: daysAgo(390) }), "cancelled_at"],
      [past(product, { status: "returned" }), "returned_at"],
      [past(product, { status: "returned", returned_at: daysAgo(396) }), "returned_at"],
      [past(product, { returned_at: daysAgo(390) }), "returned_at"],
      [past(product, { status: "lost" }), "status"],
      [past(product, { status: undefined }), "status"],
      [past(product, { payment_status: undefined }), "payment_status"],
      [past(product, { customer: undefined }), "customer"],
      [past(product, { customer: { name: "Nobody" } }), "customer.email"],
      [past(product, { customer: { email: "nobody" } }), "customer.email"],
      [past(product, { customer: { email: "a@example.com", phone: "1" } }), "customer.phone"],
      [past(product, { items: [] }), "items"],
      [past(product, { items: Array.from({ length: 501 }, () => item) }), "items"],
      [past(product, { items: [item, { ...item, quantity: 0 }] }), "items[1].quantity"],
      [past(product, { items: [{ ...item, price: -1 }] }), "items[0].price"],
      [past(product, { items: [{ ...item, price: 0.001 }] }), "items[0].price"],
      [past(product, { items: [{ ...item, product_id: undefined }] }), "items[0].product_id"],
      [past(product, { items: [{ ...item, product_external_id: "good" }] }), "items[0].product_id"],
      [past(product, { items: [{ ...item, price: 99_999_999_999_999 }] }), "items"],
      [past(product, { items: [{ ...item, colour: "red" }] }), "items[0].colour"],
      [past(theirs), "items[0].product_id", "NOT_FOUND"],
      [
        past(product, { items: [{ product_external_id: "none", quantity: 1, price: 1 }] }),
        "items[0].product_external_id",
        "NOT_FOUND",
      ],
      [
        past(product, { items: [item, { ...item, variant_sku: "none" }] }),
        "items[1].variant_sku",
        "NOT_FOUND",
      ],
      [
        past(product, { marketplace_id: otherTestTenant.marketplace.id }),
        "marketplace_id",
        "NOT_FOUND",
      ],
      [past(product, { shipping_address: undefined }), "shipping_address"],
      [past(product, { shipping_address: { street: "x" } }), "shipping_address.city"],
      [past(product, { billing_address: { street: "x" } }), "billing_address.city"],
      [past(product, { tax_id: " " }), "tax_id"],
      [
        past(product, { shipping_address: { ...ADDRESS, note: "x".repeat(9000) } }),
        "shipping_address",
      ],
    ];
    const good = past(product);
    const summary = await imported(operator, ndjson([...bad.map(([line]) => line), good]), NDJSON);
    expect(summary.errors).toEqual(
      bad.map(([, field, code = "VALIDATION_ERROR"], index) => ({
        line: index + 1,
        code,
        message: expect.stringMatching(/\S/),
        field,
      })),
    );
    expect(summary).toMatchObject(counts(1, 0, 0, bad.length));
    expect(await ordersOf(operator)).toHaveLength(1);
    // No customer was created for the refused lines.
    expect((await must("GET", "/api/customers?email=a@example.com", { as: operator })).total).toBe(
      0,
    );
  });

  it("identifies products by external_id, and needs supplier_id if two suppliers have it", async () => {
    const { operator, supplier, tenantId } = await openTestTenant();
    const rival = await register({ tenant_id: tenantId, role: "supplier" });
    const [mine, theirs] = await Promise.all(
      [supplier, rival].map((as) => listProduct(as, { external_id: "same" })),
    );
    const sold = (overrides: object = {}) =>
      past(mine, { items: [{ product_external_id: "same", quantity: 1, price: 1, ...overrides }] });
    const named = sold({ supplier_id: theirs.supplier_id });
    expect(await imported(operator, ndjson([sold(), named]), NDJSON)).toMatchObject({
      ...counts(1, 0, 0, 1),
      errors: [{ line: 1, code: "VALIDATION_ERROR", field: "items[0].supplier_id" }],
    });
    expect((await orderOf(operator, named)).items[0].product_id).toBe(theirs.id);

    // A discontinued product is found, but an active one has precedence.
    const ended = await listProduct(supplier, { external_id: "ended" });
    await placed(await register({ tenant_id: tenantId }), ended);
    await must("DELETE", `/api/products/${ended.id}`, { as: supplier });
    const before = past(mine, {
      items: [{ product_external_id: "ended", quantity: 1, price: 1 }],
    });
    expect(await imported(operator, ndjson([before]), NDJSON)).toMatchObject(counts(1));
    expect((await orderOf(operator, before)).items[0].product_id).toBe(ended.id);
    const again = await listProduct(supplier, { external_id: "ended" });
    const after = { ...before, external_id: "after" };
    expect(await imported(operator, ndjson([after]), NDJSON)).toMatchObject(counts(1));
    expect((await orderOf(operator, after)).items[0].product_id).toBe(again.id);
  });

  it("uses the marketplace of the line or the query, active or not", async () => {
    const { operator, supplier, marketplace } = await openTestTenant();
    const product = await listProduct(supplier);
    const yen = await openMarketplace(operator, { currency: "JPY" });
    const there = await listProduct(supplier, { marketplace_id: yen.id, price: 100 });
    const id = { external_id: "1" };
    const items = (price: number) => [{ product_id: there.id, quantity: 1, price }];
    const lines = [
      past(product, id),
      past(product, { ...id, marketplace_id: marketplace.id }),
      past(there, { ...id, marketplace_id: yen.id, items: items(100) }),
      past(there, { marketplace_id: yen.id, items: items(99.5) }),
      past(there, { marketplace_id: marketplace.id }),
    ];
    expect(await imported(operator, ndjson(lines), NDJSON)).toMatchObject({
      ...counts(2, 0, 0, 3),
      errors: [
        { line: 1, code: "VALIDATION_ERROR", field: "marketplace_id" },
        { line: 4, code: "VALIDATION_ERROR", field: "items[0].price" },
        { line: 5, code: "NOT_FOUND", field: "items[0].product_id" },
      ],
    });
    await must("PUT", `/api/marketplaces/${yen.id}`, {
      as: operator,
      body: { status: "inactive" },
    });
    const closed = ndjson([past(there, { items: items(100) })]);
    expect(await imported(operator, closed, NDJSON, `marketplace_id=${yen.id}`)).toMatchObject(
      counts(1),
    );
    const currencies = (await ordersOf(operator)).map(({ currency }) => currency).sort();
    expect(currencies).toEqual(["EUR", "JPY", "JPY"]);
  });

  it("identifies customers by email, or without one by external_id", async () => {
    const testTenant = await openTestTenant();
    const { operator, supplier, customer } = testTenant;
    const product = await listProduct(supplier);
    const made = await must("POST", "/api/customers", {
      as: operator,
      body: { name: "Known", email: "known@example.com" },
    });
    const lines = [
      { email: "KNOWN@example.com", name: "Other name", external_id: "k" },
      { external_id: "k" },
      { email: customer.email },
      { email: "new@example.com", name: "New" },
      { email: "New@Example.com", external_id: "n" },
      { external_id: "n", name: "Nameless" },
      { external_id: "nameless", name: "Nameless" },
      { external_id: "nameless" },
    ].map((who) => past(product, { customer: who }));
    const { total } = await must("GET", "/api/customers", { as: operator });
    expect(await imported(operator, ndjson(lines), NDJSON)).toMatchObject(counts(lines.length));
    const buyers = await Promise.all(
      lines.map(async (line) => (await orderOf(operator, line)).customer_id),
    );
    const [known, knownToo, account, fresh, freshToo, called, nameless, again] = buyers;
    expect([known, knownToo]).toEqual([made.id, made.id]);
    expect(account).toBe(await customerOf(customer));
    expect([freshToo, called]).toEqual([fresh, fresh]);
    expect(again).toBe(nameless);
    expect((await must("GET", "/api/customers", { as: operator })).total).toBe(total + 2);
    const { created_at: lastOrdered } = (await ordersOf(operator, `&customer_id=${made.id}`)).at(
      -1,
    ) as Record_;
    // An existing name is kept.
    expect(await must("GET", `/api/customers/${made.id}`, { as: operator })).toEqual({
      ...made,
      external_id: "k",
      orders: 2,
      last_ordered_at: lastOrdered,
    });
    // A customer with an account sees the order.
    expect(await ordersOf(customer)).toMatchObject([{ external_id: lines[2]?.external_id }]);
    // No account was created.
    const { data } = await supabaseAsService()
      .from("members")
      .select("email")
      .eq("tenant_id", testTenant.tenantId)
      .throwOnError();
    expect(data).toHaveLength(3);
  });

  it("gives no orders to an account with an unconfirmed email", async () => {
    const { operator, supplier, tenantId } = await openTestTenant();
    const [product, stranger] = await Promise.all([
      listProduct(supplier),
      register({ tenant_id: tenantId }),
    ]);
    await query("update auth.users set email_confirmed_at = null where id = $1", [stranger.id]);
    const line = past(product, { customer: { email: stranger.email } });
    expect(await imported(operator, ndjson([line]), NDJSON)).toMatchObject(counts(1));
    expect(await ordersOf(stranger)).toEqual([]);
    expect((await orderOf(operator, line)).customer_id).not.toBe(await customerOf(stranger));
  });

  it("belongs to a customer who later registers with its email", async () => {
    const [{ operator, supplier, tenantId }, otherTestTenant] = await Promise.all([
      openTestTenant(),
      openTestTenant(),
    ]);
    const product = await listProduct(supplier);
    const email = `${randomUUID()}@example.com`;
    const line = past(product, { customer: { email, name: "Old Name", external_id: "c-1" } });
    await imported(operator, ndjson([line]), NDJSON);
    const { customer_id } = await orderOf(operator, line);
    const join = async (tenant_id: string) =>
      (
        await must("POST", "/auth/register", {
          body: { email, password: PASSWORD, name: "New Name", tenant_id },
        })
      ).access_token;
    const token = await join(tenantId);
    expect((await must("GET", "/api/orders", { as: token })).orders).toMatchObject([
      { external_id: line.external_id, customer_id },
    ]);
    const { customers } = await must("GET", `/api/customers?email=${email}`, { as: operator });
    expect(customers).toMatchObject([
      { id: customer_id, name: "New Name", external_id: "c-1", user_id: expect.any(String) },
    ]);
    // Later orders and imports belong to the same customer.
    const next = past(product, { customer: { email } });
    await imported(operator, ndjson([next]), NDJSON);
    expect((await orderOf(operator, next)).customer_id).toBe(customer_id);
    expect(await must("POST", "/api/orders", { as: token, body: orderFor(product) })).toMatchObject(
      { customer_id },
    );
    // Another tenant does not see them.
    const { orders } = await must("GET", "/api/orders", { as: otherTestTenant.operator });
    expect(orders).toEqual([]);
  });

  it("belongs to a customer who later confirms its email, also if they have ordered meanwhile", async () => {
    const { operator, supplier, tenantId } = await openTestTenant();
    const product = await listProduct(supplier);
    const [one, other] = await Promise.all([
      register({ tenant_id: tenantId }),
      register({ tenant_id: tenantId }),
    ]);
    const people = [one.id, other.id];
    const confirm = (at: string) =>
      query(`update auth.users set email_confirmed_at = ${at} where id = any ($1)`, [people]);
    await placed(other, product);
    await confirm("null");
    const lines = [one, other].map(({ email }) => past(product, { customer: { email } }));
    await imported(operator, ndjson(lines), NDJSON);
    expect(await ordersOf(one)).toEqual([]);
    const { total } = await must("GET", "/api/customers", { as: operator });
    await confirm("now()");
    const [mine] = await ordersOf(one);
    expect(mine).toMatchObject({ external_id: lines[0].external_id });
    expect(await customerOf(one)).toBe(mine.customer_id);
    expect((await must("GET", "/api/customers", { as: operator })).total).toBe(total - 2);
    const both = (await ordersOf(other)).map(({ external_id }: Record_) => external_id);
    expect(both.toSorted()).toEqual([lines[1].external_id, null].toSorted());
    expect(new Set((await ordersOf(other)).map((order: Record_) => order.customer_id))).toEqual(
      new Set([await customerOf(other)]),
    );
  });

  it("as a dry run has no effect", async () => {
    const testTenant = await openTestTenant();
    const { operator, supplier } = testTenant;
    const product = await listProduct(supplier);
    const { total } = await must("GET", "/api/customers", { as: operator });
    const lines = [past(product), past(product, { status: "lost" })];
    expect(await imported(operator, ndjson(lines), NDJSON, "dry_run=true")).toMatchObject({
      ...counts(1, 0, 0, 1),
      errors: [{ line: 2, field: "status" }],
    });
    expect(await ordersOf(operator)).toEqual([]);
    expect((await must("GET", "/api/customers", { as: operator })).total).toBe(total);
    // The number of the next order is 1.
    expect((await placed(testTenant.customer, product)).number).toBe(1);
  });

  it("reads CSV, with columns for the fields of customers and addresses", async () => {
    const { operator, supplier } = await openTestTenant();
    const product = await listProduct(supplier, { external_id: "tray, round" });
    const items = JSON.stringify([{ product_external_id: "tray, round", quantity: 2, price: 4.5 }]);
    const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;
    const csv = [
      "external_id,placed_at,status,payment_status,cancelled_at,customer.email,customer.name,shipping_address.street,shipping_address.city,shipping_address.postal_code,billing_address.street,billing_address.city,billing_address.company,tax_id,items",
      `o-1,2024-03-01T10:00:00+01:00,shipped,paid,,jo@example.com,"Jo, of Fez",1 Market Street,Fez,30000,2 Palm Street,Rabat,Jo & Co.,MA-1,${cell(items)}`,
      `o-2,2024-03-02T10:00:00Z,cancelled,pending,2024-03-02T11:00:00Z,jo@example.com,,1 Market Street,Fez,30000,,,,,${cell(items)}`,
      "o-3,2024-03-02T10:00:00Z,shipped,paid,,jo@example.com,,1 Market Street,Fez,30000,,,,,two trays",
    ].join("\r\n");
    expect(await imported(operator, csv, CSV)).toMatchObject({
      ...counts(2, 0, 0, 1),
      errors: [{ line: 4, code: "VALIDATION_ERROR", field: "items" }],
    });
    const order = await orderOf(operator, { external_id: "o-1" });
    const billing_address = { street: "2 Palm Street", city: "Rabat", company: "Jo & Co." };
    expect(order).toMatchObject({
      status: "shipped",
      shipping_address: ADDRESS,
      billing_address,
      tax_id: "MA-1",
      items: [{ product_id: product.id, quantity: 2, price: 4.5 }],
    });
    expect(at(order.created_at)).toBe("2024-03-01T09:00:00.000Z");
    expect(await orderOf(operator, { external_id: "o-2" })).toMatchObject({
      billing_address: ADDRESS,
      tax_id: null,
    });
    // The billing address of an order without one is its shipping address, as exports have it.
    const [to, billedTo] = [ADDRESS, billing_address].map((one) => cell(JSON.stringify(one)));
    const who = cell('{"email":"jo@example.com"}');
    const whole = [
      "external_id;placed_at;status;payment_status;cancelled_at;customer;shipping_address;billing_address;tax_id;items",
      `o-1;2024-03-01T09:00:00Z;shipped;paid;;${who};${to};${billedTo};MA-1;${cell(items)}`,
      `o-2;2024-03-02T10:00:00Z;cancelled;pending;2024-03-02T11:00:00Z;${who};${to};${to};;${cell(items)}`,
    ].join("\n");
    expect(await imported(operator, whole, CSV)).toEqual({ ...counts(0, 0, 2), errors: [] });
    for (const [header, field] of [
      ["external_id,customer.phone", "customer.phone"],
      ["placed_at,status", "external_id"],
    ]) {
      const refused = await send(operator, `${header}\na,b\n`);
      expect(refused.status).toBe(422);
      expect(await refused.json()).toMatchObject({
        error: { code: "VALIDATION_ERROR", details: { field } },
      });
    }
  });

  it("is allowed to admins only", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const [client, product] = await Promise.all([registerClient(tenantId), listProduct(supplier)]);
    const line = past(product);
    for (const person of [client, supplier, customer]) {
      const refused = await send(person, ndjson([line]), NDJSON);
      expect(refused.status).toBe(403);
      expect(await refused.json()).toMatchObject({ error: { code: "FORBIDDEN" } });
      expect((await supabaseAs(person).rpc("import_orders", { lines: [line] })).status).toBe(403);
    }
    expect((await send(undefined, ndjson([line]), NDJSON)).status).toBe(401);
    expect((await send(operator, "{}", "application/json")).status).toBe(400);
    expect(await ordersOf(operator)).toEqual([]);
  });

  it("is available in the client", async () => {
    const { operator, supplier } = await openTestTenant();
    const product = await listProduct(supplier);
    const { url, anon_key } = stackInUse();
    const { orders } = createClient(url, anon_key, { accessToken: async () => operator.token });
    async function* lines(): AsyncGenerator<PastOrderLine> {
      for (let n = 0; n < 260; n++) yield past(product, { external_id: `o-${n}` });
    }
    const heard: number[] = [];
    const options = {
      format: "ndjson",
      onProgress: ({ line }: { line: number }) => heard.push(line),
    } as const;
    expect(await orders.import(lines(), options)).toEqual({ ...counts(260), errors: [] });
    expect(heard).toEqual([250, 260]);
  });

  it("through supabase-js processes each line separately, whatever it contains", async () => {
    const { operator, supplier } = await openTestTenant();
    const product = await listProduct(supplier);
    const item = { product_id: product.id, quantity: 1, price: 1 };
    const bad: [unknown, string][] = [
      [5, "line"],
      [null, "line"],
      [past(product, { placed_at: 5 }), "placed_at"],
      [past(product, { completed_at: "infinity" }), "completed_at"],
      [past(product, { customer: "me" }), "customer"],
      [past(product, { customer: { email: ["a"] } }), "customer.email"],
      [past(product, { marketplace_id: "here" }), "marketplace_id"],
      [past(product, { items: { 0: item } }), "items"],
      [past(product, { items: [5] }), "items[0]"],
      [past(product, { items: [{ ...item, product_id: "x" }] }), "items[0].product_id"],
      [past(product, { items: [{ ...item, quantity: "1" }] }), "items[0].quantity"],
      [past(product, { items: [{ ...item, quantity: 1e300 }] }), "items[0].quantity"],
      [past(product, { items: [{ ...item, price: "1" }] }), "items[0].price"],
      [past(product, { items: [{ ...item, supplier_id: 7 }] }), "items[0].supplier_id"],
      [past(product, { shipping_address: "here" }), "shipping_address"],
    ];
    const lines = [
      ...bad.map(([line]) => line),
      past(product, { line: 77, status: 1 }),
      past(product),
    ];
    const { data } = await supabaseAs(operator).rpc("import_orders", { lines }).throwOnError();
    expect(data).toMatchObject(counts(1, 0, 0, bad.length + 1));
    expect(
      data.errors.map(({ line, details }: Record_) => [line, JSON.parse(details).field]),
    ).toEqual([...bad.map(([, field], index) => [index + 1, field]), [77, "status"]]);
    for (const wrong of [{}, null, Array.from({ length: 1001 }, () => ({}))]) {
      expect((await supabaseAs(operator).rpc("import_orders", { lines: wrong })).status).toBe(422);
    }
    const other = await openTestTenant();
    expect(
      await supabaseAs(other.operator).rpc("import_orders", {
        lines: [past(product)],
      }),
    ).toMatchObject({ data: { failed: 1, errors: [{ message: "NOT_FOUND" }] } });
  });
});

describe("an imported order", () => {
  it("reserves and moves no stock, whatever happens to it", async () => {
    const { operator, supplier } = await openTestTenant();
    const product = await listProduct(supplier, { inventory: { quantity: 1 } });
    const open = () => past(product, { status: "confirmed", completed_at: undefined });
    const lines = [open(), open(), open(), past(product)];
    expect(await imported(operator, ndjson(lines), NDJSON)).toMatchObject(counts(4));
    const [shipped, cancelled, back, sent] = await Promise.all(
      lines.map((line) => orderOf(operator, line)),
    );
    await moved(operator, shipped, "shipped");
    await moved(operator, cancelled, "cancelled");
    await moved(operator, back, "delivered");
    await moved(operator, back, "returned");
    const [{ id }] = sent.items;
    expect((await takeBack(operator, sent, [{ item_id: id, quantity: 1 }])).status).toBe(201);
    expect((await takeBack(operator, sent, [{ item_id: id, quantity: 1 }])).body).toMatchObject({
      order_status: "returned",
    });
    expect(await stockOf(product)).toEqual({ product: { quantity: 1, reserved: 0 } });
    expect(await movementsOf(product)).toBe(1);
    expect((await orderOf(operator, lines[2] as never)).returns).toHaveLength(1);
  });

  it("takes no licence key and no slot", async () => {
    const { operator, supplier } = await openTestTenant();
    const [game, visit, key] = await Promise.all([
      listProduct(supplier, { kind: "digital", track_inventory: true, inventory: undefined }),
      listProduct(supplier, { kind: "service", inventory: undefined }),
      randomUUID(),
    ]);
    await must("POST", `/api/products/${game.id}/licence-keys`, {
      as: supplier,
      body: { codes: [key] },
    });
    const line = (product: Record_) =>
      past(product, { status: "pending", payment_status: "pending", completed_at: undefined });
    const lines = [line(game), line(visit)];
    expect(await imported(operator, ndjson(lines), NDJSON)).toEqual({ ...counts(2), errors: [] });
    const order = await orderOf(operator, lines[0] as never);
    expect((await pay(operator, order)).status).toBe(201);
    expect(await getOrder(operator, order)).toMatchObject({
      status: "pending",
      payment_status: "paid",
    });
    await moved(operator, order, "delivered");
    const path = `/api/orders/${order.id}/downloads`;
    expect((await must("GET", path, { as: operator })).licence_keys).toEqual([]);
    expect(await stockOf(game)).toEqual({ product: { quantity: 1, reserved: 0 } });
    expect((await must("GET", "/api/bookings", { as: operator })).total).toBe(0);
  });

  it("is never cancelled for lack of payment", async () => {
    const { operator, supplier } = await openTestTenant();
    const product = await listProduct(supplier);
    const lines = ["pending", "failed"].map((payment_status) =>
      past(product, { status: "pending", payment_status, completed_at: undefined }),
    );
    await imported(operator, ndjson(lines), NDJSON);
    await runJob("cancel-unpaid-orders");
    for (const order of await ordersOf(operator)) {
      expect(order).toMatchObject({ status: "pending", payment_due_at: null });
    }
  });

  it("has no commission, also after later changes", async () => {
    const testTenant = await openTestTenant();
    await doBusiness(testTenant, { commission_percent: 10 });
    const { operator, supplier } = testTenant;
    const product = await listProduct(supplier);
    const open = past(product, { status: "pending", completed_at: undefined });
    await imported(operator, ndjson([past(product), open]), NDJSON);
    const order = await orderOf(operator, open);
    await moved(operator, order, "shipped");
    const [{ id }] = order.items;
    await takeBack(operator, order, [{ item_id: id, quantity: 1 }]);
    expect((await must("GET", "/api/commissions", { as: operator })).total).toBe(0);
    expect((await getOrder(operator, order)).commissions).toEqual([]);
  });

  it("causes no events and webhooks, also after later changes", async () => {
    const testTenant = await openTestTenant();
    const { operator, supplier } = testTenant;
    const product = await listProduct(supplier);
    const before = await eventsOf(testTenant);
    const open = past(product, {
      status: "pending",
      payment_status: "pending",
      completed_at: undefined,
    });
    await imported(operator, ndjson([past(product), open]), NDJSON);
    const order = await orderOf(operator, open);
    expect((await pay(operator, order)).status).toBe(201);
    await moved(operator, order, "delivered");
    await must("POST", `/api/orders/${order.id}/notes`, { as: operator, body: { text: "Old." } });
    expect(await eventsOf(testTenant)).toEqual(before);
    // A new order causes an event.
    await placed(testTenant.customer, product);
    expect(await eventsOf(testTenant)).toEqual([...before, "order.created"].sort());
  });

  it("is not attributed to a click of its customer", async () => {
    const testTenant = await openTestTenant();
    const { operator, customer, tenantId } = testTenant;
    const [client, category] = await Promise.all([
      registerClient(tenantId),
      openCategory(testTenant),
    ]);
    const campaign = await promote(testTenant, category);
    expect(await outcomes(client, click(campaign, customer.id))).toEqual(["charged"]);
    const line = past(campaign.product, {
      customer: { email: customer.email },
      placed_at: new Date().toISOString(),
      status: "shipped",
      completed_at: undefined,
    });
    const sales = async () => (await statsOf(operator, campaign)).totals.sales_count;
    expect(await imported(operator, ndjson([line]), NDJSON)).toMatchObject(counts(1));
    const order = await orderOf(operator, line);
    expect(order.customer_id).toBe(await customerOf(customer));
    expect(await sales()).toBe(0);
    // Neither when the shop reports it as a conversion.
    const conversion = { type: "conversion", order_id: order.id, visitor_id: customer.id };
    await report(client, conversion);
    expect(await sales()).toBe(0);
    await placed(customer, campaign.product);
    expect(await sales()).toBe(1);
  });

  it("can be paid, refunded and moved like any other", async () => {
    const { operator, supplier, tenantId } = await openTestTenant();
    const product = await listProduct(supplier);
    const [paid, owed] = [
      past(product),
      past(product, { status: "shipped", payment_status: "pending", completed_at: undefined }),
    ];
    await imported(operator, ndjson([paid, owed]), NDJSON);
    const [one, two] = [await orderOf(operator, paid), await orderOf(operator, owed)];
    expectRefusal(await pay(operator, one), 422, "INVALID_TRANSITION");
    expectRefusal(await pay(operator, one, "refunded", { amount: 19.01 }), 422, "VALIDATION_ERROR");
    // Suppliers were paid elsewhere, so they cannot bear a refund.
    const items = [{ item_id: one.items[0].id, amount: 9 }];
    expectRefusal(
      await pay(operator, one, "refunded", { amount: 9, items, borne_by: "supplier" }),
      422,
      "VALIDATION_ERROR",
      { field: "borne_by" },
    );
    expect((await pay(operator, one, "refunded", { amount: 9 })).body.payment_status).toBe("paid");
    expect(
      (await pay(operator, one, "refunded", { amount: 10, reference: "2" })).body,
    ).toMatchObject({
      payment_status: "refunded",
    });
    expectRefusal(await pay(operator, two, "paid", { amount: 1 }), 422, "VALIDATION_ERROR");
    expect((await pay(operator, two)).body.payment_status).toBe("paid");
    expectRefusal(await move(operator, two, "pending"), 422, "INVALID_TRANSITION");
    await moved(operator, two, "delivered");
    // Its pieces are in no shipment, and are delivered now. The other order was delivered long ago.
    for (const [order, status] of [
      [two, 201],
      [one, 422],
    ] as const) {
      const asked = { items: [{ item_id: order.items[0].id, quantity: 1 }] };
      const path = `/api/orders/${order.id}/return-requests`;
      expect((await call("POST", path, { as: operator, body: asked })).status).toBe(status);
    }
    // Their lines do not contradict that.
    expect(await imported(operator, ndjson([paid, owed]), NDJSON)).toEqual({
      ...counts(0, 0, 2),
      errors: [],
    });
    // Recently sold products count for the best sellers.
    const recent = past(product, {
      placed_at: daysAgo(2),
      status: "shipped",
      completed_at: undefined,
    });
    await imported(operator, ndjson([recent]), NDJSON);
    const buyer = await register({ tenant_id: tenantId });
    const { products } = await must("GET", "/api/products/top-sales", { as: buyer });
    expect(products).toMatchObject([{ id: product.id, sales_count: 2 }]);
  });
});

describe("the book of sales", () => {
  it("contains imported orders on their original days, and so do the rollups", async () => {
    const testTenant = await openTestTenant();
    const { operator, supplier, tenantId } = testTenant;
    const product = await listProduct(supplier);
    const cancelled = { status: "cancelled", completed_at: undefined, cancelled_at: daysAgo(398) };
    const lines = [
      past(product),
      past(product, { payment_status: "pending", ...cancelled }),
      past(product, { status: "returned", payment_status: "refunded", returned_at: daysAgo(390) }),
    ];
    await imported(operator, ndjson(lines), NDJSON);
    await placed(testTenant.customer, product);
    const book = () =>
      query<Record_>(
        `select s.kind, s.booked_at as at, s.quantity, s.amount::float8 as amount
         from private.sales s join public.orders o on o.id = s.order_id
         where s.tenant_id = $1 and o.imported_at is not null
         order by o.number, s.booked_at, s.id`,
        [tenantId],
      );
    const [kept, gone, back] = lines;
    expect((await book()).map((row) => ({ ...row, at: at(row.at) }))).toEqual([
      { kind: "placed", at: kept.placed_at, quantity: 2, amount: 19 },
      { kind: "received", at: kept.placed_at, quantity: 0, amount: 19 },
      { kind: "placed", at: gone.placed_at, quantity: 2, amount: 19 },
      { kind: "cancelled", at: gone.cancelled_at, quantity: -2, amount: -19 },
      { kind: "placed", at: back.placed_at, quantity: 2, amount: 19 },
      { kind: "received", at: back.placed_at, quantity: 0, amount: 19 },
      { kind: "returned", at: back.returned_at, quantity: -2, amount: -19 },
      { kind: "refunded", at: back.returned_at, quantity: 0, amount: -19 },
    ]);
    const differences = () =>
      query(
        `select * from private.differences_from_orders($1)
         union all select * from private.differences_from_book($1)`,
        [tenantId],
      );
    await query("select private.roll_up_sales($1, 1000)", [tenantId]);
    expect(await differences()).toEqual([]);
    // Later changes are booked today, and there is no commission.
    const [one] = lines;
    await moved(operator, await orderOf(operator, one), "returned");
    const { booked_at, ...last } = (
      await query<Record_>(
        "select kind, amount::float8 as amount, booked_at from private.sales where tenant_id = $1 order by id desc limit 1",
        [tenantId],
      )
    )[0];
    expect(last).toEqual({ kind: "returned", amount: -19 });
    expect(Date.now() - Date.parse(booked_at)).toBeLessThan(60_000);
    expect(await differences()).toEqual([]);
  });
});

describe("the demo tenant", () => {
  it("has a year of past orders with analytics", async () => {
    const body = { email: "operator@demo.souk.test", password: "demo-password" };
    const { access_token: as } = await must("POST", "/auth/login", { body });
    const { orders } = await must("GET", "/api/analytics/overview?period=1y", { as });
    expect(orders.total).toBeGreaterThan(300);
    const { segments } = await must("GET", "/api/analytics/customers/segments", { as });
    // Prospects may have ordered in an example meanwhile.
    for (const { name, count } of segments.filter((one: Record_) => one.name !== "prospects")) {
      expect({ name, some: count > 0 }).toEqual({ name, some: true });
    }
  });
});

describe("imports of orders", () => {
  it("create 600 orders, and change nothing when they are repeated", async () => {
    // Three batches.
    const many = 600;
    const { operator, supplier } = await openTestTenant();
    const products = await Promise.all(
      Array.from({ length: 20 }, (_, i) => listProduct(supplier, { external_id: `p-${i}` })),
    );
    const lines = Array.from({ length: many }, (_, i) =>
      past(products[0], {
        external_id: `o-${i}`,
        customer: { email: `c-${i % 200}@example.com` },
        items: [i, i + 7].map((n) => ({
          product_external_id: `p-${n % 20}`,
          quantity: 1 + (n % 3),
          price: 1 + (n % 90),
        })),
      }),
    );
    expect(await imported(operator, ndjson(lines), NDJSON)).toEqual({
      ...counts(many),
      errors: [],
    });
    expect(await imported(operator, ndjson(lines), NDJSON)).toEqual({
      ...counts(0, 0, many),
      errors: [],
    });
    const { total } = await must("GET", "/api/orders?limit=1", { as: operator });
    expect(total).toBe(many);
  });

  it("create each order once when they run concurrently with the same data, and next to new orders", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const product = await listProduct(supplier, { inventory: { quantity: 100 } });
    const lines = Array.from({ length: 300 }, (_, i) => past(product, { external_id: `o-${i}` }));
    const [forth, back] = await Promise.all([
      imported(operator, ndjson(lines), NDJSON),
      imported(operator, ndjson(lines.toReversed()), NDJSON),
      ...Array.from({ length: 10 }, () => placed(customer, product)),
    ]);
    expect([forth.imported + back.imported, forth.unchanged + back.unchanged]).toEqual([300, 300]);
    const orders = await query<{ number: string }>(
      "select number from public.orders where tenant_id = $1 order by number",
      [operator.tenantId],
    );
    expect(orders.map(({ number }) => Number(number))).toEqual(
      Array.from({ length: 310 }, (_, i) => i + 1),
    );
  });
});
