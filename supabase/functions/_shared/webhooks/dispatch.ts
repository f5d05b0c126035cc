import { setImmediate as breathe, setTimeout as pause } from "node:timers/promises";
import pLimit, { type LimitFunction } from "p-limit";
import type { Outcome, Outgoing } from "./send.ts";

/** What a delivery was taken with, and is reported with. */
interface Lease {
  id: string;
  webhook_id: string;
  leased_until: string;
  /** Where it goes: what that says is not said of an address that came after it. */
  url: string;
}

/** A delivery that was taken, with what it takes to send it. */
export interface Taken extends Lease, Omit<Outgoing, "body"> {
  /** Null when it was taken without its body, or the event is forgotten. */
  body: string | null;
  /** How large the body is. */
  bytes: number;
}

/** What came of an attempt at a delivery; nothing of one that is given back untried. */
export type Done = Lease & Partial<Outcome>;

/** What a dispatcher asks for. */
export interface Wish {
  /** How many deliveries at most; with 0 another dispatcher is woken if any are left. */
  batch: number;
  /** How many bytes of bodies together, or one delivery. */
  room: number;
  /** Whether they come with their bodies. */
  with_bodies: boolean;
}

/** What a dispatcher is given. */
export interface Means {
  /** Records what came of attempts and takes deliveries. `dispatcher` tells the one from the other. */
  take(dispatcher: string, done: Done[], wish: Wish): Promise<Taken[]>;
  /** The body of a delivery that was taken without it; null when the event is forgotten. */
  readBody(id: string): Promise<string | null>;
  send(delivery: Taken & Outgoing): Promise<Outcome>;
  /** Called with what went wrong on our side. */
  complain(error: unknown): void;
}

export interface Pace {
  /** How many deliveries it has at once. */
  slots?: number;
  /** How long one dispatcher goes on taking, in milliseconds: functions do not live for ever. */
  takingMs?: number;
  /** How long the first pause is when the database fails to answer; each one after it is twice as long. */
  pauseMs?: number;
}

const SLOTS = 400;
/**
 * So many bytes of bodies it has at once, and one body more: with what is read and written of each beside it, less than
 * half of the 256 MB that a function may take.
 */
const BYTES = 24 * 1024 * 1024;
/** A turn costs as much as ten deliveries, so it had better bring many; but what it brings waits for its end. */
const MOST_OF_A_TURN = 200;
/** The most bytes of bodies in a turn, as in the database. A turn that brings half of that may have left some. */
const MOST_BYTES_OF_A_TURN = 8 * 1024 * 1024;
/** So, while there is something to send, it waits until this many have ended, or this long after the last one. */
const WORTH_A_TURN = 100;
const GATHERING_MS = 10;
const TAKING_MS = 20_000;
/** How many are started before other work gets a turn: signing and writing hundreds takes long. */
const STARTED_AT_ONCE = 10;
/** How many requests to a registration are under way at once; deliveries beyond that wait here. */
const AT_ONCE = 10;
/** What has waited longer is given back: by now its registration may be another one, or its receiver hang. */
const WAITING_MS = 1000;
/**
 * So many requests are young, which they are for so long and at most twice as long: more at once would have more
 * connections, and be answered no sooner.
 */
const YOUNG = 50;
const YOUNG_MS = 20;
/** How often in a row the database may fail to answer, before the rest is left to the next minute's job. */
const MOST_FAILURES = 5;
const PAUSE_MS = 100;

/**
 * Sends what is due for as long as something is, each end making room for the next, so that nobody waits for
 * somebody else's slow receiver. `wake` has it look for more, and resolves when what it sends has ended.
 */
export function createDispatcher(means: Means, pace: Pace = {}): { wake(): Promise<void> } {
  let round: Round | undefined;
  const care: Care = { needed: false };
  return {
    wake() {
      // One whose time is over ends what it has under way beside the next one.
      if (!round?.look()) round = startRound(means, pace, care);
      return round.rest;
    },
  };
}

/**
 * Whether deliveries are taken without their bodies, since a turn failed, and perhaps of what it was to bring: then
 * each body is read by itself, and one that cannot be read is an attempt that failed, as the database counts it.
 */
interface Care {
  needed: boolean;
}

interface Round {
  /** Makes it look for more; false when it takes no more. */
  look(): boolean;
  /** Resolves when everything it has sent has ended and is recorded. */
  rest: Promise<void>;
}

