import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { describe, expect, inject, it, onTestFinished, vi } from "vitest";
import { eventName } from "../supabase/functions/_shared/webhooks/schema.ts";
import {
  call,
  listProduct,
  must,
  openBazaar,
  openReceiver,
  orderFor,
  type Person,
  type Received,
  type Receiver,
  register,
  registerClient,
  supabaseAs,
  supabaseAsService,
} from "./souk.js";

const SECRET = "a secret of more than 16 characters";

async function receiver(): Promise<Receiver> {
  const opened = await openReceiver();
  onTestFinished(opened.close);
  return opened;
}

/** Registers a receiver of one's own for some events. */
async function listen(as: Person, events: string[], wish: object = {}) {
  const there = await receiver();
  const body = { url: there.url, events, secret: SECRET, ...wish };
  const webhook = await must("POST", "/api/webhooks", { as, body });
  return { ...there, webhook };
}

function place(as: Person, ...order: Parameters<typeof orderFor>) {
  return must("POST", "/api/orders", { as, body: orderFor(...order) });
}

function move(as: Person, order: { id: string }, status: string) {
  return must("PATCH", `/api/orders/${order.id}/status`, { as, body: { status } });
}

/** What has arrived at a receiver, as soon as it is so many. */
async function arrived(at: { received: Received[] }, count: number) {
  await vi.waitFor(() => expect(at.received.length).toBeGreaterThanOrEqual(count), {
    timeout: 10_000,
  });
  return at.received.map(({ headers, body }) => ({ headers, raw: body, body: JSON.parse(body) }));
}

async function logs(as: Person, webhook: { id: string }) {
  return (await must("GET", `/api/webhooks/${webhook.id}/logs`, { as })).logs;
}

/** The log of a webhook's one delivery, as soon as an attempt at it has been recorded. */
async function attempted(as: Person, webhook: { id: string }, attempts: number) {
  return await vi.waitFor(
    async () => {
      const [delivery, ...more] = await logs(as, webhook);
      expect(more).toEqual([]);
      expect(delivery).toMatchObject({ attempts });
      return delivery;
    },
    { timeout: 10_000, interval: 100 },
  );
}

/** Lets the waiting time of a webhook's deliveries pass. */
async function makeDue(webhook: { id: string }) {
  await supabaseAsService()
    .from("webhook_deliveries")
    .update({ next_attempt_at: new Date(0).toISOString() })
    .eq("webhook_id", webhook.id)
    .in("status", ["pending", "retrying"])
    .throwOnError();
}

function kick() {
  return must("POST", "/webhook-dispatch", { headers: { apikey: inject("stack").secret_key } });
}

function hexHmac(secret: string, raw: string) {
  return createHmac("sha256", secret).update(raw).digest("hex");
}

