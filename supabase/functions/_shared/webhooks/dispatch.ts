import { setTimeout as pause } from "node:timers/promises";
import type { Outcome } from "./send.ts";
import {
  createSender,
  type Lease,
  type LeasedDelivery,
  type SenderDependencies,
} from "./sender.ts";

/** The outcome of an attempt; without fields of `Outcome` if the delivery is given back without an attempt. */
export type Done = Lease & Partial<Outcome>;

/** The arguments of a take. The names are those of lease_webhook_deliveries in the database. */
export interface LeaseOptions {
  /** Maximum number of deliveries. With 0, another dispatcher is woken if any are due. */
  batch: number;
  /** Maximum size of all bodies together, in bytes. A single larger delivery is still taken. */
  room: number;
  /** Whether the deliveries include their bodies. */
  with_bodies: boolean;
}

/** The operations that a dispatcher needs. */
export interface Dependencies extends SenderDependencies {
  /** Records outcomes and takes deliveries. `dispatcher` identifies the dispatcher. */
  lease(dispatcher: string, done: Done[], options: LeaseOptions): Promise<LeasedDelivery[]>;
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
      if (!round?.leaseMore()) round = new Round(dependencies, options, bodies);
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

/** Takes deliveries for a limited time, sends them, and records their outcomes. */
class Round {
  /** Resolves when all deliveries of the round have ended and are recorded. */
  readonly finished: Promise<void>;
  readonly #dependencies: Dependencies;
  readonly #bodies: BodyLoading;
  readonly #slots: number;
  readonly #until: number;
  readonly #dispatcher = crypto.randomUUID();
  readonly #change = createSignal();
  readonly #sendAll: (taken: LeasedDelivery[]) => Promise<void>;
  /** Whether the round takes deliveries. Those in flight continue after that. */
  #taking = true;
  /** Whether there may be more due deliveries. */
  #looking = true;
  #inFlight = 0;
  #freeBytes = BYTES;
  /** Ended deliveries whose outcomes are not recorded yet. */
  #ended: Done[] = [];
  #takenAt = 0;
  /** Whether a timer runs that ends the wait for more outcomes. */
  #collecting = false;

  constructor(
    dependencies: Dependencies,
    { slots = SLOTS, takingMs = TAKING_MS, pauseMs = PAUSE_MS }: DispatcherOptions,
    bodies: BodyLoading,
  ) {
    this.#dependencies = dependencies;
    this.#bodies = bodies;
    this.#slots = slots;
    this.#until = performance.now() + takingMs;
    this.#sendAll = createSender(dependencies, (delivery, outcome) => this.#end(delivery, outcome));
    this.finished = this.#work(pauseMs);
  }

  /** Makes the round look for more deliveries; false if it takes no more. */
  leaseMore(): boolean {
    this.#looking ||= this.#mayTake();
    this.#change.notify();
    return this.#taking;
  }

  #mayTake(): boolean {
    this.#taking &&= performance.now() < this.#until;
    return this.#taking;
  }

  async #work(pauseMs: number): Promise<void> {
    let failures = 0;
    while (failures < MOST_FAILURES) {
      this.#mayTake();
      if (this.#hasWork() && !this.#collects()) {
        try {
          // A take of 0 hands over: it wakes another dispatcher for the rest.
          await this.#takeBatch(
            this.#taking ? Math.min(MAX_BATCH, this.#slots - this.#inFlight) : 0,
          );
          failures = 0;
        } catch (error) {
          this.#dependencies.reportError(error);
          await pause(pauseMs * 2 ** failures);
          failures += 1;
        }
      } else if (this.#inFlight > 0) {
        await this.#change.next();
      } else {
        break;
      }
    }
    // Deliveries still in flight are due again when their leases expire.
    this.#taking = false;
  }

  /** Whether there are outcomes to record, or deliveries to take and room for them. */
  #hasWork(): boolean {
    const hasRoom = this.#inFlight < this.#slots && this.#freeBytes > 0;
    return this.#ended.length > 0 || (this.#looking && hasRoom);
  }

  /** Whether the next take waits for more outcomes. `#change` is notified when it has waited long enough. */
  #collects(): boolean {
    const wait = this.#takenAt + COLLECT_MS - performance.now();
    if (this.#inFlight === 0 || this.#ended.length >= MIN_OUTCOMES || wait <= 0) return false;
    if (!this.#collecting) {
      this.#collecting = true;
      setTimeout(() => {
        this.#collecting = false;
        this.#change.notify();
      }, wait);
    }
    return true;
  }

  /** One round trip: records the outcomes so far, takes deliveries and starts them. */
  async #takeBatch(batch: number): Promise<void> {
    const done = this.#ended;
    this.#ended = [];
    this.#looking = false;
    const room = Math.max(0, this.#freeBytes);
    try {
      const options = { batch, room, with_bodies: !this.#bodies.separate };
      const taken = await this.#dependencies.lease(this.#dispatcher, done, options);
      this.#takenAt = performance.now();
      this.#start(taken);
      const full = taken.length === batch || 2 * sizeOf(taken) >= Math.min(room, MAX_BATCH_BYTES);
      // There may be more. Also, outcomes recorded now may have blocked other dispatchers until now.
      const recorded = done.length > 0 && taken.length === 0;
      this.#looking ||= batch > 0 && (recorded || full);
      if (batch > 0 && !full) this.#bodies.separate = false;
    } catch (error) {
      // The outcomes may have been recorded although the response was lost. The leases prevent recording them twice.
      this.#ended = [...done, ...this.#ended];
      this.#looking = true;
      this.#bodies.separate = true;
      throw error;
    }
  }

  /** Sends the deliveries, after the next take was sent, so that the database works in parallel. */
  #start(taken: LeasedDelivery[]): void {
    this.#inFlight += taken.length;
    this.#freeBytes -= sizeOf(taken);
    void this.#sendAll(taken);
  }

  #end({ id, webhook_id, leased_until, url, bytes }: LeasedDelivery, outcome?: Outcome): void {
    this.#inFlight -= 1;
    this.#freeBytes += bytes;
    this.#ended.push({ id, webhook_id, leased_until, url, ...outcome });
    this.#change.notify();
  }
}

/** The size of all bodies together, in bytes. */
const sizeOf = (taken: LeasedDelivery[]) => taken.reduce((sum, { bytes }) => sum + bytes, 0);

/** `next` resolves when `notify` is called next. */
function createSignal() {
  let notify = () => {};
  return {
    notify: () => notify(),
    next: () =>
      new Promise<void>((resolve) => {
        notify = resolve;
      }),
  };
}
