import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import { now, type Receivers } from "./receiving.js";
import {
  type Event,
  HANGING,
  listeners,
  REGISTRATIONS,
  TENANTS,
  writeEvents,
  writeToHanging,
} from "./shops.js";

/** The time from the commit of an event to the last byte of a delivery, in ms. */
export interface Delays {
  p50: number;
  p95: number;
  p99: number;
}

function delaysOf(took: number[]): Delays {
  took.sort((a, b) => a - b);
  const at = (share: number) => took[Math.floor((took.length - 1) * share)] as number;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

/**
 * Writes events one by one, each in its own transaction; returns the time of each commit, by
 * number.
 */
async function writeGently(
  db: pg.Client,
  event: Event,
  { count, perSecond, tenants }: { count: number; perSecond: number; tenants: number },
): Promise<number[]> {
  const committed: number[] = [];
  const begun = now();
  for (let first = 0; first < count; first += 1) {
    await pause(Math.max(0, begun + (first * 1000) / perSecond - now()));
    await writeEvents(db, event, { first, count: 1, tenants });
    committed.push(now());
  }
  return committed;
}

/** Measures the delays of consecutive events to one receiver. */
export async function delaysOfOne(
  db: pg.Client,
  receivers: Receivers,
  load: { count: number; perSecond: number },
): Promise<Delays> {
  const committed = await writeGently(db, "product.updated", { ...load, tenants: 1 });
  const heard = await receivers.heard(load.count);
  return delaysOf(heard.map(([, sequence, at]) => at - (committed[sequence] as number)));
}

/**
 * 1 % of all receivers are dead (they refuse or never answer) and 5 % are slow, spread over the
 * tenants.
 */
export const bad = (() => {
  const every = (step: number, from: number) =>
    Array.from({ length: Math.floor(REGISTRATIONS / step) }, (_, n) => from + n * step);
  const dead = every(100, 7);
  return {
    refusing: dead.filter((_, at) => at % 2 === 0),
    mute: dead.filter((_, at) => at % 2 === 1),
    slow: every(20, 3),
  };
})();
const badOnes = new Set(Object.values(bad).flat());

/** The rate of events per second, or all at once. */
export interface Traffic {
  name: string;
  events: number;
  perSecond: number | null;
}

/**
 * Measures the delays of the receivers that are always healthy, with the other receivers failing or healthy. Afterwards
 * no delivery is in flight.
 */
export async function delaysOfHealthy(
  db: pg.Client,
  receivers: Receivers,
  { events, perSecond }: Traffic,
  beside: "bad" | "good",
): Promise<Delays> {
  await receivers.behave(beside === "bad" ? bad : {});
  let committed: number[];
  if (perSecond === null) {
    await writeEvents(db, "order.created", { first: 0, count: events, tenants: TENANTS });
    committed = Array<number>(events).fill(now());
  } else {
    committed = await writeGently(db, "order.created", {
      count: events,
      perSecond,
      tenants: TENANTS,
    });
  }
  const expected = committed.flatMap((_, n) =>
    listeners(1 + (n % TENANTS), "order.created").filter(
      (receiver) => beside === "good" || !badOnes.has(receiver),
    ),
  );
  const heard = await receivers.heard(expected.length);
  await rest(db, receivers);
  return delaysOf(
    heard
      .filter(([receiver]) => !badOnes.has(receiver))
      .map(([, sequence, at]) => at - (committed[sequence] as number)),
  );
}

/**
 * Number of events for the hanging receivers: more than may be in flight during the whole
 * measurement.
 */
const TO_EACH = 50;

/**
 * Measures the delays of other tenants' receivers beside those of one tenant, which hang or are
 * healthy.
 */
export async function delaysBesideHanging(
  db: pg.Client,
  receivers: Receivers,
  load: { count: number; perSecond: number },
  beside: "bad" | "good",
): Promise<Delays> {
  const hanging = Array.from({ length: HANGING }, (_, n) => REGISTRATIONS + n);
  await receivers.behave(beside === "bad" ? { mute: hanging } : {});
  await writeToHanging(db, TO_EACH);
  const committed = await writeGently(db, "order.created", { ...load, tenants: TENANTS });
  const count = committed.flatMap((_, n) => listeners(1 + (n % TENANTS), "order.created")).length;
  const heard = await receivers.heard(beside === "bad" ? count : count + TO_EACH * HANGING);
  await rest(db, receivers);
  return delaysOf(
    heard
      .filter(([receiver]) => receiver < REGISTRATIONS)
      .map(([, sequence, at]) => at - (committed[sequence] as number)),
  );
}

/** Ends pending retries and deliveries in flight. */
async function rest(db: pg.Client, receivers: Receivers): Promise<void> {
  await db.query(
    `update public.webhook_deliveries set status = 'failed', next_attempt_at = null, error = 'not waited for'
     where next_attempt_at is not null`,
  );
  await db.query("delete from private.webhook_queue; delete from private.webhook_leases");
  await receivers.behave({});
  do {
    await pause(500);
  } while ((await receivers.heard(0)).length > 0);
}
