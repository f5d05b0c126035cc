import { z } from "@hono/zod-openapi";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { eventName } from "../../supabase/functions/_shared/events/schema.ts";
import { eventTypes, exampleOf } from "../../supabase/functions/api/event_types.ts";
import { query } from "../database.js";
import { eventually } from "../eventually.js";
import { moved, pay, placed, takeBack } from "../orders/ordering.js";
import { cancelItems, changeShipment, ship } from "../orders/shipping.js";
import { ownStack } from "../own-stack.js";
import {
  call,
  expectRefusal,
  listProduct,
  must,
  openTestTenant,
  type Person,
  register,
  registerClient,
  supabaseAs,
  supabaseAsService,
} from "../souk.js";

// biome-ignore lint/suspicious/noExplicitAny: bodies as the API answers them.
type Body = any;

/** A tenant with one member, who has registered and is verified. */
const openTenant = () => register({ tenant_name: "Oasis" });

const typeOf = (name: string) => eventTypes.find((type) => type.name === name);

function list(as: Person, filters: Record<string, string | number> = {}) {
  const query = new URLSearchParams(
    Object.entries(filters).map(([key, value]) => [key, `${value}`]),
  );
  return call("GET", `/api/events?${query}`, { as });
}

/** Reads all events after a cursor, page by page. On Postgres it waits for other open transactions. */
async function readOn(as: Person, enough: (events: Body[]) => boolean, after?: string) {
  const events: Body[] = [];
  let next = after;
  await eventually(async () => {
    for (let more = true; more; ) {
      const { body } = await list(as, { limit: 1000, ...(next && { after: next }) });
      events.push(...body.events);
      ({ next, more } = body);
    }
    expect(enough(events), JSON.stringify(events.map(({ event }) => event))).toBe(true);
  });
  return { events, next: next as string };
}

/** Writes an event of a tenant as triggers do. */
const EMIT = "select private.emit($1, 'user.verified', jsonb_build_object('mark', $2::text))";
const markOf = ({ data }: Body) => data.mark;
const marked = (events: Body[]) => events.map(markOf).filter(Boolean);

async function emit(tenantId: string, ...marks: string[]): Promise<void> {
  for (const mark of marks) await query(EMIT, [tenantId, mark]);
}

describe("the types of events", () => {
  it("are the same in the database and in the schema", async () => {
    const rows = await query<{ name: string }>("select name from private.event_types");
    expect(rows.map(({ name }) => name).toSorted()).toEqual(eventName.options);
    expect(eventTypes.map(({ name }) => name).toSorted()).toEqual(eventName.options);
  });

  it("are listed for every member, with an example that matches the schema", async () => {
    const { tenantId } = await openTenant();
    const customer = await register({ tenant_id: tenantId });
    const { event_types } = await must("GET", "/api/event-types", { as: customer });
    expect(event_types.map(({ name }: Body) => name).toSorted()).toEqual(eventName.options);
    for (const { name, description, example, schema } of event_types) {
      expect(description).toMatch(/^[A-Z].+\.$/);
      expect(example).toEqual(exampleOf(name));
      const read = z.fromJSONSchema(schema);
      expect(read.safeParse(example).error).toBeUndefined();
      expect(read.safeParse({ ...example, a_field_to_come: 1 }).success).toBe(true);
      expect(read.safeParse({ ...example, data: {} }).success, name).toBe(false);
      expect(read.safeParse({ ...example, event: "another" }).success).toBe(false);
    }
    expect((await call("GET", "/api/event-types")).status).toBe(401);
  });

  it.each(eventName.options)("have a complete example without extra fields: %s", (name) => {
    expect(typeOf(name)?.schema.parse(exampleOf(name))).toEqual(exampleOf(name));
  });
});

