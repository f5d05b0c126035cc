import { randomUUID } from "node:crypto";
import { Decimal } from "decimal.js";
import fc from "fast-check";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { beginMinute, runJob } from "../clock.js";
import { query } from "../database.js";
import { customerOf, getOrder } from "../orders/ordering.js";
import { ownStack } from "../own-stack.js";
import { SEED } from "../random.js";
import {
  type Answer,
  call,
  expectRefusal,
  listProduct,
  must,
  openGuest,
  openMarketplace,
  openTestTenant,
  type Person,
  persist,
  register,
  registerClient,
  supabaseAs,
  supabaseAsService,
  type TestTenant,
  UNBOUNDED,
} from "../souk.js";
import { setRateLimit } from "../stack.js";
import { calendarOf } from "../tenancy/tenant-records.js";
import { headersOf, someAddress } from "../visitors/visiting.js";

// Checkouts: what a cart costs and lacks, for visitors, guests, customers and clients, until it becomes an order.

// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
type Row = any;

const PATH = "/api/checkouts";
const POST = { key: "post", name: "Post", price: 4.9, free_from: 60 };
const EACH = { key: "each", name: "Courier", price: 3, per_supplier: true };
const LOCAL = { key: "local", name: "By hand", price: 1, countries: ["DE"] };

const BERLIN = { street: "1 Lane", city: "Berlin", postal_code: "10115", country: "DE" };
const LYON = { street: "1 Rue", city: "Lyon", postal_code: "69001", country: "FR" };
const NEW_YORK = {
  ...{ street: "1 Ave", city: "Albany", region: "NY" },
  ...{ postal_code: "12207", country: "US" },
};
const CONTACT = { email: "gil@example.com", name: "Gil" };

interface Shop extends TestTenant {
  client: Person;
  rival: Person;
  site: Row;
  saffron: Row;
  mint: Row;
  lamp: Row;
  recipe: Row;
}

/**
 * A marketplace with saffron (12.50) and mint (3.33) of two suppliers, and a lamp (50) and a digital recipe (7) of the
 * operator.
 */
async function openShop(tax: object = {}, business: object = {}): Promise<Shop> {
  const tenant = await openTestTenant();
  const { operator, supplier, tenantId } = tenant;
  const [rival, client] = await Promise.all([
    register({ tenant_id: tenantId, role: "supplier" }),
    registerClient(tenantId),
  ]);
  const delivery = { methods: [POST, EACH, LOCAL] };
  const site = await openMarketplace(operator, {
    settings: { tax, business: { ...UNBOUNDED, delivery, payment_methods: ["card"], ...business } },
  });
  const list = (as: Person, name: string, price: number, more: object = {}) =>
    listProduct(as, {
      ...{ name, price, marketplace_id: site.id, inventory: { quantity: 100_000 } },
      ...more,
    });
  const [saffron, mint, lamp, recipe] = await Promise.all([
    list(supplier, "Saffron", 12.5),
    list(rival, "Mint", 3.33),
    list(operator, "Lamp", 50),
    list(operator, "Recipe", 7, { kind: "digital", inventory: undefined }),
  ]);
  return { ...tenant, client, rival, site, saffron, mint, lamp, recipe };
}

const piecesOf = (...pieces: [Row, number][]) =>
  pieces.map(([{ id }, quantity]) => ({ product_id: id, quantity }));

/** The request of a checkout that lacks nothing. */
const wanted = ({ site, saffron }: Shop, more: object = {}) => ({
  ...{ marketplace_id: site.id, items: piecesOf([saffron, 2]), contact: CONTACT },
  ...{ shipping_address: BERLIN, delivery_method: "post", ...more },
});

const begin = (as: Person, body: unknown): Promise<Answer> => persist("POST", PATH, { as, body });

async function begun(as: Person, body: unknown): Promise<Row> {
  const answer = await begin(as, body);
  expect([answer.status, answer.body.error]).toEqual([201, undefined]);
  return answer.body;
}

const withToken = (token: string) => ({ "x-souk-checkout": token });

/** A request of a visitor of the shop. */
const visit = (shop: Shop, method: string, path: string, more: Row = {}): Promise<Answer> =>
  call(method, path, {
    body: more.body,
    headers: headersOf({ to: shop.site.domain, from: more.from, headers: more.headers }),
  });

const complete = (as: Person, { id }: Row, total: unknown, headers: Record<string, string> = {}) =>
  persist("POST", `${PATH}/${id}/complete`, { as, body: { total }, headers });

const amountOf = ({ totals }: Row, type: string): number | undefined =>
  totals.find((one: Row) => one.type === type)?.amount;

const errorsOf = ({ messages }: Row) =>
  messages
    .filter(({ type }: Row) => type === "error")
    .map(({ code, path }: Row) => [code, path] as const);

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});

/** A customer of the shop. Each test has its own, who may send 100 requests a minute. */
const newCustomer = ({ tenantId }: Shop = shop) => register({ tenant_id: tenantId });

