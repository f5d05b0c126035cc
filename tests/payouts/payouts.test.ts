import { randomUUID } from "node:crypto";
import { parse } from "csv-parse/sync";
import { beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../eventually.js";
import { doBusiness, pay, takeBack } from "../orders/ordering.js";
import { changeShipment, ship } from "../orders/shipping.js";
import {
  call,
  expectRefusal,
  listProduct,
  must,
  openMarketplace,
  openTestTenant,
  type Person,
  persist,
  supabaseAs,
  UNBOUNDED,
} from "../souk.js";
import { checkBooks, isOfPayout, sumOf } from "./books.js";
import {
  adjusted,
  balanceOf,
  changePayout,
  completed,
  completedAt,
  expectNothingDue,
  ledgerOf,
  NO_BALANCE,
  openShop,
  ordered,
  paidOut,
  payOut,
  type Row,
  type Shop,
  some,
} from "./shop.js";

// Payouts: what is due, what is held, what a payout closes, and what becomes of it.

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

const getPayout = (as: Person, { id }: Row): Promise<Row> =>
  must("GET", `/api/payouts/${id}`, { as });

async function changed(...change: Parameters<typeof changePayout>): Promise<Row> {
  const { status, body } = await changePayout(...change);
  expect([status, body.error]).toEqual([200, undefined]);
  return body;
}

const statement = (as: Person, { id }: Row, format: string) =>
  call("GET", `/api/payouts/${id}/statement?format=${format}`, { as });

const PAID = { status: "paid", reference: "SEPA 17" };
const FAILED = { status: "failed", reason: "The account is closed." };
const REVERSED = { status: "reversed", reason: "The bank sent it back." };

describe("a payout", () => {
  it("has what is paid and delivered, and each line once", async () => {
    const shop = await openShop();
    const { operator, supplier, supplierId, rivalId, saffron, mint, tenantId } = shop;
    await expectNothingDue(shop);
    const order = await ordered(shop, [
      [saffron, 2],
      [mint, 1],
    ]);
    await expectNothingDue(shop);
    await pay(operator, order);
    await expectNothingDue(shop);
    const { body: parcel } = await ship(supplier, order);
    await expectNothingDue(shop);
    expect(await balanceOf(operator, supplierId)).toEqual({ ...NO_BALANCE, not_due: 18 });
    await changeShipment(supplier, parcel, { status: "delivered" });
    expect(await balanceOf(operator, supplierId)).toEqual({ ...NO_BALANCE, due: 18 });
    const [payout, ...others] = await paidOut(shop, supplierId);
    expect(others).toEqual([]);
    expect(payout).toMatchObject({
      ...{ id: expect.any(String), tenant_id: tenantId, supplier_id: supplierId },
      ...{ currency: "EUR", amount: 18, status: "pending", lines: 2 },
      ...{ until: expect.any(String), reference: null, reason: null, created_by: operator.id },
      ...{ paid_at: null, failed_at: null, reversed_at: null },
    });
    expect(await getPayout(supplier, payout)).toMatchObject({ id: payout.id, amount: 18 });
    const { lines } = await ledgerOf(supplier, { payout_id: payout.id });
    expect(lines).toHaveLength(3);
    for (const line of lines) {
      expect(line).toMatchObject({ payout_id: payout.id, payout_status: "pending", held: false });
    }
    expect(lines.filter(isOfPayout)).toMatchObject([
      { kind: "payout", amount: -18, order_id: null, quantity: null },
    ]);
    expect(await balanceOf(operator, supplierId)).toEqual({ ...NO_BALANCE, pending: 18 });
    await expectNothingDue(shop);
    // The rival has not delivered its part.
    expectRefusal(await payOut(shop, rivalId), 422, "NOTHING_DUE");
    await checkBooks(operator);
  });

  it("waits for the marketplace's payout delay, as it is now", async () => {
    const shop = await openShop({ payout_delay_days: 14 });
    const { operator, supplierId, saffron } = shop;
    await completedAt(shop, daysAgo(13), [[saffron, 1]]);
    await expectNothingDue(shop);
    await completedAt(shop, daysAgo(15), [[saffron, 2]]);
    expect(await balanceOf(operator, supplierId)).toEqual({ ...NO_BALANCE, due: 18, not_due: 9 });
    expect(await paidOut(shop, supplierId)).toMatchObject([{ amount: 18, lines: 2 }]);
    await doBusiness(shop, { payout_delay_days: 0 });
    expect(await paidOut(shop, supplierId)).toMatchObject([{ amount: 9, lines: 2 }]);
    await checkBooks(operator);
  });

  it("takes what was due until a time, or until the end of a day of the tenant's time zone", async () => {
    const shop = await openShop();
    const { operator, supplierId, saffron } = shop;
    await must("PATCH", "/api/tenant", {
      as: operator,
      body: { time_zone: "Pacific/Auckland" },
    });
    // In Auckland, the first of March ends at 11:00 UTC.
    const [last, next] = ["2020-03-01T10:59:59Z", "2020-03-01T11:00:01Z"];
    await completedAt(shop, last, [[saffron, 1]]);
    await completedAt(shop, next, [[saffron, 2]]);
    await expectNothingDue(shop, { until: "2020-02-29" });
    await expectNothingDue(shop, { until: "2020-03-01T10:59:58Z" });
    expect(await paidOut(shop, supplierId, { until: "2020-03-01" })).toMatchObject([{ amount: 9 }]);
    await expectNothingDue(shop, { until: "2020-03-01T11:00:00Z" });
    const until = "2020-03-01T11:00:02Z";
    const [second] = await paidOut(shop, supplierId, { until });
    expect(second.amount).toBe(18);
    expect(Date.parse(second.until)).toBe(Date.parse(until));
    await checkBooks(operator);
  });

  it("is until the end of today at the latest", async () => {
    const shop = await openShop();
    const { operator, supplierId, saffron } = shop;
    await completed(shop, [[saffron, 1]]);
    const day = (days: number) => daysAgo(-days).slice(0, 10);
    for (const until of [day(2), daysAgo(-2), "soon", "2020-02-30", 7]) {
      const refused = await payOut(shop, supplierId, { until });
      expectRefusal(refused, 422, "VALIDATION_ERROR", { field: "until" });
    }
    // Today in a time zone whose day ends between 12 and 23 hours after this request.
    const offset = 11 - new Date().getUTCHours();
    const time_zone = `Etc/GMT${offset < 0 ? "+" : "-"}${Math.abs(offset)}`;
    await must("PATCH", "/api/tenant", { as: operator, body: { time_zone } });
    const today = new Date(Date.now() + offset * 3_600_000).toISOString().slice(0, 10);
    expect(await paidOut(shop, supplierId, { until: today })).toMatchObject([{ amount: 9 }]);
    await completed(shop, [[saffron, 2]]);
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    expect(await paidOut(shop, supplierId, { until: soon })).toMatchObject([{ amount: 18 }]);
  });

  it("is one for each currency", async () => {
    const shop = await openShop();
    const { operator, supplier, supplierId, saffron } = shop;
    const site = await openMarketplace(operator, {
      currency: "JPY",
      settings: { business: { ...UNBOUNDED, commission_percent: 15, payout_delay_days: 0 } },
    });
    const tea = await listProduct(supplier, { price: 999, marketplace_id: site.id });
    await completed(shop, [[saffron, 1]]);
    await completed(shop, [[tea, 1]]);
    await adjusted(operator, supplierId, { amount: -1.5, currency: "KWD" });
    const payouts = await paidOut(shop, supplierId);
    expect(payouts.map(({ currency, amount }) => [currency, amount]).toSorted()).toEqual([
      ["EUR", 9],
      // 149.85 of commission is 150.
      ["JPY", 849],
    ]);
    expect(await balanceOf(operator, supplierId, "KWD")).toEqual({ ...NO_BALANCE, due: -1.5 });
    await checkBooks(operator);
  });

  it("is never below 0 or of 0: the rest is carried over", async () => {
    const shop = await openShop();
    const { operator, supplierId, saffron } = shop;
    await adjusted(operator, supplierId, { amount: -20 });
    await completed(shop, [[saffron, 1]]);
    await expectNothingDue(shop);
    await adjusted(operator, supplierId, { amount: 11 });
    await expectNothingDue(shop);
    expect(await balanceOf(operator, supplierId)).toEqual(NO_BALANCE);
    await completed(shop, [[saffron, 1]]);
    expect(await paidOut(shop, supplierId)).toMatchObject([{ amount: 9, lines: 6 }]);
    await checkBooks(operator);
  });

  it("is lowered by pieces that come back after an earlier one, at once", async () => {
    const shop = await openShop({ payout_delay_days: 14 });
    const { operator, supplierId, saffron } = shop;
    const order = await completedAt(shop, daysAgo(20), [[saffron, 3]]);
    const [first] = await paidOut(shop, supplierId);
    expect(first.amount).toBe(27);
    // Whatever delay there is for others, and with the commission that comes back.
    await doBusiness(shop, { payout_delay_days: 60 });
    await takeBack(operator, order, some(order, 0, 1));
    expect(await balanceOf(operator, supplierId)).toEqual({ ...NO_BALANCE, due: -9, pending: 27 });
    const { lines } = await ledgerOf(operator, { order_id: order.id });
    const late = lines.filter(({ payout_id }: Row) => payout_id === null);
    expect(sumOf(late).toNumber()).toBe(-9);
    for (const { due_at, created_at, held } of late)
      expect([due_at, held]).toEqual([created_at, false]);
    await doBusiness(shop, { payout_delay_days: 14 });
    await expectNothingDue(shop);
    // What comes back of an order that no payout has is due with it.
    const [next, recent] = [
      await completedAt(shop, daysAgo(15), [[saffron, 2]]),
      await completedAt(shop, daysAgo(1), [[saffron, 2]]),
    ];
    await takeBack(operator, next, some(next, 0, 1));
    await takeBack(operator, recent, some(recent, 0, 1));
    await expectNothingDue(shop);
    expect(await balanceOf(operator, supplierId)).toMatchObject({ due: 0, not_due: 9 });
    await adjusted(operator, supplierId, { amount: 5 });
    expect(await paidOut(shop, supplierId)).toMatchObject([{ amount: 5, lines: 7 }]);
    await checkBooks(operator);
  });
});

describe("the status of a payout", () => {
  it("of what was due until a time never exceeds what is due now", async () => {
    const shop = await openShop({ payout_delay_days: 14 });
    const { operator, supplierId, saffron } = shop;
    const order = await completedAt(shop, daysAgo(20), [[saffron, 3]]);
    await paidOut(shop, supplierId);
    await takeBack(operator, order, some(order, 0, 1));
    await completedAt(shop, daysAgo(30), [[saffron, 1]]);
    const answer = await payOut(shop, supplierId, { until: daysAgo(1) });
    expectRefusal(answer, 422, "NOTHING_DUE");
    await adjusted(operator, supplierId, { amount: 1 });
    expect(await paidOut(shop, supplierId)).toMatchObject([{ amount: 1, lines: 5 }]);
    await checkBooks(operator);
  });

  it("becomes paid with a reference, and reversed with a reason, which frees its lines", async () => {
    const shop = await openShop();
    const { operator, supplier, supplierId, saffron } = shop;
    await completed(shop, [[saffron, 1]]);
    const [payout] = await paidOut(shop, supplierId);
    const paid = await changed(operator, payout, PAID);
    expect(paid).toMatchObject({
      ...{ ...PAID, id: payout.id, amount: 9, reason: null },
      ...{ paid_at: expect.any(String), failed_at: null, reversed_at: null },
    });
    expect(await balanceOf(supplier, supplierId)).toEqual({ ...NO_BALANCE, paid: 9 });
    const reversed = await changed(operator, payout, REVERSED);
    expect(reversed).toMatchObject({
      ...{ ...REVERSED, reference: PAID.reference, lines: 2 },
      ...{ paid_at: paid.paid_at, failed_at: null, reversed_at: expect.any(String) },
    });
    expect(await balanceOf(supplier, supplierId)).toEqual({ ...NO_BALANCE, due: 9 });
    const { lines } = await ledgerOf(supplier, { payout_id: payout.id });
    expect(lines.map(({ kind, amount }: Row) => [kind, amount]).toSorted()).toEqual([
      ["payout", -9],
      ["payout_reversal", 9],
    ]);
    await checkBooks(operator);
  });

  it("becomes failed with a reason, and the next payout takes its lines again", async () => {
    const shop = await openShop();
    const { operator, supplierId, saffron } = shop;
    await completed(shop, [[saffron, 1]]);
    const [first] = await paidOut(shop, supplierId);
    expect(await changed(operator, first, FAILED)).toMatchObject({
      ...{ ...FAILED, reference: null, paid_at: null, failed_at: expect.any(String) },
    });
    await completed(shop, [[saffron, 2]]);
    const [second] = await paidOut(shop, supplierId);
    expect(second).toMatchObject({ amount: 27, lines: 4 });
    expect(await getPayout(operator, first)).toMatchObject({ status: "failed", amount: 9 });
    await checkBooks(operator);
  });

  it("takes no other moves", async () => {
    const shop = await openShop();
    const { operator, supplierId, saffron } = shop;
    const make = async (...moves: object[]) => {
      await completed(shop, [[saffron, 1]]);
      const [payout] = await paidOut(shop, supplierId);
      for (const move of moves) await changed(operator, payout, move);
      return payout;
    };
    for (const [payout, refused] of [
      [await make(), [REVERSED]],
      [await make(PAID), [PAID, FAILED]],
      [await make(PAID, REVERSED), [PAID, FAILED, REVERSED]],
      [await make(FAILED), [PAID, FAILED, REVERSED]],
    ] as const) {
      for (const move of refused) {
        expectRefusal(await changePayout(operator, payout, move), 422, "INVALID_TRANSITION");
      }
    }
    await checkBooks(operator);
  });

  it("needs its reference or reason", async () => {
    const shop = await openShop();
    const { operator, supplierId, saffron } = shop;
    await completed(shop, [[saffron, 1]]);
    const [payout] = await paidOut(shop, supplierId);
    for (const [body, field] of [
      [{ status: "paid" }, "reference"],
      [{ ...PAID, reference: " " }, "reference"],
      [{ ...PAID, reference: "x".repeat(201) }, "reference"],
      [{ status: "failed" }, "reason"],
      [{ ...FAILED, reason: "" }, "reason"],
      [{ ...FAILED, reason: "x".repeat(2001) }, "reason"],
      [{ status: "pending" }, "status"],
      [{ status: "sent" }, "status"],
    ] as const) {
      const refused = await changePayout(operator, payout, body);
      expectRefusal(refused, 422, "VALIDATION_ERROR", { field });
    }
    const { error } = await supabaseAs(operator).rpc("update_payout", {
      ...{ payout_id: payout.id, status: "paid" },
    });
    expect(error).toMatchObject({ code: "PT422", message: "VALIDATION_ERROR" });
    expect(await getPayout(operator, payout)).toMatchObject({ status: "pending" });
    expectRefusal(await changePayout(operator, { id: randomUUID() }, PAID), 404, "NOT_FOUND");
  });

  it("makes an event for each change", async () => {
    const shop = await openShop();
    const { operator, supplierId, saffron } = shop;
    await completed(shop, [[saffron, 1]]);
    const [first] = await paidOut(shop, supplierId);
    await changed(operator, first, FAILED);
    const [second] = await paidOut(shop, supplierId);
    await changed(operator, second, PAID);
    const after = await changed(operator, second, REVERSED);
    /** Waits for as many events, because other transactions may delay their sequence. */
    const emitted = (name: string, expected: Row[]) =>
      eventually(async () => {
        const path = `/api/events?name=payout.${name}`;
        const { events } = await must("GET", path, { as: operator });
        expect(events.map(({ data }: Row) => data.payout)).toMatchObject(expected);
      });
    await emitted("created", [first, second]);
    await emitted("failed", [{ ...FAILED, id: first.id }]);
    await emitted("paid", [{ ...PAID, id: second.id, amount: 9 }]);
    await emitted("reversed", [after]);
  });
});

describe("a statement", () => {
  it("adds up to the payout, with its lines, in JSON and CSV, also after it failed", async () => {
    const shop = await openShop();
    const { operator, supplier, supplierId, saffron } = shop;
    const legal = { name: "Saffron & Sons", tax_id: "DE136695976" };
    await must("PATCH", `/api/suppliers/${supplierId}`, { as: operator, body: { legal } });
    const order = await completed(shop, [[saffron, 3]]);
    await takeBack(operator, order, some(order, 0, 1));
    await adjusted(operator, supplierId, { amount: 0.1, reason: "=1+1, and more" });
    const [payout] = await paidOut(shop, supplierId);
    const read = async () => {
      const { status, body } = await statement(supplier, payout, "json");
      expect(status).toBe(200);
      const csv = await statement(supplier, payout, "csv");
      expect([csv.status, csv.headers.get("content-type")]).toEqual([
        200,
        expect.stringMatching(/^text\/csv/),
      ]);
      const rows: Row[] = parse(csv.body, { columns: true, bom: true });
      expect(sumOf(rows).toNumber()).toBe(18.1);
      expect(rows.map(({ id }) => id)).toEqual(body.lines.map(({ id }: Row) => id));
      expect(rows.map(({ kind, amount }) => [kind, Number(amount)])).toEqual(
        body.lines.map(({ kind, amount }: Row) => [kind, amount]),
      );
      return body;
    };
    const body = await read();
    expect(body).toMatchObject({
      payout: { id: payout.id, amount: 18.1, lines: 5 },
      supplier: { id: supplierId, name: expect.any(String), legal },
    });
    expect(body.lines).toHaveLength(5);
    expect(body.lines.filter(isOfPayout)).toEqual([]);
    expect(sumOf(body.sums).toNumber()).toBe(18.1);
    const sums = body.sums.map(({ kind, amount }: Row) => [kind, amount]);
    expect(sums.toSorted()).toEqual([
      ["adjustment", 0.1],
      ["commission", -2],
      ["return", -10],
      ["sale", 30],
    ]);
    const { body: byDefault } = await call("GET", `/api/payouts/${payout.id}/statement`, {
      as: operator,
    });
    expect(byDefault).toEqual(body);
    await changed(operator, payout, FAILED);
    await paidOut(shop, supplierId);
    const failed = await read();
    expect(failed.payout).toMatchObject(FAILED);
    expect([failed.sums, failed.lines.length]).toEqual([body.sums, 5]);
    expectRefusal(await statement(operator, payout, "pdf"), 422, "VALIDATION_ERROR");
  });
});

describe("payouts", () => {
  let shop: Shop;
  let payouts: Row[];
  beforeAll(async () => {
    shop = await openShop();
    const { operator, supplierId, rivalId, saffron, mint } = shop;
    const pieces: [Row, number][] = [
      [saffron, 1],
      [mint, 1],
    ];
    await completed(shop, pieces);
    await adjusted(operator, supplierId, { amount: 500, currency: "JPY" });
    payouts = [...(await paidOut(shop, supplierId)), ...(await paidOut(shop, rivalId))];
    await changed(operator, payouts[2], PAID);
  });

  it("are listed by supplier, status, currency and time", async () => {
    const { operator, rivalId } = shop;
    const found = async (query: Record<string, string>) => {
      const answer = await must("GET", `/api/payouts?${new URLSearchParams(query)}`, {
        as: operator,
      });
      expect(answer.payouts).toHaveLength(answer.total);
      return new Set(answer.payouts.map(({ id }: Row) => id));
    };
    const ids = (...places: number[]) => new Set(places.map((place) => payouts[place].id));
    expect(await found({})).toEqual(ids(0, 1, 2));
    expect(await found({ supplier_id: rivalId })).toEqual(ids(2));
    expect(await found({ status: "pending" })).toEqual(ids(0, 1));
    expect(await found({ currency: "JPY" })).toEqual(
      new Set(payouts.filter(({ currency }) => currency === "JPY").map(({ id }) => id)),
    );
    expect(await found({ to: daysAgo(1) })).toEqual(ids());
    expect(await found({ from: daysAgo(1), to: daysAgo(-1) })).toEqual(ids(0, 1, 2));
    const one = await must("GET", "/api/payouts?order=asc&limit=1&page=3", { as: operator });
    expect(one).toMatchObject({ total: 3, page: 3, limit: 1, payouts: [{ id: payouts[2].id }] });
  });

  it("are read by their supplier, admins and clients, and made by admins", async () => {
    const { operator, client, supplier, rival, customer, supplierId, rivalId } = shop;
    const { operator: stranger } = await openTestTenant();
    const [, , its] = payouts;
    for (const [as, total] of [
      [operator, 3],
      [client, 3],
      [supplier, 2],
      [rival, 1],
      [customer, 0],
      [stranger, 0],
    ] as const) {
      expect((await must("GET", "/api/payouts", { as })).total).toBe(total);
      const { data } = await supabaseAs(as).from("payouts").select().throwOnError();
      expect(data).toHaveLength(total);
    }
    for (const as of [supplier, customer, stranger]) {
      expectRefusal(await call("GET", `/api/payouts/${its.id}`, { as }), 404, "NOT_FOUND");
      expectRefusal(await statement(as, its, "json"), 404, "NOT_FOUND");
      expectRefusal(await statement(as, its, "csv"), 404, "NOT_FOUND");
    }
    expect((await call("GET", `/api/payouts/${its.id}`, { as: rival })).status).toBe(200);
    for (const as of [client, supplier, rival, customer]) {
      const body = { supplier_id: supplierId };
      expectRefusal(await call("POST", "/api/payouts", { as, body }), 403, "FORBIDDEN");
      expectRefusal(await changePayout(as, its, REVERSED), 403, "FORBIDDEN");
      const { error } = await supabaseAs(as).rpc("create_payouts", body);
      expect(error).toMatchObject({ message: "FORBIDDEN" });
    }
    expect((await call("GET", "/api/payouts")).status).toBe(401);
    const refused = await call("POST", "/api/payouts", {
      ...{ as: stranger, body: { supplier_id: rivalId } },
    });
    expectRefusal(refused, 404, "NOT_FOUND", { field: "supplier_id" });
    expectRefusal(await changePayout(stranger, its, REVERSED), 404, "NOT_FOUND");
  });

  it("are made once for an Idempotency-Key, and a repetition makes no more", async () => {
    const shop = await openShop();
    const { operator, supplierId, saffron } = shop;
    await completed(shop, [[saffron, 1]]);
    const headers = { "idempotency-key": randomUUID() };
    const ask = () =>
      persist("POST", "/api/payouts", { as: operator, body: { supplier_id: supplierId }, headers });
    const first = await ask();
    await completed(shop, [[saffron, 2]]);
    const again = await ask();
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body).toEqual(first.body);
    expect(first.body.payouts).toMatchObject([{ amount: 9 }]);
    expect(await balanceOf(operator, supplierId)).toMatchObject({ due: 18 });
  });
});
