import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { importsAt, NDJSON, ndjson } from "../imports/importing.js";
import { move, pay, takeBack } from "../orders/ordering.js";
import { cancelItems, changeShipment, ship } from "../orders/shipping.js";
import { click, openCategory, outcomes, PLACEMENT, promote } from "../placement/promoting.js";
import {
  ADDRESS,
  call,
  expectRefusal,
  listProduct,
  must,
  openTestTenant,
  type Person,
  persist,
  supabaseAs,
  supabaseAsService,
} from "../souk.js";
import { checkBooks, sumOf } from "./books.js";
import {
  adjust,
  adjusted,
  balanceOf,
  completed,
  EACH,
  ledgerOf,
  NO_BALANCE,
  openShop,
  ordered,
  paidOut,
  type Row,
  type Shop,
  some,
} from "./shop.js";

// The lines of the ledger: what writes them, that they never change, and who reads them.

/** Lines as texts: kind, amount and pieces, summed by kind and item. */
function textsOf(lines: Row[]): string[] {
  const keyOf = ({ kind, item_id }: Row) => `${kind} ${item_id}`;
  return [...new Set(lines.map(keyOf))]
    .map((key) => {
      const group = lines.filter((line) => keyOf(line) === key);
      const [{ kind, quantity }] = group as [Row];
      const sum = (field: string) => sumOf(group, field).toNumber();
      return [kind, sum("amount"), ...(quantity === null ? [] : [sum("quantity")])].join(" ");
    })
    .toSorted();
}

const linesOf = async (as: Person, { id: order_id }: Row): Promise<Row[]> =>
  (await ledgerOf(as, { order_id })).lines;

const shownTo = async (as: Person, order: Row) => textsOf(await linesOf(as, order));

/** The lines that some work adds to an order, as texts. */
async function addedBy(as: Person, order: Row, work: () => Promise<{ status: number }>) {
  const before = new Set((await linesOf(as, order)).map(({ id }) => id));
  expect((await work()).status).toBeLessThan(300);
  return textsOf((await linesOf(as, order)).filter(({ id }) => !before.has(id)));
}

const refund = (as: Person, order: Row, amount: number, more: object = {}) =>
  pay(as, order, "refunded", {
    ...{ amount, reference: randomUUID(), borne_by: "supplier" },
    ...{ items: [{ item_id: order.items[0].id, amount }], ...more },
  });

const report = (as: Person, order: Row, status: string, reference: string) =>
  persist("POST", `/api/orders/${order.id}/payments`, { as, body: { status, reference } });