describe("an event", () => {
  it("contains exactly the fields of its schema", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const product = await listProduct(supplier, {
      inventory: { quantity: 0 },
      images: [{ url: "https://images.example.com/1.jpg" }],
      attributes: [{ name: "brand", value: "Souk" }],
      physical: { weight_grams: 50 },
      variants: ["red", "yellow"].map((name) => ({ name, inventory: { quantity: 5 } })),
    });
    const variant_id = product.variants[0].id;
    const items = [{ product_id: product.id, variant_id, quantity: 2, price: 12.5 }];
    const [kept, dropped] = await Promise.all(
      [1, 2].map(() => placed(customer, product, 1, { items })),
    );
    await pay(operator, kept, "failed");
    await pay(operator, kept);
    await must("POST", `/api/orders/${kept.id}/notes`, {
      as: operator,
      body: { text: "Wrap it well." },
    });
    for (const status of ["confirmed", "processing", "shipped", "delivered"]) {
      await moved(operator, kept, status);
    }
    await takeBack(operator, kept, [{ item_id: kept.items[0].id, quantity: 1 }], "Torn");
    await pay(operator, kept, "refunded", { amount: 12.5 });
    const undo = { amount: undefined };
    await pay(operator, kept, "refund_failed", { ...undo, reference: "refunded-1" });
    await pay(operator, kept, "payment_reversed", { ...undo, reference: "paid-1" });
    await moved(customer, dropped, "cancelled");
    const parted = await placed(customer, product, 1, { items });
    await cancelItems(supplier, parted, [{ item_id: parted.items[0].id, quantity: 1 }]);
    await changeShipment(supplier, (await ship(supplier, parted)).body, { status: "lost" });
    const sent = await placed(customer, product, 1, { items });
    await moved(operator, sent, "delivered");
    const requests = `/api/orders/${sent.id}/return-requests`;
    const one = { items: [{ item_id: sent.items[0].id, quantity: 1 }] };
    const [rejected, received] = await Promise.all(
      [1, 2].map(() => must("POST", requests, { as: customer, body: one })),
    );
    await must("POST", `${requests}/${rejected.id}/reject`, { as: supplier, body: {} });
    for (const answer of ["approve", "receive"]) {
      await must("POST", `${requests}/${received.id}/${answer}`, { as: supplier, body: {} });
    }
    await must("PUT", `/api/products/${product.id}`, { as: supplier, body: { price: 13 } });
    const last = await listProduct(supplier, { inventory: { quantity: 1 } });
    await placed(customer, last);
    const { id: discount } = await must("POST", "/api/discounts", {
      as: operator,
      body: { kind: "percentage", value: 10, marketplace_id: product.marketplace_id },
    });
    const paused = { as: operator, body: { status: "paused" } };
    await must("PATCH", `/api/discounts/${discount}`, paused);
    await must("DELETE", `/api/discounts/${discount}`, { as: operator });
    const { supplier_id } = product;
    const payOut = async (...moves: object[]) => {
      const owed = { amount: 1000, currency: "EUR", reason: "A prize" };
      await must("POST", `/api/suppliers/${supplier_id}/adjustments`, { as: operator, body: owed });
      const { payouts } = await must("POST", "/api/payouts", {
        as: operator,
        body: { supplier_id },
      });
      for (const body of moves)
        await must("PATCH", `/api/payouts/${payouts[0].id}`, { as: operator, body });
    };
    await payOut({ status: "failed", reason: "Closed" });
    const settled = { status: "paid", reference: "Transfer 1" };
    await payOut(settled, { status: "reversed", reason: "It came back" });

    const webhook = await must("POST", "/api/webhooks", {
      as: operator,
      body: {
        url: "https://shop.example.com/hooks",
        events: ["order.created"],
        filter: { marketplace_ids: [product.marketplace_id], statuses: ["pending"] },
        headers: { Authorization: "Bearer a-secret" },
        secret: "another secret of it",
      },
    });
    await query(
      "update public.webhooks set failing_since = now() - interval '7 hours' where id = $1",
      [webhook.id],
    );
    await query("select private.record_failures($1, 10)", [webhook.id]);
    await query("select private.switch_webhook_off($1, 'gone')", [webhook.id]);
    await query("delete from private.sales where tenant_id = $1", [operator.tenantId]);
    await query("select private.compare_sales($1)", [operator.tenantId]);
    await query(`
      begin;
      set local session_replication_role = replica;
      delete from public.ledger_lines where tenant_id = '${operator.tenantId}' and kind = 'sale';
      commit`);
    await query("select private.compare_ledger_of($1)", [operator.tenantId]);

    const pages = "/api/content/static_pages";
    const [page, draft] = await Promise.all(
      ["About us", "Nothing yet"].map((title) =>
        must("POST", pages, { as: operator, body: { title: { en: title } } }),
      ),
    );
    for (const move of ["submit", "approve", "publish"]) {
      await must("POST", `${pages}/${page.id}/${move}`, { as: operator, body: {} });
    }
    await must("DELETE", `${pages}/${draft.id}`, { as: operator });

    const { events } = await readOn(operator, (events) =>
      eventName.options.every((name) => events.some(({ event }) => event === name)),
    );
    for (const body of events) {
      expect(typeOf(body.event)?.schema.parse(body)).toEqual(body);
    }
    expect(new Set(events.map(({ event }) => event))).toEqual(new Set(eventName.options));
    expect(JSON.stringify(events)).not.toContain("secret");

    const { data: rows } = await supabaseAs(operator)
      .from("events")
      .select("id, name, payload, marketplace_id, status, created_at")
      .throwOnError();
    for (const row of rows as Body[]) {
      expect(row.payload).toMatchObject({ id: row.id, event: row.name });
      // The timestamp is that of the transaction, and the subject is the record that the event is about.
      expect(row.payload.timestamp).toBe(new Date(row.created_at).toISOString());
      const [subject] = row.name.split(".");
      const isWithoutStatus = ["user", "webhook"].includes(subject);
      const isOfMarketplace = !["user", "webhook", "payout", "ledger"].includes(subject);
      expect([row.marketplace_id, row.status], row.name).toEqual([
        isOfMarketplace ? product.marketplace_id : null,
        isWithoutStatus
          ? null
          : (row.payload.new_status ?? row.payload.data[subject]?.status ?? null),
      ]);
    }
    expect(new Set(rows?.map(({ id }) => id)).size).toBe(rows?.length);
    expect(events).toHaveLength(rows?.length as number);
  });

  it("does not change when its record changes or is deleted", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const order = await placed(customer, await listProduct(supplier));
    const isOf = ({ event }: Body) => event === "order.created";
    const before = (await readOn(operator, (events) => events.some(isOf))).events;
    await moved(operator, order, "confirmed");
    await pay(operator, order);
    await supabaseAsService().from("orders").update({ number: 77 }).eq("id", order.id);
    const { events } = await readOn(operator, (events) =>
      events.some(({ event }) => event === "payment.succeeded"),
    );
    expect(events.slice(0, before.length)).toEqual(before);
    expect(events.find(isOf).data.order).toMatchObject({ status: "pending", number: 1 });
  });

  it("cannot be changed, deleted or created by anybody", async () => {
    const operator = await openTenant();
    const { tenantId } = operator;
    for (const db of [supabaseAs(operator), supabaseAsService()]) {
      const events = () => db.from("events");
      const row = { tenant_id: tenantId, name: "user.verified", payload: {} };
      for (const { error } of [
        await events().update({ payload: {} }).eq("tenant_id", tenantId),
        await events().delete().eq("tenant_id", tenantId),
        await events().insert(row),
      ]) {
        expect(error?.code).toBe("42501");
      }
    }
  });

  it("does not exist if its transaction was rolled back", async () => {
    const operator = await openTenant();
    const { tenantId } = operator;
    await query(
      `begin; select private.emit('${tenantId}', 'user.verified', '{"mark": "a"}'); rollback`,
    );
    await emit(tenantId, "b");
    const { events } = await readOn(operator, (events) => marked(events).includes("b"));
    expect(marked(events)).toEqual(["b"]);
  });
});

