import { createHmac } from "node:crypto";
import { expect, onTestFinished } from "vitest";
import { query } from "../database.js";
import { eventually, eventuallyNone } from "../eventually.js";
import { ownStack } from "../own-stack.js";
import {
  must,
  openReceiver,
  orderFor,
  type Person,
  type Received,
  type Receiver,
  supabaseAsService,
} from "../souk.js";

// Helpers for tests of webhooks: open receivers, cause events, and read the results.

export const SECRET = "a secret of more than 16 characters";

export async function receiver(): Promise<Receiver> {
  const opened = await openReceiver();
  onTestFinished(opened.close);
  return opened;
}

/** Opens a receiver and registers it for some events. */
export async function listen(as: Person, events: string[], overrides: object = {}) {
  const there = await receiver();
  const body = { url: there.url, events, secret: SECRET, ...overrides };
  const webhook = await must("POST", "/api/webhooks", { as, body });
  return { ...there, webhook };
}

export function place(as: Person, ...order: Parameters<typeof orderFor>) {
  return must("POST", "/api/orders", { as, body: orderFor(...order) });
}

export function move(as: Person, order: { id: string }, status: string) {
  return must("PATCH", `/api/orders/${order.id}/status`, { as, body: { status } });
}

/** Waits until a receiver has got this many deliveries. */
export async function arrived(at: { received: Received[] }, count: number) {
  await eventuallyNone(() => count - at.received.length);
  return at.received.map(({ headers, body }) => ({ headers, raw: body, body: JSON.parse(body) }));
}

export async function logs(as: Person, webhook: { id: string }) {
  return (await must("GET", `/api/webhooks/${webhook.id}/logs`, { as })).logs;
}

/** The log of a webhook's only delivery, after this many attempts were recorded. */
export async function attempted(as: Person, webhook: { id: string }, attempts: number) {
  return await eventually(async () => {
    const [delivery, ...more] = await logs(as, webhook);
    expect(more).toEqual([]);
    expect(delivery).toMatchObject({ attempts });
    return delivery;
  });
}

/** Makes a webhook's deliveries due. */
export async function makeDue(webhook: { id: string }) {
  await supabaseAsService()
    .from("webhook_deliveries")
    .update({ next_attempt_at: new Date(0).toISOString() })
    .eq("webhook_id", webhook.id)
    .in("status", ["pending", "retrying"])
    .throwOnError();
}

export function wakeDispatcher() {
  return must("POST", "/webhook-dispatch", { headers: { apikey: ownStack.secret_key } });
}

export function hexHmac(secret: string, raw: string) {
  return createHmac("sha256", secret).update(raw).digest("hex");
}

/** Writes events with a name that no other part of a test uses, in one transaction. */
export function happened(tenantId: string, count: number) {
  return query(
    `insert into public.events (tenant_id, name, payload)
     select $1, 'content.created', jsonb_build_object('event', 'content.created', 'data', n)
     from generate_series(1, $2::integer) n`,
    [tenantId, count],
  );
}
