import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { query } from "../database.js";
import { move, placed } from "../orders/ordering.js";
import { openTestTenant, type Person, persist, registerClient, type TestTenant } from "../souk.js";
import {
  campaignOf,
  chargesOf,
  click,
  impression,
  openCategory,
  PLACEMENT,
  promote,
  registerOld,
  report,
  type Shown,
  shownTo,
  statsOf,
} from "./promoting.js";

// Concurrent changes of money. On Postgres the transactions run in parallel.

let testTenant: TestTenant;
let client: Person;
let category: Shown;

beforeAll(async () => {
  testTenant = await openTestTenant();
  [client, category] = await Promise.all([
    registerClient(testTenant.tenantId),
    openCategory(testTenant),
  ]);
});

/** Counts the answers by text. */
function tally(results: Shown[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, reason } of results) {
    const word = reason ? `${status} ${reason}` : status;
    counts[word] = (counts[word] ?? 0) + 1;
  }
  return counts;
}

const visitors = (many: number) => Array.from({ length: many }, (_, n) => `visitor ${n}`);

/**
 * Fails unless every day's spend is the sum of its charges. Days of other tests are ignored, because those tests change
 * them.
 */
async function expectLedgerToAgree() {
  const wrong = await query(
    `select campaign_id, date, s.spend, c.amount
    from (select * from public.campaign_statistics where tenant_id = $1) as s
    full join (
      select campaign_id, date, sum(amount) as amount
      from public.placement_charges
      where tenant_id = $1
      group by campaign_id, date
    ) as c using (campaign_id, date)
    where coalesce(s.spend, 0) <> coalesce(c.amount, 0)`,
    [testTenant.tenantId],
  );
  expect(wrong).toEqual([]);
}

