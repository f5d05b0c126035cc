import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { runJob } from "../clock.js";
import { query } from "../database.js";
import {
  call,
  expectRefusal,
  listProduct,
  must,
  openGuest,
  openMarketplace,
  openTestTenant,
  type Person,
  register,
  registerClient,
  supabaseAs,
  type TestTenant,
} from "../souk.js";
import { did, EVENTS, funnelOf, hoursAgo, keptOf, report, resultsOf } from "./visiting.js";

// Events that shops report about their visitors, and how each is counted.

let testTenant: TestTenant;
let client: Person;
// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
let lamp: any;

beforeAll(async () => {
  testTenant = await openTestTenant();
  [client, lamp] = await Promise.all([
    registerClient(testTenant.tenantId),
    listProduct(testTenant.supplier, { name: "Lamp" }),
  ]);
});

const by = (visitor_id: string) => ({ visitor_id });
const visitor = () => `visitor ${randomUUID()}`;

/** A tenant without any events yet. */
async function quietTestTenant() {
  const quiet = await openTestTenant();
  return { ...quiet, lamp: await listProduct(quiet.supplier, { name: "Lamp" }) };
}

describe("an event", () => {
  it("is counted once per id, within a batch and when the batch is repeated", async () => {
    const anna = visitor();
    const batch = [did("visit", undefined, by(anna)), did("product_view", lamp, by(anna))];
    expect(await resultsOf(client, [...batch, batch[0]])).toEqual([
      "accepted",
      "accepted",
      "duplicate",
    ]);
    const kept = await keptOf(testTenant.tenantId);
    expect(await report(client, batch)).toEqual(
      batch.map(({ id }, index) => ({ index, id, status: "duplicate" })),
    );
    expect(await keptOf(testTenant.tenantId)).toBe(kept);
  });

  it("is counted once when a batch is sent several times concurrently", async () => {
    const { tenantId, customer, ...quiet } = await quietTestTenant();
    const batch = Array.from({ length: 200 }, () => did("product_view", quiet.lamp));
    const answers = await Promise.all(Array.from({ length: 4 }, () => resultsOf(customer, batch)));
    const accepted = answers.flat().filter((status) => status === "accepted");
    expect(accepted).toHaveLength(200);
    expect(answers.flat().filter((status) => status === "duplicate")).toHaveLength(600);
    expect(await keptOf(tenantId)).toBe(200);
    expect((await funnelOf(quiet.operator)).counts).toEqual([1, 1, 0, 0]);
  });

  it("without an id is new each time, and its visitor is counted once", async () => {
    const { operator, customer } = await quietTestTenant();
    expect(await resultsOf(customer, [{ type: "visit" }, { type: "visit" }])).toEqual([
      "accepted",
      "accepted",
    ]);
    expect((await funnelOf(operator)).counts).toEqual([1, 0, 0, 0]);
  });

  it("may be up to 24 hours old, and not in the future", async () => {
    const at = (occurred_at: string) => did("visit", undefined, { occurred_at, ...by(visitor()) });
    expect(
      await resultsOf(client, [
        at(hoursAgo(23.9)),
        at(hoursAgo(24.1)),
        at(hoursAgo(-1)),
        at("yesterday"),
        at(hoursAgo(1).replace("Z", "")),
      ]),
    ).toEqual([
      "accepted",
      "invalid VALIDATION_ERROR events[1].occurred_at",
      "invalid VALIDATION_ERROR events[2].occurred_at",
      "invalid VALIDATION_ERROR events[3].occurred_at",
      "invalid VALIDATION_ERROR events[4].occurred_at",
    ]);
  });

  it("that is invalid is reported, and does not stop the others", async () => {
    const neighbour = await quietTestTenant();
    const anna = by(visitor());
    const batch: [event: unknown, outcome: string][] = [
      ["visit", "invalid VALIDATION_ERROR events[0]"],
      [{ type: "order", ...anna }, "invalid VALIDATION_ERROR events[1].type"],
      [{ type: "visit", ...anna, price: 1 }, "invalid VALIDATION_ERROR events[2].price"],
      [{ type: "visit", ...anna, id: "mine" }, "invalid VALIDATION_ERROR events[3].id"],
      [{ type: "visit" }, "invalid VALIDATION_ERROR events[4].visitor_id"],
      [{ type: "visit", ...by("x".repeat(201)) }, "invalid VALIDATION_ERROR events[5].visitor_id"],
      [{ type: "product_view", ...anna }, "invalid VALIDATION_ERROR events[6].product_id"],
      [did("product_view", neighbour.lamp, anna), "invalid NOT_FOUND events[7].product_id"],
      [did("visit", { id: "lamp" }, anna), "invalid NOT_FOUND events[8].product_id"],
      [
        did("visit", undefined, { ...anna, marketplace_id: neighbour.marketplace.id }),
        "invalid NOT_FOUND events[9].marketplace_id",
      ],
      [
        did("product_view", lamp, { ...anna, marketplace_id: neighbour.marketplace.id }),
        "invalid NOT_FOUND events[10].marketplace_id",
      ],
      [{ type: "visit", ...anna, user_agent: 5 }, "invalid VALIDATION_ERROR events[11].user_agent"],
      [{ type: "visit", ...by("\ud83d") }, "invalid VALIDATION_ERROR events[12]"],
      [did("add_to_cart", lamp, anna), "accepted"],
    ];
    expect(
      await resultsOf(
        client,
        batch.map(([event]) => event),
      ),
    ).toEqual(batch.map(([, outcome]) => outcome));
    expect((await funnelOf(neighbour.operator)).counts).toEqual([0, 0, 0, 0]);
  });

  it("needs a marketplace or a product of it when the tenant has several marketplaces", async () => {
    const several = await quietTestTenant();
    const second = await openMarketplace(several.operator);
    expect(
      await resultsOf(several.customer, [
        did("visit"),
        did("product_view", several.lamp),
        did("product_view", several.lamp, { marketplace_id: second.id }),
        did("visit", undefined, { marketplace_id: second.id }),
      ]),
    ).toEqual([
      "invalid VALIDATION_ERROR events[0].marketplace_id",
      "accepted",
      "invalid NOT_FOUND events[2].product_id",
      "accepted",
    ]);
  });

  it("of a customer or guest belongs to the caller, whichever visitor it names", async () => {
    const { operator, customer, marketplace, lamp } = await quietTestTenant();
    const guest = await openGuest(marketplace);
    for (const person of [customer, guest]) {
      expect(
        await resultsOf(person, [
          did("visit", undefined, by("a")),
          did("product_view", lamp, by("b")),
        ]),
      ).toEqual(["accepted", "accepted"]);
    }
    expect((await funnelOf(operator)).counts).toEqual([2, 2, 0, 0]);
  });

  it("is recorded once for an Idempotency-Key", async () => {
    const send = () =>
      call("POST", EVENTS, {
        as: client,
        body: { events: [{ type: "visit", visitor_id: "of a key" }] },
        headers: { "idempotency-key": `visit ${lamp.id}` },
      });
    const first = await send();
    const again = await send();
    expect(first.body.results).toEqual([{ index: 0, status: "accepted" }]);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
  });
});

