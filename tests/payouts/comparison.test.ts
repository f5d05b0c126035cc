import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { runJob } from "../clock.js";
import { query } from "../database.js";
import { eventually } from "../eventually.js";
import { pay, takeBack } from "../orders/ordering.js";
import { cancelItems, changeShipment, ship } from "../orders/shipping.js";
import { click, openCategory, outcomes, promote } from "../placement/promoting.js";
import { must, supabaseAsService } from "../souk.js";
import { checkBooks } from "./books.js";
import {
  adjusted,
  changePayout,
  completed,
  EACH,
  ledgerOf,
  openShop,
  ordered,
  paidOut,
  type Row,
  type Shop,
  some,
} from "./shop.js";

// The nightly comparison of the ledger with orders, payouts and the charges of campaigns.

/** Changes rows past all triggers, as nothing in Souk does. */
const tamper = (sql: string) =>
  query(`begin; set local session_replication_role = replica; ${sql}; commit`);

/** Runs the comparison. Returns all differences that the tenant got events of. */
async function compare({ tenantId }: Shop): Promise<Row[]> {
  await runJob("compare-ledger");
  const { data } = await supabaseAsService()
    .from("events")
    .select("payload")
    .eq("tenant_id", tenantId)
    .eq("name", "ledger.mismatch")
    .order("created_at")
    .throwOnError();
  return data.map(({ payload }) => payload.data.mismatch);
}

/** An order of the supplier with lines of all kinds that orders have, and one of its rival. */
async function trade(shop: Shop): Promise<Row> {
  const { operator, supplier, saffron, mint } = shop;
  const order = await ordered(
    shop,
    [
      [saffron, 5],
      [mint, 1],
    ],
    { delivery_method: EACH.key },
  );
  expect((await pay(operator, order)).status).toBe(201);
  const items = [{ item_id: order.items[0].id, amount: 2 }];
  const refund = { amount: 2, reference: randomUUID(), borne_by: "supplier", items };
  expect((await pay(operator, order, "refunded", refund)).status).toBe(201);
  // The refund is set off against the pieces that are gone now.
  const piece = some(order, 0, 1);
  await cancelItems(supplier, order, piece);
  const { body: lost } = await ship(supplier, order, { items: piece });
  await changeShipment(operator, lost, { status: "lost" });
  const { body: parcel } = await ship(supplier, order);
  await changeShipment(supplier, parcel, { status: "delivered" });
  await takeBack(operator, order, piece);
  return order;
}

const openTradingShop = () => openShop({ delivery: { methods: [EACH], recipient: "supplier" } });

/** A line like another one, with its own id and amount. */
const insertLike = (line: Row, id: string, amount: number) => `
  insert into public.ledger_lines
    (id, tenant_id, supplier_id, marketplace_id, currency, kind, amount, order_id, campaign_id, date, due_at)
  select '${id}', tenant_id, supplier_id, marketplace_id, currency, kind, ${amount}, order_id, campaign_id, date, due_at
  from public.ledger_lines where id = '${line.id}'`;

const removeLine = (id: string) => `delete from public.ledger_lines where id = '${id}'`;

