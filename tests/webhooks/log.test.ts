import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventName } from "../../supabase/functions/_shared/events/schema.ts";
import { exampleOf } from "../../supabase/functions/api/event_types.ts";
import { eventually } from "../eventually.js";
import {
  call,
  listProduct,
  must,
  openReceiver,
  openTestTenant,
  type Person,
  register,
  registerClient,
  supabaseAs,
} from "../souk.js";
import { arrived, attempted, hexHmac, listen, logs, move, place, SECRET } from "./receiving.js";

// Test requests of webhooks, and the log of deliveries.

describe("testing a webhook", () => {
  const test = (as: Person, webhook: { id: string }, event = "order.created") =>
    call("POST", `/api/webhooks/${webhook.id}/test`, { as, body: { event } });

  it("allows five concurrent tests per tenant", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const elsewhere = await register({ tenant_name: "Elsewhere" });
    const other = await listen(elsewhere, ["user.verified"]);
    const there = await listen(operator, ["user.verified"]);
    const begun: ServerResponse[] = [];
    const waiting = createServer((_, response) => begun.push(response));
    await new Promise<void>((listening) => waiting.listen(0, "127.0.0.1", listening));
    onTestFinished(() => {
      waiting.closeAllConnections();
      waiting.close();
    });
    const url = `http://127.0.0.1:${(waiting.address() as AddressInfo).port}/`;
    await must("PUT", `/api/webhooks/${there.webhook.id}`, { as: operator, body: { url } });
    const tests = Array.from({ length: 8 }, () => test(operator, there.webhook));
    await eventually(() => expect(begun).toHaveLength(5));
    // Other tenants do not wait.
    expect((await test(elsewhere, other.webhook)).status).toBe(200);
    for (const response of begun) response.end();
    const statuses = (await Promise.all(tests)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([...Array(5).fill(200), ...Array(3).fill(409)]);
  });

  it("sends an example immediately, signed like a delivery, without logging it", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const client = await registerClient(operator.tenantId);
    const headers = { Authorization: "Bearer of the shop" };
    // The webhook may be disabled, and need not subscribe to the event.
    const there = await listen(operator, ["user.verified"], { active: false, headers });
    for (const [tests, as] of [operator, client].entries()) {
      const came = await test(as, there.webhook);
      expect(came.status).toBe(200);
      expect(came.body).toEqual({
        success: true,
        response_code: 200,
        response_time: expect.any(Number),
        error: null,
      });
      const [got] = (await arrived(there, tests + 1)).slice(-1);
      expect(got?.headers).toMatchObject({
        authorization: "Bearer of the shop",
        "x-webhook-event": "order.created",
        "x-webhook-id": expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
        "x-webhook-signature": `sha256=${hexHmac(SECRET, got?.raw ?? "")}`,
      });
      expect(got?.body).toEqual(exampleOf("order.created"));
    }
    expect(new Set(there.received.map(({ headers }) => headers["x-webhook-id"])).size).toBe(2);
    expect(await logs(operator, there.webhook)).toEqual([]);
    expect(await must("GET", `/api/webhooks/${there.webhook.id}`, { as: operator })).toMatchObject({
      active: false,
      failing_since: null,
    });
  });

  it("reports an error without retries", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const there = await listen(operator, ["order.created"]);
    for (const status of [500, 410, 302]) {
      there.answers.push(status);
      expect((await test(operator, there.webhook)).body).toEqual({
        success: false,
        response_code: status,
        response_time: expect.any(Number),
        error: expect.stringContaining(String(status)),
      });
    }
    expect(there.received).toHaveLength(3);
    expect(await logs(operator, there.webhook)).toEqual([]);
    // Not even a 410 disables the webhook, because it was not a delivery.
    expect((await must("GET", `/api/webhooks/${there.webhook.id}`, { as: operator })).active).toBe(
      true,
    );

    const gone = await openReceiver();
    await gone.close();
    const { data: inside } = await supabaseAs(operator)
      .from("webhooks")
      .insert([
        { events: ["order.created"], url: gone.url },
        { events: ["order.created"], url: "http://169.254.169.254/" },
      ])
      .select("id")
      .throwOnError();
    for (const webhook of inside) {
      expect((await test(operator, webhook)).body).toEqual({
        success: false,
        response_code: null,
        response_time: expect.any(Number),
        error: expect.stringMatching(/could not be reached|not on the public internet/),
      });
    }
  });

  it("accepts every event, and no other", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const there = await listen(operator, ["order.created"]);
    for (const event of eventName.options) {
      expect((await test(operator, there.webhook, event)).body.success, event).toBe(true);
      expect(JSON.parse(there.received.at(-1)?.body ?? "")).toEqual(exampleOf(event));
    }
    const old = await test(operator, there.webhook, "payment.completed");
    expect(old.headers.get("deprecation")).toBe("@1795219200");
    expect(there.received.at(-1)?.headers["x-webhook-event"]).toBe("payment.succeeded");
    const refused = await test(operator, there.webhook, "order.exploded");
    expect(refused.status).toBe(422);
    expect(refused.body.error.details).toEqual({ field: "event", value: "order.exploded" });
  });
});