describe("an event that is too large", () => {
  /** 600 kB in two hundred texts, which is their maximum number. */
  const attributes = Array.from({ length: 200 }, (_, n) => ({
    name: `${n}`,
    value: "é".repeat(1500),
  }));

  it("contains only the short fields of its records, and is marked as truncated", async () => {
    const { operator, supplier } = await openTestTenant();
    const description = "A description of more than two hundred characters. ".repeat(5);
    const product = await listProduct(supplier, { description });
    await supabaseAs(supplier)
      .from("products")
      .update({ attributes })
      .eq("id", product.id)
      .throwOnError();
    const { events } = await readOn(operator, (events) =>
      events.some(({ event }) => event === "product.updated"),
    );
    const [whole, short] = ["product.created", "product.updated"].map((name) =>
      events.find(({ event }) => event === name),
    );
    expect(whole.truncated).toBeUndefined();
    expect(typeOf("product.updated")?.schema.parse(short)).toEqual(short);
    const { id, tenant_id, name, price, status } = product;
    expect(short).toMatchObject({
      truncated: true,
      data: { product: { id, tenant_id, name, price, status, category_id: null } },
    });
    for (const field of ["attributes", "images", "variants", "inventory", "description"])
      expect(short.data.product).not.toHaveProperty(field);
    const { data: rows } = await supabaseAs(operator)
      .from("events")
      .select("id, payload, bytes")
      .throwOnError();
    for (const { payload, bytes } of rows as Body[]) {
      expect(bytes).toBeLessThan(10_000);
      expect(bytes).toBeGreaterThanOrEqual(JSON.stringify(payload).length);
    }
  });

  it("keeps the fields outside its data", async () => {
    const operator = await openTenant();
    const beside = { order_id: operator.id, old_status: "pending", new_status: "shipped" };
    await query("select private.emit($1, 'order.status_changed', $2, $3)", [
      operator.tenantId,
      {
        order: { id: operator.id, status: "shipped", total: 12.5, items: ["x".repeat(600_000)] },
        notes: ["x"],
        mark: "short",
        text: "x".repeat(201),
      },
      beside,
    ]);
    const { events } = await readOn(operator, (events) => marked(events).length > 0);
    expect(events.at(-1)).toEqual({
      id: expect.any(String),
      event: "order.status_changed",
      timestamp: expect.any(String),
      truncated: true,
      ...beside,
      data: { order: { id: operator.id, status: "shipped", total: 12.5 }, mark: "short" },
    });
  });
});