describe("registering a webhook", () => {
  it("answers the whole registration, its secret this once", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const events = ["order.created", "order.cancelled"];
    const url = "https://shop.example.com/hooks?of=souk";
    const made = await call("POST", "/api/webhooks", {
      as: operator,
      body: { url, events, secret: SECRET },
    });
    expect(made.status).toBe(201);
    expect(made.headers.get("location")).toBe(`/functions/v1/api/webhooks/${made.body.id}`);
    const { secret, ...shown } = made.body;
    expect(secret).toBe(SECRET);
    expect(shown).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      tenant_id: operator.tenantId,
      url,
      events: expect.arrayContaining(events),
      active: true,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(shown.events).toHaveLength(2);
    const path = `/api/webhooks/${shown.id}`;
    expect(await must("GET", path, { as: operator })).toEqual(shown);
    expect(await must("GET", "/api/webhooks", { as: operator })).toEqual({
      webhooks: [shown],
      total: 1,
      page: 1,
      limit: 100,
    });
    expect(await must("GET", `${path}/logs`, { as: operator })).toEqual({
      logs: [],
      total: 0,
      page: 1,
      limit: 100,
    });
  });

  it("makes a secret where none is sent", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const body = { url: "https://shop.example.com/", events: ["order.created"] };
    const secrets = await Promise.all(
      [1, 2].map(async () => (await must("POST", "/api/webhooks", { as: operator, body })).secret),
    );
    for (const secret of secrets) expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32,}=*$/);
    expect(secrets[0]).not.toBe(secrets[1]);
  });

  it("shows the secret through no door afterwards", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const url = "https://shop.example.com/";
    const body = { url, events: ["order.created"], secret: SECRET };
    const { id } = await must("POST", "/api/webhooks", { as: operator, body });
    const db = supabaseAs(operator);
    const seen = [
      await db.from("webhooks").select("*"),
      await db.from("webhooks").select("id, secret").eq("id", id),
      await db.from("webhooks").update({ active: false }).eq("id", id).select("*"),
      await db
        .from("webhooks")
        .insert({ url, events: ["order.created"], secret: SECRET })
        .select(),
      await db.from("webhooks").select("*, webhook_deliveries(*)"),
      await db.from("events").select("*"),
      await call("GET", `/api/webhooks/${id}`, { as: operator }),
      await call("GET", "/api/webhooks", { as: operator }),
    ];
    for (const answer of seen) {
      expect(answer.status).toBeLessThan(300);
      expect(JSON.stringify(answer)).not.toContain(SECRET);
    }
    const shut = [
      await db
        .from("webhooks")
        .update({ secret: `${SECRET}!` })
        .eq("id", id)
        .select("*"),
      await db.from("webhook_secrets").select("*"),
      await db.schema("private").from("webhook_secrets").select("*"),
      await db.from("webhooks").select("*, webhook_secrets(*)"),
      await db.rpc("claim_webhook_deliveries"),
      await db.rpc("record_webhook_attempts", { attempts: [] }),
    ];
    for (const answer of shut) {
      expect(answer.error).not.toBeNull();
      expect(answer.data).toBeNull();
    }
    // Nor does a filter tell.
    for (const filtered of [
      await db.from("webhooks").select("id").eq("secret", SECRET),
      await db.from("webhooks").select("id").like("secret", "a%"),
    ]) {
      expect(filtered.data ?? []).toEqual([]);
    }
  });

  it("works as well by inserting into the table", async () => {
    const { operator, supplier, customer, tenantId } = await openBazaar();
    const there = await receiver();
    const { data: webhook } = await supabaseAs(operator)
      .from("webhooks")
      .insert({ url: there.url, events: ["order.created"], secret: SECRET })
      .select()
      .single()
      .throwOnError();
    expect(webhook).toMatchObject({ tenant_id: tenantId, active: true, secret: null });
    await place(customer, await listProduct(supplier));
    const [first] = await arrived(there, 1);
    expect(first?.headers["x-webhook-signature"]).toBe(
      `sha256=${hexHmac(SECRET, first?.raw ?? "")}`,
    );
  });

  it("takes payment.completed for payment.succeeded, and no other name that does not exist", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const wish = (events: unknown) => ({ url: "https://shop.example.com/", events });
    const made = await must("POST", "/api/webhooks", {
      as: operator,
      body: wish(["payment.completed", "payment.succeeded"]),
    });
    expect(made.events).toEqual(["payment.succeeded"]);
    const refused = await call("POST", "/api/webhooks", {
      as: operator,
      body: wish(["order.created", "order.exploded"]),
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
          .insert(wish(["payment.completed"]))
          .select("events")
          .single()
      ).data,
    ).toEqual({ events: ["payment.succeeded"] });
    for (const attempt of [
      await table.insert(wish(["order.exploded"])),
      await table.update({ events: ["order.exploded"] }).eq("id", made.id),
    ]) {
      expect(attempt.status).toBe(422);
      expect(attempt.error).toMatchObject({ code: "PT422", message: "VALIDATION_ERROR" });
      expect(JSON.parse(attempt.error?.details ?? "")).toEqual({
        field: "events",
        value: "order.exploded",
      });
    }
  });

  it("says which field is wrong", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const good = { url: "https://shop.example.com/", events: ["order.created"] };
    for (const [field, body] of [
      ["url", { ...good, url: undefined }],
      ["url", { ...good, url: "shop" }],
      ["url", { ...good, url: "ftp://shop.example.com/" }],
      ["events", { ...good, events: undefined }],
      ["events", { ...good, events: [] }],
      ["events", { ...good, events: "order.created" }],
      ["secret", { ...good, secret: "fifteen letters" }],
      ["active", { ...good, active: "yes" }],
    ] as const) {
      const refused = await call("POST", "/api/webhooks", { as: operator, body });
      expect(refused.status, JSON.stringify(body)).toBe(422);
      expect(refused.body.error).toMatchObject({ code: "VALIDATION_ERROR", details: { field } });
      expect(JSON.stringify(refused.body)).not.toContain("fifteen");
    }
    const table = supabaseAs(operator).from("webhooks");
    const short = await table.insert({ ...good, secret: "fifteen letters" });
    expect(short.error).toMatchObject({ code: "PT422", message: "VALIDATION_ERROR" });
    expect(JSON.stringify(short)).not.toContain("fifteen");
    expect((await table.insert({ ...good, events: [] })).status).toBe(400);
    expect((await table.insert({ ...good, url: "ftp://shop.example.com/" })).status).toBe(400);
    expect((await must("GET", "/api/webhooks", { as: operator })).total).toBe(0);
  });

  it("is for the admins and clients of the tenant", async () => {
    const { operator, supplier, customer, tenantId } = await openBazaar();
    const [client, foreign] = await Promise.all([
      registerClient(tenantId),
      register({ tenant_name: "Elsewhere" }),
    ]);
    const body = { url: "https://shop.example.com/", events: ["order.created"] };
    const { id } = await must("POST", "/api/webhooks", { as: client, body });
    const total = async (as: Person) => (await must("GET", "/api/webhooks", { as })).total;
    expect(await total(operator)).toBe(1);
    for (const person of [supplier, customer]) {
      const refused = await call("POST", "/api/webhooks", { as: person, body });
      expect(refused.status).toBe(403);
      expect(refused.body.error.code).toBe("FORBIDDEN");
      const table = supabaseAs(person).from("webhooks");
      for (const attempt of [
        await table.insert(body),
        await table.update({ active: false }).eq("id", id),
        await table.delete().eq("id", id),
      ]) {
        expect(attempt.status).toBe(403);
      }
    }
    for (const person of [supplier, customer, foreign]) {
      expect((await call("GET", `/api/webhooks/${id}`, { as: person })).status).toBe(404);
      expect((await call("GET", `/api/webhooks/${id}/logs`, { as: person })).status).toBe(404);
      expect(await total(person)).toBe(0);
      expect((await supabaseAs(person).from("webhooks").select()).data).toEqual([]);
      expect((await supabaseAs(person).from("webhook_deliveries").select()).data).toEqual([]);
    }
    expect(
      (await supabaseAs(foreign).from("webhooks").delete().eq("id", id).select()).data,
    ).toEqual([]);
    const smuggled = await supabaseAs(foreign)
      .from("webhooks")
      .insert({ ...body, tenant_id: tenantId });
    expect(smuggled.error).not.toBeNull();
    expect((await call("POST", "/api/webhooks", { body })).status).toBe(401);
    expect(await total(operator)).toBe(1);
  });
});

