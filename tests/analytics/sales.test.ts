import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { restJob } from "../clock.js";
import { query } from "../database.js";
import { moved, pay, placed, takeBack } from "../orders/ordering.js";
import { SEED } from "../random.js";
import {
  call,
  expectRefusal,
  listProduct,
  must,
  openTestTenant,
  type Person,
  supabaseAs,
} from "../souk.js";
import { checkBreakdown, checkPeriod, checkRanking, checkSteps } from "./checking.js";
import {
  type Asked,
  asked,
  between,
  clockOf,
  daysBefore,
  distinct,
  type Fact,
  factsIn,
  factsOf,
  figures,
  lengthOf,
  spansOf,
} from "./reference.js";
import {
  drawOrders,
  importOrders,
  openShop,
  randomNumbers,
  rollUp,
  rollUpAll,
  type Shop,
} from "./shop.js";

const ZONE = "Pacific/Auckland";
const clock = clockOf(ZONE);

let shop: Shop;
let facts: Fact[];

// These tests run the rollup themselves.
beforeAll(() => restJob("roll-up-sales"));

beforeAll(async () => {
  shop = await openShop(ZONE);
  await importOrders(shop, drawOrders(shop, 400, 460, 7));
  facts = await factsOf(shop, ZONE);
  expect(facts.length).toBeGreaterThan(800);
});

const check = (period: string, filters?: Asked) =>
  checkPeriod(shop.operator, facts, ZONE, period, filters);

const ask = (path: string, as: Person = shop.operator) =>
  must("GET", `/api/analytics/${path}`, { as });

async function rolledUpDays(): Promise<number> {
  const days = "select count(*)::integer as days from private.sales_days where tenant_id = $1";
  return (await query<{ days: number }>(days, [shop.tenantId]))[0]?.days as number;
}

