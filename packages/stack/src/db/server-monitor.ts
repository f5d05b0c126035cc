import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { CONNECT_MS, cut, DatabaseAway, Late, leave, within } from "./away.js";

/** Callbacks for the state of a server. */
export interface Watcher {
  away?(cause: unknown): void;
  back?(): void;
  /** Another stack claimed the database while the server was unavailable: this stack cannot get it back. */
  taken?(): void;
}

/**
 * Monitors a server over one permanent connection, and reconnects when it is lost. All other
 * connections check it first, so that an unavailable server costs only one attempt at a time.
 */
export interface ServerMonitor {
  /** Throws `DatabaseAway` while the server is unavailable. */
  check(): void;
  /**
   * Listens to `notify`. Calls `missed` when notifications may have been lost. Resolves to a function that stops it.
   */
  listen(channel: string, hear: (payload: string) => void, missed: () => void): Promise<() => void>;
  watch(watcher: Watcher): void;
  /** Closes the connection, which also releases its locks. */
  close(): Promise<void>;
}

/** Thrown when a new connection cannot take the lock that the previous one held. */
export class LockTaken extends Error {}

/** Interval between health checks, and timeout of each. */
const CHECK_INTERVAL_MS = 2500;
const CHECK_TIMEOUT_MS = 5000;
/** Timeout for preparing a new connection (lock, `listen`), counted from when it is connected. */
const PREPARE_TIMEOUT_MS = 4000;
const FIRST_WAIT_MS = 50;
const MAX_WAIT_MS = 1000;

/**
 * Exponential backoff with jitter, in ms, so that clients of one lost server do not all retry at
 * once.
 */
function waitBefore(tries: number): number {
  const longest = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (tries - 1));
  return longest * (0.5 + Math.random() / 2);
}

/** Monitors the server of `client`, which is connected. Runs `prepare` on every new connection. */
export function monitorServer(
  url: string,
  client: pg.Client,
  prepare: (client: pg.Client) => Promise<void> = async () => {},
): ServerMonitor {
  const listeners = new Map<string, Set<{ hear(payload: string): void; missed(): void }>>();
  const watchers = new Set<Watcher>();
  const closing = new AbortController();
  let state: "here" | "away" | "closed" = "here";
  let cause: unknown;
  /** The connection in use, or the one being opened. */
  let current = client;
  let asking = false;

  const listenTo = (to: pg.Client, channel: string) =>
    to.query(`listen ${to.escapeIdentifier(channel)}`);

  function use(next: pg.Client): void {
    next.on("error", () => {});
    next.on("notification", ({ channel, payload = "" }) => {
      for (const { hear } of listeners.get(channel) ?? []) hear(payload);
    });
    next.once("end", () => void reconnect());
  }

  function goAway(why: unknown): void {
    if (state !== "here") return;
    state = "away";
    cause = why;
    for (const { away } of watchers) away?.(why);
  }

  async function connect(): Promise<void> {
    current = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
    current.on("error", () => {});
    try {
      await current.connect();
      const prepared = async () => {
        await prepare(current);
        for (const channel of listeners.keys()) await listenTo(current, channel);
      };
      await within(PREPARE_TIMEOUT_MS, prepared());
    } catch (error) {
      cut(current);
      throw error;
    }
  }

  /** The first attempt is immediate: the connection may have ended while the server still runs. */
  async function reconnect(): Promise<void> {
    for (let tries = 0; state !== "closed"; tries++) {
      try {
        if (tries > 0) await pause(waitBefore(tries), null, { signal: closing.signal });
        await connect();
        break;
      } catch (error) {
        goAway(error);
        if (!(error instanceof LockTaken)) continue;
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
    for (const each of listeners.values()) for (const { missed } of each) missed();
  }

  /** Detects a server that keeps its connections open but does not answer. */
  async function checkHealth(): Promise<void> {
    if (asking || state !== "here") return;
    asking = true;
    const asked = current;
    try {
      await within(CHECK_TIMEOUT_MS, asked.query("select"));
    } catch (error) {
      // Other errors also end the connection, and are handled there.
      if (error instanceof Late && asked === current) {
        goAway(error);
        cut(asked);
      }
    }
    asking = false;
  }
  const timer = setInterval(() => void checkHealth(), CHECK_INTERVAL_MS);
  timer.unref();

  use(client);
  return {
    check() {
      if (state !== "here") throw new DatabaseAway(false, cause);
    },
    async listen(channel, hear, missed) {
      if (state !== "here") throw new DatabaseAway(false, cause);
      const listener = { hear, missed };
      const others = listeners.get(channel) ?? new Set();
      listeners.set(channel, others.add(listener));
      await listenTo(current, channel);
      // The channel stays subscribed: notifications without listeners are ignored.
      return () => void others.delete(listener);
    },
    watch: (watcher) => void watchers.add(watcher),
    async close() {
      if (state === "closed") return;
      state = "closed";
      clearInterval(timer);
      closing.abort();
      await leave(current);
    },
  };
}
