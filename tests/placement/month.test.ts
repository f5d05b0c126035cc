import { beforeAll, describe, expect, it } from "vitest";
import { runJob } from "../clock.js";
import { query } from "../database.js";
import { customerOf } from "../orders/ordering.js";
import {
  ADDRESS,
  must,
  openTestTenant,
  type Person,
  registerClient,
  type TestTenant,
} from "../souk.js";
import { openCategory, PLACEMENT, type Shown } from "./promoting.js";

// A simulated month of 60 campaigns. The events are pseudo-random but the same in each run, and the expected result is
// computed here from the events. A superuser writes past days, through the functions' own setting for the time.

const DAYS = 30;
const FLOOD = 20;
const DAY = 86_400_000;
const HOUR = 3_600_000;

let testTenant: TestTenant;
let client: Person;
let campaigns: Campaign[];

interface Campaign {
  id: string;
  product_id: string;
  price: number;
  supplier_id: string;
  pricing_model: string;
  daily_budget: number | null;
  fee: number;
}

interface Click {
  campaign: Campaign;
  visitor: string;
  at: number;
  /** In cents. */
  price: number;
}

interface Sale {
  order_id: string;
  visitor: string;
  at: number;
  fate: "kept" | "cancelled" | "returned";
  items: { item_id: string; product_id: string; quantity: number }[];
}

/** Deterministic pseudo-random numbers from 0 to 1. */
let seed = 20_261_121;
function random(): number {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
}
const below = (most: number) => Math.floor(random() * most);
const oneOf = <Each>(all: readonly Each[]) => all[below(all.length)] as Each;
const cents = (amount: unknown) => Math.round(Number(amount) * 100);
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** Calls a database function as a person, at any time. */
async function callAs(person: Person, sql: string, values: unknown[]): Promise<Shown[]> {
  const claims = { sub: person.id, tenant_id: person.tenantId, role: "authenticated" };
  const rows = await query<{ answer: Shown }>(
    `with caller as materialized (select set_config('request.jwt.claims', $1, true)) ${sql}`,
    [JSON.stringify(claims), ...values],
  );
  return rows.map(({ answer }) => answer);
}

async function record(events: object[], moment: number): Promise<Shown[]> {
  const [answer] = await callAs(
    client,
    "select private.record_placement_events($2, $3) as answer from caller",
    [JSON.stringify(events), new Date(moment).toISOString()],
  );
  return answer.results;
}

beforeAll(async () => {
  testTenant = await openTestTenant();
  const { operator, tenantId } = testTenant;
  const [machine, hall] = await Promise.all([
    registerClient(tenantId),
    openCategory(testTenant, 0.05),
  ]);
  client = machine;
  const suppliers = [
    (await must("GET", "/auth/me", { as: testTenant.supplier })).supplier_id,
    ...(await Promise.all(
      ["Second", "Third"].map(
        async (name) => (await must("POST", "/api/suppliers", { as: operator, body: { name } })).id,
      ),
    )),
  ];
  const lines = suppliers.flatMap((supplier_id, s) =>
    Array.from({ length: 20 }, (_, n) => ({
      external_id: `${s}-${n}`,
      name: `Lamp ${s}-${n}`,
      supplier_id,
      category_id: hall.id,
      price: (500 + below(5000)) / 100,
      quantity: 10_000,
    })),
  );
  await callAs(operator, "select public.import_products($2) as answer from caller", [
    JSON.stringify(lines),
  ]);
  // Each 20 contain: ten that bid per click, five with a small budget, three hybrid, two fixed.
  campaigns = await query<Campaign>(
    `insert into public.campaigns (
      tenant_id, supplier_id, marketplace_id, product_id, category_id, pricing_model, start_date, end_date,
      daily_budget, bid_amount, fee, status
    )
    select
      p.tenant_id, p.supplier_id, p.marketplace_id, p.id, p.category_id, t.model::public.pricing_model,
      now() - interval '30 days', now() + interval '60 days', t.budget, t.bid, t.fee, 'active'
    from (
      select p.*, row_number() over (partition by p.supplier_id order by p.name) as n
      from public.products p where p.tenant_id = $1
    ) as p
    cross join lateral (
      select
        case when n <= 10 then 'auction' when n <= 15 then 'cpc' when n <= 18 then 'hybrid' else 'fixed' end as model,
        case when n <= 10 then null when n <= 15 then 0.20 + n % 5 * 0.11 when n <= 18 then 2.10 end as budget,
        case when n > 18 then 1.11 else 0.05 + n % 7 * 0.02 end as bid,
        case when n > 15 then 100 else 0 end as fee
    ) as t
    returning id, product_id, supplier_id, pricing_model, daily_budget::float, fee::float,
      (select p.price::float from public.products p where p.id = product_id) as price`,
    [tenantId],
  );
  expect(campaigns).toHaveLength(60);
});