describe("a batch", () => {
  it("is a list of at most 1000 events, through the API and through supabase-js", async () => {
    const visit = { type: "visit", visitor_id: "anna" };
    const many = Array.from({ length: 1001 }, () => visit);
    const send = (body: object) => call("POST", EVENTS, { as: client, body });
    expectRefusal(await send({ events: many }), 422, "VALIDATION_ERROR", { field: "events" });
    expectRefusal(await send({ events: visit }), 422, "VALIDATION_ERROR", { field: "events" });
    expectRefusal(await send({}), 422, "VALIDATION_ERROR", { field: "events" });
    expect((await send({ events: [] })).body).toEqual({ results: [] });
    const db = supabaseAs(client);
    for (const events of [many, visit]) {
      const { error, status } = await db.rpc("record_storefront_events", { events });
      expect({ status, message: error?.message }).toEqual({
        status: 422,
        message: "VALIDATION_ERROR",
      });
    }
    const { data } = await db.rpc("record_storefront_events", { events: [visit] }).throwOnError();
    expect(data).toEqual({ results: [{ index: 0, status: "accepted" }] });
  });

  it("needs a token", async () => {
    expectRefusal(await call("POST", EVENTS, { body: { events: [] } }), 401, "UNAUTHORIZED");
    const { error } = await supabaseAs().rpc("record_storefront_events", { events: [] });
    expect(error?.code).toBe("PT401");
  });

  it("is refused from a removed member with a valid token", async () => {
    const { operator, customer } = await openTestTenant();
    await must("DELETE", `/api/members/${customer.id}`, { as: operator });
    for (const [path, rpc] of [
      [EVENTS, "record_storefront_events"],
      ["/api/v1/top-placement/events", "record_placement_events"],
    ] as const) {
      const body = { events: [] };
      expectRefusal(await call("POST", path, { as: customer, body }), 403, "FORBIDDEN");
      const { error } = await supabaseAs(customer).rpc(rpc, body);
      expect(error?.message).toBe("FORBIDDEN");
    }
  });

  it("is refused after a visitor's maximum per day", async () => {
    const { tenantId, customer } = await quietTestTenant();
    await query(
      `insert into private.visitor_event_counts (tenant_id, reporter, day, events)
       values ($1, $2, (now() at time zone 'utc')::date, 4998)`,
      [tenantId, customer.id],
    );
    const batch = Array.from({ length: 4 }, () => did("visit"));
    expect(await resultsOf(customer, batch)).toEqual([
      "accepted",
      "accepted",
      "not_counted flood",
      "not_counted flood",
    ]);
    expect(await resultsOf(customer, [did("visit")])).toEqual(["not_counted flood"]);
    expect(await keptOf(tenantId)).toBe(2);
    await query("update private.visitor_event_counts set day = day - 2 where tenant_id = $1", [
      tenantId,
    ]);
    await runJob("forget-visitor-event-counts");
    expect(
      await query("select from private.visitor_event_counts where tenant_id = $1", [tenantId]),
    ).toEqual([]);
    expect(await resultsOf(customer, [did("visit")])).toEqual(["accepted"]);
  });
});

