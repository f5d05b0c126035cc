import { query } from "../database.js";
import type { Person, TestTenant } from "../souk.js";
import type { StackAddress } from "../stack.js";
import type { UnrulyReceiver } from "./unruly-receiver.js";

// Invariants of events and their deliveries after crashes.

/** A registered webhook and its receiver. */
export interface Subscriber {
  id: string;
  tenantId: string;
  operator: Person;
  events: string[];
  receiver: UnrulyReceiver;
  /** The time when it was, or may have been, disabled. */
  away?: { from: Date; until?: Date };
}

/** A reader of a tenant's list of events, and the ids that it got. */
export interface Reader {
  tenantId: string;
  read: string[];
}

interface Event {
  id: string;
  tenant_id: string;
  name: string;
  payload: Record<string, unknown>;
  order_id: string | null;
  created_at: Date;
}

interface Delivery {
  id: string;
  tenant_id: string;
  webhook_id: string;
  event_id: string;
}

/** Everything that was lost, made up or sent to the wrong receiver; empty if there is nothing. */
export async function lossesOf(
  acknowledged: Map<string, TestTenant>,
  subscribers: Subscriber[],
  reader: Reader,
  stack: StackAddress,
): Promise<string[]> {
  const tenants = [...new Set(subscribers.map(({ tenantId }) => tenantId))];
  const events = await query<Event>(
    `select e.id, e.tenant_id, e.name, e.payload, e.payload -> 'data' -> 'order' ->> 'id' as order_id, e.created_at
     from public.events e where e.tenant_id = any ($1)`,
    [tenants],
    stack,
  );
  const orders = await query<{ id: string }>(
    "select o.id from public.orders o where o.tenant_id = any ($1)",
    [tenants],
    stack,
  );
  const deliveries = await query<Delivery>(
    "select d.id, d.tenant_id, d.webhook_id, d.event_id from public.webhook_deliveries d where d.tenant_id = any ($1)",
    [tenants],
    stack,
  );
  return [
    ...lostOrders(acknowledged, orders, events),
    ...unread(reader, events),
    ...subscribers.flatMap((one) => lostEvents(one, events, deliveries)),
    ...subscribers.flatMap((one) => strangeDeliveries(one, events, deliveries)),
  ];
}

/** Every acknowledged order exists with one event, and no other order exists. */
function lostOrders(
  acknowledged: Map<string, TestTenant>,
  orders: { id: string }[],
  events: Event[],
): string[] {
  const times = new Map<string, number>();
  for (const { name, order_id } of events) {
    if (name !== "order.created") continue;
    const id = String(order_id);
    times.set(id, (times.get(id) ?? 0) + 1);
  }
  const there = new Set(orders.map(({ id }) => id));
  return [
    ...[...acknowledged.keys()].filter((id) => !there.has(id)).map((id) => `order ${id} is gone`),
    ...[...there].filter((id) => !acknowledged.has(id)).map((id) => `order ${id} was made twice`),
    ...[...there]
      .filter((id) => times.get(id) !== 1)
      .map((id) => `order ${id} has ${times.get(id) ?? 0} order.created events`),
  ];
}

/** The list contains every event of its tenant once, and nothing else. */
function unread({ tenantId, read }: Reader, events: Event[]): string[] {
  const times = new Map<string, number>();
  for (const id of read) times.set(id, (times.get(id) ?? 0) + 1);
  for (const { id, tenant_id } of events) {
    if (tenant_id === tenantId) times.set(id, (times.get(id) ?? 0) - 1);
  }
  return [...times]
    .filter(([, surplus]) => surplus !== 0)
    .map(([id, surplus]) => `event ${id} was listed ${surplus > 0 ? "too often" : "never"}`);
}

/** Every event that a subscriber wants has one successful delivery to it. */
function lostEvents(subscriber: Subscriber, events: Event[], deliveries: Delivery[]): string[] {
  const { id, tenantId, events: names, receiver, away } = subscriber;
  const taken = new Set(receiver.heard.filter((one) => one.taken).map((one) => one.id));
  const mine = new Map<string, Delivery[]>();
  for (const row of deliveries) {
    if (row.webhook_id !== id) continue;
    mine.set(row.event_id, [...(mine.get(row.event_id) ?? []), row]);
  }
  return events.flatMap((event) => {
    const rows = mine.get(event.id) ?? [];
    const label = `${event.name} ${event.id}`;
    const wanted = event.tenant_id === tenantId && names.includes(event.name);
    const excused =
      away && event.created_at >= away.from && !(away.until && event.created_at > away.until);
    if (!wanted) return rows.length > 0 ? [`${label} was not for ${receiver.url}`] : [];
    if (rows.length > 1) return [`${label} has ${rows.length} deliveries to ${receiver.url}`];
    const [row] = rows;
    if (!row) return excused ? [] : [`${label} has no delivery to ${receiver.url}`];
    return taken.has(row.id) ? [] : [`${label} has not reached ${receiver.url}`];
  });
}

/** Every received request is a delivery to this subscriber with its event, always the same, and correctly signed. */
function strangeDeliveries(
  { id: webhook, tenantId, receiver }: Subscriber,
  events: Event[],
  deliveries: Delivery[],
): string[] {
  const eventOf = new Map(events.map((event) => [event.id, event]));
  const rows = new Map(deliveries.map((row) => [row.id, row]));
  const bodies = new Map<string, string>();
  return receiver.heard.flatMap(({ id, body, flaws }) => {
    const strange = flaws.map((flaw) => `${id} is badly signed: ${flaw}`);
    const before = bodies.get(id);
    if (before === body) return strange;
    if (before !== undefined) return [...strange, `${id} has two bodies`];
    bodies.set(id, body);

    const row = rows.get(id);
    const event = row && eventOf.get(row.event_id);
    if (!event) return [...strange, `${id} is of no event`];
    if (row.webhook_id !== webhook || row.tenant_id !== tenantId || event.tenant_id !== tenantId) {
      strange.push(`${id} is another's`);
    }
    const sent = JSON.parse(body);
    const matches = Object.entries(event.payload).every(
      ([field, value]) => JSON.stringify(sent[field]) === JSON.stringify(value),
    );
    return matches ? strange : [...strange, `${id} does not say what its event says`];
  });
}