describe("the log of a webhook", () => {
  it("can be filtered by status, event and time", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const there = await listen(operator, ["order.created", "order.status_changed"]);
    const product = await listProduct(supplier);
    const find = async (filter: Record<string, string>) => {
      const search = new URLSearchParams(filter);
      const path = `/api/webhooks/${there.webhook.id}/logs?${search}`;
      const { logs, total } = await must("GET", path, { as: operator });
      return { events: logs.map(({ event }: { event: string }) => event), total };
    };
    const settled = (filter: Record<string, string>, total: number) =>
      eventually(async () => expect((await find(filter)).total).toBe(total));

    there.answers.push(500);
    const order = await place(customer, product);
    await settled({ status: "retrying" }, 1);
    await move(operator, order, "confirmed");
    await settled({ status: "success" }, 1);
    await move(operator, order, "shipped");
    await settled({ status: "success" }, 2);

    const [created, changed] = ["order.created", "order.status_changed"];
    expect(await find({})).toEqual({ events: [changed, changed, created], total: 3 });
    expect(await find({ order: "asc", limit: "1" })).toEqual({ events: [created], total: 3 });
    expect(await find({ page: "2", limit: "2" })).toEqual({ events: [created], total: 3 });
    expect(await find({ event: changed as string, limit: "1" })).toEqual({
      events: [changed],
      total: 2,
    });
    expect(await find({ event: created as string, status: "success" })).toEqual({
      events: [],
      total: 0,
    });
    const [, second] = await logs(operator, there.webhook);
    expect(await find({ since: second.created_at })).toEqual({
      events: [changed, changed],
      total: 2,
    });
    expect((await find({ since: "2100-01-01T00:00:00+01:00" })).total).toBe(0);
    for (const [field, value] of [
      ["status", "lost"],
      ["event", "order.exploded"],
      ["since", "yesterday"],
      ["sort", "event"],
      ["page", "0"],
    ] as const) {
      const path = `/api/webhooks/${there.webhook.id}/logs?${field}=${value}`;
      const refused = await call("GET", path, { as: operator });
      expect(refused.status, path).toBe(422);
      expect(refused.body.error.details).toMatchObject({ field, value });
    }
  });
});

describe("the time of a delivery in the log", () => {
  it("is its event's, so that a list since then starts with it", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const there = await listen(operator, ["order.created"]);
    const product = await listProduct(supplier);
    for (let i = 0; i < 3; i++) await place(customer, product);
    const requests = (await arrived(there, 3)).toSorted((a, b) =>
      a.body.timestamp.localeCompare(b.body.timestamp),
    );
    for (const [before, { headers, body }] of requests.entries()) {
      const path = `/api/webhooks/${there.webhook.id}/logs?order=asc&since=${body.timestamp}`;
      const { logs: since, total } = await must("GET", path, { as: operator });
      expect(since[0]).toMatchObject({ id: headers["x-webhook-id"] });
      expect(total).toBe(3 - before);
      expect(new Date(since[0].created_at).toISOString()).toBe(body.timestamp);
      const exactly = `/api/webhooks/${there.webhook.id}/logs?since=${encodeURIComponent(since[0].created_at)}`;
      expect((await must("GET", exactly, { as: operator })).total).toBe(3 - before);
    }
  });
});

