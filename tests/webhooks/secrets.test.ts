import { createHmac, randomUUID } from "node:crypto";
import type { SupabaseClient } from "@supabase/supabase-js";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { describe, expect, it, onTestFinished } from "vitest";
import { runJob } from "../clock.js";
import { query } from "../database.js";
import { eventually } from "../eventually.js";
import {
  call,
  listProduct,
  must,
  openTestTenant,
  orderFor,
  type Person,
  type Receiver,
  register,
  registerClient,
  supabaseAs,
  supabaseAsService,
} from "../souk.js";
import { receiver, SECRET } from "./receiving.js";

// The secret that signs deliveries, and the headers for its receiver: both can be written, and only the dispatcher
// reads them.

const VALUE = "Bearer that no log may hold";
const FIELDS = {
  url: "https://shop.example.com/hooks",
  events: ["order.created"],
  secret: SECRET,
  headers: { Authorization: VALUE },
};

function expectNothingIn(answers: unknown[]) {
  for (const answer of answers) {
    const text = JSON.stringify(answer);
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain(VALUE);
  }
}

describe("a webhook's secret and headers", () => {
  it("are not shown by any interface", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const { id } = await must("POST", "/api/webhooks", { as: operator, body: FIELDS });
    const path = `/api/webhooks/${id}`;
    const db = supabaseAs(operator);
    const seen = [
      await db.from("webhooks").select("*"),
      await db.from("webhooks").select("id, secret, headers").eq("id", id),
      await db.from("webhooks").update({ headers: FIELDS.headers }).eq("id", id).select("*"),
      await db.from("webhooks").insert(FIELDS).select(),
      await db.from("webhooks").select("*, webhook_deliveries(*)"),
      await db.from("webhook_details").select("*"),
      await db.from("events").select("*"),
      await call("GET", path, { as: operator }),
      await call("GET", "/api/webhooks", { as: operator }),
      await call("PUT", path, { as: operator, body: { headers: FIELDS.headers } }),
    ];
    for (const answer of seen) expect(answer.status).toBeLessThan(300);
    expectNothingIn(seen);
    const shut = [
      await db
        .from("webhooks")
        .update({ secret: `${SECRET}!` })
        .eq("id", id)
        .select("*"),
      await db.from("webhook_secrets").select("*"),
      await db.schema("private").from("webhook_secrets").select("*"),
      await db.from("webhooks").select("*, webhook_secrets(*)"),
      await db.rpc("webhook_target", { webhook_id: id }),
      await db.rpc("webhook_signing", { webhook_id: id }),
      await db.schema("private").rpc("webhook_signing", { webhook_id: id }),
      await db.rpc("lease_webhook_deliveries", { dispatcher: randomUUID(), done: [], batch: 10 }),
    ];
    for (const answer of shut) {
      expect(answer.error).not.toBeNull();
      expect(answer.data).toBeNull();
    }
    expectNothingIn(shut);
    // A filter does not reveal them either.
    for (const filtered of [
      await db.from("webhooks").select("id").eq("secret", SECRET),
      await db.from("webhooks").select("id").like("secret", "a%"),
      await db.from("webhooks").select("id").not("headers", "is", null),
    ]) {
      expect(filtered.data ?? []).toEqual([]);
    }
  });

  it("are not in published changes of the tables", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const client = supabaseAs(operator);
    onTestFinished(() => leave(client));
    await client.realtime.setAuth();
    const heard: unknown[] = [];
    await new Promise<void>((ready, failed) => {
      client
        .channel("everything")
        .on("postgres_changes", { event: "*", schema: "public" }, (change) => heard.push(change))
        .on("system", {}, ({ status, message }) =>
          status === "ok" ? ready() : failed(new Error(message)),
        )
        .subscribe();
    });
    const there = await receiver();
    const body = { ...FIELDS, url: there.url };
    const { id } = await must("POST", "/api/webhooks", { as: operator, body });
    await must("PUT", `/api/webhooks/${id}`, { as: operator, body: { headers: FIELDS.headers } });
    const product = await listProduct(supplier);
    await must("POST", "/api/orders", { as: customer, body: orderFor(product) });
    // The delivery is the last change, and is received.
    await eventually(() =>
      expect(JSON.stringify(heard)).toMatch(/"table":"webhook_deliveries".*"success"/),
    );
    expectNothingIn(heard);
    expect(JSON.stringify(heard)).not.toContain('"table":"webhooks"');
  });

  it("are in no error", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const table = supabaseAs(operator).from("webhooks");
    const refused = [
      await call("POST", "/api/webhooks", { as: operator, body: { ...FIELDS, events: ["none"] } }),
      await call("POST", "/api/webhooks", {
        as: operator,
        body: { ...FIELDS, headers: { Authorization: `${VALUE}\n` } },
      }),
      await call("POST", "/api/webhooks", { as: operator, body: { ...FIELDS, headers: VALUE } }),
      await call("POST", "/api/webhooks", { as: operator, body: { ...FIELDS, secret: [SECRET] } }),
      await table.insert({ ...FIELDS, events: ["none"] }),
      await table.insert({ ...FIELDS, url: "nowhere" }),
      await table.insert({ ...FIELDS, headers: { Authorization: `${VALUE}\n` } }),
      await table.insert({ ...FIELDS, headers: VALUE }),
      await table.insert({ ...FIELDS, secret: SECRET.repeat(10) }),
    ];
    for (const answer of refused) expect([400, 422]).toContain(answer.status);
    expectNothingIn(refused);
  });

  it("are not stored with idempotency keys, and a repeated answer is the same", async () => {
    const { operator, tenantId } = await openTestTenant();
    const client = await registerClient(tenantId);
    const headers = { "idempotency-key": randomUUID() };
    const body = { ...FIELDS, secret: undefined };
    const register_ = () => call("POST", "/api/webhooks", { as: client, body, headers });
    const first = await register_();
    expect(first.body.secret).toMatch(/^whsec_/);
    const again = await register_();
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(again.status).toBe(201);
    expect(again.body).toEqual(first.body);
    expect((await must("GET", "/api/webhooks", { as: operator })).total).toBe(1);

    const path = `/api/webhooks/${first.body.id}/rotate-secret`;
    const rotation = { as: operator, headers: { "idempotency-key": randomUUID() } };
    const rotated = await must("POST", path, rotation);
    expect(await must("POST", path, rotation)).toEqual(rotated);

    const ledger = "select outcome::text from private.idempotency_keys where tenant_id = $1";
    const kept = JSON.stringify(await query(ledger, [tenantId]));
    expect(kept).toContain(first.body.id);
    expect(kept).not.toContain("whsec_");
    expectNothingIn([kept]);

    // A repeated answer returns the original secret.
    const current = await must("POST", path, { as: operator });
    expect(current.secret).not.toBe(rotated.secret);
    expect((await register_()).body).toEqual({ ...first.body, secret: null });
    expect(await must("POST", path, rotation)).toEqual(rotated);
    await query("update private.webhook_secrets set previous_until = now() where webhook_id = $1", [
      first.body.id,
    ]);
    expect(await must("POST", path, rotation)).toEqual({ ...rotated, secret: null });

    // A caller who may no longer see the webhook gets no repeated answer.
    await supabaseAsService()
      .from("members")
      .update({ role: "customer" })
      .eq("user_id", client.id)
      .throwOnError();
    const late = await register_();
    expect(late.status).toBe(404);
    expect(JSON.stringify(late.body)).not.toContain("whsec_");
  });

  it("are returned again as long as they sign, and the rest of the answer after the webhook is deleted", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const once = (path: string, key: string, body: object) =>
      call("POST", path, { as: operator, body, headers: { "idempotency-key": key } });
    const [key, turn] = [randomUUID(), randomUUID()];
    const register_ = () => once("/api/webhooks", key, FIELDS);
    const first = await register_();
    const path = `/api/webhooks/${first.body.id}`;
    const rotate_ = () => once(`${path}/rotate-secret`, turn, {});
    const rotated = await rotate_();
    for (const again of [await register_(), await register_()]) {
      expect(again.body).toEqual({ ...first.body, secret: SECRET });
    }
    expect((await rotate_()).body).toEqual(rotated.body);

    await must("DELETE", path, { as: operator });
    const after = await register_();
    expect(after.status).toBe(201);
    expect(after.headers.get("idempotency-replayed")).toBe("true");
    expect(after.headers.get("location")).toBe(first.headers.get("location"));
    expect(after.body).toEqual({ ...first.body, secret: null });
    const turned = await rotate_();
    expect(turned.status).toBe(200);
    expect(turned.body).toEqual({ ...rotated.body, secret: null });
  });
});

