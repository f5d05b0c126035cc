import { randomUUID } from "node:crypto";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventName } from "../../supabase/functions/_shared/events/schema.ts";
import { eventStatus } from "../../supabase/functions/_shared/webhooks/schema.ts";
import { runJob } from "../clock.js";
import { query } from "../database.js";
import { eventually } from "../eventually.js";
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
import { arrived, hexHmac, listen, logs, move, place, receiver, SECRET } from "./receiving.js";

/** The required fields of a webhook. */
const MINIMAL = { url: "https://shop.example.com/hooks", events: ["order.created"] };

describe("registering a webhook", () => {
  it("returns the whole webhook, with its secret once", async () => {
    const { operator, marketplace } = await openTestTenant();
    const fields = {
      url: "https://shop.example.com/hooks?of=souk",
      events: ["order.cancelled", "order.created"],
      description: "The shop's own orders",
      filter: { marketplace_ids: [marketplace.id], statuses: ["pending", "cancelled"] },
      active: false,
    };
    const headers = { "X-Shop": "42", Authorization: "Bearer of the shop" };
    const made = await call("POST", "/api/webhooks", {
      as: operator,
      body: { ...fields, headers, secret: SECRET },
    });
    expect(made.status).toBe(201);
    expect(made.headers.get("location")).toBe(`/functions/v1/api/webhooks/${made.body.id}`);
    const { secret, ...shown } = made.body;
    expect(secret).toBe(SECRET);
    expect(shown).toEqual({
      ...fields,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      tenant_id: operator.tenantId,
      header_names: ["Authorization", "X-Shop"],
      disabled_reason: null,
      failing_since: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const path = `/api/webhooks/${shown.id}`;
    const page = { total: 1, page: 1, limit: 100 };
    expect(await must("GET", path, { as: operator })).toEqual(shown);
    expect(await must("GET", "/api/webhooks", { as: operator })).toEqual({
      webhooks: [shown],
      ...page,
    });
    expect(await must("GET", `${path}/logs`, { as: operator })).toEqual({
      logs: [],
      ...page,
      total: 0,
    });
  });

  it("needs a URL and events, and has defaults for the rest", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const made = await must("POST", "/api/webhooks", { as: operator, body: MINIMAL });
    expect(made).toMatchObject({
      description: "",
      filter: null,
      header_names: [],
      active: true,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{32,}=*$/),
    });
    const other = await must("POST", "/api/webhooks", { as: operator, body: MINIMAL });
    expect(other.secret).not.toBe(made.secret);
  });

  it("is possible by inserting into the table", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const there = await receiver();
    const { data: webhook } = await supabaseAs(operator)
      .from("webhooks")
      .insert({ url: there.url, events: ["order.created"], secret: SECRET, description: "Mine" })
      .select()
      .single()
      .throwOnError();
    expect(webhook).toMatchObject({
      tenant_id: tenantId,
      description: "Mine",
      active: true,
      secret: null,
    });
    await place(customer, await listProduct(supplier));
    const [first] = await arrived(there, 1);
    expect(first?.headers["x-webhook-signature"]).toBe(
      `sha256=${hexHmac(SECRET, first?.raw ?? "")}`,
    );
  });

  it("accepts every event and every status", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const body = {
      ...MINIMAL,
      events: eventName.options,
      filter: { marketplace_ids: null, statuses: eventStatus.options },
    };
    const made = await must("POST", "/api/webhooks", { as: operator, body });
    expect(made.events).toEqual(eventName.options.toSorted());
    expect(made.filter).toEqual(body.filter);
    const known = await query<{ name: string }>("select name from private.event_statuses");
    expect(new Set(known.map(({ name }) => name))).toEqual(new Set(eventStatus.options));
  });

  it("accepts payment.completed for payment.succeeded, and no other unknown name", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const withEvents = (events: unknown) => ({ ...MINIMAL, events });
    const made = await must("POST", "/api/webhooks", {
      as: operator,
      body: withEvents(["payment.completed", "payment.succeeded"]),
    });
    expect(made.events).toEqual(["payment.succeeded"]);
    const refused = await call("POST", "/api/webhooks", {
      as: operator,
      body: withEvents(["order.created", "order.exploded"]),
    });
    expect(refused.status).toBe(422);
    expect(refused.body.error).toMatchObject({
      code: "VALIDATION_ERROR",
      details: { field: expect.stringMatching(/^events(\[1\])?$/), value: "order.exploded" },
    });
    const table = supabaseAs(operator).from("webhooks");
    expect(
      (
        await table
          .insert(withEvents(["payment.completed"]))
          .select("events")
          .single()
      ).data,
    ).toEqual({ events: ["payment.succeeded"] });
    for (const [attempt, value] of [
      [await table.insert(withEvents(["order.exploded"])), "order.exploded"],
      [await table.update({ events: ["order.exploded"] }).eq("id", made.id), "order.exploded"],
      [await table.insert(withEvents([null])), null],
    ] as const) {
      expect(attempt.status).toBe(422);
      expect(attempt.error).toMatchObject({ code: "PT422", message: "VALIDATION_ERROR" });
      expect(JSON.parse(attempt.error?.details ?? "")).toEqual({ field: "events", value });
    }
  });

  it("reports the invalid field", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    for (const [field, wrong] of [
      ["url", { url: undefined }],
      ["url", { url: "shop" }],
      ["url", { url: "ftp://shop.example.com/" }],
      ["events", { events: undefined }],
      ["events", { events: [] }],
      ["events", { events: "order.created" }],
      ["description", { description: "x".repeat(501) }],
      ["filter.statuses[0]", { filter: { statuses: ["stolen"] } }],
      ["filter.statuses", { filter: { statuses: [] } }],
      ["filter.marketplace_ids[0]", { filter: { marketplace_ids: ["here"] } }],
      ["filter.colour", { filter: { colour: "red" } }],
      ["secret", { secret: "fifteen letters" }],
      ["secret", { secret: "whsec_fifteen letters" }],
      ["active", { active: "yes" }],
      ["statuses", { statuses: ["pending"] }],
    ] as const) {
      const body = { ...MINIMAL, ...wrong };
      const refused = await call("POST", "/api/webhooks", { as: operator, body });
      expect(refused.status, JSON.stringify(wrong)).toBe(422);
      expect(refused.body.error).toMatchObject({ code: "VALIDATION_ERROR", details: { field } });
      expect(JSON.stringify(refused.body)).not.toContain("fifteen");
    }
    const table = supabaseAs(operator).from("webhooks");
    for (const secret of [
      "fifteen letters",
      "whsec_fifteen letters",
      "whsec_!!!!!!!!!!!!!!!!!!!!",
    ]) {
      const refused = await table.insert({ ...MINIMAL, secret });
      expect(refused.error).toMatchObject({ code: "PT422", message: "VALIDATION_ERROR" });
      expect(JSON.stringify(refused)).not.toContain(secret);
    }
    expect((await table.insert({ ...MINIMAL, statuses: ["stolen"] })).status).toBe(422);
    for (const wrong of [
      { events: [] },
      { statuses: [] },
      { description: "x".repeat(501) },
      { url: "ftp://shop.example.com/" },
    ]) {
      expect((await table.insert({ ...MINIMAL, ...wrong })).status).toBe(400);
    }
    expect((await must("GET", "/api/webhooks", { as: operator })).total).toBe(0);
  });

  it("accepts a URL scheme in any case, and reports an error once", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const url = "HTTPS://Shop.Example.com/Hooks";
    const body = { ...MINIMAL, url };
    expect(await must("POST", "/api/webhooks", { as: operator, body })).toMatchObject({ url });
    expect((await supabaseAs(operator).from("webhooks").insert(body)).status).toBe(201);
    for (const wrong of ["shop", "", "ftp://shop.example.com/", "http:shop", "http://10.0.0.1/"]) {
      const refused = await call("POST", "/api/webhooks", {
        as: operator,
        body: { ...MINIMAL, url: wrong },
      });
      expect(refused.status, wrong).toBe(422);
      expect(refused.body.error.details, wrong).toEqual({ field: "url", value: wrong });
    }
  });

  it("refuses URLs that nothing could be sent to", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const before = await must("POST", "/api/webhooks", { as: operator, body: MINIMAL });
    for (const url of [
      "http://10.0.0.1/",
      "http://169.254.169.254/latest/meta-data/",
      "http://0x0a000001/",
      "http://[::ffff:192.168.0.1]/",
      "https://db.internal/",
      "https://shop.example.com:5432/",
      "https://me:mine@shop.example.com/",
    ]) {
      for (const refused of [
        await call("POST", "/api/webhooks", { as: operator, body: { ...MINIMAL, url } }),
        await call("PUT", `/api/webhooks/${before.id}`, { as: operator, body: { url } }),
      ]) {
        expect(refused.status, url).toBe(422);
        expect(refused.body.error).toMatchObject({
          code: "VALIDATION_ERROR",
          details: { field: "url" },
        });
        expect(JSON.stringify(refused.body)).not.toContain("mine");
      }
    }
    const table = supabaseAs(operator).from("webhooks");
    expect((await table.insert({ ...MINIMAL, url: "https://me@shop.example.com/" })).status).toBe(
      400,
    );
    expect((await table.insert({ ...MINIMAL, url: "https://me:mine@[::1]/" })).status).toBe(400);
    // An @ after the host is not a credential.
    const url = "https://shop.example.com/@me?to=@you";
    expect((await table.insert({ ...MINIMAL, url })).status).toBe(201);
  });

  it("accepts only marketplaces of the tenant as filters", async () => {
    const [here, elsewhere] = await Promise.all([openTestTenant(), openTestTenant()]);
    const marketplace_ids = [here.marketplace.id, elsewhere.marketplace.id];
    const refused = await call("POST", "/api/webhooks", {
      as: here.operator,
      body: { ...MINIMAL, filter: { marketplace_ids } },
    });
    expect(refused.status).toBe(404);
    expect(refused.body.error).toMatchObject({
      code: "NOT_FOUND",
      details: { field: "filter.marketplace_ids", value: elsewhere.marketplace.id },
    });
    const inserted = await supabaseAs(here.operator)
      .from("webhooks")
      .insert({ ...MINIMAL, marketplace_ids });
    expect(inserted.status).toBe(404);
  });

  it("is allowed to admins and clients of the tenant", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const [client, foreign] = await Promise.all([
      registerClient(tenantId),
      register({ tenant_name: "Elsewhere" }),
    ]);
    const { id } = await must("POST", "/api/webhooks", { as: client, body: MINIMAL });
    const path = `/api/webhooks/${id}`;
    const total = async (as: Person) => (await must("GET", "/api/webhooks", { as })).total;
    expect(await total(operator)).toBe(1);
    for (const person of [supplier, customer]) {
      for (const refused of [
        await call("POST", "/api/webhooks", { as: person, body: MINIMAL }),
        await call("PUT", path, { as: person, body: { active: false } }),
        await call("POST", `${path}/rotate-secret`, { as: person }),
        await call("DELETE", path, { as: person }),
      ]) {
        expect(refused.status).toBe(403);
        expect(refused.body.error.code).toBe("FORBIDDEN");
      }
      const table = supabaseAs(person).from("webhooks");
      for (const attempt of [
        await table.insert(MINIMAL),
        await table.update({ active: false }).eq("id", id),
        await table.delete().eq("id", id),
      ]) {
        expect(attempt.status).toBe(403);
      }
    }
    for (const refused of [
      await call("PUT", path, { as: foreign, body: { active: false } }),
      await call("POST", `${path}/rotate-secret`, { as: foreign }),
      await call("DELETE", path, { as: foreign }),
    ]) {
      expect(refused.status).toBe(404);
    }
    for (const person of [supplier, customer, foreign]) {
      expect((await call("GET", path, { as: person })).status).toBe(404);
      expect((await call("GET", `${path}/logs`, { as: person })).status).toBe(404);
      const trial = { as: person, body: { event: "order.created" } };
      expect((await call("POST", `${path}/test`, trial)).status).toBe(404);
      expect(await total(person)).toBe(0);
      for (const table of ["webhooks", "webhook_details", "webhook_deliveries"]) {
        expect((await supabaseAs(person).from(table).select()).data).toEqual([]);
      }
    }
    expect(
      (await supabaseAs(foreign).from("webhooks").delete().eq("id", id).select()).data,
    ).toEqual([]);
    const smuggled = await supabaseAs(foreign)
      .from("webhooks")
      .insert({ ...MINIMAL, tenant_id: tenantId });
    expect(smuggled.error).not.toBeNull();
    expect((await call("POST", "/api/webhooks", { body: MINIMAL })).status).toBe(401);
    expect(await total(operator)).toBe(1);
    expect(await must("GET", path, { as: operator })).toMatchObject({ active: true });
  });
});

