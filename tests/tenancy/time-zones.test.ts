import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { documentedOperations, readDocument } from "../../scripts/document.js";
import { runJob } from "../clock.js";
import { query } from "../database.js";
import { eventually } from "../eventually.js";
import { getOrder, pay, takeBack } from "../orders/ordering.js";
import { cancelItems, changeShipment, placeMixed, ship, shipmentsOf } from "../orders/shipping.js";
import {
  campaignOf,
  chargesOf,
  click,
  openCategory,
  outcomes,
  promote,
  statsOf,
} from "../placement/promoting.js";
import {
  listProduct,
  must,
  openTestTenant,
  orderFor,
  type Person,
  registerClient,
  supabaseAs,
} from "../souk.js";
import { addressOf, operations } from "./operations.js";
import { openTenantRecords, type TenantRecords } from "./tenant-records.js";

// biome-ignore lint/suspicious/noExplicitAny: records as the API answers them.
type Record_ = any;

const useZone = (operator: Person, time_zone: string) =>
  must("PATCH", "/api/tenant", { as: operator, body: { time_zone } });

/** The times in a record and the records in it, by their path. */
function timesIn(record: Record_, path = ""): [path: string, time: string, local: unknown][] {
  return Object.entries(record ?? {}).flatMap(([name, value]) => {
    if (typeof value === "object") return timesIn(value, `${path}${name}.`);
    const isParty = /(borne|collected)_by$/.test(name);
    if (!/_(at|by|until)$/.test(name) || isParty || typeof value !== "string") return [];
    return [[path + name, value, record[`${name}_local`]]];
  });
}

/** Checks that each time of a record has its text in the time zone beside it. Returns their paths. */
async function expectLocalTexts(record: Record_, time_zone: string): Promise<string[]> {
  const times = timesIn(record);
  expect(times).not.toEqual([]);
  const [expected] = await query<{ texts: string[] }>(
    `select set_config('timezone', $1, false),
       (select json_agg(at::timestamptz order by position) from unnest($2::text[]) with ordinality as t (at, position)) as texts`,
    [time_zone, times.map(([, time]) => time)],
  );
  expect(times.map(([path, , local]) => [path, local])).toEqual(
    times.map(([path], index) => [path, expected?.texts[index]]),
  );
  return times.map(([path]) => path);
}

/** A service of the supplier that can be booked at every hour. */
async function listService(supplier: Person): Promise<Record_> {
  const service = await listProduct(supplier, { kind: "service", inventory: { quantity: 0 } });
  const hours = [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({
    weekday,
    opens: "00:00",
    closes: "24:00",
  }));
  await must("PUT", `/api/products/${service.id}/calendar`, {
    as: supplier,
    body: { time_zone: "Africa/Casablanca", duration_minutes: 60, hours },
  });
  return service;
}

it.each([
  "Pacific/Kiritimati",
  "America/St_Johns",
  "Asia/Kathmandu",
  "America/Los_Angeles",
])("shows the times of orders, shipments, bookings and slots in %s", async (zone) => {
  const mixed = await placeMixed();
  const { operator, supplier, customer, order, some } = mixed;
  await useZone(operator, zone);
  await pay(operator, order, "paid");
  await cancelItems(operator, order, some(0, 1));
  const shipped = (await ship(supplier, order, { items: some(0, 1) })).body;
  await expectLocalTexts(shipped, zone);
  await expectLocalTexts(
    (await changeShipment(supplier, shipped, { status: "delivered" })).body,
    zone,
  );
  await must("POST", `/api/orders/${order.id}/notes`, { as: customer, body: { text: "Thanks." } });
  await takeBack(operator, order, some(0, 1));
  for (const as of [operator, supplier, customer]) {
    expect(await expectLocalTexts(await getOrder(as, order), zone)).toContain("created_at");
    for (const shipment of await shipmentsOf(as, order)) {
      expect(await expectLocalTexts(shipment, zone)).toContain("delivered_at");
    }
  }
  expect(await expectLocalTexts(await getOrder(operator, order), zone)).toEqual(
    expect.arrayContaining([
      "updated_at",
      "history.0.created_at",
      "payments.0.created_at",
      "cancellations.0.created_at",
      "returns.0.created_at",
      "notes.0.created_at",
    ]),
  );
  const listed = await must("GET", "/api/orders", { as: operator });
  await expectLocalTexts(listed.orders[0], zone);

  const service = await listService(supplier);
  const { slots } = await must("GET", `/api/products/${service.id}/slots`, { as: customer });
  expect(await expectLocalTexts(slots[0], zone)).toEqual(["starts_at", "ends_at"]);
  const booked = await must("POST", "/api/orders", {
    as: customer,
    body: orderFor(service, 1, {
      items: [{ ...orderFor(service).items[0], starts_at: slots[0].starts_at }],
    }),
  });
  expect(await expectLocalTexts(booked, zone)).toEqual(
    expect.arrayContaining(["payment_due_at", "items.0.starts_at"]),
  );
  const { bookings } = await must("GET", "/api/bookings", { as: customer });
  expect(await expectLocalTexts(bookings[0], zone)).toEqual(
    expect.arrayContaining(["starts_at", "ends_at", "created_at", "updated_at"]),
  );
  for (const view of ["order_details", "shipment_details", "booking_details"]) {
    const { data } = await supabaseAs(customer).from(view).select().limit(1).throwOnError();
    await expectLocalTexts(data?.[0], zone);
  }
});