describe("an event", () => {
  it("arrives signed, as soon as an order is placed", async () => {
    const { operator, supplier, customer } = await openBazaar();
    const there = await listen(operator, ["order.created"]);
    const order = await place(customer, await listProduct(supplier), 3);
    const [first] = await arrived(there, 1);
    expect(first?.headers).toMatchObject({
      "content-type": "application/json",
      "x-webhook-event": "order.created",
      "x-webhook-id": expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      "x-webhook-signature": `sha256=${hexHmac(SECRET, first?.raw ?? "")}`,
    });
    expect(first?.body).toEqual({
      event: "order.created",
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: { order: { ...order, commissions: [expect.anything()], total: 37.5 } },
    });
    const delivery = await attempted(operator, there.webhook, 1);
    expect(delivery).toEqual({
      id: first?.headers["x-webhook-id"],
      event: "order.created",
      status: "success",
      response_code: 200,
      attempts: 1,
      error: null,
      next_attempt_at: null,
      created_at: expect.any(String),
    });
  });

  it.each([
    ["made here", undefined],
    ["sent", SECRET],
  ])("is verified by the library of Standard Webhooks, its secret %s", async (_, secret) => {
    const { operator, supplier, customer } = await openBazaar();
    const there = await listen(operator, ["order.created"], { secret });
    const order = await place(customer, await listProduct(supplier));
    const [first] = await arrived(there, 1);
    const { headers, raw } = first as NonNullable<typeof first>;
    const library = new StandardWebhook(
      there.webhook.secret,
      secret === undefined ? {} : { format: "raw" },
    );
    const verified = library.verify(raw, headers as Record<string, string>);
    expect(verified).toMatchObject({ data: { order: { id: order.id } } });
    expect(headers["webhook-id"]).toBe(headers["x-webhook-id"]);
    expect(headers["x-webhook-signature"]).toBe(`sha256=${hexHmac(there.webhook.secret, raw)}`);
    expect(() => library.verify(`${raw} `, headers as Record<string, string>)).toThrow();
  });

  it("is told for every move of an order, and for how it ends", async () => {
    const { operator, supplier, customer } = await openBazaar();
    const there = await listen(operator, [
      "order.status_changed",
      "order.cancelled",
      "order.completed",
    ]);
    const product = await listProduct(supplier);
    const [kept, dropped] = await Promise.all([place(customer, product), place(customer, product)]);
    await move(operator, kept, "shipped");
    await move(operator, kept, "delivered");
    await move(customer, dropped, "cancelled");
    const told = (await arrived(there, 5)).map(({ headers, body }) => {
      expect(headers["x-webhook-event"]).toBe(body.event);
      return body;
    });
    const change = (order: { id: string }, old_status: string, new_status: string) => ({
      event: "order.status_changed",
      timestamp: expect.any(String),
      order_id: order.id,
      old_status,
      new_status,
      data: { order: expect.objectContaining({ id: order.id, status: new_status, total: 12.5 }) },
    });
    const end = (event: string, order: { id: string }, status: string) => ({
      event,
      timestamp: expect.any(String),
      data: { order: expect.objectContaining({ id: order.id, status, total: 12.5 }) },
    });
    expect(told).toHaveLength(5);
    expect(told).toEqual(
      expect.arrayContaining([
        change(kept, "pending", "shipped"),
        change(kept, "shipped", "delivered"),
        end("order.completed", kept, "delivered"),
        change(dropped, "pending", "cancelled"),
        end("order.cancelled", dropped, "cancelled"),
      ]),
    );
    expect(new Set(there.received.map(({ headers }) => headers["x-webhook-id"])).size).toBe(5);
  });

  it("is told of products and people too", async () => {
    const { operator, supplier, customer, tenantId } = await openBazaar();
    const there = await listen(operator, [
      "product.created",
      "product.updated",
      "product.out_of_stock",
      "user.registered",
    ]);
    const product = await listProduct(supplier, { inventory: { quantity: 1 } });
    await supabaseAs(supplier)
      .from("products")
      .update({ name: "Best saffron" })
      .eq("id", product.id)
      .throwOnError();
    await place(customer, product);
    const newcomer = await register({ tenant_id: tenantId });
    const told = new Map(
      (await arrived(there, 4)).map(({ body }) => [body.event, body.data] as const),
    );
    expect(Object.fromEntries(told)).toEqual({
      "product.created": { product: expect.objectContaining({ id: product.id }) },
      "product.updated": { product: expect.objectContaining({ name: "Best saffron" }) },
      "product.out_of_stock": { product: expect.objectContaining({ status: "out_of_stock" }) },
      "user.registered": {
        user: {
          id: newcomer.id,
          email: newcomer.email,
          // It is confirmed in the next breath, which user.verified tells.
          email_verified: false,
          name: "Test Person",
          role: "customer",
        },
      },
    });
    expect(there.received).toHaveLength(4);
  });

  it("exists only when its change was committed", async () => {
    const { operator, supplier, customer } = await openBazaar();
    const there = await listen(operator, ["order.created", "order.status_changed"]);
    const product = await listProduct(supplier);
    const refused = await call("POST", "/api/orders", {
      as: customer,
      body: orderFor(product, 11),
    });
    expect(refused.status).toBe(422);
    const order = await place(customer, product);
    const move_ = { as: operator, body: { status: "returned" } };
    expect((await call("PATCH", `/api/orders/${order.id}/status`, move_)).status).toBe(422);
    await move(operator, order, "confirmed");
    const told = await arrived(there, 2);
    expect(told.map(({ body }) => [body.event, body.data.order.id]).sort()).toEqual([
      ["order.created", order.id],
      ["order.status_changed", order.id],
    ]);
    const { data } = await supabaseAs(operator)
      .from("events")
      .select("name")
      .like("name", "order.%")
      .order("created_at")
      .throwOnError();
    expect(data).toEqual([{ name: "order.created" }, { name: "order.status_changed" }]);
  });

  it("goes to active registrations of its own tenant that want it", async () => {
    const [here, elsewhere] = await Promise.all([openBazaar(), openBazaar()]);
    const { operator } = here;
    const active = await listen(operator, ["order.created"]);
    const second = await listen(operator, ["order.created"]);
    const inactive = await listen(operator, ["order.created"], { active: false });
    const switchedOff = await listen(operator, ["order.created"]);
    const other = await listen(operator, ["order.completed"]);
    const foreign = await listen(elsewhere.operator, ["order.created"]);
    await supabaseAs(operator)
      .from("webhooks")
      .update({ active: false })
      .eq("id", switchedOff.webhook.id)
      .throwOnError();
    const order = await place(here.customer, await listProduct(here.supplier));
    const foreignOrder = await place(elsewhere.customer, await listProduct(elsewhere.supplier));

    for (const there of [active, second]) {
      const told = await arrived(there, 1);
      expect(told.map(({ body }) => body.data.order.id)).toEqual([order.id]);
    }
    const told = await arrived(foreign, 1);
    expect(told.map(({ body }) => body.data.order.id)).toEqual([foreignOrder.id]);
    // Deliveries are written with their event, so what is not there now never will be.
    for (const { webhook, received } of [inactive, switchedOff, other]) {
      expect(await logs(operator, webhook)).toEqual([]);
      expect(received).toEqual([]);
    }
    for (const { webhook } of [active, second]) {
      expect(await logs(operator, webhook)).toHaveLength(1);
    }
  });
});