describe("a visitor's checkout", () => {
  it("says what is missing, and becomes the order of the guest that the visitor becomes", async () => {
    const { site, saffron, operator } = shop;
    const first = await visit(shop, "POST", PATH, { body: { items: piecesOf([saffron, 2]) } });
    expect(first.status).toBe(201);
    const { token, ...made } = first.body;
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(made).toMatchObject({
      ...{ marketplace_id: site.id, status: "incomplete", currency: "EUR", total: 25 },
      ...{ order_id: null, contact: null, shipping_address: null, discount_codes: [] },
      items: [{ product_id: saffron.id, name: "Saffron", quantity: 2, price: 12.5, amount: 25 }],
      totals: [
        { type: "items", amount: 25 },
        { type: "total", amount: 25 },
      ],
    });
    expect(errorsOf(made)).toEqual([
      ["VALIDATION_ERROR", "contact"],
      ["VALIDATION_ERROR", "shipping_address"],
      ["VALIDATION_ERROR", "delivery_method"],
    ]);
    const left = Date.parse(made.expires_at) - Date.now();
    expect(Math.abs(left - 6 * 3_600_000)).toBeLessThan(60_000);

    const path = `${PATH}/${made.id}`;
    const headers = withToken(token);
    const { marketplace_id: _, ...body } = wanted(shop);
    const ready = await visit(shop, "PUT", path, { headers, body });
    expect(ready.body).toMatchObject({ status: "ready", messages: [], total: 29.9 });
    expect(ready.body.token).toBeUndefined();
    expect(amountOf(ready.body, "delivery")).toBe(4.9);
    const read = await visit(shop, "GET", path, { headers });
    expect(read.headers.get("cache-control")).toBe("private, no-store");
    expect(read.body).toEqual(ready.body);

    const total = { total: 29.9 };
    const alone = await visit(shop, "POST", `${path}/complete`, { headers, body: total });
    expectRefusal(alone, 401, "UNAUTHORIZED");
    expect(alone.body.error.message).toContain("/auth/guest");
    const guest = await openGuest(site);
    expectRefusal(await complete(guest, made, 29.9), 404, "NOT_FOUND");
    const done = await complete(guest, made, 29.9, headers);
    expect(done.body).toMatchObject({
      ...{ id: made.id, status: "completed", order_id: done.body.order.id, total: 29.9 },
      order: { total_amount: 29.9, customer_id: await customerOf(guest), contact: CONTACT },
    });
    const again = await complete(guest, made, 29.9);
    expect(again.body).toEqual(done.body);
    const orders = await must("GET", `/api/orders?marketplace_id=${site.id}`, { as: operator });
    expect(orders.orders.filter(({ id }: Row) => id === done.body.order_id)).toHaveLength(1);
    // It is the guest's now.
    expectRefusal(await visit(shop, "GET", path, { headers }), 404, "NOT_FOUND");
    expect((await call("GET", path, { as: guest })).body).toMatchObject({ status: "completed" });
  });

  it("is open to nobody without its token", async () => {
    const { customer, operator, saffron } = shop;
    const { body } = await visit(shop, "POST", PATH, { body: { items: piecesOf([saffron, 1]) } });
    const path = `${PATH}/${body.id}`;
    for (const token of [undefined, "", "guessed", body.token.toUpperCase(), `${body.token}=`]) {
      const headers = token === undefined ? {} : withToken(token);
      for (const [method, at, sent] of [
        ["GET", path, undefined],
        ["PUT", path, { items: piecesOf([saffron, 3]) }],
        ["POST", `${path}/cancel`, undefined],
      ] as const) {
        expectRefusal(await visit(shop, method, at, { headers, body: sent }), 404, "NOT_FOUND");
      }
      for (const as of [customer, operator]) {
        expectRefusal(await call("GET", path, { as, headers }), 404, "NOT_FOUND");
      }
    }
    const stored = await query<{ row: string }>(
      "select c::text as row from private.checkouts c where c.id = $1",
      [body.id],
    );
    expect(stored[0]?.row).not.toContain(body.token);
    const headers = withToken(body.token);
    const cancelled = await visit(shop, "POST", `${path}/cancel`, { headers });
    expect(cancelled.body).toMatchObject({ status: "cancelled" });
  });

  it("is one of the marketplace that is visited", async () => {
    const { operator, saffron } = shop;
    const other = await openMarketplace(operator);
    const items = piecesOf([saffron, 1]);
    const elsewhere = { marketplace_id: other.id, items };
    expectRefusal(await visit(shop, "POST", PATH, { body: elsewhere }), 404, "NOT_FOUND");
    const { body } = await visit(shop, "POST", PATH, { body: { items } });
    const headers = headersOf({ to: other.domain, headers: withToken(body.token) });
    expectRefusal(await call("GET", `${PATH}/${body.id}`, { headers }), 404, "NOT_FOUND");
  });

  it("is counted by the address, and begins nowhere else", async () => {
    const { saffron, site } = shop;
    const body = { items: piecesOf([saffron, 1]) };
    await setRateLimit(ownStack, "checkout", 2);
    onTestFinished(() => setRateLimit(ownStack, "checkout", 1_000_000));
    await beginMinute();
    const from = someAddress();
    const make = (at: string) => visit(shop, "POST", PATH, { body, from: at });
    const made = [await make(from), await make(from)];
    expect(made.map(({ status }) => status)).toEqual([201, 201]);
    expectRefusal(await make(from), 429, "RATE_LIMITED");
    expect((await make(someAddress())).status).toBe(201);

    const db = supabaseAs({ visits: site.domain });
    const { error } = await db.rpc("create_checkout", { request: body });
    expect(error).toMatchObject({ code: "PT403", message: "FORBIDDEN" });
    const [one] = made as [Answer];
    const args = { checkout_id: one.body.id, token: one.body.token };
    const { data } = await db.rpc("get_checkout", args).throwOnError();
    expect(data).toMatchObject({ id: one.body.id, total: 12.5 });
  });
});

