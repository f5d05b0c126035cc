import { randomUUID } from "node:crypto";
import fc from "fast-check";
import pg from "pg";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { restJob } from "../clock.js";
import { query } from "../database.js";
import { eventually, eventuallyNone } from "../eventually.js";
import { moved, pay, placed, takeBack } from "../orders/ordering.js";
import { SEED } from "../random.js";
import {
  call,
  letReserve,
  listProduct,
  must,
  openReceiver,
  openTestTenant,
  orderFor,
  type Person,
  register,
  stackInUse,
  type TestTenant,
} from "../souk.js";
import { checkPeriod } from "./checking.js";
import { clockOf, daysBefore, factsOf } from "./reference.js";
import { drawOrders, importOrders, openShop, rollUp, rollUpAll, type Shop } from "./shop.js";

// The figures must agree with the orders after any changes, at any time of the rollup, with any number of workers.

// These tests run the rollup themselves.
beforeAll(() => restJob("roll-up-sales"));

const ORDERED = "select * from private.differences_from_orders($1)";
const ROLLED = `select * from private.differences_from_book($1) union all select * from private.differences_of_customers($1)
   union all select * from private.differences_of_gaps($1)`;
const ROLL_UP = "select private.roll_up_sales($1, $2) as rolled";

/** Fails if the orders, the book and the rollups differ. */
async function expectNoDifference(tenantId: string) {
  expect(await query(ORDERED, [tenantId])).toEqual([]);
  expect(await query(ROLLED, [tenantId])).toEqual([]);
}

const waiting = async (tenantId: string) => {
  const sql = "select count(*)::integer as lines from private.unrolled_sales where tenant_id = $1";
  return (await query<{ lines: number }>(sql, [tenantId]))[0]?.lines;
};