describe("a tenant", () => {
  const rows = (count: number) => Array.from({ length: count }, () => MINIMAL);

  it("has at most a hundred webhooks, through every interface", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const table = () => supabaseAs(operator).from("webhooks");
    const details = { cap: "webhooks_per_tenant", maximum: 100 };
    const tooMany = await table().insert(rows(101));
    expect(tooMany.error).toMatchObject({ message: "LIMIT_REACHED" });
    const { data: made } = await table().insert(rows(100)).select("id").throwOnError();
    expectRefusal(
      await call("POST", "/api/webhooks", { as: operator, body: MINIMAL }),
      422,
      "LIMIT_REACHED",
      details,
    );
    for (const { error } of [
      await table().insert(MINIMAL),
      await supabaseAs(operator).rpc("create_webhook", MINIMAL),
      await supabaseAsService()
        .from("webhooks")
        .upsert({ ...MINIMAL, id: randomUUID(), tenant_id: operator.tenantId }),
    ]) {
      expect(error).toMatchObject({ code: "PT422", message: "LIMIT_REACHED" });
      expect(JSON.parse(error?.details ?? "")).toEqual(details);
    }
    // Existing webhooks can still be changed, and a deleted one can be replaced.
    const { id } = made[0] as { id: string };
    await supabaseAsService()
      .from("webhooks")
      .upsert({ ...MINIMAL, id, tenant_id: operator.tenantId })
      .throwOnError();
    await must("DELETE", `/api/webhooks/${id}`, { as: operator });
    await must("POST", "/api/webhooks", { as: operator, body: MINIMAL });
  });

  it("has no more of them after concurrent registrations", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    await supabaseAs(operator).from("webhooks").insert(rows(95)).throwOnError();
    const made = await Promise.all(
      rows(15).map((body, place) =>
        place % 2
          ? call("POST", "/api/webhooks", { as: operator, body })
          : supabaseAs(operator).from("webhooks").insert([body, body]),
      ),
    );
    const { count } = await supabaseAs(operator)
      .from("webhooks")
      .select("*", { count: "exact", head: true });
    // Two concurrent requests may leave one place free.
    expect(count).toBeGreaterThanOrEqual(99);
    expect(count).toBeLessThanOrEqual(100);
    for (const { status } of made) expect([201, 422]).toContain(status);
  });
});