describe("a checkout", () => {
  it("has messages in place of refusals", async () => {
    const { saffron, site, supplier } = shop;
    const customer = await newCustomer();
    const sold = await listProduct(supplier, {
      ...{ name: "Rose", price: 8, marketplace_id: site.id, inventory: { quantity: 2 } },
    });
    const lesson = await listProduct(supplier, {
      ...{ name: "Lesson", price: 20, kind: "service", inventory: undefined },
      marketplace_id: site.id,
    });
    const calendar = calendarOf({ mark: "At home" });
    await must("PUT", `/api/products/${lesson.id}/calendar`, { as: supplier, body: calendar });
    const unknown = { product_id: randomUUID(), quantity: 1 };
    const variant = { product_id: saffron.id, variant_id: randomUUID(), quantity: 1 };
    const place = { product_id: lesson.id, quantity: 1 };
    const past = { ...place, starts_at: "2020-01-01T10:00:00Z" };
    const address = (more: object) => ({ shipping_address: { ...BERLIN, ...more } });
    const cases: [object, string, string][] = [
      [{ items: [unknown, ...piecesOf([saffron, 1])] }, "NOT_FOUND", "items[0].product_id"],
      [{ items: [variant] }, "NOT_FOUND", "items[0].variant_id"],
      [{ items: piecesOf([sold, 3]) }, "INSUFFICIENT_INVENTORY", "items[0].quantity"],
      [{ items: [past] }, "SLOT_NOT_AVAILABLE", "items[0].starts_at"],
      [{ items: [place] }, "VALIDATION_ERROR", "items[0].starts_at"],
      [{ discount_codes: ["NOTHING"] }, "DISCOUNT_NOT_APPLICABLE", "discount_codes[0]"],
      [{ delivery_method: "balloon" }, "VALIDATION_ERROR", "delivery_method"],
      [{ delivery_method: undefined }, "VALIDATION_ERROR", "delivery_method"],
      [{ ...address(LYON), delivery_method: "local" }, "VALIDATION_ERROR", "delivery_method"],
      [{ payment_method: "shells" }, "VALIDATION_ERROR", "payment_method"],
      [{ shipping_address: undefined }, "VALIDATION_ERROR", "shipping_address"],
      [address({ city: undefined }), "VALIDATION_ERROR", "shipping_address.city"],
      [address({ postal_code: "1" }), "VALIDATION_ERROR", "shipping_address.postal_code"],
      [{ billing_address: { street: "1" } }, "VALIDATION_ERROR", "billing_address.city"],
      [{ contact: { name: "Gil" } }, "VALIDATION_ERROR", "contact.email"],
      [{ contact: { email: "gil" } }, "VALIDATION_ERROR", "contact.email"],
      [{ tax_id: "\u200b" }, "VALIDATION_ERROR", "tax_id"],
    ];
    for (const [more, code, path] of cases) {
      const made = await begun(customer, wanted(shop, more));
      expect([more, made.status, errorsOf(made)]).toEqual([more, "incomplete", [[code, path]]]);
      expect(made.messages[0].text).toMatch(/\.$/);
      const refused = await complete(customer, made, made.total);
      expectRefusal(refused, code === "NOT_FOUND" ? 404 : 422, code, { field: path });
    }
    const ready = await begun(customer, wanted(shop, { contact: undefined }));
    expect(ready).toMatchObject({ status: "ready", messages: [] });
  });

  it("prices what is sold out, and not what is unknown", async () => {
    const { supplier, site, saffron } = shop;
    const customer = await newCustomer();
    const sold = await listProduct(supplier, {
      ...{ name: "Rose", price: 8, marketplace_id: site.id, inventory: { quantity: 0 } },
    });
    const items = [{ product_id: randomUUID(), quantity: 1 }, ...piecesOf([sold, 1], [saffron, 1])];
    const made = await begun(customer, wanted(shop, { items }));
    expect(made.items).toMatchObject([
      { name: null, price: null, amount: null },
      { name: "Rose", price: 8, amount: 8 },
      { name: "Saffron", price: 12.5, amount: 12.5 },
    ]);
    expect(amountOf(made, "items")).toBe(20.5);
  });

  it("refuses what cannot be a request", async () => {
    const { supplier, client, saffron } = shop;
    const customer = await newCustomer();
    const items = piecesOf([saffron, 1]);
    const cases: [object, string][] = [
      [{ items: [] }, "items"],
      [{ items: [{ ...items[0], price: 12.5 }] }, "items[0].price"],
      [{ items: [{ ...items[0], quantity: 0 }] }, "items[0].quantity"],
      [{ currency: "USD" }, "currency"],
      [{ coupon: "TEN" }, "coupon"],
      [{ discount_codes: ["1", "2", "3", "4", "5", "6"] }, "discount_codes"],
    ];
    for (const [more, field] of cases) {
      const answer = await begin(customer, wanted(shop, more));
      expectRefusal(answer, 422, "VALIDATION_ERROR", { field });
    }
    const nowhere = await begin(customer, wanted(shop, { marketplace_id: randomUUID() }));
    expectRefusal(nowhere, 404, "NOT_FOUND", { field: "marketplace_id" });
    const named = wanted(shop, { customer_id: await customerOf(customer) });
    expectRefusal(await begin(customer, named), 403, "FORBIDDEN", { field: "customer_id" });
    expectRefusal(await begin(supplier, wanted(shop)), 403, "FORBIDDEN");
    const db = supabaseAs(client);
    for (const request of [{ items: "a" }, { items: ["a"] }, { items, contact: "a" }, "a"]) {
      const { error } = await db.rpc("create_checkout", { request });
      expect([request, error?.message]).toEqual([request, "VALIDATION_ERROR"]);
    }
  });

  it("is replaced by what is sent, and takes its own record", async () => {
    const { mint } = shop;
    const customer = await newCustomer();
    const made = await begun(customer, wanted(shop, { tax_id: "DE 1", payment_method: "card" }));
    const path = `${PATH}/${made.id}`;
    const same = await must("PUT", path, { as: customer, body: made });
    const { updated_at: _, expires_at: __, ...before } = made;
    expect(same).toMatchObject(before);
    const less = { items: piecesOf([mint, 1]) };
    expect(await must("PUT", path, { as: customer, body: less })).toMatchObject({
      ...{ id: made.id, status: "incomplete", tax_id: null, payment_method: null, contact: null },
      items: [{ product_id: mint.id, amount: 3.33 }],
    });
  });

  it("shows how each supplier delivers, and what that costs", async () => {
    const { saffron, mint, lamp, recipe } = shop;
    const customer = await newCustomer();
    const items = piecesOf([saffron, 1], [mint, 1], [recipe, 1]);
    const made = await begun(customer, wanted(shop, { items, delivery_method: "each" }));
    const options = (key: string, more: object) => expect.objectContaining({ key, ...more });
    const both = [
      options("post", { price: 4.9, total: 4.9, per_supplier: false }),
      options("each", { price: 3, total: 6, per_supplier: true }),
      options("local", { price: 1, total: 1 }),
    ];
    expect(made.delivery_options).toHaveLength(2);
    for (const { supplier_id } of [saffron, mint]) {
      expect(made.delivery_options).toContainEqual({ supplier_id, options: both });
    }
    expect(amountOf(made, "delivery")).toBe(6);
    const abroad = { items: piecesOf([lamp, 2]), shipping_address: LYON };
    const [own, ...others] = (await begun(customer, wanted(shop, abroad))).delivery_options;
    expect(others).toEqual([]);
    expect(own).toEqual({
      supplier_id: null,
      options: [options("post", { price: 0, total: 0 }), options("each", { price: 3, total: 3 })],
    });
  });

  it("is a member's own; admins and clients see all of members, and other tenants none", async () => {
    const { operator, client, site } = shop;
    const customer = await newCustomer();
    const made = await begun(customer, wanted(shop));
    const path = `${PATH}/${made.id}`;
    for (const as of [customer, operator, client]) {
      expect((await call("GET", path, { as })).body).toMatchObject({ id: made.id, total: 29.9 });
    }
    const [other, guest, foreign] = await Promise.all([
      newCustomer(),
      openGuest(site),
      openTestTenant(),
    ]);
    for (const as of [other, guest, foreign.customer, foreign.operator]) {
      expectRefusal(await call("GET", path, { as }), 404, "NOT_FOUND");
      expectRefusal(await complete(as, made, 29.9), 404, "NOT_FOUND");
    }
  });
});