/** The parameters of periods, by their names and formats: [name, schema]. */
const START = /(^|_)(from|since|after)$/;
const END = /(^|_)(to|until|before)$/;
const IS_TIME = /"format":"(date|date-time)"/;

interface Periodic {
  name: string;
  path: string;
  starts: string[];
  ends: string[];
  /** Whether they accept times too, and not only days. */
  exact: boolean;
  /** Further parameters that they need. */
  needs: string;
}

const periodic: Periodic[] = (await documentedOperations()).flatMap(({ name, path, operation }) => {
  const parameters = (operation.parameters ?? []).flatMap((parameter) =>
    "name" in parameter && parameter.in === "query" ? [parameter] : [],
  );
  const named = (pattern: RegExp) =>
    parameters
      // Nothing is due on the day of its order: tests of commissions find it by its days.
      .filter(({ name }) => !name.startsWith("due_"))
      .filter(({ name, schema }) => pattern.test(name) && IS_TIME.test(JSON.stringify(schema)))
      .map((parameter) => parameter.name);
  const [starts, ends] = [named(START), named(END)];
  if (starts.length + ends.length === 0) return [];
  const schemas = parameters
    .filter(({ name }) => [...starts, ...ends].includes(name))
    .map(({ schema }) => JSON.stringify(schema));
  const custom = parameters.some(
    ({ name, schema }) => name === "period" && JSON.stringify(schema).includes('"custom"'),
  );
  return [
    {
      name,
      path,
      starts,
      ends,
      exact: schemas.every((schema) => schema.includes('"date-time"')),
      needs: custom ? "&period=custom" : "",
    },
  ];
});

/** A zone whose date is not that of UTC now, and whose midnight is more than an hour away. */
function farZone(): string {
  return new Date().getUTCHours() > 10 ? "Pacific/Kiritimati" : "Etc/GMT+12";
}