describe("not counted are", () => {
  const BROWSER =
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/141.0.0.0 Safari/537.36";
  const CRAWLER = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";

  it("bots, which are counted separately", async () => {
    const { operator, customer, marketplace, lamp } = await quietTestTenant();
    const [crawler, both] = [await openGuest(marketplace), await openGuest(marketplace)];
    const seen = did("product_view", lamp);
    expect(await resultsOf(crawler, [seen], CRAWLER)).toEqual(["not_counted bot"]);
    expect(await resultsOf(crawler, [seen], CRAWLER)).toEqual(["duplicate"]);
    expect(await resultsOf(customer, [did("visit")], BROWSER)).toEqual(["accepted"]);
    expect(await funnelOf(operator)).toMatchObject({ counts: [1, 0, 0, 0], bots: 1 });
    // A visitor who also uses a browser is a person.
    expect(await resultsOf(both, [did("visit")], CRAWLER)).toEqual(["not_counted bot"]);
    expect(await resultsOf(both, [did("visit")], BROWSER)).toEqual(["accepted"]);
    expect(await resultsOf(both, [did("product_view", lamp)], CRAWLER)).toEqual([
      "not_counted bot",
    ]);
    expect(await funnelOf(operator)).toMatchObject({ counts: [2, 0, 0, 0], bots: 1 });
  });

  it("visits of bots that a server reports; the server's own user agent does not matter", async () => {
    const { tenantId, operator } = await quietTestTenant();
    const machine = await registerClient(tenantId);
    const visit = (user_agent?: string) =>
      did("visit", undefined, { ...by(visitor()), user_agent });
    for (const server of ["node", "Deno/2.1.4", "curl/8.5.0", "Medina/1.0"]) {
      expect(await resultsOf(machine, [visit(CRAWLER), visit(BROWSER), visit()], server)).toEqual([
        "not_counted bot",
        "accepted",
        "accepted",
      ]);
    }
    expect(await funnelOf(operator)).toMatchObject({ counts: [8, 0, 0, 0], bots: 4 });
  });

  it("visitors and programs that the tenant's settings exclude", async () => {
    const { tenantId, operator, customer } = await quietTestTenant();
    const machine = await registerClient(tenantId);
    const ignore = { user_agents: ["Uptime"], visitors: ["Monitor", customer.id.toUpperCase()] };
    const { settings } = await must("PATCH", "/api/tenant", {
      as: operator,
      body: { settings: { analytics: { ignore } } },
    });
    expect(settings.analytics.ignore).toEqual(ignore);
    expect(await resultsOf(customer, [did("visit")])).toEqual(["not_counted ignored"]);
    expect(
      await resultsOf(machine, [
        did("visit", undefined, by("monitor")),
        did("visit", undefined, { ...by("anna"), user_agent: "an UPTIME check" }),
        did("visit", undefined, by("anna")),
      ]),
    ).toEqual(["not_counted ignored", "not_counted ignored", "accepted"]);
    expect(await resultsOf(machine, [did("visit", undefined, by("ben"))], "UptimeMonitor")).toEqual(
      ["not_counted ignored"],
    );
    expect(await funnelOf(operator)).toMatchObject({ counts: [1, 0, 0, 0], bots: 0 });
    await must("PATCH", "/api/tenant", {
      as: operator,
      body: { settings: { analytics: { ignore: null } } },
    });
    expect(await resultsOf(customer, [did("visit")])).toEqual(["accepted"]);
  });

  it.each([
    [{ ignore: { addresses: [] } }, "settings.analytics.ignore.addresses"],
    [{ ignore: { visitors: "anna" } }, "settings.analytics.ignore.visitors"],
    [{ ignore: { visitors: ["anna", "anna"] } }, "settings.analytics.ignore.visitors"],
    [{ ignore: { user_agents: [""] } }, "settings.analytics.ignore.user_agents[0]"],
    [
      { ignore: { user_agents: Array.from({ length: 101 }, (_, i) => `${i}`) } },
      "settings.analytics.ignore.user_agents",
    ],
    [{ ignored: {} }, "settings.analytics.ignored"],
  ])("and invalid settings are refused: %j", async (settings, field) => {
    const body = { settings: { analytics: settings } };
    const answer = await call("PATCH", "/api/tenant", { as: testTenant.operator, body });
    expectRefusal(answer, 422, "VALIDATION_ERROR", { field });
    const { error } = await supabaseAs(testTenant.operator).rpc("update_tenant", { changes: body });
    expect(error).toMatchObject({ message: "VALIDATION_ERROR" });
    expect(JSON.parse(error?.details ?? "{}")).toMatchObject({ field });
  });

  it("the tenant's own members, whoever reports them", async () => {
    const { tenantId, operator, supplier, lamp } = await quietTestTenant();
    const machine = await registerClient(tenantId);
    expect(await resultsOf(supplier, [did("visit"), did("product_view", lamp)])).toEqual([
      "not_counted member",
      "not_counted member",
    ]);
    const people = [operator, supplier, machine];
    expect(
      await resultsOf(
        machine,
        people.map(({ id }) => did("visit", undefined, by(id.toUpperCase()))),
      ),
    ).toEqual(people.map(() => "not_counted member"));
    // A member of another tenant is a visitor here.
    expect(await resultsOf(machine, [did("visit", undefined, by(testTenant.supplier.id))])).toEqual(
      ["accepted"],
    );
    expect(await funnelOf(operator)).toMatchObject({ counts: [1, 0, 0, 0], bots: 0 });
  });
});