describe("a webhook's own headers", () => {
  it("are at most ten, with valid names and values that we do not set", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const { id } = await must("POST", "/api/webhooks", { as: operator, body: FIELDS });
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`X-${i}`, "value"]));
    const table = supabaseAs(operator).from("webhooks");
    for (const [field, headers] of [
      ["headers", []],
      ["headers", many(11)],
      ["headers.a b", { "a b": "value" }],
      ["headers.", { "": "value" }],
      ["headers.Zoë", { Zoë: "value" }],
      ["headers.Host", { Host: "value" }],
      ["headers.content-length", { "content-length": "1" }],
      ["headers.Transfer-Encoding", { "Transfer-Encoding": "chunked" }],
      ["headers.Webhook-Id", { "Webhook-Id": "value" }],
      ["headers.X-Webhook-Signature", { "X-Webhook-Signature": "value" }],
      ["headers.Proxy-Authorization", { "Proxy-Authorization": "value" }],
      ["headers.User-Agent", { "User-Agent": "value" }],
      ["headers.X-Empty", { "X-Empty": "" }],
      ["headers.X-Line", { "X-Line": "one\r\nX-Webhook-ID: two" }],
      ["headers.X-Long", { "X-Long": "x".repeat(1001) }],
      ["headers.X-Number", { "X-Number": 1 }],
      [expect.stringMatching(/^headers.x-shop$/i), { "X-Shop": "1", "x-shop": "2" }],
    ] as [string, object][]) {
      const refused = await call("PUT", `/api/webhooks/${id}`, { as: operator, body: { headers } });
      expect(refused.status, JSON.stringify(headers)).toBe(422);
      expect(refused.body.error.details).toMatchObject({ field, value: null });
      const inserted = await table.insert({ ...FIELDS, headers });
      expect(inserted.status, JSON.stringify(headers)).toBe(422);
      expect(JSON.parse(inserted.error?.details ?? "")).toEqual({ field, value: null });
    }
    const headers = { ...many(9), [`X-${"x".repeat(98)}`]: "x".repeat(1000) };
    const changed = await must("PUT", `/api/webhooks/${id}`, { as: operator, body: { headers } });
    expect(changed.header_names).toEqual(Object.keys(headers).toSorted());
  });
});