describe("the nightly comparison of the ledger", () => {
  it("finds nothing in honest rows", async () => {
    const shop = await openTradingShop();
    const { operator, client, supplierId, rivalId, mint } = shop;
    const order = await trade(shop);
    const campaign = await promote(shop, await openCategory(shop));
    await outcomes(client, click(campaign, randomUUID()));
    await adjusted(operator, supplierId, { amount: 4, order_id: order.id });
    const [payout] = await paidOut(shop, supplierId);
    await changePayout(operator, payout, { status: "failed", reason: "No account." });
    const [again] = await paidOut(shop, supplierId);
    await changePayout(operator, again, { status: "paid", reference: "SEPA 1" });
    await takeBack(operator, order, some(order, 0, 1));
    await completed(shop, [[mint, 1]], { delivery_method: EACH.key });
    await paidOut(shop, rivalId);
    await checkBooks(operator);
    expect(await compare(shop)).toEqual([]);
  });

  it("reports a part whose lines differ from its payout_amount, once", async () => {
    const shop = await openTradingShop();
    const { operator, supplier, supplierId } = shop;
    const [order, other] = [await trade(shop), await trade(shop)];
    expect(await compare(shop)).toEqual([]);
    const { lines } = await ledgerOf(supplier, { order_id: order.id, kind: "commission" });
    const extra = randomUUID();
    await tamper(insertLike(lines[0], extra, -1));
    const [{ payout_amount: expected }] = (
      await must("GET", `/api/orders/${order.id}`, { as: supplier })
    ).commissions;
    const difference = {
      ...{ rule: "part", supplier_id: supplierId, order_id: order.id, currency: "EUR" },
      ...{ expected, found: expected - 1 },
    };
    expect(await compare(shop)).toMatchObject([difference]);
    expect(await compare(shop)).toHaveLength(1);
    await eventually(async () => {
      const { events } = await must("GET", "/api/events?name=ledger.mismatch", { as: operator });
      expect(events).toMatchObject([{ data: { mismatch: difference } }]);
    });
    // Another one is reported beside it.
    const missing = await ledgerOf(supplier, { order_id: other.id, kind: "refund" });
    const [{ id }] = missing.lines;
    await tamper(`update public.ledger_lines set amount = amount - 3 where id = '${id}'`);
    expect(await compare(shop)).toMatchObject([difference, { rule: "part", order_id: other.id }]);
    await tamper(`
      ${removeLine(extra)};
      update public.ledger_lines set amount = amount + 3 where id = '${id}'`);
    await checkBooks(operator);
    expect(await compare(shop)).toHaveLength(2);
    expect(await compare(shop)).toHaveLength(2);
  });

  it("reports a payout that differs from the lines that it closes, once", async () => {
    const shop = await openTradingShop();
    const { operator, supplierId, saffron } = shop;
    await completed(shop, [[saffron, 3]], { delivery_method: EACH.key });
    const [payout] = await paidOut(shop, supplierId);
    const { lines } = await ledgerOf(operator, { payout_id: payout.id, kind: "commission" });
    const set = (payout_id: string) =>
      tamper(`update public.ledger_lines set payout_id = ${payout_id} where id = '${lines[0].id}'`);
    await set("null");
    expect(await compare(shop)).toMatchObject([
      {
        ...{ rule: "payout_lines", supplier_id: supplierId, payout_id: payout.id, currency: "EUR" },
        ...{ expected: 32, found: 35 },
      },
    ]);
    expect(await compare(shop)).toHaveLength(1);
    await set(`'${payout.id}'`);
    await checkBooks(operator);
    expect(await compare(shop)).toHaveLength(1);
  });

  it("reports a campaign whose lines differ from its charges, once", async () => {
    const shop = await openTradingShop();
    const { operator, client, supplierId } = shop;
    const campaign = await promote(shop, await openCategory(shop));
    expect(await outcomes(client, click(campaign, randomUUID()))).toEqual(["charged"]);
    const { lines } = await ledgerOf(operator, { kind: "promotion" });
    const extra = randomUUID();
    await tamper(insertLike(lines[0], extra, -0.25));
    expect(await compare(shop)).toMatchObject([
      {
        ...{ rule: "promotion", supplier_id: supplierId, campaign_id: campaign.id },
        ...{ currency: "EUR", expected: -0.5, found: -0.75 },
      },
    ]);
    expect(await compare(shop)).toHaveLength(1);
    await tamper(removeLine(extra));
    await checkBooks(operator);
    expect(await compare(shop)).toHaveLength(1);
  });

  it("reports nothing to the tenants whose ledger is right", async () => {
    const [broken, honest] = [await openTradingShop(), await openTradingShop()];
    const order = await trade(broken);
    await trade(honest);
    const { lines } = await ledgerOf(broken.supplier, { order_id: order.id, kind: "sale" });
    const extra = randomUUID();
    await tamper(insertLike(lines[0], extra, 1));
    expect(await compare(broken)).toHaveLength(1);
    expect(await compare(honest)).toEqual([]);
    await tamper(removeLine(extra));
  });
});