describe("a budget", () => {
  it("for ten clicks is spent by ten of two hundred concurrent visitors", async () => {
    const shown = await promote(testTenant, category, { dailyBudget: 5 });
    const answers = await Promise.all(
      visitors(200).map((who) => report(client, click(shown, who))),
    );
    expect(tally(answers.flat())).toEqual({ charged: 10, "not_charged budget": 190 });
    expect((await statsOf(client, shown)).totals).toMatchObject({ clicks: 200, spend: 5 });
    expect(await chargesOf(client, shown)).toHaveLength(10);
    expect(await campaignOf(client, shown)).toMatchObject({ status: "exhausted" });
    await expectLedgerToAgree();
  });

  it("is exact for batches in any order, without a deadlock", async () => {
    const shown = await Promise.all(
      [5, 2.5, 1, 20, 7.5, 3].map((dailyBudget) => promote(testTenant, category, { dailyBudget })),
    );
    const batches = Array.from({ length: 40 }, (_, n) => {
      const events = shown.flatMap((campaign, i) => [
        click(campaign, `guest ${(n * 7 + i) % 30}`),
        impression(campaign, `guest ${n % 5}`),
      ]);
      const turn = n % events.length;
      const turned = [...events.slice(turn), ...events.slice(0, turn)];
      return n % 2 ? turned : turned.toReversed();
    });
    const answers = await Promise.all(
      batches.map((events) =>
        persist("POST", `${PLACEMENT}/events`, { as: client, body: { events } }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(batches.map(() => 200));
    for (const { id, daily_budget } of shown) {
      const { totals } = await statsOf(client, { id });
      expect(totals).toMatchObject({ clicks: 30, spend: Math.min(daily_budget, 15) });
    }
    await expectLedgerToAgree();
  });
});

describe("one click", () => {
  it("that is sent many times concurrently is charged once", async () => {
    const shown = await promote(testTenant, category);
    const same = click(shown, "somebody", { id: randomUUID() });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => report(client, n % 2 ? same : click(shown, "somebody"))),
    );
    const { charged, ...others } = tally(answers.flat());
    expect(charged).toBe(1);
    expect(Object.keys(others).toSorted()).toSatisfy((words: string[]) =>
      words.every((word) => ["duplicate", "not_charged already_charged"].includes(word)),
    );
    expect((await statsOf(client, shown)).totals).toMatchObject({ clicks: 1, spend: 0.5 });
    await expectLedgerToAgree();
  });
});

describe("a flood", () => {
  it("that is concurrent is refunded completely", async () => {
    const campaigns = await Promise.all(
      Array.from({ length: 25 }, () => promote(testTenant, category)),
    );
    const answers = await Promise.all(campaigns.map((one) => report(client, click(one, "bot"))));
    expect(answers).toHaveLength(25);
    const spends = await Promise.all(
      campaigns.map(async (one) => (await statsOf(client, one)).totals.spend),
    );
    expect(spends).toEqual(campaigns.map(() => 0));
    await expectLedgerToAgree();
  });
});

describe("orders and clicks", () => {
  it("on the same days count every sale and block nobody", async () => {
    const shown = await Promise.all(Array.from({ length: 4 }, () => promote(testTenant, category)));
    const buyer = await registerOld(testTenant.tenantId);
    await report(buyer, ...(await shownTo(buyer, ...shown.map((campaign) => click(campaign, "")))));
    const orders = await Promise.all(
      shown.flatMap((campaign, i) => [
        placed(buyer, campaign.product, 1 + i),
        report(client, ...shown.toReversed().map((one) => click(one, `passer-by ${i}`))).then(
          () => undefined,
        ),
        placed(buyer, campaign.product, 2),
      ]),
    );
    const sold = orders.filter((order) => order !== undefined);
    expect(sold).toHaveLength(8);
    const cancelled = await Promise.all(
      sold.map((order, i) =>
        i % 2
          ? move(buyer, order, "cancelled")
          : persist("POST", `${PLACEMENT}/events`, {
              as: client,
              body: { events: [click(shown[0], `late ${i}`)] },
            }),
      ),
    );
    expect(cancelled.map(({ status }) => status)).toEqual(sold.map(() => 200));
    for (const [i, campaign] of shown.entries()) {
      const { totals } = await statsOf(client, campaign);
      expect(totals).toMatchObject({ sales_count: 1, sales_amount: 12.5 * (1 + i) });
    }
    await expectLedgerToAgree();
  });
});

describe("refunds and sales", () => {
  it("that are concurrent leave no sale with an invalid click", async () => {
    const shown = await Promise.all(Array.from({ length: 4 }, () => promote(testTenant, category)));
    const buyers = await Promise.all(shown.map(() => registerOld(testTenant.tenantId)));
    await Promise.all(
      buyers.map(async (buyer, i) => {
        const clicks = shown.slice(i).map((one) => click(one, ""));
        await report(buyer, ...(await shownTo(buyer, ...clicks)));
      }),
    );
    const orders = buyers.flatMap((buyer, i) =>
      shown.slice(i).map((campaign) => () => placed(buyer, campaign.product)),
    );
    const refunds = shown.map(
      (campaign, i) => () =>
        persist("POST", `${PLACEMENT}/campaigns/${campaign.id}/refunds`, {
          as: testTenant.operator,
          body: { visitor_id: buyers[Math.floor(i / 2)]?.id },
        }).then(({ status }) => expect(status).toBe(200)),
    );
    await Promise.all(
      [0, 1, 2].flatMap((turn) => [
        ...orders.map((work) => work()),
        ...(turn === 1 ? refunds.map((work) => work()) : []),
      ]),
    );
    const [wrong] = await query(
      `select
        count(*) filter (where k.refusal is not null) as invalid,
        count(*) filter (where k.campaign_id <> s.campaign_id or s.counted_for <> s.campaign_id) as misplaced
      from private.placement_sales s
      join private.placement_clicks k on k.tenant_id = s.tenant_id and k.id = s.click_id
      where s.tenant_id = $1`,
      [testTenant.tenantId],
    );
    expect(wrong).toEqual({ invalid: "0", misplaced: "0" });
    const valid = await query(
      `select s.campaign_id, s.sales_count, count(l.item_id)::integer as sales
      from public.campaign_statistics s
      left join private.placement_sales l
        on l.campaign_id = s.campaign_id and l.date = s.date and l.counted
      where s.tenant_id = $1
      group by s.id
      having s.sales_count <> count(l.item_id)`,
      [testTenant.tenantId],
    );
    expect(valid).toEqual([]);
    await expectLedgerToAgree();
  });
});