describe("changing a webhook", () => {
  it("changes only the sent fields", async () => {
    const { operator, marketplace } = await openTestTenant();
    const { secret: _, ...made } = await must("POST", "/api/webhooks", {
      as: operator,
      body: { ...MINIMAL, headers: { "X-Shop": "42" }, description: "Before" },
    });
    const path = `/api/webhooks/${made.id}`;
    const filter = { marketplace_ids: [marketplace.id], statuses: null };
    let expected = made;
    for (const [body, shown] of [
      [{ url: "https://other.example.com/" }],
      [{ events: ["payment.completed"] }, { events: ["payment.succeeded"] }],
      [{ description: "After" }],
      [{ filter: { marketplace_ids: [marketplace.id] } }, { filter }],
      [{ headers: { Authorization: "Bearer x" } }, { header_names: ["Authorization"] }],
      [{ active: false }],
      [{}],
      [
        { filter: null, headers: {} },
        { filter: null, header_names: [] },
      ],
    ] as [object, object?][]) {
      const changed = await call("PUT", path, { as: operator, body });
      expect(changed.status).toBe(200);
      expect(changed.headers.has("deprecation")).toBe(JSON.stringify(body).includes("completed"));
      expected = { ...expected, ...(shown ?? body), updated_at: changed.body.updated_at };
      expect(changed.body).toEqual(expected);
      expect(await must("GET", path, { as: operator })).toEqual(expected);
    }
  });

  it("accepts the whole record as it was read, and ignores read-only fields", async () => {
    const { operator, marketplace } = await openTestTenant();
    const { id } = await must("POST", "/api/webhooks", {
      as: operator,
      body: {
        ...MINIMAL,
        headers: { "X-Shop": "42" },
        filter: { marketplace_ids: [marketplace.id] },
      },
    });
    const path = `/api/webhooks/${id}`;
    const read = await must("GET", path, { as: operator });
    const kept = { ...read, updated_at: expect.any(String) };
    expect(await must("PUT", path, { as: operator, body: read })).toEqual(kept);
    const changes = { ...read, id: randomUUID(), header_names: ["X-Other"], failing_since: null };
    expect(await must("PUT", path, { as: operator, body: changes })).toEqual(kept);
    const db = supabaseAs(operator);
    const { data } = await db.from("webhook_details").select().eq("id", id).single().throwOnError();
    const again = await db.rpc("change_webhook", { webhook_id: id, changes: data }).throwOnError();
    expect(again.data).toEqual({ ...data, updated_at: expect.any(String) });
  });

  it("refuses what registering refuses, and a secret, which must be rotated", async () => {
    const { operator } = await openTestTenant();
    const { secret: _, ...made } = await must("POST", "/api/webhooks", {
      as: operator,
      body: MINIMAL,
    });
    for (const [field, body] of [
      ["url", { url: "shop" }],
      ["events", { events: [] }],
      ["events", { events: null }],
      ["headers.Host", { headers: { Host: "elsewhere" } }],
      ["secret", { secret: SECRET }],
      ["secret", { ...made, secret: SECRET }],
      ["colour", { ...made, colour: "red" }],
    ] as const) {
      const refused = await call("PUT", `/api/webhooks/${made.id}`, { as: operator, body });
      expect(refused.status, JSON.stringify(body)).toBe(422);
      expect(refused.body.error.details.field).toBe(field);
      if (field === "secret") expect(refused.body.error.message).toContain("rotate-secret");
      expect(JSON.stringify(refused.body)).not.toContain(SECRET);
    }
    expect(await must("GET", `/api/webhooks/${made.id}`, { as: operator })).toEqual(made);
  });

  it("is possible with supabase-js, for writable fields", async () => {
    const { operator, marketplace, tenantId } = await openTestTenant();
    const { id } = await must("POST", "/api/webhooks", { as: operator, body: MINIMAL });
    const table = supabaseAs(operator).from("webhooks");
    await table
      .update({
        description: "By hand",
        marketplace_ids: [marketplace.id],
        headers: { "X-Shop": "42" },
        active: false,
      })
      .eq("id", id)
      .throwOnError();
    expect(await must("GET", `/api/webhooks/${id}`, { as: operator })).toMatchObject({
      description: "By hand",
      filter: { marketplace_ids: [marketplace.id], statuses: null },
      header_names: ["X-Shop"],
      active: false,
    });
    const rpc = (changes: object) =>
      supabaseAs(operator).rpc("change_webhook", { webhook_id: id, changes });
    expect((await rpc({ filter: null, active: true })).data).toMatchObject({
      filter: null,
      active: true,
    });
    // Changes of other fields are refused, not ignored.
    for (const [field, changes] of [
      ["secret", { secret: SECRET }],
      ["filter.status", { filter: { status: ["pending"] } }],
    ] as const) {
      const { error } = await rpc(changes);
      expect(error).toMatchObject({ code: "PT422", message: "VALIDATION_ERROR" });
      expect(JSON.parse(error?.details ?? "")).toEqual({ field, value: null });
      if (field === "secret") expect(error?.hint).toContain("rotate");
    }
    for (const change of [
      { tenant_id: tenantId },
      { header_names: [] },
      { disabled_reason: null },
      { failing_since: null },
      { secret: SECRET },
    ]) {
      expect((await table.update(change).eq("id", id)).status, JSON.stringify(change)).toBe(403);
    }
  });

  it("back to active deletes the reason why it was disabled", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const { id } = await must("POST", "/api/webhooks", { as: operator, body: MINIMAL });
    const path = `/api/webhooks/${id}`;
    const switchOff = () =>
      supabaseAsService()
        .from("webhooks")
        .update({
          active: false,
          disabled_reason: "failing",
          failing_since: "2026-01-01T00:00:00Z",
        })
        .eq("id", id)
        .throwOnError();
    await switchOff();
    const off = { active: false, disabled_reason: "failing", failing_since: expect.any(String) };
    expect(await must("GET", path, { as: operator })).toMatchObject(off);
    const body = { description: "Still off" };
    expect(await must("PUT", path, { as: operator, body })).toMatchObject(off);
    const on = { active: true, disabled_reason: null, failing_since: null };
    expect(await must("PUT", path, { as: operator, body: { active: true } })).toMatchObject(on);
    await switchOff();
    await supabaseAs(operator)
      .from("webhooks")
      .update({ active: true })
      .eq("id", id)
      .throwOnError();
    expect(await must("GET", path, { as: operator })).toMatchObject(on);
  });
});