describe("an order", () => {
  it("owes each supplier its sales and its delivery, less commission, and the operator nothing", async () => {
    const shop = await openShop({ delivery: { methods: [EACH], recipient: "supplier" } });
    const { operator, supplier, rival, saffron, mint, lamp, supplierId, marketplace } = shop;
    const order = await ordered(
      shop,
      [
        [saffron, 3],
        [mint, 2],
        [lamp, 1],
      ],
      { delivery_method: EACH.key },
    );
    expect(await shownTo(supplier, order)).toEqual(["commission -3", "delivery 5", "sale 30 3"]);
    expect(await shownTo(rival, order)).toEqual(["commission -0.6", "delivery 5", "sale 6 2"]);
    const lines = await linesOf(operator, order);
    expect(lines).toHaveLength(6);
    const [sale] = lines.filter(({ kind, amount }) => kind === "sale" && amount === 30);
    expect(sale).toMatchObject({
      ...{ id: expect.any(String), supplier_id: supplierId, marketplace_id: marketplace.id },
      ...{ kind: "sale", amount: 30, currency: "EUR", quantity: 3 },
      ...{ order_id: order.id, order_number: order.number },
      ...{ item_id: order.items[0].id, item_name: "Saffron" },
      ...{ campaign_id: null, date: null, adjustment_id: null, reason: null },
      ...{ payout_id: null, payout_status: null, due_at: null, held: false },
      created_at: expect.any(String),
    });
    expect(await balanceOf(supplier, supplierId)).toEqual({ ...NO_BALANCE, not_due: 32 });
    await checkBooks(operator);
  });

  it("has a discount only for the supplier who bears it", async () => {
    const shop = await openShop();
    const { operator, supplier, saffron, mint } = shop;
    const make = (as: Person, fields: object) =>
      must("POST", "/api/discounts", { as, body: { kind: "percentage", value: 10, ...fields } });
    await make(supplier, { value: 20 });
    await make(operator, { code: "OURS" });
    await make(operator, { code: "THEIRS", borne_by: "supplier" });
    const own = await ordered(shop, [[saffron, 3]]);
    expect(await shownTo(operator, own)).toEqual(["commission -2.4", "discount -6", "sale 30 3"]);
    const cancel = () => cancelItems(supplier, own, some(own, 0, 1));
    expect(await addedBy(operator, own, cancel)).toEqual([
      "cancellation -10 -1",
      "commission 0.8",
      "discount 2",
    ]);
    const ours = await ordered(shop, [[mint, 1]], { discount_codes: ["OURS"] });
    expect(await shownTo(operator, ours)).toEqual(["commission -0.3", "sale 3 1"]);
    const theirs = await ordered(shop, [[mint, 1]], { discount_codes: ["THEIRS"] });
    expect(await shownTo(operator, theirs)).toEqual([
      "commission -0.27",
      "discount -0.3",
      "sale 3 1",
    ]);
    await checkBooks(operator);
  });

  it.each([
    [true, "operator"],
    [true, "supplier"],
    [false, "operator"],
    [false, "supplier"],
  ] as const)("of prices that include tax (%s), which the %s collects, owes it to who hands it over", async (prices_include_tax, collected_by) => {
    const delivery = { methods: [EACH], recipient: "supplier" };
    const shop = await openShop(
      { delivery, commission_on_delivery: true },
      { prices_include_tax, collected_by },
    );
    const { operator, supplier } = shop;
    await must("POST", "/api/tax-rates", {
      as: operator,
      body: { country: "DE", rate: 25, name: "VAT" },
    });
    const price = prices_include_tax ? 125 : 100;
    const vase = await listProduct(supplier, { price, inventory: { quantity: 9 } });
    // The delivery costs 5.00 with 1.00 of tax, or 5.00 and 1.25.
    const [sent, its] = prices_include_tax ? [5, 1] : [6.25, 1.25];
    const order = await ordered(shop, [[vase, 2]], {
      shipping_address: { ...ADDRESS, country: "DE" },
      delivery_method: EACH.key,
    });
    const commission = (200 + sent - its) / 10;
    const tax = collected_by === "operator" ? [`tax -${50 + its}`] : [];
    expect(await shownTo(operator, order)).toEqual([
      `commission -${commission}`,
      `delivery ${sent}`,
      "sale 250 2",
      ...tax,
    ]);
    const cancel = (quantity: number) => () =>
      cancelItems(supplier, order, some(order, 0, quantity));
    expect(await addedBy(operator, order, cancel(1))).toEqual([
      "cancellation -125 -1",
      "commission 10",
      ...(tax.length ? ["tax 25"] : []),
    ]);
    await cancel(1)();
    expect(sumOf(await linesOf(operator, order)).toNumber()).toBe(0);
    await checkBooks(operator);
  });

  it("that was imported, or is of the operator's products alone, has no lines", async () => {
    const shop = await openShop();
    const { operator, supplierId, saffron, lamp } = shop;
    const placed_at = new Date(Date.now() - 400 * 86_400_000).toISOString();
    const past = {
      ...{ external_id: randomUUID(), placed_at, completed_at: placed_at },
      ...{ status: "delivered", payment_status: "paid" },
      customer: { email: `${randomUUID()}@example.com`, name: "Old Customer" },
      items: [{ product_id: saffron.id, quantity: 2, price: 10 }],
      shipping_address: ADDRESS,
    };
    const { imported } = importsAt("/api/orders/import");
    expect(await imported(operator, ndjson([past]), NDJSON)).toMatchObject({
      imported: 1,
      errors: [],
    });
    await completed(shop, [[lamp, 1]]);
    const { orders } = await must("GET", "/api/orders", { as: operator });
    expect(orders).toHaveLength(2);
    expect(await ledgerOf(operator)).toMatchObject({ lines: [], total: 0, balances: [] });
    // What was returned of it was settled elsewhere too.
    const old = orders.find(({ external_id }: Row) => external_id === past.external_id);
    const order = await must("GET", `/api/orders/${old.id}`, { as: operator });
    await takeBack(operator, order, some(order, 0, 1));
    expect(await ledgerOf(operator)).toMatchObject({ lines: [], total: 0 });
    const other = await adjust(operator, supplierId, { amount: 1, order_id: order.id });
    expectRefusal(other, 404, "NOT_FOUND", { field: "order_id" });
  });
});