describe("the totals of a checkout", () => {
  it.each([true, false])("have the tax, in the prices: %s", async (prices_include_tax) => {
    const taxed = await openShop({ prices_include_tax, country: "DE" });
    const { operator, customer, saffron, supplier } = taxed;
    const { supplier_id } = await must("GET", "/auth/me", { as: supplier });
    const legal = { tax_id: "DE136695976" };
    await must("PATCH", `/api/suppliers/${supplier_id}`, { as: supplier, body: { legal } });
    for (const country of ["DE", "FR"]) {
      const rate = { country, rate: country === "DE" ? 19 : 20, name: "VAT" };
      await must("POST", "/api/tax-rates", { as: operator, body: rate });
    }
    const body = { kind: "percentage", value: 10, code: "TEN" };
    await must("POST", "/api/discounts", { as: operator, body });
    const items = piecesOf([saffron, 8]);
    const home = await begun(customer, wanted(taxed, { items, discount_codes: ["ten"] }));
    // 19 % of 90, in it or beside it; delivery is free from 60.
    expect(home.totals).toEqual([
      { type: "items", amount: 100 },
      { type: "discount", amount: -10 },
      { type: "delivery", amount: 0 },
      { type: "tax", amount: prices_include_tax ? 14.37 : 17.1, included: prices_include_tax },
      { type: "total", amount: prices_include_tax ? 90 : 107.1 },
    ]);
    const [line] = home.items;
    expect(line).toMatchObject({ discount_amount: 10, discount_code: "TEN", tax_rate: 19 });
    const business = { items, shipping_address: LYON, tax_id: "FR 40 303 265 045" };
    const abroad = await begun(customer, wanted(taxed, business));
    expect(abroad.totals).toEqual([
      { type: "items", amount: 100 },
      { type: "delivery", amount: 0 },
      ...(prices_include_tax ? [{ type: "tax_exemption", amount: -16.67 }] : []),
      { type: "total", amount: prices_include_tax ? 83.33 : 100 },
    ]);
  });
});