describe("deleting a webhook", () => {
  it("deletes its deliveries, and nothing more is sent", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const there = await listen(operator, ["order.created", "order.status_changed"]);
    const other = await listen(operator, ["order.status_changed"]);
    there.answers.push(500);
    const order = await place(customer, await listProduct(supplier));
    await arrived(there, 1);
    const path = `/api/webhooks/${there.webhook.id}`;
    const deleted = await call("DELETE", path, { as: operator });
    expect(deleted.status).toBe(204);
    expect((await call("DELETE", path, { as: operator })).status).toBe(404);
    expect((await call("GET", path, { as: operator })).status).toBe(404);
    const service = supabaseAsService();
    for (const table of ["webhooks", "webhook_deliveries"]) {
      const column = table === "webhooks" ? "id" : "webhook_id";
      expect((await service.from(table).select().eq(column, there.webhook.id)).data).toEqual([]);
    }
    const kept = "select from private.webhook_secrets where webhook_id = $1";
    expect(await query(kept, [there.webhook.id])).toHaveLength(0);
    await move(operator, order, "confirmed");
    await arrived(other, 1);
    expect(there.received).toHaveLength(1);
  });

  it.skipIf(!process.env.DATABASE_URL)("does not block concurrent orders", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const [there, other] = await Promise.all([
      listen(operator, ["order.created"]),
      listen(operator, ["order.created"]),
    ]);
    const product = await listProduct(supplier);
    const deleting = await session();
    await deleting.query("begin");
    await deleting.query("delete from public.webhooks where id = $1", [there.webhook.id]);
    // The order would wait for the deletion, and then fail because the webhook is missing.
    const order = await place(customer, product);
    await deleting.query("commit");
    const [request] = await arrived(other, 1);
    expect(request?.body.data.order.id).toBe(order.id);
    await sweep();
    expect(there.received).toEqual([]);
    expect(await waitingFor(there.webhook)).toEqual([]);
  });
});