describe("pieces that are gone", () => {
  it("take their sale back as cancelled, lost or returned, with the commission", async () => {
    const shop = await openShop();
    const { operator, supplier, saffron, supplierId } = shop;
    const order = await ordered(shop, [[saffron, 4]]);
    await pay(operator, order);
    const one = some(order, 0, 1);
    const cancel = () => cancelItems(supplier, order, one);
    expect(await addedBy(supplier, order, cancel)).toEqual(["cancellation -10 -1", "commission 1"]);
    const { body: parcel } = await ship(supplier, order, { items: one });
    const lose = () => changeShipment(operator, parcel, { status: "lost" });
    expect(await addedBy(supplier, order, lose)).toEqual(["commission 1", "loss -10 -1"]);
    const { body: next } = await ship(supplier, order);
    const deliver = () => changeShipment(supplier, next, { status: "delivered" });
    expect(await addedBy(supplier, order, deliver)).toEqual([]);
    const back = () => takeBack(operator, order, one);
    expect(await addedBy(supplier, order, back)).toEqual(["commission 1", "return -10 -1"]);
    expect(await balanceOf(supplier, supplierId)).toEqual({ ...NO_BALANCE, due: 9 });
    await checkBooks(operator);
  });

  it("have a line for each item, however many pieces come back at once", async () => {
    const shop = await openShop();
    const { operator, supplier, saffron, marketplace } = shop;
    const clove = await listProduct(supplier, { price: 0.33, marketplace_id: marketplace.id });
    const order = await completed(shop, [
      [saffron, 3],
      [clove, 3],
    ]);
    await takeBack(operator, order, [...some(order, 0, 2), ...some(order, 1, 3)]);
    const lines = (await linesOf(operator, order)).filter(({ kind }) => kind === "return");
    expect(lines.map(({ amount, quantity }) => [amount, quantity]).toSorted()).toEqual([
      [-0.99, -3],
      [-20, -2],
    ]);
    await checkBooks(operator);
  });

  it("are priced by what is kept, so that rounded shares add up", async () => {
    const shop = await openShop({}, { prices_include_tax: false });
    const { operator, supplier, marketplace } = shop;
    const body = { country: "DE", rate: 19, name: "VAT" };
    await must("POST", "/api/tax-rates", { as: operator, body });
    const bead = await listProduct(supplier, { price: 0.33, marketplace_id: marketplace.id });
    const address = { shipping_address: { ...ADDRESS, country: "DE" } };
    const order = await ordered(shop, [[bead, 3]], address);
    expect(await shownTo(operator, order)).toEqual(["commission -0.1", "sale 1.18 3"]);
    // Two pieces are 0.66 and 0.13 of tax, one piece is 0.33 and 0.06.
    const cancel = () => cancelItems(operator, order, some(order, 0, 1));
    expect(await addedBy(operator, order, cancel)).toEqual([
      "cancellation -0.39 -1",
      "commission 0.03",
    ]);
    expect(await addedBy(operator, order, cancel)).toEqual([
      "cancellation -0.4 -1",
      "commission 0.04",
    ]);
    await checkBooks(operator);
  });

  it("take the delivery back when none of a part arrives", async () => {
    const shop = await openShop({ delivery: { methods: [EACH], recipient: "supplier" } });
    const { operator, supplier, rival, saffron, mint } = shop;
    const pieces: [Row, number][] = [
      [saffron, 2],
      [mint, 1],
    ];
    const order = await ordered(shop, pieces, { delivery_method: EACH.key });
    const cancel = () => cancelItems(supplier, order, some(order, 0, 1));
    expect(await addedBy(operator, order, cancel)).toEqual(["cancellation -10 -1", "commission 1"]);
    expect(await addedBy(operator, order, cancel)).toEqual([
      "cancellation -10 -1",
      "commission 1",
      "delivery -5",
    ]);
    expect(await shownTo(rival, order)).toEqual(["commission -0.3", "delivery 5", "sale 3 1"]);
    await checkBooks(operator);
  });

  it("follow the order that is cancelled by hand", async () => {
    const shop = await openShop();
    const { operator, saffron } = shop;
    const order = await ordered(shop, [[saffron, 2]]);
    const cancel = () => move(operator, order, "cancelled");
    expect(await addedBy(operator, order, cancel)).toEqual(["cancellation -20 -2", "commission 2"]);
    await checkBooks(operator);
  });
});