describe("figures of sales", () => {
  const today = () => clock(new Date()).slice(0, 10);
  const periods = () => [
    "today",
    "yesterday",
    "7d",
    "30d",
    "90d",
    `custom&from=${daysBefore(today(), 400)}&to=${daysBefore(today(), 35)}`,
  ];

  it("cover the days that the period names", async () => {
    for (const [period, days, last] of [
      ["today", 1, 0],
      ["yesterday", 1, 1],
      ["7d", 7, 0],
      ["30d", 30, 0],
      ["90d", 90, 0],
      ["1y", 365, 0],
    ] as const) {
      const { from, to, time_zone } = await ask(`overview?period=${period}`);
      expect([lengthOf(from, to), to, time_zone]).toEqual([days, daysBefore(today(), last), ZONE]);
    }
    expect(await ask("overview")).toMatchObject({ period: "30d", basis: "booked" });
  });

  // The figures must not depend on how many lines are rolled up: none, some, or all.
  for (const [state, most] of [
    ["none of which is rolled up", 0],
    ["of which some are rolled up", 250],
    ["which are all rolled up", 100_000],
  ] as const) {
    it(`agree with the orders, ${state}`, async () => {
      if (most > 0) {
        await rollUp(shop.tenantId, most);
        expect(await rolledUpDays()).toBeGreaterThan(0);
      }
      for (const period of periods()) await check(period);
      await check("90d", { currency: "USD" });
      await check("90d", { basis: "placed" });
      await check("90d", { marketplace: shop.marketplaces[1]?.id });
      await check("90d", { supplier: shop.suppliers[0]?.id });
      const { hall, aisle, passage } = shop.categories;
      await check("90d", { categories: [aisle] });
      await check("90d", { categories: [hall, aisle, passage] });
      await check("90d", {
        supplier: shop.suppliers[1]?.id,
        categories: [aisle],
        basis: "placed",
      });
    });
  }

  /** Days of the last year on which daylight saving time begins or ends. */
  const turns = () => {
    const hourOf = (day: string) => clock(new Date(`${day}T12:00:00Z`)).slice(11, 13);
    return Array.from({ length: 365 }, (_, ago) => daysBefore(today(), ago + 1)).filter(
      (day) => hourOf(day) !== hourOf(daysBefore(day, 1)),
    );
  };

  it("agree with the orders over days on which the clocks change", async () => {
    expect(turns()).toHaveLength(2);
    const near = fc.tuple(fc.constantFrom(...turns()), fc.nat(40), fc.nat(40));
    await fc.assert(
      fc.asyncProperty(near, async ([turn, before, after]) => {
        const to = [daysBefore(turn, -after), today()].toSorted()[0];
        await check(`custom&from=${daysBefore(turn, before)}&to=${to}`);
        await check(`custom&from=${turn}&to=${to}`, { basis: "placed" });
      }),
      { numRuns: 6, endOnFailure: true },
    );
    const euros = asked(facts, { currency: "EUR" });
    for (const turn of turns()) {
      const day = `period=custom&from=${turn}&to=${turn}&currency=EUR`;
      const { data, summary } = await ask(`sales?${day}&group_by=hour`);
      expect([23, 25]).toContain(data.length);
      expect(new Set(data.map(({ date }: { date: string }) => date)).size).toBe(data.length);
      const whole = figures(between(euros, turn, `${turn}~`, "booked"));
      expect(summary.total_revenue).toBe(whole.revenue);
      const items = data.reduce((sum: number, row: { items: number }) => sum + row.items, 0);
      expect(items).toBe(whole.items);
    }
  });

  it("list other currencies separately", async () => {
    const { during } = spansOf(daysBefore(today(), 89), today(), clock(new Date()));
    const dollars = figures(between(asked(facts, { currency: "USD" }), ...during, "booked"));
    const euros = figures(between(asked(facts, { currency: "EUR" }), ...during, "booked"));
    expect(await ask("overview?period=90d")).toMatchObject({
      currency: euros.orders >= dollars.orders ? "EUR" : "USD",
      other_currencies: [{ currency: "USD", revenue: dollars.revenue, orders: dollars.orders }],
    });
    const overseas = shop.marketplaces[2]?.id;
    expect(await ask(`overview?period=90d&marketplace_id=${overseas}`)).toMatchObject({
      currency: "USD",
      other_currencies: [],
    });
    expect(await ask("sales?period=90d&currency=JPY")).toMatchObject({
      summary: { total_revenue: 0, total_orders: 0, growth_rate: null, average_order: null },
    });
  });

  it("can be grouped by week, month, quarter and hour", async () => {
    const euros = asked(facts, { currency: "EUR" });
    for (const group of ["week", "month", "quarter"]) {
      for (const date of await checkSteps(shop.operator, euros, "1y", group)) {
        const weekday = new Date(`${date}T00:00:00Z`).getUTCDay();
        if (group === "week") expect(weekday).toBe(1);
        else expect(date.slice(8)).toBe("01");
        if (group === "quarter") expect(Number(date.slice(5, 7)) % 3).toBe(1);
      }
    }
    // The day on which the clocks go forward has 23 hours, and the one on which they go back has 25.
    for (const [day, hours] of [
      ["2026-09-27", 23],
      ["2026-04-05", 25],
      ["2026-06-01", 24],
    ] as const) {
      const { data } = await ask(
        `sales?period=custom&from=${day}&to=${day}&currency=EUR&group_by=hour`,
      );
      expect(data).toHaveLength(hours);
      expect(distinct(data.map(({ date }: { date: string }) => date))).toBe(hours);
      expect(data[0].date).toMatch(/^\d{4}-\d\d-\d\dT00:00:00\+1[23]:00$/);
    }
    const { data, summary } = await ask("sales?period=30d&currency=EUR&group_by=hour");
    for (const { date, ...row } of data) {
      const hour = date.slice(0, 13).replace("T", " ");
      if (row.orders > 0 || row.revenue !== 0) {
        expect(row, date).toEqual(figures(euros.filter((f) => f.booked.startsWith(hour))));
      }
    }
    const all = data.reduce((sum: number, row: { revenue: number }) => sum + row.revenue, 0);
    expect(all).toBeCloseTo(summary.total_revenue, 6);
  });

  it("can be broken down by dimension", async () => {
    const euros = asked(facts, { currency: "EUR" });
    for (const key of ["marketplace", "supplier", "category", "product"] as const) {
      await checkBreakdown(shop.operator, euros, "1y", key);
    }
    const { breakdown } = await ask("revenue?period=1y&currency=EUR&by=marketplace");
    expect(breakdown.map(({ name }: { name: string }) => name).sort()).toEqual([
      "Fabrics",
      "Spices",
    ]);
  });

  it("rank the products", async () => {
    const euros = asked(facts, { currency: "EUR" });
    for (const by of ["revenue", "sales_count"] as const) {
      const products = await checkRanking(shop, euros, ZONE, "90d", by);
      expect((await ask(`products/top?period=90d&currency=EUR&by=${by}`)).products).toEqual(
        products.slice(0, 10),
      );
    }
    const some = await ask("products/top?period=90d&limit=3&currency=EUR");
    expect(some.products).toHaveLength(3);
    await expect(ask("products/top?limit=5000")).resolves.toBeDefined();
  });

  it("show a supplier only its own sales", async () => {
    const own = shop.products.find(({ name }) => name === "Ware 0").supplier_id;
    const paths = ["overview", "sales", "revenue?by=product", "products/top", "revenue?by=source"];
    for (const path of paths) {
      const joint = path.includes("?") ? "&" : "?";
      const mine = await ask(`${path}${joint}period=90d&currency=EUR`, shop.supplier);
      expect(mine).toEqual(
        await ask(`${path}${joint}period=90d&currency=EUR&supplier_id=${own}`, shop.client),
      );
    }
    const others = shop.suppliers.find(({ id }) => id !== own)?.id;
    const refused = await call("GET", `/api/analytics/overview?supplier_id=${others}`, {
      as: shop.supplier,
    });
    expectRefusal(refused, 403, "FORBIDDEN", { field: "supplier_id" });
  });

  it("are the same through supabase-js", async () => {
    const args = { period: "90d", currency: "EUR" };
    const db = supabaseAs(shop.operator);
    for (const [path, name, more] of [
      ["overview?", "analytics_overview", {}],
      ["sales?group_by=week&", "analytics_sales", { group_by: "week" }],
      ["revenue?by=category&", "analytics_revenue", { by: "category" }],
      ["products/top?limit=3&", "analytics_top_products", { limit: 3 }],
    ] as const) {
      const { data } = await db.rpc(name, { ...args, ...more }).throwOnError();
      expect(data).toEqual(await ask(`${path}period=90d&currency=EUR`));
    }
  });

  it("agree with the lists of orders that they link to", async () => {
    const ids = async (query: string, as = shop.operator) =>
      (await must("GET", `/api/orders?limit=1000&${query}`, { as })).orders.map(
        ({ id }: { id: string }) => id,
      );
    const all = await ids("");
    const [from, last, to] = [
      daysBefore(today(), 70),
      daysBefore(today(), 41),
      daysBefore(today(), 40),
    ];
    const behind = await ids(`booked_from=${from}&booked_to=${last}`);
    expect(behind.length).toBeLessThan(all.length);
    const then = between(facts, from, to, "booked").map(({ order }) => order);
    expect(then.length).toBeGreaterThan(10);
    expect(behind).toEqual(expect.arrayContaining(then));
    const paid = await query<{ id: string }>(
      `select p.order_id as id from public.payments p
       where p.tenant_id = $1 and (p.created_at at time zone $2)::date >= $3 and (p.created_at at time zone $2)::date < $4`,
      [shop.tenantId, ZONE, from, to],
    );
    expect(new Set(behind)).toEqual(new Set([...then, ...paid.map(({ id }) => id)]));
    expect(await ids(`booked_from=${from}&booked_to=${last}&status=cancelled`)).toEqual(
      await ids(`status=cancelled`).then((gone) =>
        gone.filter((id: string) => behind.includes(id)),
      ),
    );
    const own = shop.products.find(({ name }) => name === "Ware 0").supplier_id;
    const mine = between(asked(facts, { supplier: own }), from, to, "booked");
    expect(new Set(await ids(`booked_from=${from}&booked_to=${last}`, shop.supplier))).toEqual(
      new Set(mine.map(({ order }) => order)),
    );
    expect(await ids(`booked_to=2020-01-01T00:00:00Z`)).toEqual([]);
    for (const filter of ["booked_from=yesterday", "booked_to=2026-02-30"]) {
      const refused = await call("GET", `/api/orders?${filter}`, { as: shop.operator });
      expectRefusal(refused, 422, "VALIDATION_ERROR", { field: filter.split("=")[0] as string });
      const [field, value] = filter.split("=") as [string, string];
      const direct = await supabaseAs(shop.operator).rpc("booked_orders", { [field]: value });
      expect(direct.error?.message).toBe("VALIDATION_ERROR");
    }
  });

  it("are refused to customers, and for unknown filters", async () => {
    const stranger = await openTestTenant();
    for (const path of ["overview", "sales", "revenue", "products/top"]) {
      const address = `/api/analytics/${path}`;
      expectRefusal(await call("GET", address, { as: shop.customer }), 403, "FORBIDDEN");
      expect((await call("GET", address)).status).toBe(401);
      for (const [filter, status, field] of [
        ["period=2y", 422, "period"],
        ["period=custom", 422, "from"],
        ["period=custom&from=2026-01-01", 422, "to"],
        ["period=custom&from=2026-02-01&to=2026-01-01", 422, "to"],
        ["period=custom&from=2020-01-01&to=2025-01-01", 422, "to"],
        ["period=custom&from=2026-02-30&to=2026-03-01", 422, "from"],
        ["period=7d&from=2026-01-01", 422, "from"],
        ["currency=euro", 422, "currency"],
        ["currency=ABC", 422, "currency"],
        ["basis=paid", 422, "basis"],
        ["marketplace_id=7", 422, "marketplace_id"],
        [`marketplace_id=${stranger.marketplace.id}`, 404, "marketplace_id"],
        [`supplier_id=${stranger.tenantId}`, 404, "supplier_id"],
        [`category=${stranger.tenantId}`, 404, "category"],
        ["surplus=1", 422, "surplus"],
      ] as const) {
        const refused = await call("GET", `${address}?${filter}`, { as: shop.operator });
        expectRefusal(refused, status, status === 404 ? "NOT_FOUND" : "VALIDATION_ERROR", {
          field,
        });
      }
    }
    for (const [path, field] of [
      ["sales?group_by=year", "group_by"],
      ["sales?period=90d&group_by=hour", "group_by"],
      ["revenue?by=customer", "by"],
      ["products/top?limit=0", "limit"],
      ["products/top?by=name", "by"],
    ] as const) {
      const refused = await call("GET", `/api/analytics/${path}`, { as: shop.operator });
      expectRefusal(refused, 422, "VALIDATION_ERROR", { field });
    }
    // A period of exactly five years is accepted.
    await ask("overview?period=custom&from=2020-01-01&to=2024-12-31");
  });
});