describe("a delivery in the log", () => {
  const send = (method: string, webhook: { id: string }, path: string, as: Person, body?: object) =>
    call(method, `/api/webhooks/${webhook.id}/${path}`, { as, body });

  it("shows its content and every attempt, and can be sent again by hand", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const there = await listen(operator, ["order.created"]);
    there.answers.push(500);
    await place(customer, await listProduct(supplier));
    const { id } = await attempted(operator, there.webhook, 1);
    const show = async () => (await send("GET", there.webhook, `deliveries/${id}`, operator)).body;
    const [first] = await arrived(there, 1);
    const failed = {
      attempt: 1,
      started_at: expect.any(String),
      duration_ms: expect.any(Number),
      response_code: 500,
      response_body: "",
      error: expect.stringContaining("500"),
    };
    expect(await show()).toEqual({
      id,
      event: "order.created",
      status: "retrying",
      response_code: 500,
      attempts: 1,
      error: failed.error,
      next_attempt_at: expect.any(String),
      created_at: expect.any(String),
      request: first?.body,
      history: [failed],
    });

    for (const made of [2, 3]) {
      const again = await send("POST", there.webhook, `deliveries/${id}/retry`, operator);
      expect(again.status).toBe(200);
      expect(again.body).toMatchObject({ id, status: "retrying", attempts: made - 1 });
      await attempted(operator, there.webhook, made);
    }
    const delivered = { ...failed, response_code: 200, error: null };
    expect(await show()).toMatchObject({
      status: "success",
      next_attempt_at: null,
      history: [failed, { ...delivered, attempt: 2 }, { ...delivered, attempt: 3 }],
    });
    for (const { headers, raw } of await arrived(there, 3)) {
      expect(headers["x-webhook-id"]).toBe(id);
      expect(raw).toBe(first?.raw);
    }
  });

  it("can be sent again with all that failed since a time", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const there = await listen(operator, ["order.created"]);
    const product = await listProduct(supplier);
    const since = new Date(0).toISOString();
    there.answers.push(500, 500);
    const orders = [await place(customer, product), await place(customer, product)];
    await arrived(there, 2);
    const recover = (body: object) => send("POST", there.webhook, "recover", operator, body);
    // A pending delivery has not failed yet.
    expect((await recover({ since })).body).toEqual({ recovered: 0, more: false });
    const path = `/api/webhooks/${there.webhook.id}`;
    await must("PUT", path, { as: operator, body: { active: false } });
    const missed = await eventually(async () => {
      const deliveries = await logs(operator, there.webhook);
      expect(deliveries).toMatchObject([{ status: "failed" }, { status: "failed" }]);
      return deliveries[0];
    });
    for (const off of [
      await recover({ since }),
      await send("POST", there.webhook, `deliveries/${missed.id}/retry`, operator),
    ]) {
      expect(off.status).toBe(409);
      expect(off.body.error.code).toBe("CONFLICT");
    }
    await must("PUT", path, { as: operator, body: { active: true } });
    expect((await recover({ since: "2100-01-01T00:00:00Z" })).body).toEqual({
      recovered: 0,
      more: false,
    });
    expect((await recover({ since })).body).toEqual({ recovered: 2, more: false });
    const orderIds = (await arrived(there, 4)).slice(2).map(({ body }) => body.data.order.id);
    expect(orderIds.toSorted()).toEqual(orders.map((order) => order.id).toSorted());
    for (const body of [{}, { since: "yesterday" }, { since: null }]) {
      const refused = await recover(body);
      expect(refused.status).toBe(422);
      expect(refused.body.error.details.field).toBe("since");
    }
  });

  it("is readable by admins and clients of the tenant", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const foreign = await register({ tenant_name: "Elsewhere" });
    const there = await listen(operator, ["order.created"]);
    const theirs = await listen(operator, ["order.created"]);
    await place(customer, await listProduct(supplier));
    const { id } = await attempted(operator, there.webhook, 1);
    const one = `deliveries/${id}`;
    const since = { since: new Date(0).toISOString() };
    for (const person of [supplier, customer, foreign]) {
      const status = person === foreign ? 404 : 403;
      expect((await send("GET", there.webhook, one, person)).status).toBe(404);
      expect((await send("POST", there.webhook, `${one}/retry`, person)).status).toBe(status);
      expect((await send("POST", there.webhook, "recover", person, since)).status).toBe(status);
    }
    // A delivery of another webhook is not found.
    for (const path of [one, "deliveries/1"]) {
      expect((await send("GET", theirs.webhook, path, operator)).status).toBe(404);
      expect((await send("POST", theirs.webhook, `${path}/retry`, operator)).status).toBe(404);
    }
    const client = await registerClient(tenantId);
    expect((await send("GET", there.webhook, one, client)).status).toBe(200);
    expect((await send("POST", there.webhook, "recover", client, since)).body).toEqual({
      recovered: 0,
      more: false,
    });
  });
});