function startRound(
  means: Means,
  { slots = SLOTS, takingMs = TAKING_MS, pauseMs = PAUSE_MS }: Pace,
  care: Care,
): Round {
  const until = performance.now() + takingMs;
  let taking = true;
  let looking = true;
  let underWay = 0;
  let room = BYTES;
  let ended: Done[] = [];
  let turnedAt = 0;
  let gathering = false;
  let grown = Promise.resolve();
  let grownWith = 0;
  const dispatcher = crypto.randomUUID();
  const young = pLimit(YOUNG);
  const lanes = new Map<string, LimitFunction>();
  let ring = () => {};
  const bell = () =>
    new Promise<void>((resolve) => {
      ring = resolve;
    });

  function end({ id, webhook_id, leased_until, url, bytes }: Taken, outcome?: Outcome): void {
    underWay -= 1;
    room += bytes;
    ended.push({ id, webhook_id, leased_until, url, ...outcome });
    ring();
  }

  async function send(delivery: Taken): Promise<void> {
    const outcome = await trySending(delivery).catch((error: unknown) => {
      means.complain(error);
      return notSent();
    });
    end(delivery, outcome);
  }

  async function trySending(delivery: Taken): Promise<Outcome> {
    const body = delivery.body ?? (await means.readBody(delivery.id));
    return body === null ? notSent("the event is forgotten") : means.send({ ...delivery, body });
  }

  async function sendInTurn(delivery: Taken, since: number): Promise<void> {
    let sent: Promise<void> | undefined;
    await young(() => {
      if (performance.now() - since > WAITING_MS) return end(delivery);
      sent = send(delivery);
      return Promise.race([sent, grownUp()]);
    });
    await sent;
  }

  /** When what is sent now is no longer young: a timer for all that are sent at about the same time. */
  function grownUp(): Promise<void> {
    const now = performance.now();
    if (now > grownWith) {
      grownWith = now + YOUNG_MS;
      grown = pause(2 * YOUNG_MS);
    }
    return grown;
  }

  /** The next turn goes out before they do, so that the database works meanwhile. */
  async function sendAll(taken: Taken[]): Promise<void> {
    const since = performance.now();
    for (const [place, delivery] of taken.entries()) {
      if (place % STARTED_AT_ONCE === 0) await breathe();
      const lane = lanes.get(delivery.webhook_id) ?? pLimit(AT_ONCE);
      lanes.set(delivery.webhook_id, lane);
      void lane(() => sendInTurn(delivery, since));
    }
  }

  /** Whether a turn had better wait for more to end; the bell rings when it has waited long enough. */
  function gathers(): boolean {
    const wait = turnedAt + GATHERING_MS - performance.now();
    if (underWay === 0 || ended.length >= WORTH_A_TURN || wait <= 0) return false;
    if (!gathering) {
      gathering = true;
      setTimeout(() => {
        gathering = false;
        ring();
      }, wait);
    }
    return true;
  }

  /** One round trip: hands in what has ended by now, and starts what comes back. */
  async function turn(batch: number): Promise<void> {
    const done = ended;
    ended = [];
    looking = false;
    const wish = { batch, room: Math.max(0, room), with_bodies: !care.needed };
    try {
      const taken = await means.take(dispatcher, done, wish);
      turnedAt = performance.now();
      underWay += taken.length;
      const bytes = taken.reduce((sum, delivery) => sum + delivery.bytes, 0);
      room -= bytes;
      // There may be more; and what has ended now may just have kept another dispatcher from what came meanwhile.
      const recorded = done.length > 0 && taken.length === 0;
      const full = taken.length === batch || 2 * bytes >= Math.min(wish.room, MOST_BYTES_OF_A_TURN);
      looking ||= batch > 0 && (recorded || full);
      if (batch > 0 && !full) care.needed = false;
      void sendAll(taken);
    } catch (error) {
      // Perhaps it was recorded and only the answer got lost: the leases tell.
      ended = [...done, ...ended];
      looking = true;
      care.needed = true;
      throw error;
    }
  }

  async function work(): Promise<void> {
    let failures = 0;
    while (failures < MOST_FAILURES) {
      taking &&= performance.now() < until;
      const wanted = ended.length > 0 || (looking && underWay < slots && room > 0);
      if (wanted && !gathers()) {
        try {
          // With none it hands over: the dispatcher that is woken now does the rest.
          await turn(taking ? Math.min(MOST_OF_A_TURN, slots - underWay) : 0);
          failures = 0;
        } catch (error) {
          means.complain(error);
          await pause(pauseMs * 2 ** failures);
          failures += 1;
        }
      } else if (underWay > 0) {
        await bell();
      } else {
        break;
      }
    }
    // What is still under way then is due again when its lease is over.
    taking = false;
  }

  return {
    look() {
      taking &&= performance.now() < until;
      looking ||= taking;
      ring();
      return taking;
    },
    rest: work(),
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