describe("the list of events", () => {
  it("ends a page before 8 MB, and continues on the next", async () => {
    const operator = await openTenant();
    const { next: begin } = await readOn(operator, (events) => events.length === 2);
    await query(
      `select private.emit($1, 'user.verified', jsonb_build_object('mark', n::text, 'text', repeat('x', 500000)))
       from generate_series(1, 20) as n`,
      [operator.tenantId],
    );
    // An event larger than a page, from before events had a limit, has a page of its own.
    await query(
      `insert into public.events (tenant_id, name, payload)
       values ($1, 'user.verified', jsonb_build_object(
         'event', 'user.verified', 'timestamp', '', 'data', jsonb_build_object('mark', 'large', 'text', repeat('x', 9000000))
       ))`,
      [operator.tenantId],
    );
    await emit(operator.tenantId, "last");
    await readOn(operator, (events) => marked(events).includes("last"), begin);
    const pages: Body[] = [];
    for (let after = begin; pages.at(-1)?.more !== false; after = pages.at(-1).next) {
      pages.push((await list(operator, { after, limit: 1000 })).body);
    }
    expect(pages.map(({ events }) => events.length)).toEqual([16, 4, 1, 1]);
    expect(pages.flatMap(({ events }) => marked(events))).toEqual([
      ...Array.from({ length: 20 }, (_, n) => `${n + 1}`),
      "large",
      "last",
    ]);
  });

  it("can be read page by page, oldest first, and continued later", async () => {
    const operator = await openTenant();
    const { tenantId } = operator;
    const marks = Array.from({ length: 7 }, (_, i) => `${i}`);
    const { next: begin } = await readOn(operator, (events) => events.length === 2);
    await emit(tenantId, ...marks);
    const { events: all, next: end } = await readOn(
      operator,
      (events) => events.length === 7,
      begin,
    );
    expect(marked(all)).toEqual(marks);

    const pages: Body[] = [];
    for (let after = begin; pages.at(-1)?.more !== false; after = pages.at(-1).next) {
      pages.push((await list(operator, { after, limit: 3 })).body);
    }
    expect(pages.map(({ events }) => marked(events))).toEqual([
      ["0", "1", "2"],
      ["3", "4", "5"],
      ["6"],
    ]);
    expect(pages.map(({ more }) => more)).toEqual([true, true, false]);
    // A page that is exactly full does not show whether it is the last.
    const { body: full } = await list(operator, { after: begin, limit: 7 });
    expect(full.more).toBe(true);
    const { body: empty } = await list(operator, { after: full.next });
    expect(empty).toMatchObject({ events: [], more: false });

    for (const after of [end, pages.at(-1).next, full.next, empty.next]) {
      expect((await list(operator, { after })).body).toMatchObject({ events: [], more: false });
    }
    await emit(tenantId, "later");
    for (const after of [end, pages.at(-1).next, full.next, empty.next]) {
      const { events } = await readOn(operator, (events) => events.length > 0, after);
      expect(marked(events)).toEqual(["later"]);
    }
  });

  it("can be filtered by name and by time", async () => {
    const { operator, supplier, tenantId } = await openTestTenant();
    await listProduct(supplier);
    await emit(tenantId, "last");
    const { events } = await readOn(operator, (events) => marked(events).length > 0);
    const { body: named } = await list(operator, { name: "product.created" });
    expect(named.events).toEqual(events.filter(({ event }) => event === "product.created"));
    expect(named.events).toHaveLength(1);
    const { body: none } = await list(operator, { name: "order.created" });
    expect(none).toEqual({ events: [], next: expect.any(String), more: false });

    const since = events.at(-1).timestamp;
    const { body: late } = await list(operator, { since });
    expect(late.events).toEqual(events.filter(({ timestamp }) => timestamp >= since));
    const { body: never } = await list(operator, { since: "2100-01-01T00:00:00+01:00" });
    expect(never.events).toEqual([]);
  });

  it("finds a rare name after several empty pages", async () => {
    const operator = await openTenant();
    const { next } = await readOn(operator, (events) => events.length === 2);
    // All events are of one transaction and time, so only their ids show where a page ends.
    await query(
      `insert into public.events (tenant_id, name, payload, created_at)
       select $1, 'product.updated', '{"event": "product.updated", "timestamp": "", "data": {}}', now()
       from generate_series(1, 10001)`,
      [operator.tenantId],
    );
    await emit(operator.tenantId, "rare");
    await readOn(operator, (events) => marked(events).includes("rare"), next);
    const pages: Body[] = [];
    for (let after = next; pages.at(-1)?.more !== false; after = pages.at(-1).next) {
      pages.push((await list(operator, { after, name: "user.verified" })).body);
    }
    expect(pages.map(({ events }) => marked(events))).toEqual([[], ["rare"]]);
    const { body: full } = await list(operator, {
      after: next,
      name: "product.updated",
      limit: 1000,
    });
    expect([full.events.length, full.more]).toEqual([1000, true]);
  });

  it("is empty at first, and has a cursor to start from", async () => {
    const operator = await openTenant();
    const { body } = await list(operator, { name: "order.created", limit: 5000 });
    expect(body).toEqual({ events: [], next: expect.any(String), more: false });
  });

  it("refuses an invalid cursor", async () => {
    const operator = await openTenant();
    const far = `${10n ** 17n}`;
    const none = "00000000-0000-0000-0000-000000000000";
    for (const after of [
      "0",
      "-1",
      "x",
      "1.2",
      far,
      `${far}.1.${none}`,
      "1.1.nothing",
      "1' or 1",
    ]) {
      expectRefusal(await list(operator, { after }), 422, "VALIDATION_ERROR", { field: "after" });
    }
    for (const [field, value] of [
      ["name", "order.eaten"],
      ["limit", 0],
      ["limit", "many"],
      ["since", "yesterday"],
    ] as const) {
      expectRefusal(await list(operator, { [field]: value }), 422, "VALIDATION_ERROR", { field });
    }
    // The oldest and longest possible cursor.
    expect((await list(operator, { after: `1.-${far.slice(1)}.${none}` })).status).toBe(200);
  });

  it("is readable by admins and clients of the tenant", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const client = await registerClient(tenantId);
    const stranger = await openTenant();
    await emit(tenantId, "ours");
    const mine = await readOn(operator, (events) => marked(events).length > 0);
    expect((await readOn(client, (events) => marked(events).length > 0)).events).toEqual(
      mine.events,
    );
    for (const person of [supplier, customer]) {
      expectRefusal(await list(person), 403, "FORBIDDEN");
      expect((await supabaseAs(person).rpc("list_events")).error?.message).toBe("FORBIDDEN");
      expect((await supabaseAs(person).from("events").select()).data).toEqual([]);
    }
    const { body: theirs } = await list(stranger, { after: mine.next });
    expect(theirs.events).toEqual([]);
    const { events } = await readOn(stranger, (events) => events.length > 0);
    expect(events.map(({ data }) => data.user.id)).toEqual(events.map(() => stranger.id));
    expect((await call("GET", "/api/events")).status).toBe(401);
    expect((await supabaseAs().rpc("list_events")).status).toBe(401);
  });

  // PGlite has one transaction at a time.
  describe.skipIf(!process.env.DATABASE_URL)("with concurrent transactions", () => {
    it("skips no event that commits late", async () => {
      const operator = await openTenant();
      const { tenantId } = operator;
      await emit(tenantId, "before");
      const { next } = await readOn(operator, (events) => marked(events).length > 0);
      const [slow, quick] = await Promise.all([connect(), connect()]);
      try {
        await slow.query("begin");
        await slow.query(EMIT, [tenantId, "slow"]);
        await quick.query(EMIT, [tenantId, "quick"]);
        // The event is committed and visible, but not listed before the older transaction has ended.
        const { count } = await supabaseAs(operator)
          .from("events")
          .select("*", { count: "exact", head: true })
          .eq("payload->data->>mark", "quick");
        expect(count).toBe(1);
        const { body: held } = await list(operator, { after: next });
        expect(held).toMatchObject({ events: [], more: false });

        await slow.query(EMIT, [tenantId, "slower"]);
        await slow.query("commit");
        for (const after of [next, held.next]) {
          const { events } = await readOn(operator, (events) => events.length >= 3, after);
          expect(marked(events)).toEqual(["slow", "slower", "quick"]);
        }
      } finally {
        await Promise.all([slow.end(), quick.end()]);
      }
    });

    it("does not wait for a transaction that was rolled back", async () => {
      const operator = await openTenant();
      const { tenantId } = operator;
      const { next } = await readOn(operator, (events) => events.length === 2);
      const [slow, quick] = await Promise.all([connect(), connect()]);
      try {
        await slow.query("begin");
        await slow.query(EMIT, [tenantId, "slow"]);
        await quick.query(EMIT, [tenantId, "quick"]);
        expect((await list(operator, { after: next })).body.events).toEqual([]);
        await slow.query("rollback");
        const { events } = await readOn(operator, (events) => events.length > 0, next);
        expect(marked(events)).toEqual(["quick"]);
      } finally {
        await Promise.all([slow.end(), quick.end()]);
      }
    });
  });
});