it("the API and the database know the same events", async () => {
  const chapter = readFileSync("supabase/migrations/20261121000600_events.sql", "utf8");
  const [, list = ""] =
    /insert into private\.event_types \(name\) values([^;]*);/.exec(chapter) ?? [];
  const events = [...list.matchAll(/'([^']+)'/g)].map(([, name]) => name as string);
  expect(events.toSorted()).toEqual(eventName.options.toSorted());
  const operator = await register({ tenant_name: "Bazaar" });
  const made = await must("POST", "/api/webhooks", {
    as: operator,
    body: { url: "https://shop.example.com/hooks", events },
  });
  expect(made.events).toEqual(events.toSorted());
});

it("switching a webhook off ends what was on its way to it", async () => {
  const { operator, supplier, customer } = await openBazaar();
  const there = await listen(operator, ["order.created"]);
  there.answers.push(500);
  await place(customer, await listProduct(supplier));
  await attempted(operator, there.webhook, 1);
  await supabaseAs(operator)
    .from("webhooks")
    .update({ active: false })
    .eq("id", there.webhook.id)
    .throwOnError();
  expect(await logs(operator, there.webhook)).toMatchObject([
    { status: "failed", attempts: 1, next_attempt_at: null, error: "the webhook was switched off" },
  ]);
});