describe("a date in the parameters of a period", () => {
  let of: TenantRecords;
  /** The tenant's days by their distance from today, and the times at which they begin. */
  let day: (distance: number) => string;
  let beginning: (distance: number) => string;

  beforeAll(async () => {
    const zone = farZone();
    of = await openTenantRecords("zones", zone);
    await must("POST", "/api/analytics/events", {
      as: of.people.customer,
      body: { events: [{ type: "product_view", product_id: of.product.id }] },
    });
    await query("select private.count_auctions()");
    const days = await query<{ distance: number; day: string; begins_at: string }>(
      `select n as distance, (today + n)::text as day, ((today + n)::timestamp at time zone $1)::text as begins_at
       from (select (now() at time zone $1)::date as today) as t, generate_series(-100, 100) as n`,
      [zone],
    );
    const found = (distance: number) => {
      const row = days.find((one) => one.distance === distance);
      if (!row) throw new Error(`no day ${distance}`);
      return row;
    };
    day = (distance) => found(distance).day;
    beginning = (distance) => new Date(found(distance).begins_at).toISOString();
    expect(day(0)).not.toBe(new Date().toISOString().slice(0, 10));
  });

  afterAll(() => of?.receiver.close());

  const asked = (starts: string[], ends: string[], from: string, to: string) => ({
    ...Object.fromEntries(starts.map((name) => [name, from])),
    ...Object.fromEntries(ends.map((name) => [name, to])),
  });

  /** A response without the day that was asked for, so that those of two days without records are equal. */
  const shape = (body: unknown, asked: string) =>
    JSON.stringify(body, (_name, value) => (value === asked ? "day" : value));

  const get = async ({ name, needs }: Periodic, values: Record<string, string>) => {
    const { method, path } = addressOf(name, of);
    const parameters = new URLSearchParams(values);
    return must(method, `${path}${path.includes("?") ? "&" : "?"}${parameters}${needs}`, {
      as: of.people.admin,
    });
  };

  it("is found in every list and report", () => {
    expect(periodic.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        "GET /api/orders",
        "GET /api/commissions",
        "GET /api/bookings",
        "GET /api/products/{id}/slots",
        "GET /api/inventory/movements",
        "GET /api/events",
        "GET /api/webhooks/{id}/logs",
        "GET /api/v1/top-placement/campaigns/{id}/stats",
        "GET /api/v1/top-placement/report",
        "GET /api/analytics/overview",
      ]),
    );
  });

  it("is accepted wherever a time is, also in bodies", async () => {
    const wanting: string[] = [];
    const look = (value: unknown, path: string) => {
      if (typeof value !== "object" || value === null) return;
      for (const [name, inner] of Object.entries(value)) {
        const text = JSON.stringify(inner) ?? "";
        const isEdge = (START.test(name) || END.test(name)) && path.endsWith("/properties");
        if (isEdge && text.includes('"date-time"') && !text.includes('"date"')) {
          wanting.push(`${path}/${name}`);
        }
        look(inner, `${path}/${name}`);
      }
    };
    const document = await readDocument();
    for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
      look(schema, name);
    }
    for (const { name, operation } of await documentedOperations()) {
      look(operation.requestBody, name);
      for (const parameter of operation.parameters ?? []) {
        if ("name" in parameter) look({ properties: { [parameter.name]: parameter.schema } }, name);
      }
    }
    // The time at which content ends, which selects nothing.
    expect(wanting).toEqual(["ContentPublication/allOf/1/properties/until"]);
  });

  it.each(periodic)("is the tenant's whole day: $name", async (one) => {
    const { starts, ends, exact } = one;
    const [today, yesterday, tomorrow] = [day(0), day(-1), day(1)];
    const blank = ends.length > 0 ? day(-99) : day(99);
    const nothing = shape(await get(one, asked(starts, ends, blank, blank)), blank);
    await eventually(async () => {
      const shown = await get(one, asked(starts, ends, today, today));
      expect(shape(shown, today)).not.toBe(nothing);
      for (const record of Object.values(shown).flat() as Record_[]) {
        if (record?.starts_at_local) expect(record.starts_at_local.slice(0, 10)).toBe(today);
      }
    });
    if (one.path.endsWith("/slots")) return;
    if (ends.length > 0) {
      const before = await get(one, asked(starts, ends, yesterday, yesterday));
      expect(shape(before, yesterday)).toBe(nothing);
    }
    if (!exact) return;
    for (const parameter of starts) {
      expect(shape(await get(one, { [parameter]: tomorrow }), tomorrow)).toBe(nothing);
      expect(await get(one, { [parameter]: today })).toEqual(
        await get(one, { [parameter]: beginning(0) }),
      );
    }
    for (const parameter of ends) {
      expect(shape(await get(one, { [parameter]: yesterday }), yesterday)).toBe(nothing);
      expect(await get(one, { [parameter]: today })).toEqual(
        await get(one, { [parameter]: beginning(1) }),
      );
    }
  });

  it.each(periodic)("is the tenant's whole day with supabase-js: $name", async (one) => {
    const { name, starts, ends, needs } = one;
    const db = supabaseAs(of.people.admin);
    // Calls the same function with these arguments. Tables are filtered with period_bounds.
    const rpc = async (values: Record<string, string>): Promise<unknown> => {
      let answer: unknown;
      const recorder = {
        rpc: async (called: string, args: object) => {
          const all = { ...args, ...values, ...(needs && { period: "custom" }) };
          answer = (await db.rpc(called, all).throwOnError()).data;
          return { data: null, error: null, status: 200 };
        },
        from: () => undefined,
      };
      try {
        await operations[name]?.rest?.(recorder as never, of);
      } catch {
        return undefined;
      }
      return answer;
    };
    const blank = ends.length > 0 ? day(-99) : day(99);
    const nothing = await rpc(asked(starts, ends, blank, blank));
    if (nothing === undefined) return;
    const [today, yesterday] = [day(0), day(-1)];
    const shown = await rpc(asked(starts, ends, today, today));
    expect(shape(shown, today)).not.toBe(shape(nothing, blank));
    if (ends.length === 0) return;
    const before = await rpc(asked(starts, ends, yesterday, yesterday));
    expect(shape(before, yesterday)).toBe(shape(nothing, blank));
  });

  it("begins and ends as Postgres says, also where the clock changes", async () => {
    const db = supabaseAs(of.people.admin);
    const bounds = async (zone: string, from: string, to = from) => {
      await useZone(of.people.admin, zone);
      const { data } = await db.rpc("period_bounds", { from, to }).single<Record_>().throwOnError();
      return [data.starts_at, data.ends_at].map((at) => at && new Date(at).toISOString());
    };
    try {
      expect(await bounds("America/Los_Angeles", "2026-03-08")).toEqual([
        "2026-03-08T08:00:00.000Z",
        "2026-03-09T07:00:00.000Z",
      ]);
      expect(await bounds("America/Los_Angeles", "2026-11-01")).toEqual([
        "2026-11-01T07:00:00.000Z",
        "2026-11-02T08:00:00.000Z",
      ]);
      expect(await bounds("Pacific/Kiritimati", "2026-03-31")).toEqual([
        "2026-03-30T10:00:00.000Z",
        "2026-03-31T10:00:00.000Z",
      ]);
      // Midnight does not exist: the day begins at one o'clock.
      expect(await bounds("Africa/Cairo", "2026-04-24")).toEqual([
        "2026-04-23T22:00:00.000Z",
        "2026-04-24T21:00:00.000Z",
      ]);
      // A time is exact.
      expect(
        await bounds("Africa/Cairo", "2026-04-24T10:00:00+02:00", "2026-04-24T11:00:00Z"),
      ).toEqual(["2026-04-24T08:00:00.000Z", "2026-04-24T11:00:00.000Z"]);
    } finally {
      await useZone(of.people.admin, farZone());
    }
    for (const wrong of ["2026-02-30", "yesterday", "2026-03-31T10:00:00", ""]) {
      const { error } = await db.rpc("period_bounds", { to: wrong });
      expect(error?.message).toBe("VALIDATION_ERROR");
    }
  });

  it("selects orders by their bookings, with supabase-js too", async () => {
    const db = supabaseAs(of.people.admin);
    const count = async (booked_from: string, booked_to: string) =>
      (await db.rpc("booked_orders", { booked_from, booked_to }).throwOnError()).data.length;
    const { total } = await must("GET", "/api/orders?limit=1", { as: of.people.admin });
    expect(await count(day(0), day(0))).toBe(total);
    expect(await count(day(-1), day(-1))).toBe(0);
    expect(await count(day(1), day(1))).toBe(0);
  });
});