describe("an order placed today", () => {
  let testTenant: Awaited<ReturnType<typeof openTestTenant>>;
  beforeAll(async () => {
    testTenant = await openTestTenant();
  });
  const today = async () => {
    const [overview, placedOn] = await Promise.all([
      ask("overview?period=today", testTenant.operator),
      ask("overview?period=today&basis=placed", testTenant.operator),
    ]);
    return { overview, placedOn };
  };

  it("is in the figures immediately: placed, paid, returned, cancelled", async () => {
    const { operator, supplier, customer, marketplace } = testTenant;
    await must("PUT", `/api/marketplaces/${marketplace.id}`, {
      as: operator,
      body: {
        settings: {
          business: {
            commission_percent: 10,
            delivery: { methods: [{ key: "van", name: "Van", price: 4 }] },
          },
        },
      },
    });
    const product = await must("POST", "/api/products", {
      as: supplier,
      body: { name: "Saffron", price: 12.5, inventory: { quantity: 50 } },
    });
    const order = await placed(customer, product, 4, { delivery_method: "van" });
    const gone = await placed(customer, product, 2, { delivery_method: "van" });
    expect((await today()).overview).toMatchObject({
      revenue: { total: 75, delivery_amount: 8, received: 0, refunded: 0 },
      orders: { total: 2, average_order: 37.5 },
      customers: { total: 1, new: 1 },
    });
    await moved(operator, gone, "cancelled");
    expect((await pay(operator, order)).status).toBe(201);
    await moved(operator, order, "shipped");
    const [item] = order.items;
    expect((await takeBack(operator, order, [{ item_id: item.id, quantity: 1 }])).status).toBe(201);
    const refund = { amount: 12.5, reference: "back" };
    expect((await pay(operator, order, "refunded", refund)).status).toBe(201);
    const { overview, placedOn } = await today();
    expect(overview).toMatchObject({
      revenue: { total: 37.5, delivery_amount: 4, received: 54, refunded: 12.5 },
      orders: { total: 2, average_order: 37.5 },
    });
    expect(placedOn.revenue).toEqual(overview.revenue);
    const sales = await ask("sales?period=today", testTenant.operator);
    expect(sales.summary).toMatchObject({ items: 6, cancelled: 25, returned: 12.5 });
    const { breakdown } = await ask("revenue?period=today&by=source", testTenant.operator);
    expect(breakdown).toEqual([
      { id: "commissions", name: "Commissions", revenue: 3.75, orders: null, share: 100 },
      { id: "promotion", name: "Promotion", revenue: 0, orders: null, share: 0 },
      { id: "sales", name: "Sales", revenue: 0, orders: 0, share: 0 },
    ]);
    const ofSupplier = await ask("overview?period=today", supplier);
    expect(ofSupplier.revenue).toMatchObject({
      total: 37.5,
      delivery_amount: null,
      received: null,
      refunded: null,
    });
  });
});

