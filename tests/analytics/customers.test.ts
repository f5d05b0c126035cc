import { beforeAll, describe, expect, it } from "vitest";
import {
  call,
  expectRefusal,
  must,
  openGuest,
  type Person,
  register,
  supabaseAs,
} from "../souk.js";
import {
  type Asked,
  asked,
  clockOf,
  daysBefore,
  distinct,
  type Fact,
  factsOf,
  figures,
  lengthOf,
  percentOf,
} from "./reference.js";
import { drawOrders, importOrders, openShop, rollUp, type Shop } from "./shop.js";

const ZONE = "America/Sao_Paulo";
const today = () => clockOf(ZONE)(new Date()).slice(0, 10);

let shop: Shop;
let facts: Fact[];

beforeAll(async () => {
  shop = await openShop(ZONE);
  await importOrders(shop, drawOrders(shop, 250, 500, 11));
  facts = await factsOf(shop, ZONE);
  expect(facts.length).toBeGreaterThan(500);
  // Some lines are rolled up, the others are not yet.
  await rollUp(shop.tenantId, 300);
});

const ask = (path: string, as: Person = shop.operator) =>
  must("GET", `/api/analytics/${path}`, { as });

/** The request as a query string. */
const queryOf = ({ marketplace, supplier, categories, currency = "EUR" }: Asked) =>
  new URLSearchParams({
    currency,
    ...(marketplace && { marketplace_id: marketplace }),
    ...(supplier && { supplier_id: supplier }),
    ...(categories && { category: categories[0] as string }),
  }).toString();

/** Every customer who ordered, with the segment, computed independently. */
function segmentsOf(
  filters: Asked,
): Map<string, { segment: string; orders: number; revenue: number }> {
  const mine = asked(facts, { ...filters, currency: undefined });
  const now = today();
  const since = daysBefore(now, 364);
  const ordered = mine.filter(({ kind }) => kind === "placed");
  const customers = [...new Set(ordered.map(({ customer }) => customer))].map((id) => {
    const own = ordered.filter(({ customer }) => customer === id).map(({ placed }) => placed);
    const year = mine.filter(({ customer, booked }) => customer === id && booked >= since);
    return {
      id,
      first: own.toSorted()[0]?.slice(0, 10) as string,
      last: own.toSorted().at(-1)?.slice(0, 10) as string,
      orders: figures(year).orders,
      revenue: figures(asked(year, { currency: filters.currency ?? "EUR" })).revenue,
    };
  });
  const ranked = customers
    .filter(({ orders }) => orders > 0)
    .toSorted((a, b) => b.revenue - a.revenue || (a.id < b.id ? -1 : 1));
  const top = ranked.slice(0, Math.ceil(ranked.length / 10)).map(({ id }) => id);
  const ago = (day: string) => lengthOf(day, now) - 1;
  return new Map(
    customers.map(({ id, first, last, orders, revenue }) => {
      const segment =
        ago(last) > 180
          ? "lost"
          : ago(last) >= 90
            ? "at_risk"
            : orders >= 5 || (orders >= 2 && top.includes(id))
              ? "vip"
              : ago(first) < 30
                ? "new"
                : "returning";
      return [id, { segment, orders, revenue }];
    }),
  );
}

const filterSets = (): Asked[] => [
  {},
  { currency: "USD" },
  { marketplace: shop.marketplaces[0]?.id },
  { supplier: shop.suppliers[1]?.id },
  { categories: [shop.categories.aisle] },
  { categories: [shop.categories.hall, shop.categories.aisle, shop.categories.passage] },
];