describe("the days of a campaign", () => {
  const today = async (zone: string) =>
    (await query<{ day: string }>("select (now() at time zone $1)::date::text as day", [zone]))[0]
      ?.day;

  it("are the tenant's, and what was counted keeps its day after a change of the zone", async () => {
    const testTenant = await openTestTenant();
    const { operator, tenantId } = testTenant;
    const [here, there] = [farZone(), "UTC"];
    await useZone(operator, here);
    const category = await openCategory(testTenant, 0.5, { basePrice: 1 });
    const campaign = await promote(testTenant, category, {
      pricingModel: "hybrid",
      dailyBudget: 2,
    });
    await runJob("run-campaigns");
    const client = await registerClient(tenantId);
    const clicks = (many: number) =>
      outcomes(client, ...Array.from({ length: many }, () => click(campaign, randomUUID())));
    const expectDays = async (...days: object[]) =>
      expect((await statsOf(operator, campaign)).daily).toMatchObject(days);

    // A fee of 1.00 and two clicks of 0.50.
    expect(await clicks(3)).toEqual(["charged", "charged", "not_charged budget"]);
    expect((await campaignOf(operator, campaign)).status).toBe("exhausted");
    const first = { date: await today(here), clicks: 3, spend: 2 };
    await expectDays(first);

    await useZone(operator, there);
    const second = { date: await today(there), clicks: 1, spend: 0.5 };
    expect(second.date).not.toBe(first.date);
    await runJob("run-campaigns");
    expect((await campaignOf(operator, campaign)).status).toBe("active");
    expect(await clicks(1)).toEqual(["charged"]);
    await expectDays(...[first, second].sort((a, b) => `${a.date}`.localeCompare(`${b.date}`)));

    // The day continues with what is left of its budget, and its fee is charged once.
    await useZone(operator, here);
    await runJob("run-campaigns");
    expect(await clicks(1)).toEqual(["not_charged budget"]);
    const kinds = (await chargesOf(operator, campaign)).map(({ kind }) => kind);
    expect(kinds.toSorted()).toEqual(["click", "click", "click", "fee"]);
  });
});