describe("a delivery", () => {
  /** One order on its way to a receiver that answers in this way. */
  async function deliver(answers: Receiver["answers"], wish: object = {}) {
    const { operator, supplier, customer } = await openBazaar();
    const there = await listen(operator, ["order.created"], wish);
    there.answers.push(...answers);
    const order = await place(customer, await listProduct(supplier));
    return { operator, order, ...there };
  }

  it("that failed is made again, with the same id and body", async () => {
    const { operator, webhook, received } = await deliver([500]);
    expect(await attempted(operator, webhook, 1)).toMatchObject({
      status: "retrying",
      response_code: 500,
      error: expect.stringContaining("500"),
    });
    await makeDue(webhook);
    await kick();
    expect(await attempted(operator, webhook, 2)).toMatchObject({
      status: "success",
      response_code: 200,
      error: null,
      next_attempt_at: null,
    });
    const [first, second] = received;
    expect(received).toHaveLength(2);
    expect(second?.headers["x-webhook-id"]).toBe(first?.headers["x-webhook-id"]);
    expect(second?.body).toBe(first?.body);
    expect(second?.headers["x-webhook-signature"]).toBe(first?.headers["x-webhook-signature"]);
  });

  it("fails for good after five attempts, each in its time", async () => {
    const { operator, order, webhook, received } = await deliver([500, 404, 503, 400, 500]);
    const later = await listen(operator, ["order.status_changed"]);
    /** What is due was claimed before an event that came after it and has arrived. */
    const nothingIsDue = async (status: string, attempts: number) => {
      const heard = later.received.length;
      await move(operator, order, status);
      await arrived(later, heard + 1);
      expect(received).toHaveLength(attempts);
    };
    const waits: [number, string][] = [
      [1, "confirmed"],
      [5, "processing"],
      [15, "shipped"],
      [60, "delivered"],
    ];
    for (const [before, [minutes, status]] of waits.entries()) {
      await attempted(operator, webhook, before + 1);
      const { data } = await supabaseAsService()
        .from("webhook_deliveries")
        .select("status, next_attempt_at, updated_at")
        .eq("webhook_id", webhook.id)
        .single()
        .throwOnError();
      expect(data.status).toBe("retrying");
      const wait = Date.parse(data.next_attempt_at) - Date.parse(data.updated_at);
      expect(wait).toBe(minutes * 60_000);
      await nothingIsDue(status, before + 1);
      await makeDue(webhook);
      await kick();
    }
    expect(await attempted(operator, webhook, 5)).toMatchObject({
      status: "failed",
      response_code: 500,
      next_attempt_at: null,
    });
    await nothingIsDue("returned", 5);
    expect(new Set(received.map(({ headers }) => headers["x-webhook-id"])).size).toBe(1);
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
  });

  it("is not redirected", async () => {
    const target = await receiver();
    for (const status of [301, 307]) {
      const { operator, webhook } = await deliver([{ status, headers: { location: target.url } }]);
      expect(await attempted(operator, webhook, 1)).toMatchObject({
        status: "retrying",
        response_code: status,
      });
    }
    expect(target.received).toEqual([]);
  });

  it("to nobody is tried again later", async () => {
    const gone = await openReceiver();
    await gone.close();
    const { operator, webhook } = await deliver([], { url: gone.url });
    expect(await attempted(operator, webhook, 1)).toMatchObject({
      status: "retrying",
      response_code: null,
      error: "the receiver could not be reached",
    });
  });

  it("never goes into a private network", async () => {
    const { operator, supplier, customer } = await openBazaar();
    const webhooks = await Promise.all(
      ["http://10.0.0.1/", "http://169.254.169.254/", "http://[::ffff:10.0.0.1]/"].map((url) =>
        must("POST", "/api/webhooks", { as: operator, body: { url, events: ["order.created"] } }),
      ),
    );
    await place(customer, await listProduct(supplier));
    for (const webhook of webhooks) {
      expect(await attempted(operator, webhook, 1)).toMatchObject({
        status: "retrying",
        response_code: null,
        error: "the address is not on the public internet",
      });
    }
  });

  it("waits for nobody else's receiver", async () => {
    const [slow, quick] = await Promise.all([deliver(["never", "never"]), openBazaar()]);
    await vi.waitFor(() => expect(slow.received).toHaveLength(1), { timeout: 10_000 });
    await makeDue(slow.webhook);
    await kick();
    const there = await listen(quick.operator, ["order.created"]);
    await place(quick.customer, await listProduct(quick.supplier));
    await arrived(there, 1);
    // The slow one has still not answered, and has not been given up.
    const [waiting] = await logs(slow.operator, slow.webhook);
    expect(waiting).toMatchObject({ status: "pending", attempts: 0 });
  });

  it("is made once when several dispatchers work at once", async () => {
    const { operator, supplier, customer } = await openBazaar();
    const there = await listen(operator, ["order.created"]);
    const count = 10;
    there.answers.push(...Array<number>(count).fill(500));
    const product = await listProduct(supplier);
    await Promise.all(Array.from({ length: count }, () => place(customer, product)));
    const statuses = async () =>
      // biome-ignore lint/suspicious/noExplicitAny: records as the API answers them.
      (await logs(operator, there.webhook)).map(({ status }: any) => status);
    const waitFor = (status: string) =>
      vi.waitFor(async () => expect(await statuses()).toEqual(Array<string>(count).fill(status)), {
        timeout: 10_000,
        interval: 200,
      });
    await waitFor("retrying");
    await makeDue(there.webhook);
    await Promise.all([kick(), kick(), kick(), kick()]);
    await waitFor("success");
    const times: Record<string, number> = {};
    for (const { headers } of there.received) {
      const id = String(headers["x-webhook-id"]);
      times[id] = (times[id] ?? 0) + 1;
    }
    expect(Object.values(times)).toEqual(Array<number>(count).fill(2));
  });
});

describe("the dispatcher's door", () => {
  it("opens to the project's secret keys alone, new and legacy", async () => {
    const { token } = await register({ tenant_name: "Oasis" });
    const { anon_key, publishable_key, secret_key, service_role_key } = inject("stack");
    const knock = (headers: Record<string, string>) =>
      call("POST", "/webhook-dispatch", { headers });
    for (const apikey of [anon_key, publishable_key, token, `${secret_key}x`, ""]) {
      const refused = await knock({ apikey });
      expect(refused.status).toBe(401);
      expect(refused.body.error.code).toBe("UNAUTHORIZED");
    }
    expect((await knock({})).status).toBe(401);
    expect((await knock({ apikey: secret_key })).status).toBe(202);
    expect((await knock({ apikey: service_role_key })).status).toBe(202);
  });
});