// PGlite has one session, so there are no concurrent locks.
describe.skipIf(!process.env.DATABASE_URL)("an event for a locked webhook", () => {
  it.each([
    ["whose deletion is rolled back", "delete from public.webhooks where id = $1", "rollback"],
    ["whose lock is released", "select from public.webhooks where id = $1 for update", "commit"],
  ])("%s arrives afterwards, once", async (_, hold, end) => {
    const { operator, supplier, customer } = await openTestTenant();
    const filter = (status: string) => ({ filter: { statuses: [status] } });
    const there = await listen(operator, ["order.created"], filter("pending"));
    const deaf = await listen(operator, ["order.created"], filter("shipped"));
    const product = await listProduct(supplier);
    const holding = await session();
    await holding.query("begin");
    for (const { webhook } of [there, deaf]) await holding.query(hold, [webhook.id]);
    const order = await place(customer, product);
    await sweep();
    expect(await logs(operator, there.webhook)).toEqual([]);
    await holding.query(end);
    await Promise.all([sweep(), sweep(), sweep()]);
    const [request] = await arrived(there, 1);
    expect(request?.body.data.order.id).toBe(order.id);
    await sweep();
    expect(await logs(operator, there.webhook)).toMatchObject([{ event: "order.created" }]);
    expect(there.received).toHaveLength(1);
    expect(await logs(operator, deaf.webhook)).toEqual([]);
    expect(await waitingFor(there.webhook)).toEqual([]);
  });

  it("that is being disabled ends, and can be sent again", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const there = await listen(operator, ["order.created"]);
    const product = await listProduct(supplier);
    const holding = await session();
    await holding.query("begin");
    await holding.query("select from public.webhooks where id = $1 for update", [there.webhook.id]);
    await place(customer, product);
    await holding.query("update public.webhooks set active = false where id = $1", [
      there.webhook.id,
    ]);
    await holding.query("commit");
    await sweep();
    await eventually(async () =>
      expect(await logs(operator, there.webhook)).toMatchObject([
        { status: "failed", attempts: 0, error: "the webhook was switched off" },
      ]),
    );
    const path = `/api/webhooks/${there.webhook.id}`;
    await must("PUT", path, { as: operator, body: { active: true } });
    const since = { since: new Date(0).toISOString() };
    expect(await must("POST", `${path}/recover`, { as: operator, body: since })).toEqual({
      recovered: 1,
      more: false,
    });
    await arrived(there, 1);
  });
});

/** A separate session next to those of the stack. */
async function session(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: ownStack.db_url as string });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** Runs the job of each minute. */
const sweep = () => runJob("webhook-dispatch");

const waitingFor = ({ id }: { id: string }) =>
  query("select from private.skipped_deliveries where webhook_id = $1", [id]);