describe("completing a checkout", () => {
  it("is refused for another total, with the new quote, which accepts it", async () => {
    const { operator, supplier, site } = shop;
    const customer = await newCustomer();
    const rug = await listProduct(supplier, { name: "Rug", price: 40, marketplace_id: site.id });
    const made = await begun(customer, wanted(shop, { items: piecesOf([rug, 1]) }));
    expect(made.total).toBe(44.9);
    expectRefusal(await complete(customer, made, 44), 409, "CONFLICT", { field: "total" });
    await must("PUT", `/api/products/${rug.id}`, { as: supplier, body: { price: 45 } });
    const refused = await complete(customer, made, 44.9);
    expectRefusal(refused, 409, "CONFLICT", { field: "total", value: 44.9 });
    expect(refused.headers.get("retry-after")).toBeNull();
    const { quote } = refused.body.error.details;
    const change = { type: "info", code: "PRICE_MISMATCH", path: "items[0].price" };
    expect(quote).toMatchObject({ total: 49.9, messages: [change] });
    const read = await must("GET", `${PATH}/${made.id}`, { as: customer });
    expect(read).toMatchObject({ ...quote, status: "ready", order_id: null });
    const done = await complete(customer, made, quote.total);
    expect(done.body).toMatchObject({ status: "completed", order: { total_amount: 49.9 } });
    expect(await getOrder(operator, done.body.order)).toMatchObject({ items: [{ price: 45 }] });
    for (const total of [undefined, null, "49.9"]) {
      const wrong = await complete(customer, made, total);
      expectRefusal(wrong, 422, "VALIDATION_ERROR", { field: "total" });
    }
  });

  it("places one order, however often and at once it is asked for", async () => {
    const customer = await newCustomer();
    const made = await begun(customer, wanted(shop));
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => complete(customer, made, made.total)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200));
    expect(new Set(answers.map(({ body }) => body.order.number)).size).toBe(1);
    const path = `${PATH}/${made.id}`;
    // Another total does not matter any more.
    const late = await complete(shop.operator, made, 1);
    expect(late.body.order_id).toBe(answers[0]?.body.order_id);
    const body = wanted(shop);
    const status = { field: "status", value: "completed" };
    const replaced = await call("PUT", path, { as: customer, body });
    expectRefusal(replaced, 422, "INVALID_TRANSITION", status);
    const cancelled = await call("POST", `${path}/cancel`, { as: customer });
    expectRefusal(cancelled, 422, "INVALID_TRANSITION", status);
  });

  it("is refused once it has expired or is cancelled", async () => {
    const customer = await newCustomer();
    const old = await begun(customer, wanted(shop));
    const dropped = await begun(customer, wanted(shop));
    await query("update private.checkouts set expires_at = now() where id = $1", [old.id]);
    await must("POST", `${PATH}/${dropped.id}/cancel`, { as: customer });
    await must("POST", `${PATH}/${dropped.id}/cancel`, { as: customer });
    for (const [made, value] of [
      [old, "expired"],
      [dropped, "cancelled"],
    ] as const) {
      const path = `${PATH}/${made.id}`;
      const read = await must("GET", path, { as: customer });
      expect(read).toMatchObject({ status: value, total: 29.9 });
      const details = { field: "status", value };
      const done = await complete(customer, made, made.total);
      expectRefusal(done, 422, "INVALID_TRANSITION", details);
      const replaced = await call("PUT", path, { as: customer, body: wanted(shop) });
      expectRefusal(replaced, 422, "INVALID_TRANSITION", details);
    }
  });

  it("reserves the stock then, and not before", async () => {
    const { supplier, site } = shop;
    const vase = await listProduct(supplier, {
      ...{ name: "Vase", price: 9, marketplace_id: site.id, inventory: { quantity: 1 } },
    });
    const [customer, rival] = [await newCustomer(), await newCustomer()];
    const body = wanted(shop, { items: piecesOf([vase, 1]) });
    const [mine, theirs] = [await begun(customer, body), await begun(rival, body)];
    expect([mine.status, theirs.status]).toEqual(["ready", "ready"]);
    expect((await complete(rival, theirs, theirs.total)).status).toBe(200);
    const late = await complete(customer, mine, mine.total);
    expectRefusal(late, 422, "INSUFFICIENT_INVENTORY", { field: "items[0].quantity" });
  });

  it("cancels the unpaid order that it replaces, whose stock, uses and limits are free for it", async () => {
    const bounds = { max_unpaid_orders: 1, max_unpaid_pieces: 3 };
    const small = await openShop({}, bounds);
    const { operator, customer, supplier, site } = small;
    const vase = await listProduct(supplier, {
      ...{ name: "Vase", price: 9, marketplace_id: site.id, inventory: { quantity: 3 } },
    });
    const once = { code: "ONCE", uses_total: 1, uses_per_customer: 1 };
    const body = { kind: "percentage", value: 10, ...once };
    await must("POST", "/api/discounts", { as: operator, body });
    const of = (quantity: number, more: object = {}) =>
      wanted(small, { items: piecesOf([vase, quantity]), discount_codes: ["ONCE"], ...more });
    const first = await begun(customer, of(3));
    const { order } = (await complete(customer, first, first.total)).body;
    expect(errorsOf(await begun(customer, of(2)))).toEqual([
      ["INSUFFICIENT_INVENTORY", "items[0].quantity"],
      ["DISCOUNT_NOT_APPLICABLE", "discount_codes[0]"],
      ["LIMIT_REACHED", null],
    ]);
    const second = await begun(customer, of(2, { replaces: order.id }));
    expect(second).toMatchObject({ status: "ready", messages: [], replaces: order.id });
    const beyond = await begun(customer, of(4, { replaces: order.id }));
    expect(errorsOf(beyond)[0]).toEqual(["INSUFFICIENT_INVENTORY", "items[0].quantity"]);
    const refused = await complete(customer, beyond, beyond.total);
    expectRefusal(refused, 422, "INSUFFICIENT_INVENTORY");
    expect(await getOrder(operator, order)).toMatchObject({ status: "pending" });
    const done = await complete(customer, second, second.total);
    expect(done.body).toMatchObject({ status: "completed", order: { total_amount: second.total } });
    expect(await getOrder(operator, order)).toMatchObject({ status: "cancelled" });

    for (const [as, status, code] of [
      [customer, 422, "INVALID_TRANSITION"],
      [await newCustomer(small), 404, "NOT_FOUND"],
    ] as const) {
      const late = await begun(as, wanted(small, { replaces: order.id }));
      expect(errorsOf(late)[0]).toEqual([code, "replaces"]);
      const details = { field: "replaces", value: order.id };
      expectRefusal(await complete(as, late, late.total), status, code, details);
    }
  });

  it("by a client orders for its contact, who becomes a customer, or for a customer", async () => {
    const { client, customer, operator } = shop;
    const lacking = await begun(client, wanted(shop, { contact: undefined }));
    expect(errorsOf(lacking)).toEqual([["VALIDATION_ERROR", "contact"]]);
    const contact = { email: `${randomUUID()}@example.com`, name: "Zubeida", phone: "+49 30 1" };
    const orders: Row[] = [];
    for (const email of [contact.email, contact.email.toUpperCase()]) {
      const made = await begun(client, wanted(shop, { contact: { ...contact, email } }));
      expect(made.status).toBe("ready");
      orders.push((await complete(client, made, made.total)).body.order);
    }
    expect(orders[0].customer_id).toBe(orders[1].customer_id);
    expect(
      await must("GET", `/api/customers/${orders[0].customer_id}`, { as: operator }),
    ).toMatchObject({ ...contact, user_id: null, orders: 2 });
    const customer_id = await customerOf(customer);
    const named = await begun(client, wanted(shop, { contact: undefined, customer_id }));
    expect((await complete(client, named, named.total)).body.order).toMatchObject({ customer_id });
    const unknown = await begun(client, wanted(shop, { customer_id: randomUUID() }));
    expect(errorsOf(unknown)).toEqual([["NOT_FOUND", "customer_id"]]);
  });

  it("by an API key makes a customer only if the key may create customers", async () => {
    const { operator } = shop;
    const body = { name: "Till", scopes: ["orders.place"] };
    const { client_id, client_secret } = await must("POST", "/api/api-keys", {
      ...{ as: operator, body },
    });
    const grant = { grant_type: "client_credentials", client_id, client_secret };
    const { access_token: as } = await must("POST", "/auth/token", { body: grant });
    const contact = { email: `${randomUUID()}@example.com`, name: "Zubeida" };
    const place = async () => {
      const made = await must("POST", PATH, { as, body: wanted(shop, { contact }) });
      const total = { total: made.total };
      const done = await persist("POST", `${PATH}/${made.id}/complete`, { as, body: total });
      return { made, done };
    };
    const { made, done } = await place();
    expect(errorsOf(made)).toEqual([["FORBIDDEN", "contact"]]);
    expectRefusal(done, 403, "FORBIDDEN", { field: "contact" });
    const found = "select id from public.customers where email = $1";
    expect(await query(found, [contact.email])).toEqual([]);
    await must("POST", "/api/customers", { as: operator, body: contact });
    const placed = await place();
    expect([placed.made.status, placed.done.body.status]).toEqual(["ready", "completed"]);
    expect(await query(found, [contact.email])).toHaveLength(1);
  });

  it("is refused to guests where the marketplace takes no orders of them", async () => {
    const closed = await openShop({}, { guest_checkout: false });
    const made = await visit(closed, "POST", PATH, { body: wanted(closed) });
    expect(made.body).toMatchObject({ status: "incomplete", messages: [{ code: "FORBIDDEN" }] });
    const guest = await openGuest(closed.site);
    const done = await complete(guest, made.body, made.body.total, withToken(made.body.token));
    expectRefusal(done, 403, "FORBIDDEN");
  });
});