describe("segments", () => {
  it("contain every customer once", async () => {
    for (const filters of filterSets()) {
      const expected = [...segmentsOf(filters).values()];
      const whole = expected.reduce((sum, { revenue }) => sum + revenue, 0);
      const { segments } = await ask(`customers/segments?${queryOf(filters)}`);
      expect(segments.map(({ name }: { name: string }) => name)).toEqual([
        "prospects",
        "lost",
        "at_risk",
        "vip",
        "new",
        "returning",
      ]);
      for (const { name, count, revenue, revenue_share } of segments.slice(1)) {
        const mine = expected.filter(({ segment }) => segment === name);
        const sum = mine.reduce((all, one) => all + one.revenue, 0);
        expect([name, count], JSON.stringify(filters)).toEqual([name, mine.length]);
        expect(revenue).toBeCloseTo(sum, 6);
        expect(revenue_share).toBe(
          percentOf(Number(sum.toFixed(2)), Number(whole.toFixed(2))) ?? 0,
        );
      }
    }
  });

  it("list their customers in pages", async () => {
    const expected = segmentsOf({});
    for (const name of ["lost", "at_risk", "vip", "new", "returning"]) {
      const { customers, total } = await ask(`customers/segments/${name}?currency=EUR`);
      const ids = [...expected].filter(([, { segment }]) => segment === name).map(([id]) => id);
      expect(customers.map(({ id }: { id: string }) => id).toSorted()).toEqual(ids.toSorted());
      expect(total).toBe(ids.length);
      for (const { id, orders, revenue, email } of customers) {
        expect({ orders, revenue }).toEqual({
          orders: expected.get(id)?.orders,
          revenue: expected.get(id)?.revenue,
        });
        expect(email).toMatch(/^buyer-/);
      }
      const paged = [];
      // Three full pages and a partial one.
      const limit = Math.ceil((total + 1) / 4);
      for (let page = 1; paged.length < total; page++) {
        const { customers: some } = await ask(
          `customers/segments/${name}?currency=EUR&limit=${limit}&page=${page}`,
        );
        expect(some.length).toBeGreaterThan(0);
        paged.push(...some);
      }
      expect(paged).toEqual(customers);
    }
  });

  it("count registered customers without orders as prospects, and no guests", async () => {
    const before = await ask("customers/segments/prospects");
    const newcomer = await register({ tenant_id: shop.tenantId });
    await openGuest(shop.marketplace);
    const { customer_id } = await must("GET", "/auth/me", { as: newcomer });
    const after = await ask("customers/segments/prospects");
    expect(after.total).toBe(before.total + 1);
    expect(after.customers).toContainEqual(
      expect.objectContaining({ id: customer_id, orders: 0, revenue: 0, last_ordered_at: null }),
    );
    const { segments } = await ask("customers/segments");
    expect(segments[0]).toMatchObject({ name: "prospects", count: after.total, revenue_share: 0 });
    // A supplier does not see how many there are.
    const own = await ask("customers/segments", shop.supplier);
    expect(own.segments[0].count).toBe(0);
    expect((await ask("customers/segments/prospects", shop.supplier)).customers).toEqual([]);
  });
});

describe("cohorts", () => {
  const monthOf = (time: string) => time.slice(0, 7);
  const monthsAfter = (from: string, to: string) =>
    12 * (Number(to.slice(0, 4)) - Number(from.slice(0, 4))) +
    Number(to.slice(5, 7)) -
    Number(from.slice(5, 7));

  it("group customers by the month of their first order", async () => {
    for (const filters of filterSets()) {
      for (const months of [12, 18]) {
        const mine = asked(facts, { ...filters, currency: undefined });
        const ordered = mine.filter(({ kind }) => kind === "placed");
        const first = new Map<string, string>();
        for (const { customer, placed } of ordered.toSorted((a, b) =>
          a.placed < b.placed ? -1 : 1,
        ))
          if (!first.has(customer)) first.set(customer, monthOf(placed));
        const path = `cohorts?${queryOf(filters)}&months=${months}`;
        const [retention, revenue] = await Promise.all([ask(path), ask(`${path}&type=revenue`)]);
        expect(retention.cohorts).toHaveLength(months);
        expect(retention.cohorts.at(-1).period).toBe(monthOf(today()));
        for (const [i, { period, users, ...cohort }] of retention.cohorts.entries()) {
          const members = [...first].filter(([, month]) => month === period).map(([id]) => id);
          expect(users, `${period} ${JSON.stringify(filters)}`).toBe(members.length);
          const ahead = monthsAfter(period, monthOf(today()));
          const steps = members.length ? Array.from({ length: ahead + 1 }, (_, k) => k) : [];
          const came = (k: number) =>
            distinct(
              ordered
                .filter(
                  ({ customer, placed }) =>
                    members.includes(customer) && monthsAfter(period, placed) === k,
                )
                .map(({ customer }) => customer),
            );
          expect(cohort.retention, period).toEqual(
            steps.map((k) => percentOf(came(k), members.length)),
          );
          if (steps.length) expect(cohort.retention[0]).toBe(100);
          const brought = asked(mine, { currency: filters.currency ?? "EUR" }).filter(
            ({ customer }) => members.includes(customer),
          );
          const until = (k: number) =>
            figures(brought.filter(({ booked }) => monthsAfter(period, booked) <= k)).revenue;
          const revenueCohort = revenue.cohorts[i];
          expect(revenueCohort).toMatchObject({ period, users });
          for (const k of steps) {
            // Exact to the cent, whichever way half a cent is rounded.
            const off = revenueCohort.revenue[k] - until(k) / members.length;
            expect(Math.abs(off), `${period} ${k}`).toBeLessThan(0.0051);
          }
          expect(revenueCohort.revenue).toHaveLength(steps.length);
        }
      }
    }
  });
});

