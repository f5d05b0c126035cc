import { randomUUID } from "node:crypto";
import { Client } from "pg";
import { describe, expect, it } from "vitest";
import { query } from "../database.js";
import { eventually } from "../eventually.js";
import { doBusiness } from "../orders/ordering.js";
import { passDeadline } from "../orders/shipping.js";
import { ownStack } from "../own-stack.js";
import {
  type Answer,
  call,
  expectRefusal,
  listProduct,
  must,
  openTestTenant,
  orderFor,
  type Person,
  register,
  registerClient,
  supabaseAs,
  supabaseAsService,
} from "../souk.js";

// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
type Record_ = any;

const DAY = 86_400_000;

/** The date in this many days, in UTC. */
const inDays = (days: number) => new Date(Date.now() + days * DAY).toISOString().slice(0, 10);

const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7];
const hours = (opens: string, closes: string, weekdays = EVERY_DAY) =>
  weekdays.map((weekday) => ({ weekday, opens, closes }));

/** Open every day from 9:00 to 12:00, with slots of an hour. */
const CALENDAR = { time_zone: "UTC", duration_minutes: 60, hours: hours("09:00", "12:00") };

const listService = (supplier: Person, overrides: object = {}): Promise<Record_> =>
  listProduct(supplier, {
    name: "Hammam",
    kind: "service",
    inventory: { quantity: 0 },
    ...overrides,
  });

const setCalendar = (as: Person, product: Record_, overrides: object = {}) =>
  call("PUT", `/api/products/${product.id}/calendar`, { as, body: { ...CALENDAR, ...overrides } });

async function listBookable(supplier: Person, overrides: object = {}): Promise<Record_> {
  const product = await listService(supplier);
  const answer = await setCalendar(supplier, product, overrides);
  expect(answer.body).toMatchObject({ product_id: product.id });
  return product;
}

const slotsOf = (as: Person, product: Record_, query: string): Promise<Record_> =>
  must("GET", `/api/products/${product.id}/slots?${query}`, { as });

/** The start times of a day's free slots. */
const startsOf = async (as: Person, product: Record_, day: string): Promise<string[]> =>
  (await slotsOf(as, product, `from=${day}&to=${day}`)).slots.map((slot: Record_) =>
    new Date(slot.starts_at).toISOString(),
  );

const booking = (product: Record_, ...starts: string[]) =>
  orderFor(product, 1, {
    items: starts.map((starts_at) => ({
      product_id: product.id,
      quantity: 1,
      price: product.price,
      starts_at,
    })),
  });

const book = (as: Person, product: Record_, ...starts: string[]) =>
  call("POST", "/api/orders", { as, body: booking(product, ...starts) });

const move = (as: Person, order: Record_, status: string) =>
  must("PATCH", `/api/orders/${order.id}/status`, { as, body: { status } });

