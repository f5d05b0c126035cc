import { setTimeout as pause, setImmediate as yieldOnce } from "node:timers/promises";
import pLimit, { type LimitFunction } from "p-limit";
import type { Outcome, Outgoing } from "./send.ts";

/** The lease of a delivery. It is sent back when the outcome is recorded. */
interface Lease {
  id: string;
  webhook_id: string;
  leased_until: string;
  /** The address at that time. An outcome does not count for an address that was set later. */
  url: string;
}

/** A leased delivery with everything that sending it needs. */
export interface Taken extends Lease, Omit<Outgoing, "body"> {
  /** Null if it was taken without its body, or if the event is no longer stored. */
  body: string | null;
  /** Size of the body in bytes. */
  bytes: number;
}

/** The outcome of an attempt; without fields of `Outcome` if the delivery is given back without an attempt. */
export type Done = Lease & Partial<Outcome>;

/** The arguments of a take. The names are those of take_webhook_deliveries in the database. */
export interface TakeOptions {
  /** Maximum number of deliveries. With 0, another dispatcher is woken if any are due. */
  batch: number;
  /** Maximum size of all bodies together, in bytes. A single larger delivery is still taken. */
  room: number;
  /** Whether the deliveries include their bodies. */
  with_bodies: boolean;
}

/** The operations that a dispatcher needs. */
export interface Dependencies {
  /** Records outcomes and takes deliveries. `dispatcher` identifies the dispatcher. */
  take(dispatcher: string, done: Done[], options: TakeOptions): Promise<Taken[]>;
  /** Reads the body of a delivery that was taken without it; null if the event is no longer stored. */
  readBody(id: string): Promise<string | null>;
  send(delivery: Taken & Outgoing): Promise<Outcome>;
  /** Reports an internal error. */
  reportError(error: unknown): void;
}

export interface DispatcherOptions {
  /** Maximum number of deliveries in flight. */
  slots?: number;
  /** Time for which one round takes deliveries, in milliseconds. A function's lifetime is limited. */
  takingMs?: number;
  /** First pause after the database failed to respond, in milliseconds. Each further pause is twice as long. */
  pauseMs?: number;
}

const SLOTS = 400;
/**
 * Maximum size of all bodies in memory, in bytes, plus one body. With the copies for reading and writing this stays
 * below half of the 256 MB that a function may use.
 */
const BYTES = 24 * 1024 * 1024;
/** Maximum number of deliveries per take. A take costs as much as ten deliveries, but its deliveries wait for its end. */
const MAX_BATCH = 200;
/** Maximum size of the bodies per take, in bytes, as in the database. A take of half of it may have left some. */
const MAX_BATCH_BYTES = 8 * 1024 * 1024;
/** While deliveries are in flight, the next take waits for this number of outcomes or for COLLECT_MS. */
const MIN_OUTCOMES = 100;
const COLLECT_MS = 10;
const TAKING_MS = 20_000;
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
/** Maximum number of failed takes in a row. Then the sweep of the next minute continues. */
const MOST_FAILURES = 5;
const PAUSE_MS = 100;

/**
 * Sends due deliveries until none are left. Each outcome frees a slot, so no delivery waits for the slow receiver of
 * another. `wake` makes it look for more, and resolves when all deliveries that it sends have ended.
 */
export function createDispatcher(
  dependencies: Dependencies,
  options: DispatcherOptions = {},
): { wake(): Promise<void> } {
  let round: Round | undefined;
  const bodies: BodyLoading = { separate: false };
  return {
    wake() {
      // A round whose time is over finishes its deliveries in parallel with the next round.
      if (!round?.takeMore()) round = startRound(dependencies, options, bodies);
      return round.finished;
    },
  };
}

/**
 * Whether deliveries are taken without their bodies. This is set when a take fails, because a body may be the cause.
 * Then each body is read on its own, and an unreadable one counts as a failed attempt.
 */
interface BodyLoading {
  separate: boolean;
}

interface Round {
  /** Makes the round look for more deliveries; false if it takes no more. */
  takeMore(): boolean;
  /** Resolves when all deliveries of the round have ended and are recorded. */
  finished: Promise<void>;
}