describe("figures of customers", () => {
  it("show a supplier only its own buyers, and are refused to customers", async () => {
    const own = shop.products.find(({ name }) => name === "Ware 0").supplier_id;
    for (const path of ["customers/segments", "customers/segments/returning", "cohorts"]) {
      const { customers, ...figures } = await ask(`${path}?currency=EUR`, shop.supplier);
      const filtered = await ask(`${path}?currency=EUR&supplier_id=${own}`, shop.client);
      const { customers: people, ...same } = filtered;
      expect(figures).toEqual(same);
      // A supplier does not see the names of its buyers.
      expect(customers).toEqual(
        people?.map((one: object) => ({ ...one, name: null, email: null })),
      );
      const refused = await call("GET", `/api/analytics/${path}`, { as: shop.customer });
      expectRefusal(refused, 403, "FORBIDDEN");
    }
  });

  it("contain no names for a supplier, however it sorts and filters", async () => {
    let found = 0;
    for (const segment of ["lost", "at_risk", "vip", "new", "returning"]) {
      const args = { segment, currency: "EUR" };
      const { data } = await supabaseAs(shop.supplier)
        .rpc("analytics_segment_customers", args)
        .throwOnError();
      found += data.customers.length;
      expect(JSON.stringify(data)).not.toMatch(/buyer/i);
    }
    expect(found).toBeGreaterThan(0);
  });

  it("are the same through supabase-js", async () => {
    const db = supabaseAs(shop.operator);
    const args = { currency: "EUR" };
    const segments = await db.rpc("analytics_segments", args).throwOnError();
    expect(segments.data).toEqual(await ask("customers/segments?currency=EUR"));
    const vip = await db
      .rpc("analytics_segment_customers", { ...args, segment: "vip" })
      .throwOnError();
    expect(await ask("customers/segments/vip?currency=EUR")).toEqual({
      ...(vip.data as object),
      page: 1,
      limit: 100,
    });
    const cohorts = await db.rpc("analytics_cohorts", { ...args, type: "revenue" }).throwOnError();
    expect(cohorts.data).toEqual(await ask("cohorts?currency=EUR&type=revenue"));
  });

  it("are refused for unknown segments, currencies and ids", async () => {
    for (const [path, status, field] of [
      ["customers/segments/rich", 404, "name"],
      ["customers/segments?currency=ABC", 422, "currency"],
      ["customers/segments/vip?limit=0", 422, "limit"],
      ["cohorts?type=size", 422, "type"],
      ["cohorts?months=0", 422, "months"],
      ["cohorts?months=37", 422, "months"],
      ["cohorts?period=30d", 422, "period"],
    ] as const) {
      const refused = await call("GET", `/api/analytics/${path}`, { as: shop.operator });
      expectRefusal(refused, status, status === 404 ? "NOT_FOUND" : "VALIDATION_ERROR", { field });
    }
  });
});