describe("a calendar", () => {
  it("can be set by the product's supplier and admins, and read by everybody who sees the product", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const product = await listService(supplier);
    const path = `/api/products/${product.id}/calendar`;
    expectRefusal(await call("GET", path, { as: supplier }), 404, "NOT_FOUND");
    const calendar = {
      time_zone: "Africa/Casablanca",
      duration_minutes: 45,
      capacity: 8,
      lead_minutes: 90,
      cancellation_minutes: 1440,
      location: { street: "1 Market Street", floor: 2 },
      hours: [
        { weekday: 1, opens: "09:00", closes: "12:00" },
        { weekday: 1, opens: "14:00", closes: "24:00" },
        { weekday: 5, opens: "09:00", closes: "12:00" },
      ],
      exceptions: [
        { date: "2030-12-24", hours: [{ opens: "08:00", closes: "10:00" }] },
        { date: "2030-12-25", hours: [] },
      ],
    };
    const set = await call("PUT", path, { as: supplier, body: calendar });
    expect(set.status).toBe(200);
    expect(set.body).toEqual({
      product_id: product.id,
      ...calendar,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const client = await registerClient(tenantId);
    for (const as of [supplier, operator, client, customer]) {
      expect(await must("GET", path, { as })).toEqual(set.body);
    }
    expect(await must("GET", `/products/${product.id}/calendar`, { as: customer })).toEqual(
      set.body,
    );
    // A second calendar replaces the first one completely.
    const { body: replaced } = await setCalendar(operator, product);
    expect(replaced).toMatchObject({
      ...CALENDAR,
      capacity: 1,
      lead_minutes: 0,
      cancellation_minutes: 0,
      location: null,
      exceptions: [],
    });

    const rival = await register({ tenant_id: tenantId, role: "supplier" });
    const foreign = await openTestTenant();
    for (const as of [rival, foreign.operator, foreign.supplier, foreign.customer]) {
      expectRefusal(await setCalendar(as, product), 404, "NOT_FOUND");
      expectRefusal(await call("GET", path, { as }), 404, "NOT_FOUND");
      expectRefusal(
        await call("GET", `/api/products/${product.id}/slots`, { as }),
        404,
        "NOT_FOUND",
      );
      for (const table of ["service_calendars", "service_hours", "service_exceptions"]) {
        expect((await supabaseAs(as).from(table).select("id").throwOnError()).data).toEqual([]);
      }
    }
    for (const as of [customer, client]) {
      expectRefusal(await setCalendar(as, product), 403, "FORBIDDEN");
    }
    const { error } = await supabaseAs(supplier)
      .from("service_calendars")
      .update({ capacity: 99 })
      .eq("product_id", product.id);
    expect(error?.code).toBe("42501");
    expect(await must("GET", path, { as: customer })).toEqual(replaced);
  });

  it("is deleted with its product", async () => {
    const { supplier } = await openTestTenant();
    const product = await listBookable(supplier);
    expect((await call("DELETE", `/api/products/${product.id}`, { as: supplier })).status).toBe(
      204,
    );
    const service = supabaseAsService();
    for (const table of ["service_calendars", "service_hours"]) {
      const { data } = await service.from(table).select("id").eq("product_id", product.id);
      expect(data).toEqual([]);
    }
  });

  it("is refused if it is inconsistent", async () => {
    const { supplier } = await openTestTenant();
    const [product, lamp] = await Promise.all([listService(supplier), listProduct(supplier)]);
    expectRefusal(await setCalendar(supplier, lamp), 422, "VALIDATION_ERROR");
    const day = (...spans: object[]) => ({ date: "2030-01-01", hours: spans });
    const span = (opens: string, closes: string) => ({ opens, closes });
    for (const [input, field] of [
      [{ time_zone: "Europe/Atlantis" }, "time_zone"],
      [{ time_zone: "CEST" }, "time_zone"],
      [{ time_zone: "+01:00" }, "time_zone"],
      [{ duration_minutes: 4 }, "duration_minutes"],
      [{ capacity: 0 }, "capacity"],
      [{ lead_minutes: -1 }, "lead_minutes"],
      [{ location: "here" }, "location"],
      [{ hours: hours("09:00", "12:00", [8]) }, "hours[0].weekday"],
      [{ hours: hours("9", "12:00") }, "hours[0].opens"],
      [{ hours: hours("12:00", "12:00", [1]) }, "hours[0]"],
      [{ hours: [...hours("09:00", "12:00", [1]), ...hours("11:59", "13:00", [1])] }, "hours[1]"],
      [{ exceptions: [day(), day(span("09:00", "10:00"))] }, "exceptions[1].date"],
      [{ exceptions: [day(span("09:00", "08:00"))] }, "exceptions[0].hours[0]"],
    ] as const) {
      expectRefusal(await setCalendar(supplier, product, input), 422, "VALIDATION_ERROR", {
        field,
      });
    }
    expectRefusal(
      await call("GET", `/api/products/${product.id}/calendar`, { as: supplier }),
      404,
      "NOT_FOUND",
    );
    // The same through supabase-js, and calendars that are too large for an answer.
    const span200 = Array(201).fill(hours("09:00", "12:00", [1])[0]);
    const span50 = Array(51).fill(span("09:00", "10:00"));
    for (const [input, field] of [
      [{ exceptions: [day(), { date: "infinity", hours: [] }] }, "exceptions[1].date"],
      [{ exceptions: [{ date: "-infinity", hours: [] }] }, "exceptions[0].date"],
      [{ exceptions: [{ date: "0044-03-15 BC", hours: [] }] }, "exceptions[0].date"],
      [{ exceptions: [{ date: "10000-01-01", hours: [] }] }, "exceptions[0].date"],
      [{ exceptions: [{ hours: [] }] }, "exceptions[0].date"],
      [{ exceptions: Array(1001).fill(day()) }, "exceptions"],
      [{ exceptions: [day(...span50)] }, "exceptions[0].hours"],
      [{ hours: span200 }, "hours"],
    ] as const) {
      const { error } = await supabaseAs(supplier).rpc("set_service_calendar", {
        product_id: product.id,
        ...CALENDAR,
        ...input,
      });
      expect(error, field).toMatchObject({ code: "PT422", message: "VALIDATION_ERROR" });
      expect(JSON.parse(error?.details ?? "")).toMatchObject({ field });
    }
    expectRefusal(
      await call("GET", `/api/products/${product.id}/calendar`, { as: supplier }),
      404,
      "NOT_FOUND",
    );
    const { error } = await supabaseAsService()
      .from("service_exceptions")
      .insert({ tenant_id: product.tenant_id, product_id: product.id, date: "infinity" });
    expect(error?.code).toBe("23514");
    // Adjacent hours are two separate spans.
    const touching = [...hours("09:00", "12:00", [1]), ...hours("12:00", "13:00", [1])];
    expect((await setCalendar(supplier, product, { hours: touching })).status).toBe(200);
  });
});

describe("slots", () => {
  it("follow from the weekly hours, the exceptions and the lead time", async () => {
    const { supplier, customer } = await openTestTenant();
    const [first, second, third] = [inDays(2), inDays(3), inDays(4)];
    const product = await listBookable(supplier, {
      duration_minutes: 70,
      exceptions: [
        { date: second, hours: [] },
        { date: third, hours: [{ opens: "20:00", closes: "24:00" }] },
      ],
    });
    const { slots, ...page } = await slotsOf(customer, product, `from=${first}&to=${third}`);
    expect(page).toEqual({
      product_id: product.id,
      time_zone: "UTC",
      from: first,
      to: third,
      total: 5,
      page: 1,
      limit: 100,
    });
    const at = (day: string, time: string) => new Date(`${day}T${time}Z`).toISOString();
    expect(
      slots.map(({ starts_at, ends_at, available }: Record_) => [
        new Date(starts_at).toISOString(),
        new Date(ends_at).toISOString(),
        available,
      ]),
    ).toEqual([
      // The ten minutes before noon are too short for a slot.
      [at(first, "09:00"), at(first, "10:10"), 1],
      [at(first, "10:10"), at(first, "11:20"), 1],
      [at(third, "20:00"), at(third, "21:10"), 1],
      [at(third, "21:10"), at(third, "22:20"), 1],
      [at(third, "22:20"), at(third, "23:30"), 1],
    ]);
    const last = await slotsOf(
      customer,
      product,
      `from=${first}&to=${third}&page=2&limit=2&order=desc`,
    );
    expect(last).toMatchObject({ total: 5, page: 2, limit: 2 });
    expect(last.slots).toEqual([slots[2], slots[1]]);

    // With a lead time of three days the first day has no slots.
    await setCalendar(supplier, product, { lead_minutes: 3 * 1440 });
    expect(await startsOf(customer, product, first)).toEqual([]);
    expect(await startsOf(customer, product, inDays(5))).toHaveLength(3);
    // Past times are not slots.
    await setCalendar(supplier, product);
    expect(await startsOf(customer, product, inDays(-1))).toEqual([]);
  });

  it("cover a week from today by default, and 62 days at most", async () => {
    const { supplier, customer } = await openTestTenant();
    const product = await listBookable(supplier, { hours: hours("00:00", "24:00") });
    const { from, to } = await slotsOf(customer, product, "");
    expect((Date.parse(to) - Date.parse(from)) / DAY).toBe(6);
    const long = await slotsOf(customer, product, `from=${inDays(1)}&to=${inDays(62)}&limit=5000`);
    expect(long).toMatchObject({ total: 62 * 24, limit: 1000 });
    expect(long.slots).toHaveLength(1000);
    for (const [query, field] of [
      [`from=${inDays(1)}&to=${inDays(63)}`, "to"],
      [`from=${inDays(2)}&to=${inDays(1)}`, "to"],
      ["from=soon", "from"],
    ]) {
      expectRefusal(
        await call("GET", `/api/products/${product.id}/slots?${query}`, { as: customer }),
        422,
        "VALIDATION_ERROR",
        { field },
      );
    }
  });

  it("keep local hours over changes to and from daylight saving time", async () => {
    const { supplier, customer, operator } = await openTestTenant();
    // The days that are asked for are the tenant's.
    await must("PATCH", "/api/tenant", { as: operator, body: { time_zone: "Europe/Berlin" } });
    const product = await listBookable(supplier, {
      time_zone: "Europe/Berlin",
      hours: [...hours("01:00", "04:00"), ...hours("09:00", "10:00")],
    });
    const year = new Date().getUTCFullYear() + 1;
    /** The last Sunday of a month, or a day relative to it. */
    const sunday = (month: number, days = 0) => {
      const end = new Date(Date.UTC(year, month, 0));
      return new Date(end.getTime() + (days - end.getUTCDay()) * DAY).toISOString().slice(0, 10);
    };
    const onClock = async (day: string) =>
      (await startsOf(customer, product, day)).map((start) =>
        new Date(start).toLocaleTimeString("de-DE", {
          timeZone: "Europe/Berlin",
          timeStyle: "short",
        }),
      );
    // In spring 02:00 does not exist. In autumn it exists twice.
    expect(await onClock(sunday(3))).toEqual(["01:00", "03:00", "09:00"]);
    expect(await onClock(sunday(10))).toEqual(["01:00", "02:00", "02:00", "03:00", "09:00"]);
    for (const month of [3, 10]) {
      for (const day of [sunday(month, -1), sunday(month, 1)]) {
        expect(await onClock(day)).toEqual(["01:00", "02:00", "03:00", "09:00"]);
      }
    }
    // 09:00 is another UTC time on the next day.
    const nine = async (day: string) => (await startsOf(customer, product, day)).at(-1);
    expect(await nine(sunday(3, -1))).toBe(`${sunday(3, -1)}T08:00:00.000Z`);
    expect(await nine(sunday(3))).toBe(`${sunday(3)}T07:00:00.000Z`);
    // Both hours that are 02:00 can be booked, each once.
    const [, first, second] = (await startsOf(customer, product, sunday(10))) as string[];
    const booked = await book(customer, product, first as string, second as string);
    expect(booked.status).toBe(201);
    expect(await onClock(sunday(10))).toEqual(["01:00", "03:00", "09:00"]);
  });
});

describe("booking", () => {
  it("orders a slot, which then is not available to others", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const [product, other] = await Promise.all([
      listBookable(supplier, { location: { city: "Fez" } }),
      register({ tenant_id: tenantId }),
    ]);
    const day = inDays(2);
    const [nine, ten, eleven] = (await startsOf(customer, product, day)) as [
      string,
      string,
      string,
    ];
    const placed = await book(customer, product, nine);
    expect(placed.status).toBe(201);
    const order = placed.body;
    expect(new Date(order.items[0].starts_at).toISOString()).toBe(nine);
    expect(await startsOf(other, product, day)).toEqual([ten, eleven]);
    for (const as of [other, customer]) {
      expectRefusal(await book(as, product, nine), 422, "SLOT_NOT_AVAILABLE", {
        field: "items[0].starts_at",
      });
    }
    // One unavailable slot refuses the whole order.
    expectRefusal(await book(other, product, ten, nine), 422, "SLOT_NOT_AVAILABLE", {
      field: "items[1].starts_at",
    });
    expectRefusal(await book(other, product, eleven, ten, eleven), 422, "SLOT_NOT_AVAILABLE", {
      field: "items[2].starts_at",
    });
    expect(await startsOf(other, product, day)).toEqual([ten, eleven]);

    const { bookings } = await must("GET", "/api/bookings", { as: customer });
    expect(bookings).toEqual([
      {
        id: expect.any(String),
        tenant_id: tenantId,
        product_id: product.id,
        order_id: order.id,
        order_item_id: order.items[0].id,
        customer_id: order.customer_id,
        supplier_id: product.supplier_id,
        name: "Hammam",
        starts_at: expect.any(String),
        starts_at_local: expect.any(String),
        ends_at: expect.any(String),
        ends_at_local: expect.any(String),
        seat: 1,
        status: "booked",
        cancellable_until: expect.any(String),
        cancellable_until_local: expect.any(String),
        delivered_at: null,
        delivered_at_local: null,
        time_zone: "UTC",
        location: { city: "Fez" },
        created_at: expect.any(String),
        created_at_local: expect.any(String),
        updated_at: expect.any(String),
        updated_at_local: expect.any(String),
      },
    ]);
    expect(Date.parse(bookings[0].ends_at) - Date.parse(bookings[0].starts_at)).toBe(3_600_000);
    for (const as of [operator, supplier]) {
      expect((await must("GET", "/api/bookings", { as })).bookings).toEqual(bookings);
    }
  });

  it("needs an existing slot", async () => {
    const { supplier, customer, operator } = await openTestTenant();
    const [product, plain, lamp] = await Promise.all([
      listBookable(supplier, { lead_minutes: 1440 }),
      listService(supplier),
      listProduct(supplier),
    ]);
    const day = inDays(3);
    for (const starts_at of [
      `${day}T09:30:00Z`,
      `${day}T12:00:00Z`,
      `${day}T08:00:00Z`,
      `${inDays(-3)}T09:00:00Z`,
      // Within the lead time, whatever the current hour is.
      new Date(Math.ceil(Date.now() / 3_600_000) * 3_600_000).toISOString(),
    ]) {
      expectRefusal(await book(customer, product, starts_at), 422, "SLOT_NOT_AVAILABLE", {
        field: "items[0].starts_at",
        value: starts_at,
      });
    }
    const item = { product_id: product.id, quantity: 1, price: product.price };
    const order = (...items: object[]) =>
      call("POST", "/api/orders", { as: customer, body: orderFor(product, 1, { items }) });
    expectRefusal(await order(item), 422, "VALIDATION_ERROR", {
      field: "items[0].starts_at",
      value: null,
    });
    expectRefusal(
      await order({ ...item, quantity: 2, starts_at: `${day}T09:00:00Z` }),
      422,
      "VALIDATION_ERROR",
      { field: "items[0].quantity", value: 2 },
    );
    for (const unbookable of [lamp, plain]) {
      expectRefusal(
        await order(
          { ...item, starts_at: `${day}T09:00:00Z` },
          { ...item, product_id: unbookable.id, starts_at: `${day}T09:00:00Z` },
        ),
        422,
        "VALIDATION_ERROR",
        { field: "items[1].starts_at", value: `${day}T09:00:00Z` },
      );
    }
    expectRefusal(await order({ ...item, starts_at: "tomorrow" }), 422, "VALIDATION_ERROR", {
      field: "items[0].starts_at",
    });
    expect((await must("GET", "/api/bookings", { as: operator })).total).toBe(0);
    expect((await must("GET", "/api/orders", { as: operator })).total).toBe(0);
    // Services without a calendar need no start time.
    expect((await order({ ...item, product_id: plain.id })).status).toBe(201);
    // A time with an offset equals its UTC time.
    const there = await order({ ...item, starts_at: `${day}T11:00:00+02:00` });
    expect(there.status).toBe(201);
    expect(await startsOf(customer, product, day)).toHaveLength(2);
  });

  it("releases the slot when the order or its item is cancelled or returned", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const product = await listBookable(supplier);
    const day = inDays(2);
    const starts = await startsOf(customer, product, day);
    const [nine, ten] = starts as [string, string];
    const { body: cancelled } = await book(customer, product, nine, ten);
    expect(await startsOf(customer, product, day)).toEqual(starts.slice(2));
    await move(customer, cancelled, "cancelled");
    expect(await startsOf(customer, product, day)).toEqual(starts);

    const { body: returned } = await book(customer, product, nine, ten);
    await move(operator, returned, "delivered");
    await must("POST", `/api/orders/${returned.id}/returns`, {
      as: operator,
      body: { items: [{ item_id: returned.items[1].id, quantity: 1 }] },
    });
    expect(await startsOf(customer, product, day)).toEqual(starts.slice(1));
    await move(operator, returned, "returned");
    expect(await startsOf(customer, product, day)).toEqual(starts);

    expect((await book(customer, product, nine)).status).toBe(201);
    const all = await must("GET", "/api/bookings?status=cancelled", { as: customer });
    expect(all.total).toBe(4);
    expect((await must("GET", "/api/bookings?status=booked", { as: customer })).total).toBe(1);
  });

  it("of a class accepts as many as its capacity", async () => {
    const { supplier, customer } = await openTestTenant();
    const product = await listBookable(supplier, { capacity: 3 });
    const day = inDays(2);
    const [nine] = (await startsOf(customer, product, day)) as [string];
    const available = async () =>
      (await slotsOf(customer, product, `from=${day}&to=${day}`)).slots[0].available;
    const { body: pair } = await book(customer, product, nine, nine);
    expect(await available()).toBe(1);
    expectRefusal(await book(customer, product, nine, nine), 422, "SLOT_NOT_AVAILABLE", {
      field: "items[1].starts_at",
    });
    await book(customer, product, nine);
    expect(await startsOf(customer, product, day)).toHaveLength(2);
    expectRefusal(await book(customer, product, nine), 422, "SLOT_NOT_AVAILABLE");
    await move(customer, pair, "cancelled");
    expect(await available()).toBe(2);
    await book(customer, product, nine);
    const { bookings } = await must("GET", "/api/bookings?status=booked", { as: customer });
    expect(new Set(bookings.map(({ seat }: Record_) => seat))).toEqual(new Set([1, 3]));
  });

  it("is kept when the calendar changes", async () => {
    const { supplier, customer } = await openTestTenant();
    const product = await listBookable(supplier);
    const day = inDays(2);
    const [, ten] = (await startsOf(customer, product, day)) as [string, string];
    expect((await book(customer, product, ten)).status).toBe(201);
    // From 9:00 in steps of 40 minutes: slots that overlap the booked hour from 10:00 are not free.
    await setCalendar(supplier, product, { duration_minutes: 40 });
    expect(await startsOf(customer, product, day)).toEqual([
      `${day}T09:00:00.000Z`,
      `${day}T11:00:00.000Z`,
    ]);
    expectRefusal(await book(customer, product, `${day}T09:40:00Z`), 422, "SLOT_NOT_AVAILABLE");
  });

  it("is listed for everybody whom it concerns", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const [other, rival, client, foreign] = await Promise.all([
      register({ tenant_id: tenantId }),
      register({ tenant_id: tenantId, role: "supplier" }),
      registerClient(tenantId),
      openTestTenant(),
    ]);
    const [ours, theirs] = await Promise.all([listBookable(supplier), listBookable(rival)]);
    const [day, next] = [inDays(2), inDays(3)];
    await book(customer, ours, `${day}T09:00:00Z`, `${next}T09:00:00Z`);
    await book(other, theirs, `${day}T10:00:00Z`);
    const startsFor = async (as: Person, query = "") =>
      (await must("GET", `/api/bookings${query}`, { as })).bookings.map((one: Record_) =>
        new Date(one.starts_at).toISOString(),
      );
    const [a, b, c] = [`${day}T09`, `${day}T10`, `${next}T09`].map((at) => `${at}:00:00.000Z`);
    for (const as of [operator, client]) expect(await startsFor(as)).toEqual([a, b, c]);
    for (const as of [supplier, customer]) expect(await startsFor(as)).toEqual([a, c]);
    for (const as of [rival, other]) expect(await startsFor(as)).toEqual([b]);
    for (const as of [foreign.operator, foreign.supplier, foreign.customer]) {
      expect(await startsFor(as)).toEqual([]);
      expect((await supabaseAs(as).from("bookings").select("id").throwOnError()).data).toEqual([]);
    }
    expect(await startsFor(operator, `?product_id=${theirs.id}`)).toEqual([b]);
    expect(await startsFor(operator, `?from=${b}`)).toEqual([b, c]);
    expect(await startsFor(operator, `?from=${a}&to=${c}`)).toEqual([a, b]);
    expect(await startsFor(operator, "?order=desc&limit=1")).toEqual([c]);
    expectRefusal(
      await call("GET", "/api/bookings?from=today", { as: operator }),
      422,
      "VALIDATION_ERROR",
      { field: "from" },
    );
    const { error } = await supabaseAs(customer)
      .from("bookings")
      .update({ status: "cancelled" })
      .eq("tenant_id", tenantId);
    expect(error?.code).toBe("42501");
  });

  it("takes a place once, whoever writes", async () => {
    const { supplier, customer } = await openTestTenant();
    const product = await listBookable(supplier);
    const day = inDays(2);
    const { body: order } = await book(customer, product, `${day}T09:00:00Z`, `${day}T10:00:00Z`);
    const service = supabaseAsService().from("bookings");
    const { error } = await service
      .update({ starts_at: `${day}T09:30:00Z` })
      .eq("order_item_id", order.items[1].id);
    expect(error?.code).toBe("23P01");
  });
});

