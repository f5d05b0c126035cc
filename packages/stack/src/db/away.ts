import type pg from "pg";
import { isDatabaseError } from "./database.js";

/** The database server is unavailable, or its connection ended before it answered. */
export class DatabaseAway extends Error {
  override name = "DatabaseAway";
  constructor(
    /** Whether the statement was sent: then it is unknown whether it took effect. */
    readonly asked: boolean,
    cause?: unknown,
  ) {
    const why = (cause as NodeJS.ErrnoException | undefined)?.message;
    super(`the database is unavailable${why ? `: ${why}` : ""}`, { cause });
  }
}

/**
 * Value of `Retry-After`, in seconds. The stack tries to reach an unavailable server about that
 * often.
 */
export const RETRY_AFTER = "1";

/**
 * Timeout of a new connection. A server that accepts it but does not answer counts as unavailable.
 */
export const CONNECT_MS = 2500;

/** Closes a connection at once; its pending queries fail. */
export function cut(client: pg.ClientBase): void {
  insideOf(client).connection.stream.destroy();
}

const CLOSE_TIMEOUT_MS = 500;

/** Closes a connection gracefully, or after a timeout at once. */
export async function leave(client: pg.Client): Promise<void> {
  await within(CLOSE_TIMEOUT_MS, client.end()).catch(() => {});
  cut(client);
}

/** The members of a client that the types of pg leave out. */
interface Inside {
  connection: { stream: { destroyed: boolean; destroy(): void } };
  /** False after the server announced that it ends the connection, which may close later. */
  _queryable: boolean;
}
const insideOf = (client: pg.ClientBase) => client as unknown as Inside;

/** SQLSTATEs with which a server ends a connection: shutdown, crash, starting up, idle timeout. */
const ENDING_CODES = /^(57P0[1235]|25P0[34])$/;

/** Whether the server ends the connection with this error. */
export const isEnding = (error: unknown) => isDatabaseError(error) && ENDING_CODES.test(error.code);

/** Returns an error of `client` as `DatabaseAway` if its connection has ended. */
export function asAway(error: unknown, client: pg.ClientBase): unknown {
  if (error instanceof DatabaseAway) return error;
  const { connection, _queryable } = insideOf(client);
  const ended = isDatabaseError(error)
    ? isEnding(error)
    : connection.stream.destroyed || !_queryable;
  return ended ? new DatabaseAway(true, error) : error;
}

/** The work exceeded its time limit. */
export class Late extends Error {}

/** Rejects with `Late` when the work takes longer than `ms`. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      // An answer that arrived while this process was busy is read before the timeout counts.
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
