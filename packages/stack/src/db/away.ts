import type pg from "pg";
import { isDatabaseError } from "./database.js";

/** The server cannot be asked: it is away, or went away before it had answered. */
export class DatabaseAway extends Error {
  override name = "DatabaseAway";
  constructor(
    /** Whether it had the request already: nobody knows whether it did what that says. */
    readonly wasSent: boolean,
    cause?: unknown,
  ) {
    const why = (cause as NodeJS.ErrnoException | undefined)?.message;
    super(`the database is away${why ? `: ${why}` : ""}`, { cause });
  }
}

/** Seconds after which who was told so may come again: a server that is away is looked for that often. */
export const RETRY_AFTER = "1";

/** So long a new connection may take. A server that accepts it and says nothing is away. */
export const CONNECT_MS = 2500;

/** Ends a connection without waiting for anybody; what was asked over it fails. */
export function cut(client: pg.ClientBase): void {
  insidesOf(client).connection.stream.destroy();
}

const FAREWELL_MS = 500;

/** Ends a connection as one should, unless its server takes too long over that. */
export async function leave(client: pg.Client): Promise<void> {
  await within(FAREWELL_MS, client.end()).catch(() => {});
  cut(client);
}

/** What a client is made of, which pg's types leave out. */
interface Insides {
  connection: { stream: { destroyed: boolean; destroy(): void } };
  /** Whether it still sends: not after a farewell, though its connection may be closed only later. */
  _queryable: boolean;
}
const insidesOf = (client: pg.ClientBase) => client as unknown as Insides;

/** What a server says over a connection that it ends: shut down, crashed, starting, idle for too long. */
const FAREWELL = /^(57P0[1235]|25P0[34])$/;

/** What `client` threw, as `DatabaseAway` where its connection is at its end. */
export function asAway(error: unknown, client: pg.ClientBase): unknown {
  if (error instanceof DatabaseAway) return error;
  const { connection, _queryable } = insidesOf(client);
  const ended = isDatabaseError(error)
    ? FAREWELL.test(error.code)
    : connection.stream.destroyed || !_queryable;
  return ended ? new DatabaseAway(true, error) : error;
}

/** Some work took longer than it may. */
export class Late extends Error {}

/** Rejects with `Late` when some work takes longer than `ms`. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      // An answer that came while this process was busy is read before the time is up.
      () => setImmediate(() => reject(new Late(`no answer within ${ms} ms`))),
      ms,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => {});
  }
}