let seats = 0;

/** Moves the booking of an order to a seat of its own, so that it starts this many minutes from now. Slots have an hour. */
async function startIn(minutes: number, order: Record_): Promise<void> {
  const at = (minute: number) => new Date(Date.now() + minute * 60_000).toISOString();
  await supabaseAsService()
    .from("bookings")
    .update({ starts_at: at(minutes), ends_at: at(minutes + 60), seat: 100 + seats++ })
    .eq("order_id", order.id)
    .throwOnError();
}

/** Runs the delivery of slots that are over, until these orders have a status. The regular job may do it too. */
const deliverSlots = (order: Record_, as: Person, status = "delivered") =>
  eventually(async () => {
    await supabaseAsService().rpc("deliver_ended_bookings", { batch: 1000 }).throwOnError();
    const seen = await must("GET", `/api/orders/${order.id}`, { as });
    expect(seen.status).toBe(status);
    return seen;
  });

/** Every way in which a member can try to cancel an order of one item: the status or error code of each. */
async function waysToCancel(as: Person, order: Record_): Promise<Record<string, unknown>> {
  const path = `/api/orders/${order.id}`;
  const status = { status: "cancelled" };
  const items = [{ item_id: order.items[0].id, quantity: 1 }];
  const db = supabaseAs(as);
  const answers = {
    PATCH: await call("PATCH", `${path}/status`, { as, body: status }),
    PUT: await call("PUT", `${path}/status`, { as, body: status }),
    items: await call("POST", `${path}/cancellations`, { as, body: { items } }),
    everything: await call("POST", `${path}/cancellations`, { as, body: {} }),
  };
  const calls = {
    change_order_status: await db.rpc("change_order_status", { order_id: order.id, ...status }),
    cancel_order_items: await db.rpc("cancel_order_items", { order_id: order.id, items }),
  };
  return {
    ...Object.fromEntries(Object.entries(answers).map(([way, { status }]) => [way, status])),
    ...Object.fromEntries(
      Object.entries(calls).map(([way, { error }]) => [
        way,
        error ? Number(error.code.slice(2)) : 200,
      ]),
    ),
  };
}