/** A shop with taxes, an automatic discount of a supplier, and codes. */
async function openTaxedShop(prices_include_tax: boolean): Promise<Shop> {
  const opened = await openShop({ prices_include_tax, country: "DE" });
  const { operator, supplier, lamp } = opened;
  const make = (path: string, as: Person, body: object) => must("POST", path, { as, body });
  await make("/api/tax-rates", operator, { country: "DE", rate: 19, name: "VAT" });
  await make("/api/tax-rates", operator, { country: "FR", rate: 5.5, name: "TVA" });
  const percentage = { kind: "percentage" };
  for (const discount of [
    { ...percentage, code: "TEN", value: 10 },
    { ...percentage, code: "LAMP", value: 7, product_ids: [lamp.id] },
    { kind: "amount", code: "ONE", value: 1, currency: "EUR" },
    { kind: "free_delivery", code: "SHIP" },
  ]) {
    await make("/api/discounts", operator, discount);
  }
  await make("/api/discounts", supplier, { ...percentage, value: 8 });
  return opened;
}

describe("what was quoted", () => {
  let taxed: [included: Shop, beside: Shop];
  beforeAll(async () => {
    taxed = [await openTaxedShop(true), await openTaxedShop(false)];
  });

  const piece = fc.tuple(
    fc.constantFrom("saffron", "mint", "lamp", "recipe"),
    fc.integer({ min: 1, max: 4 }),
  );
  const cart = fc.record({
    isBeside: fc.boolean(),
    pieces: fc.array(piece, { minLength: 1, maxLength: 5 }),
    delivery_method: fc.constantFrom("post", "each", "local"),
    discount_codes: fc.subarray(["TEN", "LAMP", "ONE", "SHIP"], { maxLength: 2 }),
    shipping_address: fc.constantFrom(BERLIN, LYON, NEW_YORK),
  });

  const lineOf = (line: Row) => [
    ...[line.product_id, line.name, line.quantity, line.price, line.amount, line.tax_rate],
    ...[line.discount_amount, line.discount_code, line.tax_amount, line.exempt_amount],
  ];

  it("is what the order costs, to the cent; and what is not ready is refused", async () => {
    let ready = 0;
    await fc.assert(
      fc.asyncProperty(cart, async ({ isBeside, pieces, ...more }) => {
        const at = taxed[isBeside ? 1 : 0];
        const customer = await newCustomer(at);
        const named = pieces.map(([name, quantity]): [Row, number] => [
          at[name as "mint"],
          quantity,
        ]);
        const made = await begun(customer, wanted(at, { items: piecesOf(...named), ...more }));
        const sum = made.totals
          .filter(({ type, included }: Row) => type !== "total" && !included)
          .reduce((so: Decimal, { amount }: Row) => so.plus(amount), new Decimal(0));
        expect([sum.toNumber(), amountOf(made, "total")]).toEqual([made.total, made.total]);

        const done = await complete(customer, made, made.total);
        if (made.status !== "ready") {
          const [[code, field]] = errorsOf(made);
          expectRefusal(done, 422, code, { field });
          return;
        }
        ready += 1;
        expect([done.status, done.body.error]).toEqual([200, undefined]);
        const { order } = done.body;
        expect(order).toMatchObject({
          total_amount: made.total,
          subtotal_amount: amountOf(made, "items"),
          discount_amount: 0 - (amountOf(made, "discount") ?? 0),
          delivery_amount: amountOf(made, "delivery") ?? 0,
          tax_amount: amountOf(made, "tax") ?? 0,
          tax_included: !isBeside,
        });
        expect(made.items.map(lineOf)).toEqual(order.items.map(lineOf));
      }),
      { numRuns: Number(process.env.INVARIANTS_RUNS ?? 20), seed: SEED },
    );
    expect(ready).toBeGreaterThan(0);
  });
});