describe("two years of sales", () => {
  // Some of the days are rolled up, or none, or all.
  for (const [zone, most] of [
    ["Europe/Berlin", 900],
    ["America/Los_Angeles", 0],
    ["Asia/Kathmandu", 100_000],
  ] as const) {
    it(`agree with the rows to the cent in ${zone}, seed ${SEED}`, async () => {
      const past = await openShop(zone);
      const draw = randomNumbers(SEED);
      const orders = drawOrders(past, 800, 730, SEED);
      // Discounts of up to a quarter, in cents.
      for (const item of orders.flatMap(({ items }) => items)) {
        item.price = Math.round(100 * item.price * (1 - draw() / 4)) / 100;
      }
      await importOrders(past, orders);
      if (most > 0) await rollUp(past.tenantId, most);

      const facts = factsIn(past, orders, zone);
      const to = clockOf(zone)(new Date()).slice(0, 10);
      const period = `custom&from=${daysBefore(to, 730)}&to=${to}`;
      for (const currency of ["EUR", "USD"]) {
        await checkPeriod(past.operator, facts, zone, period, { currency });
      }
      await checkPeriod(past.operator, facts, zone, "1y", { basis: "placed" });
      await checkPeriod(past.operator, facts, zone, "30d");
      const euros = asked(facts, { currency: "EUR" });
      await checkSteps(past.operator, euros, period, "month");
      await checkBreakdown(past.operator, euros, period, "supplier");
      await checkBreakdown(past.operator, euros, period, "category");
      await checkRanking(past, euros, zone, "1y", "revenue");
      await checkRanking(past, euros, zone, period, "sales_count");
    });
  }
});