const everyWay = (status: number) => ({
  PATCH: status,
  PUT: status,
  items: status,
  everything: status,
  change_order_status: status,
  cancel_order_items: status,
});

describe("a booked slot", () => {
  it("is cancelled by its customer until it starts, and by sellers until it is over", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const client = await registerClient(tenantId);
    const product = await listBookable(supplier, { capacity: 9 });
    const slot = `${inDays(2)}T09:00:00Z`;
    const { body: order } = await book(customer, product, slot);
    await startIn(-30, order);
    expect(await waysToCancel(customer, order)).toEqual(everyWay(403));
    const replacing = call("POST", "/api/orders", {
      as: customer,
      body: { ...booking(product, slot), replaces: order.id },
    });
    expectRefusal(await replacing, 422, "INVALID_TRANSITION", { field: "replaces" });
    // Suppliers cancel items, clients too, admins also the order.
    for (const seller of [supplier, client, operator]) {
      const { body: made } = await book(customer, product, slot);
      await startIn(-30, made);
      const path = `/api/orders/${made.id}/cancellations`;
      expect((await call("POST", path, { as: seller, body: {} })).status).toBe(201);
    }
    await move(operator, order, "cancelled");

    const { body: over } = await book(customer, product, slot);
    await startIn(-61, over);
    const { body: next } = await book(customer, product, slot);
    await startIn(1, next);
    const forbidden = { PATCH: 403, PUT: 403, change_order_status: 403 };
    expect(await waysToCancel(operator, over)).toEqual(everyWay(422));
    expect(await waysToCancel(supplier, over)).toEqual({ ...everyWay(422), ...forbidden });
    expect(await waysToCancel(client, over)).toEqual({ ...everyWay(422), ...forbidden });
    expect(await waysToCancel(customer, over)).toEqual(everyWay(422));
    expect((await deliverSlots(over, operator)).items[0].cancelled_quantity).toBe(0);
    expect(await waysToCancel(operator, over)).toEqual(everyWay(422));
    expect(await waysToCancel(customer, over)).toEqual(everyWay(422));
    // What is left out means all that can be cancelled.
    await move(customer, next, "cancelled");
  });

  it("can be cancelled by its customer until the service's cancellation_minutes before its start", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const product = await listBookable(supplier, { capacity: 9, cancellation_minutes: 120 });
    const slot = `${inDays(3)}T09:00:00Z`;
    const { body: order } = await book(customer, product, slot);
    const [{ cancellable_until }] = (await must("GET", "/api/bookings", { as: customer })).bookings;
    expect(new Date(cancellable_until).toISOString()).toBe(`${inDays(3)}T07:00:00.000Z`);
    // A booking keeps the time that it was made with.
    await setCalendar(supplier, product, { capacity: 9, cancellation_minutes: 0 });
    await startIn(119, order);
    expect(await waysToCancel(customer, order)).toEqual(everyWay(403));
    await startIn(125, order);
    await move(customer, order, "cancelled");
    const { body: later } = await book(customer, product, slot);
    await startIn(5, later);
    await move(customer, later, "cancelled");

    for (const cancellation_minutes of [-1, 525_601, 1.5, "2h"]) {
      expectRefusal(
        await setCalendar(operator, product, { cancellation_minutes }),
        422,
        "VALIDATION_ERROR",
        { field: "cancellation_minutes" },
      );
    }
    const { data } = await supabaseAs(operator)
      .rpc("set_service_calendar", {
        product_id: product.id,
        ...CALENDAR,
        cancellation_minutes: 90,
      })
      .throwOnError();
    expect(data).toMatchObject({ cancellation_minutes: 90 });
  });

  it("counts as delivered when it is over", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const rival = await register({ tenant_id: tenantId, role: "supplier" });
    const [product, theirs, lamp] = await Promise.all([
      listBookable(supplier),
      listBookable(rival),
      listProduct(supplier),
    ]);
    const at = (hour: string) => `${inDays(2)}T${hour}:00:00Z`;
    const { body: order } = await book(customer, product, at("09"));
    await must("POST", `/api/orders/${order.id}/payments`, {
      as: operator,
      body: { status: "paid", amount: order.total_amount, reference: "paid" },
    });
    await startIn(-90, order);
    const delivered = await deliverSlots(order, operator);
    expect(delivered).toMatchObject({
      items: [{ shipped_quantity: 1, delivered_quantity: 1 }],
      parts: [{ status: "delivered" }],
      history: [{ old_status: "pending", new_status: "delivered", actor_id: null }],
      refund_due: 0,
    });
    const { events } = await must("GET", "/api/events?name=order.completed", { as: operator });
    expect(events).toMatchObject([{ data: { order: { id: order.id } } }]);
    const [ended] = (await must("GET", `/api/bookings?order_id=${order.id}`, { as: customer }))
      .bookings;
    expect(ended).toMatchObject({ status: "booked", delivered_at: ended.ends_at });

    // Its return can be requested in the days after its end.
    const items = [{ item_id: order.items[0].id, quantity: 1 }];
    const ask = () =>
      call("POST", `/api/orders/${order.id}/return-requests`, { as: customer, body: { items } });
    const bookings = supabaseAsService().from("bookings");
    const ends = (days: number) =>
      bookings
        .update({ delivered_at: new Date(Date.now() - days * DAY).toISOString() })
        .eq("order_id", order.id)
        .throwOnError();
    await ends(15);
    expectRefusal(await ask(), 422, "VALIDATION_ERROR");
    await ends(13);
    expect((await ask()).status).toBe(201);
    expectRefusal(await ask(), 422, "VALIDATION_ERROR");

    // Of several items, each has its own time, and the status follows its part and the order.
    const mixed = await must("POST", "/api/orders", {
      as: customer,
      body: {
        ...orderFor(lamp),
        items: [
          ...booking(product, at("10")).items,
          ...booking(theirs, at("10")).items,
          ...orderFor(lamp).items,
        ],
      },
    });
    const service = supabaseAsService().from("bookings");
    const past = { starts_at: "2020-01-01T09:00:00Z", ends_at: "2020-01-01T10:00:00Z" };
    await service.update(past).eq("order_item_id", mixed.items[1].id).throwOnError();
    const begun = await deliverSlots(mixed, operator, "processing");
    expect(
      Object.fromEntries(begun.parts.map((part: Record_) => [part.supplier_id, part.status])),
    ).toEqual({ [theirs.supplier_id]: "delivered", [product.supplier_id]: "pending" });
    // The rest can be cancelled; then the order is complete.
    const rest = await call("POST", `/api/orders/${mixed.id}/cancellations`, {
      as: customer,
      body: {},
    });
    expect(rest.body).toMatchObject({ order_status: "delivered" });
  });

  it("that is over and not paid stays, unless the marketplace delivers only what is paid", async () => {
    const testTenant = await openTestTenant();
    const { operator, supplier, customer } = testTenant;
    const product = await listBookable(supplier, { capacity: 9 });
    const slot = `${inDays(2)}T09:00:00Z`;
    const [{ body: order }, { body: other }] = [
      await book(customer, product, slot),
      await book(customer, product, slot),
    ];
    await startIn(-90, order);
    await passDeadline(order);
    expect(await deliverSlots(order, operator)).toMatchObject({ payment_status: "pending" });

    await doBusiness(testTenant, { ship_unpaid: false });
    await startIn(-90, other);
    await supabaseAsService().rpc("deliver_ended_bookings", { batch: 1000 }).throwOnError();
    expect(await must("GET", `/api/orders/${other.id}`, { as: operator })).toMatchObject({
      status: "pending",
    });
    expect(await waysToCancel(customer, other)).toEqual(everyWay(403));
    await passDeadline(other);
    expect(await must("GET", `/api/orders/${other.id}`, { as: operator })).toMatchObject({
      status: "cancelled",
    });
  });
});