describe("a month", () => {
  it("of events, orders, returns and floods adds up to the cent", async () => {
    await runJob("run-campaigns");
    const clicks: Click[] = [];
    const recorded = new Map<string, number>();
    const impressions = new Map<string, number>();
    const add = (to: Map<string, number>, key: string, amount: number) =>
      to.set(key, (to.get(key) ?? 0) + amount);
    const own = testTenant.supplier.id;
    const ownSupplier = (await must("GET", "/auth/me", { as: testTenant.supplier })).supplier_id;

    // The visitors' events, day by day. Every tenth day is reported twice.
    const now = Date.now();
    for (let day = DAYS; day >= 1; day -= 1) {
      const end = now - (day - 1) * DAY - HOUR;
      const bot = day % 7 === 0;
      const events = Array.from({ length: 180 }, () => {
        const campaign = oneOf(campaigns);
        const visitor = random() < 0.02 ? own : `guest ${below(60)}`;
        const type = random() < 0.6 ? "impression" : "click";
        return { campaign, visitor, type, at: end - below(20 * HOUR) };
      });
      if (bot) {
        const at = end - below(10 * HOUR);
        for (const campaign of campaigns.slice(0, FLOOD + 5))
          events.push({ campaign, visitor: "bot", type: "click", at });
      }
      const batch = events.map(({ campaign, visitor, type, at }) => ({
        type,
        campaign_id: campaign.id,
        visitor_id: visitor,
        occurred_at: new Date(at).toISOString(),
      }));
      const results = await record(batch, end);
      for (const [i, { campaign, visitor, type, at }] of events.entries()) {
        const { status, reason, price } = results[i];
        const unit = type === "click" ? HOUR : 60_000;
        const key = [type, campaign.id, visitor, Math.floor(at / unit)].join(" ");
        const isNew = !recorded.has(key);
        add(recorded, key, 1);
        expect({ key, isNew }).toEqual({ key, isNew: status !== "duplicate" });
        if (!isNew) continue;
        if (type === "impression") {
          add(impressions, `${campaign.id} ${dayOf(at)}`, 1);
          continue;
        }
        add(recorded, `${visitor} ${Math.floor(at / HOUR)}`, 1);
        if (visitor === own) {
          expect(reason).toBe(
            campaign.supplier_id === ownSupplier ? "own_supplier" : "not_a_customer",
          );
          continue;
        }
        if (campaign.pricing_model === "fixed" && reason !== "flood")
          expect(status).toBe("accepted");
        clicks.push({ campaign, visitor, at, price: status === "charged" ? cents(price) : 0 });
      }
      if (day % 10 === 0)
        expect(new Set((await record(batch, end)).map(({ status }) => status))).toEqual(
          new Set(["duplicate"]),
        );
    }
    const valid = clicks.filter(
      ({ visitor, at }) => (recorded.get(`${visitor} ${Math.floor(at / HOUR)}`) ?? 0) <= FLOOD,
    );
    expect(clicks.length - valid.length).toBeGreaterThan(FLOOD);

    const sales = await sell(now, valid);

    // The expected totals.
    const expected = new Map<string, number[]>();
    const count = (campaign: string, date: string, column: number, amount: number) => {
      const key = `${campaign} ${date}`;
      const row = expected.get(key) ?? [0, 0, 0, 0, 0];
      row[column] = (row[column] as number) + amount;
      expected.set(key, row);
    };
    for (const [key, n] of impressions) {
      const [campaign, date] = key.split(" ") as [string, string];
      count(campaign, date, 0, n);
    }
    for (const { campaign, at, price } of valid) {
      count(campaign.id, dayOf(at), 1, 1);
      count(campaign.id, dayOf(at), 2, price);
    }
    let attributed = 0;
    for (const { visitor, at, fate, items } of sales) {
      for (const { product_id, quantity } of items) {
        const last = valid
          .filter(
            (one) =>
              one.visitor === visitor &&
              one.campaign.product_id === product_id &&
              one.at <= at &&
              one.at > at - 7 * DAY,
          )
          .toSorted((one, other) => other.at - one.at)[0];
        if (!last) continue;
        attributed += 1;
        const left = fate === "kept" ? quantity : fate === "returned" ? quantity - 1 : 0;
        count(last.campaign.id, dayOf(at), 3, left > 0 ? 1 : 0);
        count(last.campaign.id, dayOf(at), 4, left * cents(last.campaign.price));
      }
    }
    expect(attributed).toBeGreaterThan(50);

    const fees = await query<{ campaign_id: string; date: string; amount: string }>(
      `select campaign_id, date::text, amount from public.placement_charges
      where tenant_id = $1 and kind = 'fee'`,
      [testTenant.tenantId],
    );
    for (const { campaign_id, date, amount } of fees) count(campaign_id, date, 2, cents(amount));
    for (const campaign of campaigns.filter(({ fee }) => fee > 0)) {
      const paid = fees.filter(({ campaign_id }) => campaign_id === campaign.id);
      expect(paid.reduce((sum, { amount }) => sum + cents(amount), 0)).toBe(
        Math.round((cents(campaign.fee) * paid.length) / 90),
      );
      expect(paid.length).toBeGreaterThanOrEqual(DAYS);
    }

    const statistics = await query(
      `select campaign_id, date::text, impressions, clicks, spend, sales_count, sales_amount
      from public.campaign_statistics where tenant_id = $1`,
      [testTenant.tenantId],
    );
    const counted = new Map(
      statistics.map((s) => [
        `${s.campaign_id} ${s.date}`,
        [s.impressions, s.clicks, cents(s.spend), s.sales_count, cents(s.sales_amount)],
      ]),
    );
    const something = ([, row]: [string, unknown[]]) => row.some((value) => value !== 0);
    const sorted = (all: Map<string, unknown[]>) =>
      Object.fromEntries([...all].filter(something).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    expect(sorted(counted)).toEqual(sorted(expected));

    // The ledger is the same, no budget was exceeded, and some were used up.
    const [ledger] = await query(
      `
      select
        count(*) filter (where s.spend is distinct from c.amount) as wrong,
        count(*) filter (where s.spend > k.daily_budget) as passed,
        count(*) filter (where k.daily_budget - s.spend < k.bid_amount) as used_up,
        sum(c.amount) as amount
      from (
        select campaign_id, date, sum(amount) as amount from public.placement_charges group by campaign_id, date
      ) as c
      full join public.campaign_statistics s using (campaign_id, date)
      join public.campaigns k on k.id = campaign_id
      where k.tenant_id = $1 and (s.spend <> 0 or c.amount <> 0)`,
      [testTenant.tenantId],
    );
    expect(ledger).toMatchObject({ wrong: "0", passed: "0" });
    expect(Number(ledger?.used_up)).toBeGreaterThan(10);

    // The report is the same in total, by supplier and by day.
    const from = dayOf(now - 40 * DAY);
    const report = await must("GET", `${PLACEMENT}/report?from=${from}`, {
      as: testTenant.operator,
    });
    const total = [...expected.values()].reduce(
      (sums, row) => sums.map((sum, i) => sum + (row[i] as number)),
      [0, 0, 0, 0, 0],
    );
    expect(cents(report.totals[0].revenue)).toBe(cents(ledger?.amount));
    const figuresOf = (row: Shown) => [
      row.impressions,
      row.clicks,
      cents(row.spend ?? row.revenue),
      row.sales_count,
      cents(row.sales_amount),
    ];
    const summed = (rows: Shown[]) =>
      rows.map(figuresOf).reduce((sums, row) => sums.map((sum, i) => sum + (row[i] as number)));
    expect(figuresOf(report.totals[0])).toEqual(total);
    expect(report.suppliers).toHaveLength(3);
    expect(summed(report.suppliers)).toEqual(total);
    expect(summed(report.daily)).toEqual(total);
  });
});

/** Orders of the month, half of them for products that their visitors clicked, and their later changes. */
async function sell(now: number, valid: Click[]): Promise<Sale[]> {
  const { operator, customer, marketplace } = testTenant;
  const customer_id = await customerOf(customer);
  const purchases = Array.from({ length: 120 }, (_, n) => {
    const click = oneOf(valid);
    const others = random() < 0.5 ? [oneOf(campaigns)] : [];
    const bought = [...new Set([click.campaign, ...others])];
    return {
      visitor: random() < 0.8 ? click.visitor : `guest ${below(60)}`,
      at: Math.min(click.at + below(9 * DAY), now - 60_000),
      fate: (["kept", "kept", "cancelled", "returned"] as const)[n % 4] as Sale["fate"],
      items: bought.map(({ product_id, price }) => ({
        product_id,
        price,
        quantity: 1 + below(3),
      })),
    };
  });
  const orders = await callAs(
    client,
    `select public.place_order($2, purchase.items, $3, customer_id => $4) as answer
    from caller, rows from (jsonb_to_recordset($5) as (items jsonb)) with ordinality as purchase (items, n)
    order by purchase.n`,
    [
      marketplace.id,
      JSON.stringify(ADDRESS),
      customer_id,
      JSON.stringify(purchases.map(({ items }) => ({ items }))),
    ],
  );
  const sales: Sale[] = purchases.map(({ visitor, at, fate }, n) => ({
    order_id: orders[n].id,
    visitor,
    at,
    fate,
    items: orders[n].items.map((item: Shown) => ({
      item_id: item.id,
      product_id: item.product_id,
      quantity: item.quantity,
    })),
  }));
  await query(
    `update public.orders o set created_at = sale.at
    from jsonb_to_recordset($1) as sale (order_id uuid, at timestamptz) where o.id = sale.order_id`,
    [
      JSON.stringify(
        sales.map(({ order_id, at }) => ({ order_id, at: new Date(at).toISOString() })),
      ),
    ],
  );
  // A third is cancelled before the sales are reported.
  const early = sales.filter(({ fate }, n) => fate === "cancelled" && n % 3 === 0);
  const cancel = (some: Sale[]) =>
    callAs(
      operator,
      `select public.change_order_status(id, 'cancelled') as answer from caller, unnest($2::uuid[]) as id`,
      [some.map(({ order_id }) => order_id)],
    );
  await cancel(early);
  const conversions = sales.map(({ order_id, visitor }) => ({
    type: "conversion",
    order_id,
    visitor_id: visitor,
  }));
  await record(conversions, now);
  await cancel(sales.filter((sale) => sale.fate === "cancelled" && !early.includes(sale)));
  const back = sales.filter(({ fate }) => fate === "returned");
  await callAs(
    operator,
    `select public.change_order_status(id, 'delivered') as answer from caller, unnest($2::uuid[]) as id`,
    [back.map(({ order_id }) => order_id)],
  );
  await callAs(
    operator,
    `select public.return_order_items(sale.order_id, sale.items) as answer
    from caller, jsonb_to_recordset($2) as sale (order_id uuid, items jsonb)`,
    [
      JSON.stringify(
        back.map(({ order_id, items }) => ({
          order_id,
          items: items.map(({ item_id }) => ({ item_id, quantity: 1 })),
        })),
      ),
    ],
  );
  return sales;
}