describe("a refund", () => {
  it("lowers what its supplier is owed, until it fails; the operator's does not", async () => {
    const shop = await openShop();
    const { operator, supplierId, saffron } = shop;
    const order = await completed(shop, [[saffron, 2]]);
    expect(await addedBy(operator, order, () => refund(operator, order, 6))).toEqual(["refund -6"]);
    const ours = () => refund(operator, order, 2, { borne_by: "operator" });
    expect(await addedBy(operator, order, ours)).toEqual([]);
    expect(await balanceOf(operator, supplierId)).toEqual({ ...NO_BALANCE, due: 12 });
    const { body } = await refund(operator, order, 1);
    const fail = () => report(operator, order, "refund_failed", body.reference);
    expect(await addedBy(operator, order, fail)).toEqual(["refund 1"]);
    await checkBooks(operator);
  });

  it("is set off against pieces that come back later, and ends with its payment", async () => {
    const shop = await openShop();
    const { operator, saffron, supplierId } = shop;
    const order = await completed(shop, [[saffron, 2]]);
    await refund(operator, order, 6);
    const back = () => takeBack(operator, order, some(order, 0, 1));
    expect(await addedBy(operator, order, back)).toEqual([
      "commission 1",
      "refund 6",
      "return -10 -1",
    ]);
    const other = await completed(shop, [[saffron, 1]]);
    await refund(operator, other, 3);
    const reverse = () => report(operator, other, "payment_reversed", "paid-1");
    expect(await addedBy(operator, other, reverse)).toEqual(["refund 3"]);
    // What is not paid is not due.
    expect(await balanceOf(operator, supplierId)).toEqual({ ...NO_BALANCE, due: 9, not_due: 9 });
    await checkBooks(operator);
  });
});

describe("the charges of a campaign", () => {
  it("are taken off what its supplier is owed at once, and come back with refunded clicks", async () => {
    const shop = await openShop();
    const { operator, supplier, client, supplierId } = shop;
    const category = await openCategory(shop);
    const campaign = await promote(shop, category);
    const [bot, human] = [randomUUID(), randomUUID()];
    const clicks = [click(campaign, bot), click(campaign, human)];
    expect(await outcomes(client, ...clicks)).toEqual(["charged", "charged"]);
    expect(await balanceOf(supplier, supplierId)).toEqual({ ...NO_BALANCE, due: -1 });
    const { lines } = await ledgerOf(supplier, { kind: "promotion" });
    for (const line of lines) {
      expect(line).toMatchObject({
        ...{ supplier_id: supplierId, campaign_id: campaign.id, currency: "EUR" },
        ...{ order_id: null, item_id: null, payout_id: null },
        date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
        due_at: expect.any(String),
      });
    }
    await must("POST", `${PLACEMENT}/campaigns/${campaign.id}/refunds`, {
      as: operator,
      body: { visitor_id: bot },
    });
    expect(await balanceOf(supplier, supplierId)).toEqual({ ...NO_BALANCE, due: -0.5 });
    const after = (await ledgerOf(supplier, { kind: "promotion" })).lines;
    expect(after.map(({ amount }: Row) => amount)).toContain(0.5);
    await checkBooks(operator);
  });
});