describe("events are kept", () => {
  it("for 90 days, each day's in a partition", async () => {
    await register({ tenant_id: testTenant.tenantId });
    const names = () =>
      query<{ name: string; rows: number }>(
        `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
         where i.inhparent = 'private.storefront_events'::regclass order by 1`,
      ).then((rows) => rows.map(({ name }) => name));
    const nameOf = (days: number) =>
      `storefront_events_${new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10).replaceAll("-", "")}`;
    // Partitions exist a week ahead, of which one day may have passed.
    expect(await names()).toEqual(expect.arrayContaining([nameOf(0), nameOf(-6)]));

    // Simulates months without the job: rows without a partition are in the default one.
    const { tenantId, customer } = await quietTestTenant();
    await report(customer, [did("visit"), did("visit"), did("visit")]);
    await query(
      `with old as (
         delete from private.storefront_events where tenant_id = $1
         returning tenant_id, id, occurred_at, stage, visitor, marketplace_id
       )
       insert into private.storefront_events
         (tenant_id, id, received_on, occurred_at, stage, visitor, marketplace_id)
       select tenant_id, id, (now() at time zone 'utc')::date - (89 + row_number() over ())::integer, occurred_at,
         stage, visitor, marketplace_id
       from old`,
      [tenantId],
    );
    await runJob("make-storefront-partitions");
    expect(await names()).toEqual(expect.arrayContaining([nameOf(90), nameOf(91), nameOf(92)]));
    expect(await query("select from private.storefront_events_default")).toEqual([]);
    expect(await keptOf(tenantId)).toBe(3);
    await runJob("forget-storefront-events");
    expect(await names()).toContain(nameOf(90));
    expect(await names()).not.toContain(nameOf(91));
    expect(await keptOf(tenantId)).toBe(1);
    await query(`drop table private.${nameOf(90)}`);
  });
});
