import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually, eventuallyNone } from "../eventually.js";
import { ownStack } from "../own-stack.js";
import { listenToTable } from "../realtime/listening.js";
import {
  call,
  listProduct,
  must,
  openReceiver,
  openTestTenant,
  orderFor,
  type Person,
  type Receiver,
  register,
  supabaseAs,
  supabaseAsService,
} from "../souk.js";
import {
  arrived,
  attempted,
  happened,
  hexHmac,
  listen,
  logs,
  makeDue,
  move,
  place,
  receiver,
  SECRET,
  wakeDispatcher,
} from "./receiving.js";

describe("an event", () => {
  it("arrives signed, immediately after an order is placed", async () => {
    const { operator, supplier, customer } = await openTestTenant();
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
      id: expect.any(String),
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
    ["generated", undefined],
    ["sent", SECRET],
  ])("is verified by the library of Standard Webhooks, with a secret that was %s", async (_, secret) => {
    const { operator, supplier, customer } = await openTestTenant();
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

  it("is sent for every move of an order, and for its end", async () => {
    const { operator, supplier, customer } = await openTestTenant();
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
    const bodies = (await arrived(there, 5)).map(({ headers, body }) => {
      expect(headers["x-webhook-event"]).toBe(body.event);
      return body;
    });
    const change = (order: { id: string }, old_status: string, new_status: string) => ({
      id: expect.any(String),
      event: "order.status_changed",
      timestamp: expect.any(String),
      order_id: order.id,
      old_status,
      new_status,
      data: { order: expect.objectContaining({ id: order.id, status: new_status, total: 12.5 }) },
    });
    const end = (event: string, order: { id: string }, status: string) => ({
      id: expect.any(String),
      event,
      timestamp: expect.any(String),
      data: { order: expect.objectContaining({ id: order.id, status, total: 12.5 }) },
    });
    expect(bodies).toHaveLength(5);
    expect(bodies).toEqual(
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

  it("is sent for products and members too", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
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
    const events = new Map(
      (await arrived(there, 4)).map(({ body }) => [body.event, body.data] as const),
    );
    expect(Object.fromEntries(events)).toEqual({
      "product.created": { product: expect.objectContaining({ id: product.id }) },
      "product.updated": { product: expect.objectContaining({ name: "Best saffron" }) },
      "product.out_of_stock": { product: expect.objectContaining({ status: "out_of_stock" }) },
      "user.registered": {
        user: {
          id: newcomer.id,
          email: newcomer.email,
          // It is confirmed immediately afterwards, which user.verified reports.
          email_verified: false,
          name: "Test Person",
          role: "customer",
        },
      },
    });
    expect(there.received).toHaveLength(4);
  });

  it("exists only if its change was committed", async () => {
    const { operator, supplier, customer } = await openTestTenant();
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
    const requests = await arrived(there, 2);
    expect(requests.map(({ body }) => [body.event, body.data.order.id]).sort()).toEqual([
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

  it("is sent to active webhooks of its own tenant that subscribe to it", async () => {
    const [here, elsewhere] = await Promise.all([openTestTenant(), openTestTenant()]);
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
      const requests = await arrived(there, 1);
      expect(requests.map(({ body }) => body.data.order.id)).toEqual([order.id]);
    }
    const foreignRequests = await arrived(foreign, 1);
    expect(foreignRequests.map(({ body }) => body.data.order.id)).toEqual([foreignOrder.id]);
    // Deliveries are inserted with their event, so a missing one will not appear later.
    for (const { webhook, received } of [inactive, switchedOff, other]) {
      expect(await logs(operator, webhook)).toEqual([]);
      expect(received).toEqual([]);
    }
    for (const { webhook } of [active, second]) {
      expect(await logs(operator, webhook)).toHaveLength(1);
    }
  });
});

it("disabling a webhook ends its pending deliveries", async () => {
  const { operator, supplier, customer } = await openTestTenant();
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
  const list = (status: string) =>
    must("GET", `/api/webhooks/${there.webhook.id}/logs?status=${status}`, { as: operator });
  expect(await list("failed")).toMatchObject({ logs: [{ status: "failed" }], total: 1 });
  expect(await list("retrying")).toMatchObject({ logs: [], total: 0 });
  const { data: failed } = await supabaseAs(operator)
    .from("webhook_deliveries")
    .select("attempts")
    .eq("webhook_id", there.webhook.id)
    .eq("status", "failed")
    .not("error", "is", null)
    .throwOnError();
  expect(failed).toEqual([{ attempts: 1 }]);
  // The result of the attempt is kept.
  expect(await attempts(operator, there.webhook)).toEqual([
    { attempt: 1, response_code: 500, error: "the receiver answered 500" },
  ]);
});

/** The attempts of a webhook's deliveries that a member can see. */
async function attempts(as: Person, webhook: { id: string }) {
  const { data } = await supabaseAs(as)
    .from("webhook_attempts")
    .select("attempt, response_code, error")
    .eq("webhook_id", webhook.id)
    .order("attempt")
    .throwOnError();
  return data;
}

/** The row of a webhook's only delivery. */
async function row(webhook: { id: string }) {
  const { data } = await supabaseAsService()
    .from("webhook_deliveries")
    .select()
    .eq("webhook_id", webhook.id)
    .single()
    .throwOnError();
  return data;
}

describe("a delivery", () => {
  /** Places an order for a receiver with these answers. */
  async function deliver(answers: Receiver["answers"], overrides: object = {}) {
    const { operator, supplier, customer } = await openTestTenant();
    const there = await listen(operator, ["order.created"], overrides);
    there.answers.push(...answers);
    const order = await place(customer, await listProduct(supplier));
    return { operator, supplier, customer, order, ...there };
  }

  it("that failed is retried with the same id and body", async () => {
    const { operator, supplier, customer, webhook, received } = await deliver([500]);
    expect(await attempted(operator, webhook, 1)).toMatchObject({
      status: "retrying",
      response_code: 500,
      error: expect.stringContaining("500"),
    });
    await makeDue(webhook);
    await wakeDispatcher();
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
    expect(await attempts(operator, webhook)).toEqual([
      { attempt: 1, response_code: 500, error: "the receiver answered 500" },
      { attempt: 2, response_code: 200, error: null },
    ]);
    for (const stranger of [supplier, customer, await register({ tenant_name: "Elsewhere" })])
      expect(await attempts(stranger, webhook)).toEqual([]);
  });

  it("is published to its tenant at every step", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const heard = await listenToTable(operator, "webhook_deliveries", operator.tenantId);
    const there = await listen(operator, ["content.created"]);
    there.answers.push(500);
    await happened(operator.tenantId, 1);
    await attempted(operator, there.webhook, 1);
    await makeDue(there.webhook);
    await wakeDispatcher();
    await eventually(() =>
      expect(heard.at(-1)?.new).toMatchObject({ status: "success", attempts: 2, error: null }),
    );
    const steps = heard.map(({ new: record }) => (record as { status: string }).status);
    expect([...new Set(steps)]).toEqual(["pending", "retrying", "success"]);
  });

  it("fails permanently after five attempts, with increasing delays", async () => {
    const { operator, order, webhook, received } = await deliver([500, 404, 503, 400, 500]);
    const later = await listen(operator, ["order.status_changed"]);
    /** An event that was written later has arrived, so due deliveries would have been claimed. */
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
      const { status: now, next_attempt_at, updated_at } = await row(webhook);
      expect(now).toBe("retrying");
      const wait = Date.parse(next_attempt_at) - Date.parse(updated_at);
      // The delay is up to 10 % longer, so that retries are spread.
      expect(wait).toBeGreaterThanOrEqual(minutes * 60_000);
      expect(wait).toBeLessThanOrEqual(minutes * 66_000);
      await nothingIsDue(status, before + 1);
      await makeDue(webhook);
      await wakeDispatcher();
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

  it.each([
    ["no sooner than the receiver asks for", 429, "600", 10],
    [
      "no sooner than the date it sends",
      503,
      () => new Date(Date.now() + 1_200_000).toUTCString(),
      20,
    ],
    ["after at most an hour", 503, "86400", 60],
    ["no sooner than the usual time", 429, "1", 1],
    ["at the usual time if the status allows no Retry-After", 500, "600", 1],
  ] as const)("is retried %s", async (_, status, after, minutes) => {
    const retryAfter = typeof after === "string" ? after : after();
    const { operator, webhook } = await deliver([
      { status, headers: { "retry-after": retryAfter } },
    ]);
    await attempted(operator, webhook, 1);
    const { next_attempt_at, updated_at } = await row(webhook);
    const wait = Date.parse(next_attempt_at) - Date.parse(updated_at);
    // A date has no fractions of a second, and was written before the order was placed.
    expect(wait).toBeGreaterThan(minutes * 60_000 - 20_000);
    expect(wait).toBeLessThanOrEqual(minutes * 66_000);
    if (!retryAfter.includes("GMT")) expect(wait).toBeGreaterThanOrEqual(minutes * 60_000);
  });

  it("follows no redirect", async () => {
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

  it("to a closed port is retried later", async () => {
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
    const { operator, supplier, customer } = await openTestTenant();
    // Registering over HTTP refuses such an address, but a row of the table may contain it.
    const { data: webhooks } = await supabaseAs(operator)
      .from("webhooks")
      .insert(
        ["http://10.0.0.1/", "http://169.254.169.254/", "http://[::ffff:10.0.0.1]/"].map((url) => ({
          url,
          events: ["order.created"],
        })),
      )
      .select("id")
      .throwOnError();
    await place(customer, await listProduct(supplier));
    for (const webhook of webhooks) {
      expect(await attempted(operator, webhook, 1)).toMatchObject({
        status: "retrying",
        response_code: null,
        error: "the address is not on the public internet",
      });
    }
  });

  it("does not wait for other receivers", async () => {
    const [slow, quick] = await Promise.all([deliver(["never", "never"]), openTestTenant()]);
    await eventually(() => expect(slow.received).toHaveLength(1));
    await makeDue(slow.webhook);
    await wakeDispatcher();
    const there = await listen(quick.operator, ["order.created"]);
    await place(quick.customer, await listProduct(quick.supplier));
    await arrived(there, 1);
    // The slow receiver has not answered, and its request has not timed out.
    const [waiting] = await logs(slow.operator, slow.webhook);
    expect(waiting).toMatchObject({ status: "pending", attempts: 0 });
  });

  it("is sent once by concurrent dispatchers", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const there = await listen(operator, ["order.created"]);
    const count = 10;
    there.answers.push(...Array<number>(count).fill(500));
    const product = await listProduct(supplier);
    await Promise.all(Array.from({ length: count }, () => place(customer, product)));
    const statuses = async (): Promise<string[]> =>
      // biome-ignore lint/suspicious/noExplicitAny: records as the API answers them.
      (await logs(operator, there.webhook)).map(({ status }: any) => status);
    const waitFor = (status: string) =>
      eventuallyNone(async () => count - (await statuses()).filter((one) => one === status).length);
    await waitFor("retrying");
    await makeDue(there.webhook);
    await Promise.all([wakeDispatcher(), wakeDispatcher(), wakeDispatcher(), wakeDispatcher()]);
    await waitFor("success");
    const times: Record<string, number> = {};
    for (const { headers } of there.received) {
      const id = String(headers["x-webhook-id"]);
      times[id] = (times[id] ?? 0) + 1;
    }
    expect(Object.values(times)).toEqual(Array<number>(count).fill(2));
  });
});

describe("an unreachable webhook", () => {
  const service = () => supabaseAsService();

  /** Causes this many events for a webhook, and waits until each has been attempted. */
  async function happen(tenantId: string, webhook: { id: string }, count: number) {
    const before = await tried(webhook);
    await happened(tenantId, count);
    await eventually(async () => expect(await tried(webhook)).toBe(before + count));
  }

  async function tried(webhook: { id: string }) {
    const { count } = await service()
      .from("webhook_attempts")
      .select("*", { count: "exact", head: true })
      .eq("webhook_id", webhook.id)
      .throwOnError();
    return count as number;
  }

  async function failing(webhook: { id: string }, hours: number) {
    await service()
      .from("webhooks")
      .update({ failing_since: new Date(Date.now() - hours * 3_600_000).toISOString() })
      .eq("id", webhook.id)
      .throwOnError();
  }

  const shown = (as: Person, { id }: { id: string }) => must("GET", `/api/webhooks/${id}`, { as });

  it("is disabled after a day of failures, with an earlier warning to its tenant", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const { tenantId } = operator;
    const there = await listen(operator, ["content.created"]);
    const watcher = await listen(operator, ["webhook.failing", "webhook.disabled"]);
    there.answers.push(...Array<number>(30).fill(500));

    await happen(tenantId, there.webhook, 2);
    const first = await shown(operator, there.webhook);
    expect(first).toMatchObject({ active: true, failing_since: expect.any(String) });
    for (const [hours, warnings] of [
      [5, 0],
      [7, 1],
      [11, 1],
      [13, 2],
      [19, 3],
      // It has been attempted less than ten times.
      [25, 3],
    ] as const) {
      await failing(there.webhook, hours);
      await happen(tenantId, there.webhook, 1);
      await arrived(watcher, warnings);
      const emitted = await service().from("events").select("name").eq("tenant_id", tenantId);
      expect(emitted.data?.filter(({ name }) => name === "webhook.failing")).toHaveLength(warnings);
    }
    expect(await shown(operator, there.webhook)).toMatchObject({ active: true });
    await happen(tenantId, there.webhook, 2);

    const requests = await arrived(watcher, 4);
    const off = await shown(operator, there.webhook);
    expect(off).toMatchObject({ active: false, disabled_reason: "failing" });
    const events = requests.map(({ body }) => [body.event, body.data.webhook.id]);
    expect(events).toEqual([
      ...Array(3).fill(["webhook.failing", there.webhook.id]),
      ["webhook.disabled", there.webhook.id],
    ]);
    expect(requests.at(-1)?.body.data.webhook).toMatchObject({
      ...off,
      updated_at: expect.anything(),
    });
    expect(JSON.stringify(requests)).not.toContain(SECRET);
    // Its pending deliveries have ended, and nothing more is sent.
    const left = (await logs(operator, there.webhook)).map(
      ({ status }: { status: string }) => status,
    );
    expect(left).toEqual(Array(10).fill("failed"));

    await must("PUT", `/api/webhooks/${there.webhook.id}`, {
      as: operator,
      body: { active: true },
    });
    await happen(tenantId, there.webhook, 1);
    expect(await shown(operator, there.webhook)).toMatchObject({ active: true });
  });

  it("is no longer at risk after one successful attempt", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const there = await listen(operator, ["content.created"]);
    there.answers.push(...Array<number>(9).fill(500));
    await happen(operator.tenantId, there.webhook, 9);
    await failing(there.webhook, 25);
    await happen(operator.tenantId, there.webhook, 1);
    expect(await shown(operator, there.webhook)).toMatchObject({ failing_since: null });
    there.answers.push(500);
    await happen(operator.tenantId, there.webhook, 1);
    await failing(there.webhook, 25);
    there.answers.push(500);
    await happen(operator.tenantId, there.webhook, 1);
    expect(await shown(operator, there.webhook)).toMatchObject({ active: true });
  });

  it("is disabled immediately by status 410", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const there = await listen(operator, ["content.created"]);
    const watcher = await listen(operator, ["webhook.disabled"]);
    there.answers.push(500, 410);
    await happen(operator.tenantId, there.webhook, 1);
    await happen(operator.tenantId, there.webhook, 1);
    const [request] = await arrived(watcher, 1);
    expect(request?.body.data.webhook).toMatchObject({ id: there.webhook.id, active: false });
    expect(await shown(operator, there.webhook)).toMatchObject({
      active: false,
      disabled_reason: "gone",
    });
    const ends = await logs(operator, there.webhook);
    expect(ends).toMatchObject([
      { status: "failed", response_code: 410, attempts: 1, next_attempt_at: null },
      { status: "failed", error: "the webhook was switched off", attempts: 1 },
    ]);
  });

  it("is not disabled by the 410 of its previous URL", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const asked: ServerResponse[] = [];
    const before = createServer((_, response) => asked.push(response));
    await new Promise<void>((listening) => before.listen(0, "127.0.0.1", listening));
    onTestFinished(() => {
      before.closeAllConnections();
      before.close();
    });
    const { port } = before.address() as AddressInfo;
    const there = await listen(operator, ["content.created"], { url: `http://127.0.0.1:${port}/` });
    await happened(operator.tenantId, 1);
    await eventually(() => expect(asked).toHaveLength(1));
    await must("PUT", `/api/webhooks/${there.webhook.id}`, {
      as: operator,
      body: { url: there.url },
    });
    asked[0]?.writeHead(410).end();
    expect(await attempted(operator, there.webhook, 1)).toMatchObject({
      status: "retrying",
      response_code: 410,
      next_attempt_at: expect.any(String),
    });
    expect(await shown(operator, there.webhook)).toMatchObject({
      active: true,
      disabled_reason: null,
    });
    await makeDue(there.webhook);
    await wakeDispatcher();
    expect(await attempted(operator, there.webhook, 2)).toMatchObject({ status: "success" });
    expect(there.received).toHaveLength(1);
  });
});

describe("the dispatcher's endpoint", () => {
  it("accepts only the project's secret keys, new and legacy", async () => {
    const { token } = await register({ tenant_name: "Oasis" });
    const { anon_key, publishable_key, secret_key, service_role_key } = ownStack;
    const wake = (headers: Record<string, string>) =>
      call("POST", "/webhook-dispatch", { headers });
    for (const apikey of [anon_key, publishable_key, token, `${secret_key}x`, ""]) {
      const refused = await wake({ apikey });
      expect(refused.status).toBe(401);
      expect(refused.body.error.code).toBe("UNAUTHORIZED");
    }
    expect((await wake({})).status).toBe(401);
    expect((await wake({ apikey: secret_key })).status).toBe(202);
    expect((await wake({ apikey: service_role_key })).status).toBe(202);
  });
});