describe("midnight on a day on which clocks change", () => {
  it("follows the tenant's time zone, and the day counts once", async () => {
    const testTenant = await openTestTenant();
    const { operator, supplier, marketplace } = testTenant;
    await must("PATCH", "/api/tenant", { as: operator, body: { time_zone: "Europe/Berlin" } });
    const { id } = await listProduct(supplier);
    const moments = [
      // 23:59:59, then midnight; the day that follows has 23 hours.
      ...["2026-03-28T22:59:59Z", "2026-03-28T23:00:00Z"],
      ...["2026-03-29T21:59:59Z", "2026-03-29T22:00:00Z"],
      // The day that follows has 25 hours.
      ...["2026-10-24T21:59:59Z", "2026-10-24T22:00:00Z"],
      ...["2026-10-25T22:59:59Z", "2026-10-25T23:00:00Z"],
    ];
    await importOrders(
      testTenant,
      moments.map((placed_at, customer) => ({
        ...{ customer, placed_at, marketplace_id: marketplace.id, currency: "EUR" },
        ...{ status: "delivered" as const, ended_at: placed_at },
        items: [{ product_id: id, supplier_id: null, price: 10, quantity: 1 }],
      })),
    );
    for (const [from, to] of [
      ["2026-03-28", "2026-03-30"],
      ["2026-10-24", "2026-10-26"],
    ]) {
      const { data } = await ask(`sales?period=custom&from=${from}&to=${to}`, operator);
      expect(data.map(({ orders }: { orders: number }) => orders)).toEqual([1, 2, 1]);
    }
  });
});