describe.each([
  "Europe/Berlin",
  "Pacific/Auckland",
  "Asia/Kathmandu",
  "America/Sao_Paulo",
  "Africa/Cairo",
])("any sequence of changes in %s", (zone) => {
  let shop: Shop;
  let live: { id: string; items: { id: string }[]; total_amount: number }[];
  beforeAll(async () => {
    shop = await openShop(zone);
    for (const marketplace of shop.marketplaces) await letReserve({ ...shop, marketplace });
    live = [];
  });

  const steps: Record<string, (n: number) => Promise<unknown>> = {
    import: (n) => importOrders(shop, drawOrders(shop, 3, [2, 40, 400][n % 3] as number, n)),
    place: async (n) => {
      live.push(await placed(shop.customer, shop.products[n % shop.products.length], 1 + (n % 3)));
    },
    cancel: async () => {
      const order = live.shift();
      if (order) await moved(shop.operator, order, "cancelled");
    },
    pay: async (n) => {
      const order = live[n % live.length];
      if (order) await pay(shop.operator, order);
    },
    return: async (n) => {
      const order = live.pop();
      if (!order) return;
      await moved(shop.operator, order, "shipped");
      await takeBack(shop.operator, order, [{ item_id: order.items[0]?.id, quantity: 1 }]);
      if (n % 2) await moved(shop.operator, order, "returned").catch(() => {});
    },
    "roll up": (n) => rollUp(shop.tenantId, 1 + (n % 20)),
  };

  it("leaves figures that agree with the orders, for every period", async () => {
    const step = fc.tuple(fc.constantFrom(...Object.keys(steps)), fc.nat(1000));
    const sequence = fc.array(step, { minLength: 5, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(sequence, async (played) => {
        for (const [name, n] of played) await steps[name]?.(n);
        await expectNoDifference(shop.tenantId);
        const facts = await factsOf(shop, zone);
        for (const period of ["today", "yesterday", "7d", "30d", "1y"]) {
          await checkPeriod(shop.operator, facts, zone, period, { basis: "booked" });
        }
        await checkPeriod(shop.operator, facts, zone, "90d", { basis: "placed" });
        const last = daysBefore(clockOf(zone)(new Date()).slice(0, 10), (played[0]?.[1] ?? 0) % 40);
        const custom = `custom&from=${daysBefore(last, played.length)}&to=${last}`;
        for (const marketplace of [undefined, shop.marketplaces[0]?.id]) {
          await checkPeriod(shop.operator, facts, zone, custom, { marketplace });
        }
      }),
      { numRuns: 2, endOnFailure: true, seed: SEED },
    );
  });
});

describe("a return today", () => {
  it("changes only today's figures, or, by the order's day, only that day's", async () => {
    const shop = await openShop("UTC");
    await importOrders(shop, drawOrders(shop, 40, 25, 5));
    await rollUpAll(shop.tenantId);
    const days = async (basis: string) =>
      (
        await must("GET", `/api/analytics/sales?currency=EUR&basis=${basis}`, {
          as: shop.operator,
        })
      ).data as { date: string; returned: number; revenue: number; net_revenue: number }[];
    const { orders } = await must("GET", "/api/orders?limit=1000", { as: shop.operator });
    const today = clockOf("UTC")(new Date()).slice(0, 10);
    const order = orders.find(
      ({ status, currency, created_at }: Record<string, string>) =>
        status === "delivered" && currency === "EUR" && created_at?.slice(0, 10) !== today,
    );
    const [item] = order.items;
    const before = { booked: await days("booked"), placed: await days("placed") };
    const back = await takeBack(shop.operator, order, [{ item_id: item.id, quantity: 1 }]);
    expect(back.status).toBe(201);
    for (const [basis, day] of [
      ["booked", today],
      ["placed", order.created_at.slice(0, 10)],
    ] as const) {
      expect(await days(basis)).toEqual(
        before[basis].map((row) =>
          row.date === day
            ? {
                ...row,
                returned: Number((row.returned + item.price).toFixed(2)),
                revenue: Number((row.revenue - item.price).toFixed(2)),
                net_revenue: Number((row.net_revenue - item.price).toFixed(2)),
              }
            : row,
        ),
      );
    }
  });
});

describe("the rollup", () => {
  it("has the same result when it is rolled back, run twice or a day late", async () => {
    const shop = await openShop("UTC");
    await importOrders(shop, drawOrders(shop, 60, 90, 3));
    const lines = (await waiting(shop.tenantId)) as number;
    expect(lines).toBeGreaterThan(60);
    for (const most of [1, 40, 1000]) {
      await query(`do $$ begin perform private.roll_up_sales('${shop.tenantId}', ${most});
        raise sqlstate 'P0099'; exception when sqlstate 'P0099' then null; end $$`);
      expect(await waiting(shop.tenantId)).toBe(lines);
    }
    await rollUp(shop.tenantId, 50);
    expect(await waiting(shop.tenantId)).toBe(lines - 50);
    await expectNoDifference(shop.tenantId);
    await Promise.all(Array.from({ length: 6 }, () => rollUp(shop.tenantId, 40).catch(() => {})));
    // The job also handles the tenants of other tests. Without further rounds, which would go on during the next test.
    await eventuallyNone(async () => {
      await query("select public.roll_up_sales()");
      return (await waiting(shop.tenantId)) as number;
    });
    await expectNoDifference(shop.tenantId);
    const facts = await factsOf(shop, "UTC");
    await checkPeriod(shop.operator, facts, "UTC", "90d");
  });

  // PGlite has one transaction at a time.
  it.runIf(process.env.DATABASE_URL)("does not block orders", async () => {
    const testTenant = await openTestTenant();
    const product = await must("POST", "/api/products", {
      as: testTenant.supplier,
      body: { name: "Rug", price: 5, inventory: { quantity: 100 } },
    });
    const buyers = await Promise.all(
      Array.from({ length: 10 }, () => register({ tenant_id: testTenant.tenantId })),
    );
    await placed(testTenant.customer, product);
    const clock = new pg.Client({ connectionString: stackInUse().db_url as string });
    await clock.connect();
    try {
      await clock.query("begin");
      const { rows } = await clock.query(ROLL_UP, [testTenant.tenantId, 1000]);
      expect(rows[0].rolled).toBeGreaterThan(0);
      // Its transaction stays open meanwhile.
      const orders = await Promise.all(buyers.map((buyer: Person) => placed(buyer, product)));
      await moved(testTenant.operator, orders[0], "cancelled");
      const overview = await must("GET", "/api/analytics/overview?period=today", {
        as: testTenant.operator,
      });
      expect(overview.orders.total).toBe(11);
      expect(overview.revenue.total).toBe(50);
      // A second run skips the lines that the first one holds.
      expect(await rollUp(testTenant.tenantId, 1000)).toBe(0);
      await clock.query("commit");
    } finally {
      await clock.end();
    }
    await rollUpAll(testTenant.tenantId);
    await expectNoDifference(testTenant.tenantId);
  });

  /** A person who orders over a separate connection, and commits later. */
  async function connectAs({ id, tenantId }: Person) {
    const client = new pg.Client({ connectionString: stackInUse().db_url as string });
    await client.connect();
    const claims = JSON.stringify({ sub: id, tenant_id: tenantId, role: "authenticated" });
    return {
      client,
      // biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
      async order(product: any) {
        const { marketplace_id, items, shipping_address } = orderFor(product);
        await client.query("begin");
        await client.query("set local role authenticated");
        await client.query("select set_config('request.jwt.claims', $1, true)", [claims]);
        await client.query("select public.place_order($1, $2, $3)", [
          marketplace_id,
          JSON.stringify(items),
          JSON.stringify(shipping_address),
        ]);
      },
    };
  }

  const ordersOf = async (operator: Person) => {
    const { orders } = await must("GET", "/api/analytics/overview?period=today", { as: operator });
    return orders.total;
  };

  it.runIf(process.env.DATABASE_URL)(
    "counts a line once that is committed after its run",
    async () => {
      const { operator, supplier, customer, tenantId } = await openTestTenant();
      const [late, other] = await Promise.all([listProduct(supplier), listProduct(supplier)]);
      const { client, order } = await connectAs(customer);
      try {
        await placed(customer, other);
        await order(late);
        // The lines are not committed yet, so no other session sees them.
        expect(await rollUp(tenantId, 1000)).toBeGreaterThan(0);
        expect(await ordersOf(operator)).toBe(1);
        await client.query("commit");
      } finally {
        await client.end();
      }
      expect(await ordersOf(operator)).toBe(2);
      expect(await waiting(tenantId)).toBeGreaterThan(0);
      await rollUp(tenantId, 1000);
      expect(await waiting(tenantId)).toBe(0);
      expect(await ordersOf(operator)).toBe(2);
      await expectNoDifference(tenantId);
    },
  );

  it.runIf(process.env.DATABASE_URL)(
    "loses no order when it is killed again and again",
    async () => {
      const testTenant = await openTestTenant();
      await letReserve(testTenant);
      const product = await must("POST", "/api/products", {
        as: testTenant.supplier,
        body: { name: "Rug", price: 5, inventory: { quantity: 1000 } },
      });
      let ordering = true;
      const mark = `rolling-${randomUUID().slice(0, 8)}`;
      const roller = (async () => {
        while (ordering) {
          const client = new pg.Client({
            connectionString: stackInUse().db_url as string,
            application_name: mark,
          });
          client.on("error", () => {});
          await client.connect();
          await client.query(ROLL_UP, [testTenant.tenantId, 3]).catch(() => {});
          await client.end().catch(() => {});
        }
      })();
      const killer = (async () => {
        while (ordering) {
          await query(
            "select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1",
            [mark],
          );
        }
      })();
      const orders = await Promise.all(
        Array.from({ length: 30 }, () => placed(testTenant.customer, product)),
      );
      await Promise.all(
        orders.slice(10).map((order) => moved(testTenant.operator, order, "cancelled")),
      );
      ordering = false;
      await Promise.all([roller, killer]);
      await expectNoDifference(testTenant.tenantId);
      const { orders: counted, revenue } = await must(
        "GET",
        "/api/analytics/overview?period=today",
        { as: testTenant.operator },
      );
      expect([counted.total, revenue.total]).toEqual([30, 50]);
    },
  );

  it("is refused to users", async () => {
    const { operator } = await openTestTenant();
    const answer = await fetch(`${stackInUse().url}/rest/v1/rpc/roll_up_sales`, {
      method: "POST",
      headers: { authorization: `Bearer ${operator.token}`, apikey: stackInUse().anon_key },
    });
    expect([403, 404]).toContain(answer.status);
  });
});

describe("the nightly comparison", () => {
  it("reports differences, and only those", async () => {
    const { operator, customer, supplier, tenantId, marketplace } = await openTestTenant();
    const product = await must("POST", "/api/products", {
      as: supplier,
      body: { name: "Rug", price: 5, inventory: { quantity: 10 } },
    });
    const order = await placed(customer, product, 2);
    await rollUpAll(tenantId);
    const mismatches = async () => {
      await query("select private.compare_sales($1)", [tenantId]);
      const { events } = await must("GET", "/api/events?name=analytics.mismatch", { as: operator });
      return events;
    };
    expect(await mismatches()).toEqual([]);
    await query("update private.sales_days set orders = orders + 1 where tenant_id = $1", [
      tenantId,
    ]);
    await query("delete from private.sales where order_id = $1", [order.id]);
    const [{ data }] = await eventually(async () => {
      const events = await mismatches();
      expect(events).not.toEqual([]);
      return events;
    });
    expect(data.mismatch).toMatchObject({ tenant_id: tenantId, marketplace_id: marketplace.id });
    expect(data.mismatch.differences).toContainEqual({
      rule: "placed",
      currency: "EUR",
      day: null,
      expected: 10,
      found: null,
    });
    const day = clockOf("UTC")(new Date()).slice(0, 10);
    expect(data.mismatch.differences).toContainEqual({
      rule: "orders by marketplace, booked",
      currency: "EUR",
      day: expect.stringMatching(new RegExp(`${day}|${daysBefore(day, 1)}`)),
      expected: null,
      found: 2,
    });
    expect((await call("GET", "/api/analytics/overview", { as: operator })).status).toBe(200);
  });

  it("compares every figure, and the days of customers", async () => {
    const testTenant = await openTestTenant();
    const { operator, customer, supplier, tenantId, marketplace } = testTenant;
    const delivery = { methods: [{ key: "van", name: "Van", price: 4 }] };
    await must("PUT", `/api/marketplaces/${marketplace.id}`, {
      as: operator,
      body: { settings: { business: { commission_percent: 10, delivery } } },
    });
    const product = await listProduct(supplier, { price: 25 });
    const order = await must("POST", "/api/orders", {
      as: customer,
      body: orderFor(product, 2, { delivery_method: "van" }),
    });
    await pay(operator, order);
    await moved(operator, order, "shipped");
    await takeBack(operator, order, [{ item_id: order.items[0].id, quantity: 1 }]);
    await rollUpAll(tenantId);
    await expectNoDifference(tenantId);
    const rulesOf = async (sql: string) =>
      (await query<{ rule: string }>(sql, [tenantId])).map(({ rule }) => rule);
    const figures = ["placed", "returned", "delivery", "received", "commission", "items"];
    for (const figure of figures) {
      await query(`update private.sales_days set ${figure} = ${figure} + 1 where tenant_id = $1`, [
        tenantId,
      ]);
      expect(await rulesOf(ROLLED)).toContain(`${figure} by marketplace, booked`);
      await query(`update private.sales_days set ${figure} = ${figure} - 1 where tenant_id = $1`, [
        tenantId,
      ]);
    }
    for (const figure of ["orders", "revenue"]) {
      await query(
        `update private.customer_days set ${figure} = ${figure} + 1 where tenant_id = $1`,
        [tenantId],
      );
      expect(await rulesOf(ROLLED)).toContain(`${figure} of customers by supplier`);
      await query(
        `update private.customer_days set ${figure} = ${figure} - 1 where tenant_id = $1`,
        [tenantId],
      );
    }
    await query(
      "update private.customer_gaps set previous_day = day - 1 where tenant_id = $1 and marketplace_id is not null",
      [tenantId],
    );
    expect((await rulesOf(ROLLED)).toSorted()).toEqual([
      "gaps of customers",
      "returning customers",
    ]);
    await query(
      "update private.customer_gaps set previous_day = '-infinity' where tenant_id = $1",
      [tenantId],
    );
    await expectNoDifference(tenantId);
    await query(
      "update private.sales set amount = amount + 1, quantity = quantity + 1 where tenant_id = $1",
      [tenantId],
    );
    // Which pieces were cancelled and which returned is not compared with the orders.
    const compared = figures.map((name) => (name === "returned" ? "cancelled or returned" : name));
    expect((await rulesOf(ORDERED)).toSorted()).toEqual(compared.toSorted());
  });

  it("reports to webhook subscribers", async () => {
    const { operator, customer, supplier, tenantId, marketplace } = await openTestTenant();
    const receiver = await openReceiver();
    onTestFinished(() => receiver.close());
    await must("POST", "/api/webhooks", {
      as: operator,
      body: { url: receiver.url, events: ["analytics.mismatch"] },
    });
    await placed(customer, await listProduct(supplier));
    await rollUpAll(tenantId);
    await query("update private.sales_days set orders = orders + 1 where tenant_id = $1", [
      tenantId,
    ]);
    await query("select private.compare_sales($1)", [tenantId]);
    await eventually(() => expect(receiver.received).toHaveLength(1));
    const { event, data } = JSON.parse(receiver.received[0]?.body as string);
    expect(event).toBe("analytics.mismatch");
    expect(data.mismatch).toMatchObject({
      ...{ tenant_id: tenantId, marketplace_id: marketplace.id },
      differences: expect.arrayContaining([
        expect.objectContaining({ rule: "orders by marketplace, booked", expected: 1, found: 2 }),
      ]),
    });
  });

  it("continues with the next tenant after any error", async () => {
    const testTenants = await Promise.all([openTestTenant(), openTestTenant(), openTestTenant()]);
    const [first, broken, last] = testTenants.toSorted((a, b) =>
      a.tenantId < b.tenantId ? -1 : 1,
    );
    for (const { customer, supplier, tenantId } of testTenants) {
      const product = await listProduct(supplier);
      await placed(customer, product);
      await rollUpAll(tenantId);
      await query(
        "update private.sales_days set items = items + 1, orders = orders + 1 where tenant_id = $1",
        [tenantId],
      );
    }
    const mismatches = async (testTenant?: TestTenant) =>
      (await must("GET", "/api/events?name=analytics.mismatch", { as: testTenant?.operator }))
        .events;
    // Simulates a statement timeout.
    await query(`create function private.tire() returns trigger language plpgsql
      as $$ begin raise exception 'too long' using errcode = 'query_canceled'; end $$`);
    await query(`create trigger tire before insert on public.events
      for each row when (new.tenant_id = '${broken?.tenantId}') execute function private.tire()`);
    try {
      // Skips the tenants of other tests before the first one.
      await query(
        "select public.compare_sales((select max(tenant_id::text)::uuid from private.sales where tenant_id < $1))",
        [first?.tenantId],
      );
      await eventually(async () => expect(await mismatches(last)).not.toEqual([]));
    } finally {
      await query("drop function private.tire() cascade");
    }
    expect(await mismatches(first)).not.toEqual([]);
    expect(await mismatches(broken)).toEqual([]);
  });
});