describe("under concurrency", () => {
  /** Counts the answers by status and error code. */
  /**
   * Sends an order. On a slow machine the last of many waits for its lock longer than the time limit of 2 s, and is told
   * to try again.
   */
  async function order(as: Person, body: object): Promise<Answer> {
    const answer = await call("POST", "/api/orders", { as, body });
    return answer.status === 409 ? order(as, body) : answer;
  }

  /** Number of deadlocks in the stack's database. */
  async function deadlocks(): Promise<number> {
    const [row] = await query<{ deadlocks: number }>(
      "select deadlocks::integer from pg_stat_database where datname = current_database()",
      [],
      ownStack,
    );
    return row?.deadlocks ?? Number.NaN;
  }

  function tally(answers: Answer[]): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { status, body } of answers) {
      const kind = body.error ? `${status} ${body.error.code}` : `${status}`;
      counts[kind] = (counts[kind] ?? 0) + 1;
    }
    return counts;
  }

  /** Customers without accounts, for whom the operator orders. */
  async function buyersOf(tenantId: string, count: number): Promise<string[]> {
    const { data } = await supabaseAsService()
      .from("customers")
      .insert(Array.from({ length: count }, () => ({ tenant_id: tenantId, name: randomUUID() })))
      .select("id")
      .throwOnError();
    return (data as { id: string }[]).map(({ id }) => id);
  }

  it("the last slot is booked by one of forty, and the last places of a class by as many as there are", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const [alone, lesson, buyers] = await Promise.all([
      listBookable(supplier),
      listBookable(supplier, { capacity: 7 }),
      buyersOf(tenantId, 40),
    ]);
    const day = inDays(2);
    const nine = `${day}T09:00:00Z`;
    for (const [product, places] of [
      [alone, 1],
      [lesson, 7],
    ] as const) {
      const answers = await Promise.all(
        buyers.map((customer_id) => order(operator, { ...booking(product, nine), customer_id })),
      );
      expect(tally(answers)).toEqual({ "201": places, "422 SLOT_NOT_AVAILABLE": 40 - places });
      const path = `/api/bookings?product_id=${product.id}`;
      const { bookings } = await must("GET", path, { as: operator });
      expect(bookings).toHaveLength(places);
      expect(new Set(bookings.map(({ seat }: Record_) => seat)).size).toBe(places);
      expect(await startsOf(customer, product, day)).toHaveLength(2);
    }
  });

  // A session that inserts bookings without the calendar's lock needs a separate connection.
  it.skipIf(!process.env.DATABASE_URL)(
    "a slot that is taken during the booking is refused like any other",
    async () => {
      const { operator, supplier, customer } = await openTestTenant();
      const product = await listBookable(supplier);
      const nine = `${inDays(2)}T09:00:00Z`;
      const { body: earlier } = await book(customer, product, nine);
      await move(operator, earlier, "cancelled");
      const other = new Client({ connectionString: ownStack.db_url as string });
      await other.connect();
      try {
        await other.query("begin");
        await other.query("update public.bookings set status = 'booked' where order_id = $1", [
          earlier.id,
        ]);
        const late = book(customer, product, nine);
        // It has found the slot free, and waits for the other transaction.
        await eventually(async () => {
          const { rows } = await other.query(
            "select pid from pg_stat_activity where pg_backend_pid() = any (pg_blocking_pids(pid))",
          );
          expect(rows).toHaveLength(1);
        });
        await other.query("commit");
        expectRefusal(await late, 422, "SLOT_NOT_AVAILABLE", { field: "items[0].starts_at" });
      } finally {
        await other.end();
      }
    },
  );

  it("orders of two services in opposite order do not deadlock", async () => {
    const before = await deadlocks();
    const { operator, supplier, tenantId } = await openTestTenant();
    const [a, b, buyers] = await Promise.all([
      listBookable(supplier, { capacity: 10 }),
      listBookable(supplier, { capacity: 12 }),
      buyersOf(tenantId, 30),
    ]);
    const nine = `${inDays(2)}T09:00:00Z`;
    const items = [booking(a, nine), booking(b, nine)].flatMap((order) => order.items);
    const answers = await Promise.all(
      buyers.map((customer_id, i) =>
        order(operator, {
          ...booking(a, nine),
          ...{ customer_id, items: i % 2 ? items : items.toReversed() },
        }),
      ),
    );
    expect(tally(answers)).toEqual({ "201": 10, "422 SLOT_NOT_AVAILABLE": 20 });
    // With concurrent cancellations and bookings the capacity is never exceeded.
    const placed = answers.filter(({ status }) => status === 201).map(({ body }) => body);
    const moves = await Promise.all([
      ...placed.slice(0, 5).map((order) =>
        call("PATCH", `/api/orders/${order.id}/status`, {
          as: operator,
          body: { status: "cancelled" },
        }),
      ),
      ...buyers
        .slice(0, 10)
        .map((customer_id) => order(operator, { ...booking(a, nine), customer_id })),
    ]);
    const counts = tally(moves);
    expect(counts["200"]).toBe(5);
    const more = counts["201"] ?? 0;
    expect(more).toBeLessThanOrEqual(5);
    expect(counts["422 SLOT_NOT_AVAILABLE"]).toBe(10 - more);
    const booked = await must("GET", `/api/bookings?status=booked&product_id=${a.id}`, {
      as: operator,
    });
    expect(booked.total).toBe(5 + more);
    expect(await deadlocks()).toBe(before);
  });
});