describe("reports", () => {
  it("are refused to a caller that names a scope other than its own", async () => {
    const neighbour = await openTestTenant();
    const period = "private.analytics_period('UTC', '30d', null, null)";
    const reports = (scope: string) => [
      `overview_report(${scope}, ${period}, 'booked', null)`,
      `sales_report(${scope}, ${period}, 'day', 'booked', null)`,
      `revenue_report(${scope}, ${period}, 'product', 'day', 'booked', null)`,
      `top_products_report(${scope}, ${period}, 10, 'revenue', 'booked', null)`,
      `funnel_report(${scope}, ${period})`,
      `segments_report(${scope}, null)`,
      `segment_customers_report(${scope}, 'vip', null, 1, 10)`,
      `cohorts_report(${scope}, 'retention', 12, null)`,
    ];
    const all = `row('${shop.tenantId}', 'UTC', null, null, null)::private.analytics_scope`;
    const askAs = ({ id, tenantId }: Person, report: string) =>
      query(`begin; set local role authenticated;
        select set_config('request.jwt.claims', '${JSON.stringify({ sub: id, tenant_id: tenantId })}', true);
        select private.${report}; commit`);
    const [overview] = reports(all) as [string];
    await askAs(shop.operator, overview);
    for (const report of reports(all)) {
      await expect(askAs(neighbour.operator, report), report).rejects.toThrow("FORBIDDEN");
    }
    for (const somebody of [shop.supplier, shop.customer]) {
      await expect(askAs(somebody, overview)).rejects.toThrow("FORBIDDEN");
    }
    const visitors = `visitors_of(${all}, current_date, current_date)`;
    await expect(askAs(neighbour.operator, visitors)).rejects.toThrow("permission denied");
  });
});

describe("another time zone", () => {
  afterAll(() => must("PATCH", "/api/tenant", { as: shop.operator, body: { time_zone: ZONE } }));

  it("recomputes every day, and the book answers meanwhile", async () => {
    await rollUpAll(shop.tenantId);
    const before = await ask("sales?period=1y&currency=EUR");
    const zone = "Asia/Kathmandu";
    await must("PATCH", "/api/tenant", { as: shop.operator, body: { time_zone: zone } });
    const elsewhere = asked(await factsOf(shop, zone), { currency: "EUR" });
    const check = async () => {
      const sales = await ask("sales?period=1y&currency=EUR");
      expect(sales.time_zone).toBe(zone);
      expect(Date.parse(sales.restated_at)).toBeGreaterThan(Date.parse(before.restated_at));
      for (const { date, ...row } of sales.data) {
        expect(row, date).toEqual(figures(between(elsewhere, date, `${date}~`, "booked")));
      }
    };
    await check();
    for (let rounds = 0; rounds < 8; rounds++) {
      expect(await rollUp(shop.tenantId, 200)).toBeGreaterThan(0);
      if (rounds % 4 === 3) await check();
    }
    // An order that is placed meanwhile is not counted twice.
    const product = shop.products.find(
      ({ marketplace_id }) => marketplace_id === shop.marketplaces[0]?.id,
    );
    await must("PATCH", `/api/products/${product.id}/inventory`, {
      as: shop.operator,
      body: { quantity: 100, operation: "set" },
    });
    await placed(shop.customer, product);
    elsewhere.splice(0, Infinity, ...asked(await factsOf(shop, zone), { currency: "EUR" }));
    while ((await rollUp(shop.tenantId, 200)) > 0);
    await check();
    expect(await rolledUpDays()).toBeGreaterThan(1000);
  });
});