describe("the events of a day", () => {
  const make = () => query("select private.make_event_partitions()");
  const forget = () => query("select private.delete_old_events()");
  /** The day this many days ago, or the last one before it without a partition, as `YYYYMMDD`. */
  async function dayWithout(daysAgo: number): Promise<string> {
    const [found] = await query<{ day: string }>(
      `select to_char(d, 'YYYYMMDD') as day
       from generate_series((now() at time zone 'utc')::date - $1::integer, '2000-01-01', interval '-1 day') as d
       where to_regclass('private.events_' || to_char(d, 'YYYYMMDD')) is null limit 1`,
      [daysAgo],
    );
    return (found as { day: string }).day;
  }

  /** Writes an event at noon of a day. */
  async function writeOn(day: string, tenantId: string): Promise<string> {
    const [row] = await query<{ id: string }>(
      `insert into public.events (tenant_id, name, payload, created_at)
       values ($1, 'user.verified', '{"event": "user.verified", "timestamp": "", "data": {}}',
         ($2 || ' 12:00+00')::timestamptz)
       returning id`,
      [tenantId, day],
    );
    return (row as { id: string }).id;
  }

  /** The partitions of a tenant's events, by the events' ids. */
  async function placesOf(tenantId: string): Promise<Record<string, string>> {
    const rows = await query<{ id: string; place: string }>(
      "select id, tableoid::regclass::text as place from public.events where tenant_id = $1",
      [tenantId],
    );
    return Object.fromEntries(rows.map(({ id, place }) => [id, place]));
  }

  const deliveriesTo = async ({ id }: { id: string }) =>
    (await query("select event_id from public.webhook_deliveries where webhook_id = $1", [id])).map(
      ({ event_id }) => event_id,
    );

  const listen = (as: Person) =>
    must("POST", "/api/webhooks", {
      as,
      body: { url: "https://shop.example.com/hooks", events: ["user.verified"] },
    });

  it("have a partition, made a week ahead, which is only accessible through the parent table", async () => {
    const partitions = () =>
      query<{ name: string; secured: boolean; reach: string[] }>(
        `select c.relname as name, c.relrowsecurity as secured, array(
           select r.rolname || ' ' || p.privilege
           from pg_roles r
           cross join unnest('{select, insert, update, delete, truncate}'::text[]) as p (privilege)
           where r.rolname in ('anon', 'authenticated', 'service_role')
             and has_table_privilege(r.oid, c.oid, p.privilege)
         )::text[] as reach
         from pg_inherits i join pg_class c on c.oid = i.inhrelid
         where i.inhparent = 'public.events'::regclass`,
      );
    const days = Array.from({ length: 8 }, (_, ahead) =>
      new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10).replaceAll("-", ""),
    );
    const names = ["events_default", ...days.map((day) => `events_${day}`)];
    const named = async () => (await partitions()).map(({ name }) => name);
    // A new last partition is made each day, within the day's first hour.
    expect(await named()).toEqual(expect.arrayContaining(names.slice(0, -1)));
    await eventually(make);
    expect(await named()).toEqual(expect.arrayContaining(names));
    for (const { secured, reach } of await partitions())
      expect([secured, reach]).toEqual([true, []]);

    const operator = await openTenant();
    const { tenantId } = operator;
    const places = Object.values(await placesOf(tenantId));
    expect(places.length).toBeGreaterThan(0);
    for (const place of places) expect(place).toMatch(/^private\.events_\d{8}$/);
    const { error } = await supabaseAs(operator).from(`events_${days[0]}`).select();
    expect(error?.code).toBe("PGRST205");
  });

  it("without a partition are stored, moved to their partition later, and delivered once", async () => {
    const operator = await openTenant();
    const { tenantId } = operator;
    const webhook = await listen(operator);
    const day = await dayWithout(3);
    const id = await writeOn(day, tenantId);
    expect((await placesOf(tenantId))[id]).toBe("private.events_default");
    expect(await deliveriesTo(webhook)).toEqual([id]);
    const isIt = (event: Body) => event.id === id;
    const { next } = await readOn(operator, (events) => events.some(isIt));

    await eventually(make);
    expect((await placesOf(tenantId))[id]).toBe(`private.events_${day}`);
    expect(await deliveriesTo(webhook)).toEqual([id]);
    expect((await readOn(operator, () => true, next)).events).toEqual([]);
    expect((await readOn(operator, () => true)).events.filter(isIt)).toHaveLength(1);
    const { data } = await supabaseAs(operator).from("events").select("id").eq("id", id);
    expect(data).toEqual([{ id }]);
    await eventually(make);
  });

  it("are deleted after the retention time, their deliveries first", async () => {
    const service = supabaseAsService();
    const keep = (time: string) => service.rpc("set_event_retention", { keep: time });
    const operator = await openTenant();
    const { tenantId } = operator;
    const webhook = await listen(operator);
    const [old, recent] = [await dayWithout(35), await dayWithout(20)];
    const [gone, kept] = [await writeOn(old, tenantId), await writeOn(recent, tenantId)];
    await eventually(make);
    const astray = await writeOn(await dayWithout(33), tenantId);
    const idsOf = async () => Object.keys(await placesOf(tenantId));
    try {
      await keep("45 days").throwOnError();
      await eventually(forget);
      expect(await idsOf()).toEqual(expect.arrayContaining([gone, kept, astray]));
    } finally {
      await keep("30 days").throwOnError();
    }
    await eventually(forget);
    expect(await idsOf()).toEqual(expect.arrayContaining([kept]));
    expect(await idsOf()).not.toEqual(expect.arrayContaining([gone]));
    expect(await idsOf()).not.toEqual(expect.arrayContaining([astray]));
    expect(await deliveriesTo(webhook)).toEqual([kept]);
    expect(await query("select to_regclass($1)", [`private.events_${old}`])).toEqual([
      { to_regclass: null },
    ]);
    // Today's events are still there.
    expect(await idsOf()).toHaveLength(3);
  });

  it("are kept for the time that the operator sets, at least a day", async () => {
    const operator = await openTenant();
    const refused = await supabaseAsService().rpc("set_event_retention", { keep: "23 hours" });
    expect(refused.error).toMatchObject({ code: "23514" });
    const { error } = await supabaseAs(operator).rpc("set_event_retention", { keep: "90 days" });
    expect(error?.code).toBe("42501");
    expect(await query("select keep::text from private.event_retention")).toEqual([
      { keep: "30 days" },
    ]);
  });

  it.skipIf(!process.env.DATABASE_URL)(
    "get their partition when nobody writes, or later",
    async () => {
      const { tenantId } = await openTenant();
      const id = await writeOn(await dayWithout(6), tenantId);
      const writer = await connect();
      try {
        await writer.query("begin");
        await writer.query(EMIT, [tenantId, "open"]);
        await expect(make()).rejects.toMatchObject({ code: "55P03" });
        expect((await placesOf(tenantId))[id]).toBe("private.events_default");
        await writer.query("commit");
      } finally {
        await writer.end();
      }
      await eventually(make);
      expect((await placesOf(tenantId))[id]).toMatch(/^private\.events_\d{8}$/);
    },
  );
});

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: ownStack.db_url as string });
  await client.connect();
  return client;
}