describe("an adjustment", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await openShop();
  });

  it("is a line that is due at once", async () => {
    const { operator, supplier, supplierId, saffron } = shop;
    const order = await ordered(shop, [[saffron, 1]]);
    const made = await adjusted(operator, supplierId, {
      ...{ amount: -2.5, reason: "Broken glass", order_id: order.id },
    });
    expect(made).toMatchObject({
      ...{ id: expect.any(String), supplier_id: supplierId, amount: -2.5, currency: "EUR" },
      ...{ reason: "Broken glass", order_id: order.id, created_by: operator.id },
      created_at: expect.any(String),
    });
    const { lines } = await ledgerOf(supplier, { kind: "adjustment" });
    expect(lines).toMatchObject([
      {
        ...{ kind: "adjustment", amount: -2.5, reason: "Broken glass", adjustment_id: made.id },
        ...{ order_id: order.id, order_number: order.number, due_at: made.created_at },
      },
    ]);
    expect(await balanceOf(supplier, supplierId)).toMatchObject({ due: -2.5 });
    const { data } = await supabaseAs(operator)
      .rpc("create_adjustment", {
        ...{ supplier_id: supplierId, amount: 1000, currency: "JPY", reason: "A bonus" },
      })
      .throwOnError();
    expect(data).toMatchObject({ amount: 1000, currency: "JPY", order_id: null });
    expect(await balanceOf(supplier, supplierId, "JPY")).toEqual({ ...NO_BALANCE, due: 1000 });
    await checkBooks(operator);
  });

  it.each([
    ["an amount of 0", { amount: 0 }, "amount"],
    ["an amount finer than a cent", { amount: 0.001 }, "amount"],
    ["an amount finer than a yen", { amount: 1.5, currency: "JPY" }, "amount"],
    ["an amount that is a text", { amount: "1" }, "amount"],
    ["an unknown currency", { amount: 1, currency: "XXZ" }, "currency"],
    ["no currency", { amount: 1, currency: "eu" }, "currency"],
    ["a blank reason", { amount: 1, reason: " " }, "reason"],
    ["a reason of 2001 characters", { amount: 1, reason: "x".repeat(2001) }, "reason"],
    ["no reason", { amount: 1, reason: undefined }, "reason"],
    ["an unknown order", { amount: 1, order_id: randomUUID() }, "order_id"],
  ])("of %s is refused", async (_, body, field) => {
    const { operator, supplierId } = shop;
    const before = (await ledgerOf(operator)).total;
    const [status, code] =
      field === "order_id" ? ([404, "NOT_FOUND"] as const) : ([422, "VALIDATION_ERROR"] as const);
    expectRefusal(await adjust(operator, supplierId, body), status, code, { field });
    expect((await ledgerOf(operator)).total).toBe(before);
  });

  it("is made by admins, for suppliers of the tenant and orders that they have a part in", async () => {
    const { operator, supplier, client, customer, supplierId, mint } = shop;
    for (const as of [supplier, client, customer]) {
      expectRefusal(await adjust(as, supplierId, { amount: 1 }), 403, "FORBIDDEN");
    }
    expectRefusal(await adjust(operator, randomUUID(), { amount: 1 }), 404, "NOT_FOUND");
    const stranger = (await openTestTenant()).operator;
    expectRefusal(await adjust(stranger, supplierId, { amount: 1 }), 404, "NOT_FOUND");
    const { id: order_id } = await ordered(shop, [[mint, 1]]);
    const other = await adjust(operator, supplierId, { amount: 1, order_id });
    expectRefusal(other, 404, "NOT_FOUND", { field: "order_id" });
  });

  it("is made once for an Idempotency-Key", async () => {
    const { operator, rivalId } = shop;
    const path = `/api/suppliers/${rivalId}/adjustments`;
    const body = { amount: 5, currency: "EUR", reason: "A bonus" };
    const headers = { "idempotency-key": randomUUID() };
    const [first, again] = [
      await call("POST", path, { as: operator, body, headers }),
      await call("POST", path, { as: operator, body, headers }),
    ];
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body).toEqual(first.body);
    expect((await ledgerOf(operator, { supplier_id: rivalId, kind: "adjustment" })).total).toBe(1);
  });
});