/** Sets a cap until the test ends. */
async function setCap(name: string, value: number): Promise<void> {
  const [cap] = await query<{ value: string }>("select value from private.caps where name = $1", [
    name,
  ]);
  const set = (to: number) =>
    supabaseAsService().rpc("set_cap", { name, value: to }).throwOnError();
  onTestFinished(async () => void (await set(Number(cap?.value))));
  await set(value);
}

describe("the number of checkouts", () => {
  it("is bounded: the oldest of a customer end, and a tenant has a cap", async () => {
    const customer = await newCustomer();
    const body = wanted(shop);
    const made: Row[] = [];
    for (let i = 0; i < 21; i += 1) made.push(await begun(customer, body));
    const statusOf = async ({ id }: Row) =>
      (await must("GET", `${PATH}/${id}`, { as: customer })).status;
    const first = await Promise.all(made.slice(0, 3).map(statusOf));
    expect(first).toEqual(["expired", "ready", "ready"]);

    await setCap("checkouts_per_tenant", 5);
    expectRefusal(await begin(customer, body), 422, "LIMIT_REACHED", {
      ...{ cap: "checkouts_per_tenant", maximum: 5 },
    });
  });

  it("of visitors and of customers does not count among those of the others", async () => {
    const crowded = await openShop();
    const body = { items: piecesOf([crowded.saffron, 1]) };
    const begins = () => visit(crowded, "POST", PATH, { body, from: someAddress() });
    await setCap("visitor_checkouts_per_tenant", 2);
    const made = [await begins(), await begins()];
    expect(made.map(({ status }) => status)).toEqual([201, 201]);
    expectRefusal(await begins(), 422, "LIMIT_REACHED", {
      ...{ cap: "visitor_checkouts_per_tenant", maximum: 2 },
    });
    await begun(crowded.customer, wanted(crowded));
    await setCap("checkouts_per_tenant", 1);
    expectRefusal(await begin(crowded.customer, wanted(crowded)), 422, "LIMIT_REACHED", {
      ...{ cap: "checkouts_per_tenant", maximum: 1 },
    });
    await setCap("visitor_checkouts_per_tenant", 3);
    expect((await begins()).status).toBe(201);
  });

  it("of a guest is bounded, also where it takes over those of visitors", async () => {
    const guest = await openGuest(shop.site);
    await setCap("checkouts_per_user", 2);
    const body = { items: piecesOf([shop.saffron, 1]) };
    const taken: Row[] = [];
    for (let i = 0; i < 3; i += 1) {
      const made = await visit(shop, "POST", PATH, { body, from: someAddress() });
      const headers = withToken(made.body.token);
      taken.push(await must("PUT", `${PATH}/${made.body.id}`, { as: guest, body, headers }));
    }
    const read = ({ id }: Row) => must("GET", `${PATH}/${id}`, { as: guest });
    const statuses = (await Promise.all(taken.map(read))).map(({ status }) => status);
    expect(statuses).toEqual(["expired", "incomplete", "incomplete"]);
  });

  it("does not grow: those that ended a day ago are deleted", async () => {
    const customer = await newCustomer();
    const [gone, fresh, open] = [
      await begun(customer, wanted(shop)),
      await begun(customer, wanted(shop)),
      await begun(customer, wanted(shop)),
    ];
    const end = ({ id }: Row, ago: string) =>
      query(
        `update private.checkouts
         set status = 'cancelled', ended_at = now() - $2::interval
         where id = $1`,
        [id, ago],
      );
    await end(gone, "25 hours");
    await end(fresh, "23 hours");
    await runJob("delete-old-checkouts");
    const read = async ({ id }: Row) =>
      (await call("GET", `${PATH}/${id}`, { as: customer })).status;
    expect([await read(gone), await read(fresh), await read(open)]).toEqual([404, 200, 200]);
  });

  it("goes with the personal data of its customer", async () => {
    const customer = await newCustomer();
    const contact = { email: customer.email, name: "Zubeida Quill" };
    const { id } = await begun(customer, wanted(shop, { contact }));
    const customer_id = await customerOf(customer);
    const typed = await begun(shop.client, wanted(shop, { contact, customer_id }));
    const path = `/api/customers/${customer_id}/personal-data`;
    const { records } = await must("GET", path, { as: customer });
    expect(records.checkouts).toHaveLength(2);
    expect((await persist("DELETE", path, { as: customer })).status).toBe(204);
    const left = "select from private.checkouts where id = any ($1)";
    expect(await query(left, [[id, typed.id]])).toEqual([]);
  });

  it("is completed or erased with its customer, whichever comes first", async () => {
    for (let i = 0; i < 3; i += 1) {
      const customer = await newCustomer();
      const path = `/api/customers/${await customerOf(customer)}/personal-data`;
      const made = await begun(customer, wanted(shop));
      const [done, erased] = await Promise.all([
        complete(customer, made, made.total),
        persist("DELETE", path, { as: customer }),
      ]);
      expect(erased.status).toBe(204);
      expect([200, 401, 403, 404]).toContain(done.status);
      expect(await query("select from private.checkouts where id = $1", [made.id])).toEqual([]);
    }
  });

  it("has the personal data of whom it is for, and not of whom another customer names", async () => {
    const [owner, other, guest] = await Promise.all([
      newCustomer(),
      newCustomer(),
      openGuest(shop.site),
    ]);
    const contact = { email: owner.email.toUpperCase(), name: "Zubeida Quill" };
    const theirs = await begun(other, wanted(shop, { contact }));
    const { marketplace_id: _, ...body } = wanted(shop, { contact });
    const [visited, taken] = [
      await visit(shop, "POST", PATH, { body }),
      await visit(shop, "POST", PATH, { body }),
    ];
    const token = withToken(taken.body.token);
    await must("PUT", `${PATH}/${taken.body.id}`, { as: guest, body, headers: token });
    const customer_id = await customerOf(owner);
    const typed = await begun(shop.client, wanted(shop, { contact }));
    // It is for the customer whom it names, and not for the contact.
    const named = { contact, customer_id: await customerOf(other) };
    const elses = await begun(shop.client, wanted(shop, named));

    const path = `/api/customers/${customer_id}/personal-data`;
    const { records } = await must("GET", path, { as: owner });
    const found = [visited.body.id, typed.id].toSorted();
    expect(records.checkouts.map(({ id }: Row) => id).toSorted()).toEqual(found);
    expect((await persist("DELETE", path, { as: owner })).status).toBe(204);
    const kept = [theirs.id, taken.body.id, elses.id];
    const left = await query<{ id: string }>(
      "select id from private.checkouts where id = any ($1)",
      [[...kept, ...found]],
    );
    expect(left.map(({ id }) => id).toSorted()).toEqual(kept.toSorted());
  });

  it("follows the setting checkout_minutes", async () => {
    const brief = await openShop({}, { checkout_minutes: 5 });
    const made = await begun(brief.customer, wanted(brief));
    expect(Date.parse(made.expires_at) - Date.parse(made.updated_at)).toBe(5 * 60_000);
  });
});
