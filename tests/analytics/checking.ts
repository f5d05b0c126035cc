import { expect } from "vitest";
import { must, type Person } from "../souk.js";
import {
  type Asked,
  asked,
  between,
  changeOf,
  clockOf,
  daysBefore,
  type Fact,
  figures,
  lengthOf,
  spansOf,
  told,
} from "./reference.js";

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
  wish: Asked = {},
) {
  const currency = wish.currency ?? "EUR";
  const basis = wish.basis ?? "booked";
  const path = `period=${period}&${queryOf({ ...wish, currency })}`;
  const now = clockOf(timeZone)(new Date());
  const ask = (address: string) => must("GET", `/api/analytics/${address}`, { as: operator });
  const [overview, sales] = await Promise.all([ask(`overview?${path}`), ask(`sales?${path}`)]);
  const mine = asked(facts, { ...wish, currency });
  const { during, before } = spansOf(overview.from, overview.to, now);
  const then = figures(between(mine, ...during, basis));
  const earlier = figures(between(mine, ...before, basis));
  const where = `${period} ${JSON.stringify(wish)}`;

  const change = changeOf(then.revenue, earlier.revenue);
  expect(overview.revenue, where).toMatchObject({
    total: then.revenue,
    change: told(change),
    period: period.split("&")[0],
  });
  expect(overview.orders, where).toEqual({
    total: then.orders,
    change: told(changeOf(then.orders, earlier.orders)),
    average_order: then.average_order,
  });

  // Customers are counted over all currencies, by the day of their orders.
  const anybody = asked(facts, { ...wish, currency: undefined }).filter(
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
    change: told(changeOf(came.size, buyers(before).size)),
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