describe("the ledger", () => {
  let shop: Shop;
  let order: Row;
  beforeAll(async () => {
    shop = await openShop();
    const { operator, supplierId, rivalId, saffron, mint } = shop;
    order = await completed(shop, [
      [saffron, 2],
      [mint, 1],
    ]);
    await adjusted(operator, supplierId, { amount: 500, currency: "JPY" });
    await paidOut(shop, rivalId);
    await ordered(shop, [[saffron, 1]]);
  });

  it("never changes, whoever tries", async () => {
    const { operator, supplier, client, supplierId } = shop;
    const before = await ledgerOf(operator);
    const [line] = before.lines.filter(({ kind }: Row) => kind === "sale");
    for (const db of [operator, supplier, client].map((as) => supabaseAs(as))) {
      for (const [table, change] of [
        ["ledger_lines", { amount: 1 }],
        ["ledger_lines", { payout_id: null }],
        ["ledger_adjustments", { amount: 1 }],
        ["payouts", { amount: 1 }],
        ["payouts", { status: "paid", reference: "SEPA 1" }],
      ] as const) {
        const changed = await db.from(table).update(change).eq("supplier_id", supplierId);
        expect(changed.error).toMatchObject({ code: "42501" });
        const gone = await db.from(table).delete().eq("supplier_id", supplierId);
        expect(gone.error).toMatchObject({ code: "42501" });
      }
      const { supplier_id, currency, order_id } = line;
      const added = { supplier_id, currency, order_id, kind: "sale", amount: 1 };
      const { error } = await db.from("ledger_lines").insert(added);
      expect(error).toMatchObject({ code: "42501" });
    }
    const service = supabaseAsService().from("ledger_lines");
    expect((await service.update({ amount: 1 }).eq("id", line.id)).error).not.toBeNull();
    expect(await ledgerOf(operator)).toEqual(before);
  });

  it("is filtered by each of its fields", async () => {
    const { operator, supplierId, rivalId, marketplace } = shop;
    const found = async (query: Record<string, string>) =>
      textsOf((await ledgerOf(operator, query)).lines);
    const part = ["commission -2", "sale 20 2"];
    expect(await found({ order_id: order.id, supplier_id: supplierId })).toEqual(part);
    expect(await found({ order_id: order.id, kind: "sale" })).toEqual(["sale 20 2", "sale 3 1"]);
    expect(await found({ currency: "JPY" })).toEqual(["adjustment 500"]);
    expect((await ledgerOf(operator, { marketplace_id: marketplace.id })).total).toBe(6);
    expect(await found({ marketplace_id: randomUUID() })).toEqual([]);
    const [{ payout_id }] = (await ledgerOf(operator, { kind: "payout" })).lines;
    expect(await found({ payout_id })).toEqual(["commission -0.3", "payout -2.7", "sale 3 1"]);
    expect(await found({ supplier_id: rivalId, payout_id, kind: "payout" })).toEqual([
      "payout -2.7",
    ]);
    const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
    expect(await found({ order_id: order.id, to: at(-1) })).toEqual([]);
    expect(await found({ order_id: order.id, from: at(1) })).toEqual([]);
    expect(await found({ supplier_id: supplierId, from: at(-1), to: at(1), kind: "sale" })).toEqual(
      ["sale 10 1", "sale 20 2"],
    );
    // The second order is not due.
    const due = { supplier_id: supplierId, due_from: at(-1), due_to: at(1) };
    expect(await found(due)).toEqual(["adjustment 500", ...part]);
    expect(await found({ ...due, due_to: at(-0.5) })).toEqual([]);
    expect(await found({ ...due, due_from: at(0.5) })).toEqual([]);
  });

  it("refuses filters that make no sense", async () => {
    for (const [field, value] of [
      ["kind", "gift"],
      ["supplier_id", "me"],
      ["from", "soon"],
      ["due_to", "2026-02-30"],
    ] as const) {
      const refused = await call("GET", `/api/ledger?${field}=${value}`, { as: shop.operator });
      expectRefusal(refused, 422, "VALIDATION_ERROR", { field });
    }
  });

  it("has pages, in both directions, with the balances of the suppliers in each", async () => {
    const { operator, supplierId, rivalId } = shop;
    const all = await ledgerOf(operator);
    const { total, balances } = all;
    expect(all.lines).toHaveLength(total);
    const times = all.lines.map(({ created_at }: Row) => Date.parse(created_at));
    expect(times).toEqual(times.toSorted((a: number, b: number) => b - a));
    for (const direction of ["asc", "desc"]) {
      const ids: string[] = [];
      for (let page = 1; page <= Math.ceil(total / 2); page += 1) {
        const part = await ledgerOf(operator, {
          ...{ order: direction, limit: "2", page: `${page}` },
        });
        expect(part).toMatchObject({ total, page, limit: 2, balances });
        ids.push(...part.lines.map(({ id }: Row) => id));
      }
      expect(new Set(ids)).toEqual(new Set(all.lines.map(({ id }: Row) => id)));
      expect(ids).toHaveLength(total);
    }
    const own = { supplier_id: supplierId };
    const expected = [
      { ...own, currency: "EUR", ...NO_BALANCE, due: 18, not_due: 9 },
      { ...own, currency: "JPY", ...NO_BALANCE, due: 500 },
      { supplier_id: rivalId, currency: "EUR", ...NO_BALANCE, pending: 2.7 },
    ];
    expect(balances).toHaveLength(3);
    expect(balances).toEqual(expect.arrayContaining(expected));
    // Other filters do not change them.
    const filtered = await ledgerOf(operator, { ...own, currency: "JPY", kind: "sale" });
    expect(filtered).toMatchObject({ lines: [], balances: [expected[1]] });
  });

  it("is read by suppliers for themselves, by admins and clients for all, and by no customer", async () => {
    const { operator, client, supplier, rival, customer, supplierId, rivalId } = shop;
    const all = await ledgerOf(operator);
    expect(await ledgerOf(client)).toEqual(all);
    for (const [as, id] of [
      [supplier, supplierId],
      [rival, rivalId],
    ] as const) {
      const isOwn = ({ supplier_id }: Row) => supplier_id === id;
      const seen = await ledgerOf(as);
      expect(seen.lines).toEqual(all.lines.filter(isOwn));
      expect(seen.balances).toEqual(all.balances.filter(isOwn));
      const { data } = await supabaseAs(as).rpc("list_ledger").throwOnError();
      expect(data).toMatchObject({ total: seen.total, balances: seen.balances });
      const { data: lines } = await supabaseAs(as).from("ledger_lines").select().throwOnError();
      expect(lines.map(({ supplier_id }) => supplier_id)).toEqual(lines.map(() => id));
    }
    const none = { lines: [], total: 0, balances: [] };
    expect(await ledgerOf(supplier, { supplier_id: rivalId })).toMatchObject(none);
    expect(await ledgerOf(customer)).toMatchObject(none);
    expect((await supabaseAs(customer).from("ledger_lines").select()).data).toEqual([]);
    expect(await ledgerOf((await openTestTenant()).operator)).toMatchObject(none);
    expect((await call("GET", "/api/ledger")).status).toBe(401);
  });
});