describe("rotating a secret", () => {
  const rotate = (as: Person, { id }: { id: string }, body?: object) =>
    call("POST", `/api/webhooks/${id}/rotate-secret`, { as, body });

  it("returns a new one once, and the old one also signs for 24 hours", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const there = await receiver();
    const { secret: _, ...webhook } = await must("POST", "/api/webhooks", {
      as: operator,
      body: { ...FIELDS, url: there.url },
    });
    const rotated = await call("POST", `/api/webhooks/${webhook.id}/rotate-secret`, {
      as: operator,
      // Some clients send this header with every request, even without a body.
      headers: { "content-type": "application/json" },
    });
    expect(rotated.status).toBe(200);
    const { secret, previous_secret_until, updated_at, ...shown } = rotated.body;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
    expect(shown).toEqual({ ...shown, ...webhook, updated_at: undefined });
    const hours = (Date.parse(previous_secret_until) - Date.parse(updated_at)) / 3_600_000;
    expect(hours).toBe(24);

    const product = await listProduct(supplier);
    const deliver = async () => {
      const before = there.received.length;
      await must("POST", "/api/orders", { as: customer, body: orderFor(product) });
      await eventually(() => expect(there.received.length).toBeGreaterThan(before));
      return there.received.at(-1) as Receiver["received"][number];
    };
    const hex = (key: string, body: string) =>
      `sha256=${createHmac("sha256", key).update(body).digest("hex")}`;
    const verifies = (by: StandardWebhook, { body, headers }: Receiver["received"][number]) => {
      try {
        return by.verify(body, headers as Record<string, string>) !== undefined;
      } catch {
        return false;
      }
    };
    const byOld = new StandardWebhook(SECRET, { format: "raw" });
    const byNew = new StandardWebhook(secret);

    const both = await deliver();
    expect(both.headers["x-webhook-signature"]).toBe(hex(secret, both.body));
    expect(both.headers["x-webhook-signature-previous"]).toBe(hex(SECRET, both.body));
    expect([verifies(byOld, both), verifies(byNew, both)]).toEqual([true, true]);

    await query("update private.webhook_secrets set previous_until = now() where webhook_id = $1", [
      webhook.id,
    ]);
    const one = await deliver();
    expect(one.headers["x-webhook-signature"]).toBe(hex(secret, one.body));
    expect(one.headers).not.toHaveProperty("x-webhook-signature-previous");
    expect([verifies(byOld, one), verifies(byNew, one)]).toEqual([false, true]);
  });

  it("accepts a given secret; the same one twice rotates once", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const { id } = await must("POST", "/api/webhooks", { as: operator, body: FIELDS });
    const next = "another secret of more than 16 characters";
    const signing = async () =>
      (await query("select secrets from private.webhook_signing($1)", [id]))[0]?.secrets;
    const first = await rotate(operator, { id }, { secret: next });
    expect(first.body.secret).toBe(next);
    expect(await signing()).toEqual([next, SECRET]);
    const second = await rotate(operator, { id }, { secret: next });
    expect(second.body.previous_secret_until).toBe(first.body.previous_secret_until);
    expect(await signing()).toEqual([next, SECRET]);
    // Only the last of several previous secrets signs.
    const third = await rotate(operator, { id }, {});
    expect(await signing()).toEqual([third.body.secret, next]);
    for (const secret of ["fifteen letters", "whsec_fifteen letters", 16]) {
      const refused = await rotate(operator, { id }, { secret });
      expect(refused.status).toBe(422);
      expect(refused.body.error.details).toEqual({ field: "secret", value: null });
    }
    const { error } = await supabaseAs(operator).rpc("rotate_webhook_secret", {
      webhook_id: id,
      secret: "fifteen letters",
    });
    expect(error).toMatchObject({ code: "PT422", message: "VALIDATION_ERROR" });
    expect(await signing()).toEqual([third.body.secret, next]);
  });

  it("does not happen by an upsert of the row", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const { id } = await must("POST", "/api/webhooks", { as: operator, body: FIELDS });
    const { url, events } = FIELDS;
    await supabaseAsService()
      .from("webhooks")
      .upsert({ id, tenant_id: operator.tenantId, url: `${url}/new`, events })
      .throwOnError();
    expect(await must("GET", `/api/webhooks/${id}`, { as: operator })).toMatchObject({
      url: `${url}/new`,
    });
    expect(await query("select secrets, headers from private.webhook_signing($1)", [id])).toEqual([
      { secrets: [SECRET], headers: FIELDS.headers },
    ]);
  });

  it("deletes the old one after its time", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const made = await must("POST", "/api/webhooks", { as: operator, body: FIELDS });
    await rotate(operator, made);
    const previous = async () =>
      (
        await query(
          "select previous_secret, previous_until from private.webhook_secrets where webhook_id = $1",
          [made.id],
        )
      )[0];
    await runJob("forget-webhook-secrets");
    expect(await previous()).toMatchObject({ previous_secret: SECRET });
    await query("update private.webhook_secrets set previous_until = now() where webhook_id = $1", [
      made.id,
    ]);
    await runJob("forget-webhook-secrets");
    expect(await previous()).toEqual({ previous_secret: null, previous_until: null });
  });
});

async function leave(client: SupabaseClient): Promise<void> {
  await client.removeAllChannels();
  await client.realtime.disconnect();
}
