import { setTimeout as pause, setImmediate as yieldOnce } from "node:timers/promises";
import pLimit, { type LimitFunction } from "p-limit";
import type { Outcome, Outgoing } from "./send.ts";

/** The lease of a delivery. It is sent back when the outcome is recorded. */
export interface Lease {
  id: string;
  webhook_id: string;
  leased_until: string;
  /** The address at that time. An outcome does not count for an address that was set later. */
  url: string;
}

/** A leased delivery with everything that sending it needs. */
export interface LeasedDelivery extends Lease, Omit<Outgoing, "body"> {
  /** Null if it was taken without its body, or if the event is no longer stored. */
  body: string | null;
  /** Size of the body in bytes. */
  bytes: number;
}

/** The operations that a sender needs. */
export interface SenderDependencies {
  /** Reads the body of a delivery that was taken without it; null if the event is no longer stored. */
  readBody(id: string): Promise<string | null>;
  send(delivery: LeasedDelivery & Outgoing): Promise<Outcome>;
  /** Reports an internal error. */
  reportError(error: unknown): void;
}

/** Deliveries started before other work gets the processor: signing and writing hundreds takes long. */
const STARTED_AT_ONCE = 10;
/** Maximum number of requests in flight per webhook, as in the database. Further deliveries wait here. */
const AT_ONCE = 10;
/** Maximum time a delivery waits here, in milliseconds. Then it is given back: its webhook may have changed, or its
 * receiver may hang. */
const WAITING_MS = 1000;
/** Maximum number of requests started within STARTING_MS. More would open extra connections without being answered
 * sooner. */
const MAX_STARTING = 50;
/** Time for which a request counts as starting, in milliseconds; at most twice as long. */
const STARTING_MS = 20;

/**
 * Returns a function that sends taken deliveries, at most AT_ONCE per webhook. It calls `onEnd` once for each delivery,
 * without an outcome if the delivery is given back.
 */
export function createSender(
  dependencies: SenderDependencies,
  onEnd: (delivery: LeasedDelivery, outcome?: Outcome) => void,
): (taken: LeasedDelivery[]) => Promise<void> {
  const starting = pLimit(MAX_STARTING);
  const hasStarted = createStartTimer();
  const limits = new Map<string, LimitFunction>();

  async function sendOrGiveBack(delivery: LeasedDelivery, since: number): Promise<void> {
    let sent: Promise<void> | undefined;
    await starting(() => {
      if (performance.now() - since > WAITING_MS) return onEnd(delivery);
      sent = attempt(dependencies, delivery).then((outcome) => onEnd(delivery, outcome));
      return Promise.race([sent, hasStarted()]);
    });
    await sent;
  }

  return async (taken) => {
    const since = performance.now();
    for (const [place, delivery] of taken.entries()) {
      if (place % STARTED_AT_ONCE === 0) await yieldOnce();
      const limit = limits.get(delivery.webhook_id) ?? pLimit(AT_ONCE);
      limits.set(delivery.webhook_id, limit);
      void limit(() => sendOrGiveBack(delivery, since));
    }
  };
}

/**
 * Returns a function whose promise resolves when a request sent now no longer counts as starting. Requests sent at about
 * the same time share a timer.
 */
function createStartTimer(): () => Promise<void> {
  let started = Promise.resolve();
  let startedUntil = 0;
  return () => {
    const now = performance.now();
    if (now > startedUntil) {
      startedUntil = now + STARTING_MS;
      started = pause(2 * STARTING_MS);
    }
    return started;
  };
}

/** Makes one attempt. An internal error is reported, and counts as a failed attempt. */
async function attempt(
  dependencies: SenderDependencies,
  delivery: LeasedDelivery,
): Promise<Outcome> {
  try {
    const body = delivery.body ?? (await dependencies.readBody(delivery.id));
    if (body === null) return notSent("the event is no longer stored");
    return await dependencies.send({ ...delivery, body });
  } catch (error) {
    dependencies.reportError(error);
    return notSent("the delivery could not be sent");
  }
}

function notSent(error: string): Outcome {
  return {
    started_at: new Date().toISOString(),
    duration_ms: 0,
    response_code: null,
    response_body: null,
    retry_after_seconds: null,
    error,
  };
}
