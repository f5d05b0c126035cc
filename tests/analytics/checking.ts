import { expect } from "vitest";
import { must, type Person } from "../souk.js";
import {
  type Asked,
  asked,
  between,
  changeOf,
  changeText,
  clockOf,
  daysBefore,
  type Fact,
  figures,
  lengthOf,
  percentOf,
  spansOf,
} from "./reference.js";
import type { Shop } from "./shop.js";

// Compares answers with the figures of the reference.

/** The query string of a request, with the reference's names. */
function queryOf({ marketplace, supplier, categories, ...plain }: Asked & object): string {
  return new URLSearchParams({
    ...plain,
    ...(marketplace && { marketplace_id: marketplace }),
    ...(supplier && { supplier_id: supplier }),
    ...(categories && { category: categories[0] as string }),
  }).toString();
}

/** Compares an overview and the sales by day of a period with the reference. */
export async function checkPeriod(
  operator: Person,
  facts: Fact[],
  timeZone: string,
  period: string,
  filters: Asked = {},
) {
  const currency = filters.currency ?? "EUR";
  const basis = filters.basis ?? "booked";
  const path = `period=${period}&${queryOf({ ...filters, currency })}`;
  const now = clockOf(timeZone)(new Date());
  const ask = (address: string) => must("GET", `/api/analytics/${address}`, { as: operator });
  const [overview, sales] = await Promise.all([ask(`overview?${path}`), ask(`sales?${path}`)]);
  const mine = asked(facts, { ...filters, currency });
  const { during, before } = spansOf(overview.from, overview.to, now);
  const then = figures(between(mine, ...during, basis));
  const earlier = figures(between(mine, ...before, basis));
  const where = `${period} ${JSON.stringify(filters)}`;

  const change = changeOf(then.revenue, earlier.revenue);
  expect(overview.revenue, where).toMatchObject({
    total: then.revenue,
    change: changeText(change),
    period: period.split("&")[0],
  });
  expect(overview.orders, where).toEqual({
    total: then.orders,
    change: changeText(changeOf(then.orders, earlier.orders)),
    average_order: then.average_order,
  });

  // Customers are counted over all currencies, by the day of their orders.
  const anybody = asked(facts, { ...filters, currency: undefined }).filter(
    ({ kind }) => kind === "placed",
  );
  const buyers = (span: readonly [string, string]) =>
    new Set(between(anybody, ...span, "placed").map(({ customer }) => customer));
  const known = new Set(
    anybody.filter((f) => f.placed < overview.from).map(({ customer }) => customer),
  );
  const came = buyers(during);
  expect(overview.customers, where).toEqual({
    total: came.size,
    new: [...came].filter((customer) => !known.has(customer)).length,
    change: changeText(changeOf(came.size, buyers(before).size)),
  });

  const { revenue, orders, ...beside } = then;
  expect(sales.summary, where).toMatchObject({
    total_revenue: revenue,
    total_orders: orders,
    growth_rate: change,
    ...beside,
  });
  const days = lengthOf(sales.from, sales.to);
  expect(sales.data.map(({ date }: { date: string }) => date)).toEqual(
    Array.from({ length: days }, (_, i) => daysBefore(sales.to, days - 1 - i)),
  );
  for (const { date, ...row } of sales.data) {
    expect(row, `${where} ${date}`).toEqual(figures(between(mine, date, `${date}~`, basis)));
  }
}

/** Holds the sales in euros by week, month or quarter to the reference. Returns the first days of the steps. */
export async function checkSteps(
  operator: Person,
  euros: Fact[],
  period: string,
  group: string,
): Promise<string[]> {
  const path = `sales?period=${period}&currency=EUR&group_by=${group}`;
  const { data, from, to } = await must("GET", `/api/analytics/${path}`, { as: operator });
  const within = between(euros, from, `${to}~`, "booked");
  const starts = data.map(({ date }: { date: string }) => date);
  for (const [i, { date, ...row }] of data.entries()) {
    const next = starts[i + 1] ?? "9999";
    const then = within.filter((f) => f.booked >= date && f.booked < next);
    expect(row, `${group} ${date}`).toEqual(figures(then));
  }
  return starts;
}

/** Holds the breakdown of the revenue in euros to the reference. */
export async function checkBreakdown(
  operator: Person,
  euros: Fact[],
  period: string,
  key: "marketplace" | "supplier" | "category" | "product",
) {
  const path = `revenue?period=${period}&currency=EUR&by=${key}`;
  const { total, breakdown, from, to } = await must("GET", `/api/analytics/${path}`, {
    as: operator,
  });
  const then = between(euros, from, `${to}~`, "booked");
  const whole = figures(then).revenue;
  expect(total).toBe(whole);
  const expected = [...new Set(then.map((fact) => fact[key]))].map((id) => {
    const { revenue, orders } = figures(then.filter((fact) => fact[key] === id));
    return { id, revenue, orders, share: percentOf(revenue, whole) };
  });
  expect(breakdown).toHaveLength(expected.length);
  expect(breakdown).toEqual(
    expect.arrayContaining(expected.map((row) => expect.objectContaining(row))),
  );
  const revenues = breakdown.map(({ revenue }: { revenue: number }) => revenue);
  expect(revenues).toEqual(revenues.toSorted((a: number, b: number) => b - a));
}

/** Holds the ranking of all products by their sales in euros to the reference. Returns it. */
export async function checkRanking(
  { operator, products }: Shop,
  euros: Fact[],
  timeZone: string,
  period: string,
  by: "revenue" | "sales_count",
) {
  const path = `products/top?period=${period}&limit=100&currency=EUR&by=${by}`;
  const ranking = await must("GET", `/api/analytics/${path}`, { as: operator });
  const { during, before } = spansOf(ranking.from, ranking.to, clockOf(timeZone)(new Date()));
  const of = (span: readonly [string, string], id: string) => {
    const mine = between(euros, ...span, "booked").filter(({ product }) => product === id);
    const pieces = mine.reduce(
      (all, { kind, quantity }) => all + (kind === "placed" ? quantity : -quantity),
      0,
    );
    return { ...figures(mine), sales_count: pieces };
  };
  const sold = products.filter(({ id }) => of(during, id).items > 0);
  expect(ranking.products).toHaveLength(sold.length);
  for (const [i, product] of ranking.products.entries()) {
    const { revenue, sales_count } = of(during, product.id);
    expect(product).toEqual({
      id: product.id,
      name: sold.find(({ id }) => id === product.id).name,
      revenue,
      sales_count,
      rank: i + 1,
      change: changeText(changeOf(revenue, of(before, product.id).revenue)),
    });
    if (i > 0) expect(ranking.products[i - 1][by]).toBeGreaterThanOrEqual(product[by]);
  }
  return ranking.products;
}