function startRound(
  dependencies: Dependencies,
  { slots = SLOTS, takingMs = TAKING_MS, pauseMs = PAUSE_MS }: DispatcherOptions,
  bodies: BodyLoading,
): Round {
  const until = performance.now() + takingMs;
  let taking = true;
  let looking = true;
  let inFlight = 0;
  let freeBytes = BYTES;
  let ended: Done[] = [];
  let takenAt = 0;
  let collecting = false;
  let started = Promise.resolve();
  let startedUntil = 0;
  const dispatcher = crypto.randomUUID();
  const starting = pLimit(MAX_STARTING);
  const limits = new Map<string, LimitFunction>();
  let notify = () => {};
  const change = () =>
    new Promise<void>((resolve) => {
      notify = resolve;
    });

  function end({ id, webhook_id, leased_until, url, bytes }: Taken, outcome?: Outcome): void {
    inFlight -= 1;
    freeBytes += bytes;
    ended.push({ id, webhook_id, leased_until, url, ...outcome });
    notify();
  }

  async function send(delivery: Taken): Promise<void> {
    const outcome = await trySending(delivery).catch((error: unknown) => {
      dependencies.reportError(error);
      return notSent();
    });
    end(delivery, outcome);
  }

  async function trySending(delivery: Taken): Promise<Outcome> {
    const body = delivery.body ?? (await dependencies.readBody(delivery.id));
    return body === null
      ? notSent("the event is no longer stored")
      : dependencies.send({ ...delivery, body });
  }

  async function sendOrGiveBack(delivery: Taken, since: number): Promise<void> {
    let sent: Promise<void> | undefined;
    await starting(() => {
      if (performance.now() - since > WAITING_MS) return end(delivery);
      sent = send(delivery);
      return Promise.race([sent, hasStarted()]);
    });
    await sent;
  }

  /** Resolves when a request sent now no longer counts as starting. Requests sent at about the same time share a timer. */
  function hasStarted(): Promise<void> {
    const now = performance.now();
    if (now > startedUntil) {
      startedUntil = now + STARTING_MS;
      started = pause(2 * STARTING_MS);
    }
    return started;
  }

  /** Starts the deliveries after the next take was sent, so that the database works in parallel. */
  async function sendAll(taken: Taken[]): Promise<void> {
    const since = performance.now();
    for (const [place, delivery] of taken.entries()) {
      if (place % STARTED_AT_ONCE === 0) await yieldOnce();
      const limit = limits.get(delivery.webhook_id) ?? pLimit(AT_ONCE);
      limits.set(delivery.webhook_id, limit);
      void limit(() => sendOrGiveBack(delivery, since));
    }
  }

  /** Whether the next take waits for more outcomes. `notify` is called when it has waited long enough. */
  function collects(): boolean {
    const wait = takenAt + COLLECT_MS - performance.now();
    if (inFlight === 0 || ended.length >= MIN_OUTCOMES || wait <= 0) return false;
    if (!collecting) {
      collecting = true;
      setTimeout(() => {
        collecting = false;
        notify();
      }, wait);
    }
    return true;
  }

  /** One round trip: records the outcomes so far, takes deliveries and starts them. */
  async function takeBatch(batch: number): Promise<void> {
    const done = ended;
    ended = [];
    looking = false;
    const room = Math.max(0, freeBytes);
    try {
      const taken = await dependencies.take(dispatcher, done, {
        batch,
        room,
        with_bodies: !bodies.separate,
      });
      takenAt = performance.now();
      inFlight += taken.length;
      const bytes = taken.reduce((sum, delivery) => sum + delivery.bytes, 0);
      freeBytes -= bytes;
      // There may be more. Also, outcomes recorded now may have blocked other dispatchers until now.
      const recorded = done.length > 0 && taken.length === 0;
      const full = taken.length === batch || 2 * bytes >= Math.min(room, MAX_BATCH_BYTES);
      looking ||= batch > 0 && (recorded || full);
      if (batch > 0 && !full) bodies.separate = false;
      void sendAll(taken);
    } catch (error) {
      // The outcomes may have been recorded although the response was lost. The leases prevent recording them twice.
      ended = [...done, ...ended];
      looking = true;
      bodies.separate = true;
      throw error;
    }
  }

  async function work(): Promise<void> {
    let failures = 0;
    while (failures < MOST_FAILURES) {
      taking &&= performance.now() < until;
      const wanted = ended.length > 0 || (looking && inFlight < slots && freeBytes > 0);
      if (wanted && !collects()) {
        try {
          // A take of 0 hands over: it wakes another dispatcher for the rest.
          await takeBatch(taking ? Math.min(MAX_BATCH, slots - inFlight) : 0);
          failures = 0;
        } catch (error) {
          dependencies.reportError(error);
          await pause(pauseMs * 2 ** failures);
          failures += 1;
        }
      } else if (inFlight > 0) {
        await change();
      } else {
        break;
      }
    }
    // Deliveries still in flight are due again when their leases expire.
    taking = false;
  }

  return {
    takeMore() {
      taking &&= performance.now() < until;
      looking ||= taking;
      notify();
      return taking;
    },
    finished: work(),
  };
}

function notSent(error = "the delivery could not be sent"): Outcome {
  return {
    started_at: new Date().toISOString(),
    duration_ms: 0,
    response_code: null,
    response_body: null,
    retry_after_seconds: null,
    error,
  };
}
