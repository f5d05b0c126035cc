import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { CONNECT_MS, cut, DatabaseAway, Late, leave, within } from "./away.js";

/** Is told of what befalls a server. */
export interface Watcher {
  away?(cause: unknown): void;
  back?(): void;
  /** Another stack has taken the database while the server was away: it does not come back to this one. */
  taken?(): void;
}

/**
 * The one connection that is there as long as its server is, and looks for it when it is not: all others
 * ask it first. So an absent server costs one attempt at a time, whoever and however many want it.
 */
export interface Lifeline {
  /** Throws `DatabaseAway` unless the server is there. */
  check(): void;
  /**
   * Hears `notify`. `missed` is called when something may have been said while nobody could listen.
   * Resolves to the function that stops it.
   */
  listen(channel: string, hear: (payload: string) => void, missed: () => void): Promise<() => void>;
  watch(watcher: Watcher): void;
  /** Ends it, and with it what was taken over it. */
  close(): Promise<void>;
}

/** Thrown where a new connection is refused what the one before it held. */
export class Taken extends Error {}

/** How often the server is asked whether it is there, and for how long it may think about it. */
const BEAT_MS = 2500;
const SILENCE_MS = 5000;
/** What a new connection has to take again; it is connected by then, so that the server speaks. */
const PREPARE_MS = 4000;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1000;

/** Grows with every try, and differs between those who lost the same server at the same moment. */
function waitBefore(tries: number): number {
  const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (tries - 1));
  return longest * (0.5 + Math.random() / 2);
}

/** Looks after the server of `client`, which is connected. `prepare` is run on every new connection. */
export function keepLifeline(
  url: string,
  client: pg.Client,
  prepare: (client: pg.Client) => Promise<void> = async () => {},
): Lifeline {
  const ears = new Map<string, Set<{ hear(payload: string): void; missed(): void }>>();
  const watchers = new Set<Watcher>();
  const closing = new AbortController();
  let state: "here" | "away" | "closed" = "here";
  let cause: unknown;
  /** The connection in use, or the one that is being tried. */
  let current = client;
  let asking = false;

  const listenTo = (to: pg.Client, channel: string) =>
    to.query(`listen ${to.escapeIdentifier(channel)}`);

  function use(next: pg.Client): void {
    next.on("error", () => {});
    next.on("notification", ({ channel, payload = "" }) => {
      for (const { hear } of ears.get(channel) ?? []) hear(payload);
    });
    next.once("end", () => void regain());
  }

  function goAway(why: unknown): void {
    if (state !== "here") return;
    state = "away";
    cause = why;
    for (const { away } of watchers) away?.(why);
  }

  async function reach(): Promise<void> {
    current = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
    current.on("error", () => {});
    try {
      await current.connect();
      const prepared = async () => {
        await prepare(current);
        for (const channel of ears.keys()) await listenTo(current, channel);
      };
      await within(PREPARE_MS, prepared());
    } catch (error) {
      cut(current);
      throw error;
    }
  }

  /** The first try comes at once: a connection may have been ended alone. */
  async function regain(): Promise<void> {
    for (let tries = 0; state !== "closed"; tries++) {
      try {
        if (tries > 0) await pause(waitBefore(tries), null, { signal: closing.signal });
        await reach();
        break;
      } catch (error) {
        goAway(error);
        if (!(error instanceof Taken)) continue;
        for (const { taken } of watchers) taken?.();
        return;
      }
    }
    if (state === "closed") return cut(current);
    use(current);
    if (state === "away") {
      state = "here";
      for (const { back } of watchers) back?.();
    }
    for (const each of ears.values()) for (const { missed } of each) missed();
  }

  /** Finds out about a server that keeps its connections and says nothing. */
  async function ask(): Promise<void> {
    if (asking || state !== "here") return;
    asking = true;
    const asked = current;
    try {
      await within(SILENCE_MS, asked.query("select"));
    } catch (error) {
      // What else it fails with is said at the connection's end, too.
      if (error instanceof Late && asked === current) {
        goAway(error);
        cut(asked);
      }
    }
    asking = false;
  }
  const beat = setInterval(() => void ask(), BEAT_MS);
  beat.unref();

  use(client);
  return {
    check() {
      if (state !== "here") throw new DatabaseAway(false, cause);
    },
    async listen(channel, hear, missed) {
      if (state !== "here") throw new DatabaseAway(false, cause);
      const ear = { hear, missed };
      const others = ears.get(channel) ?? new Set();
      ears.set(channel, others.add(ear));
      await listenTo(current, channel);
      // Nobody minds what is still said to nobody.
      return () => void others.delete(ear);
    },
    watch: (watcher) => void watchers.add(watcher),
    async close() {
      if (state === "closed") return;
      state = "closed";
      clearInterval(beat);
      closing.abort();
      await leave(current);
    },
  };
}
