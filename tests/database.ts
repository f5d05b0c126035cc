import pg from "pg";
import { PATIENCE_MS, until } from "./eventually.js";
import { stackInUse } from "./souk.js";
import type { StackAddress } from "./stack.js";

/** Idle connections, by the URL of their database. */
const pools = new Map<string, pg.Pool>();

/** Statements that leave state in a session. They get a new session. */
const LEAVES_SOMETHING =
  /(^|;)\s*(begin|set|listen|lock|create temp)\b|set_config\(|advisory_lock/i;

/**
 * Queries the running database as a superuser, without services and policies. Sessions of the worker's server are
 * reused, because opening one costs more than most queries. PGlite accepts one client at a time, so no session stays
 * open there.
 */
export async function query<Found = Record<string, unknown>>(
  sql: string,
  values: unknown[] = [],
  stack: StackAddress = stackInUse(),
): Promise<Found[]> {
  const url = stack.db_url as string;
  if (LEAVES_SOMETHING.test(sql) || !isOnServer(url)) return await askOnce<Found>(url, sql, values);
  const client = await poolOf(url).connect();
  let isBroken = true;
  try {
    const { rows } = await client.query(sql, values);
    isBroken = false;
    return rows;
  } finally {
    client.release(isBroken);
  }
}

/**
 * Starts statements one after the other, each once the one before it waits, behind a session that has locked the rows of
 * `select … for update`. Then lets them go, and resolves with their results.
 */
export async function queueBehind(
  locked: string,
  statements: readonly (() => Promise<unknown>)[],
): Promise<unknown[]> {
  const hand = new pg.Client({ connectionString: stackInUse().db_url as string });
  await hand.connect();
  try {
    await hand.query("begin");
    const { rowCount } = await hand.query(locked);
    if (rowCount === 0) throw new Error(`no row is locked by ${locked}`);
    const started: Promise<unknown>[] = [];
    for (const statement of statements) {
      started.push(statement());
      await until(async () => {
        const { rows } = await hand.query(
          `with recursive waiting (pid) as (
             select pg_backend_pid()
             union
             select l.pid from pg_locks l join waiting w on w.pid = any (pg_blocking_pids(l.pid)) where not l.granted
           )
           select from waiting where pid <> pg_backend_pid()`,
        );
        return rows.length >= started.length;
      }, `${started.length} waiting statements`);
    }
    await hand.query("commit");
    return await Promise.all(started);
  } finally {
    await hand.end();
  }
}

/**
 * Ends a session, and waits until its server process has ended. Postgres reports the end to the client before it rolls
 * back the session's transaction, so the client's error does not mean that the locks are free.
 */
export async function endSession(pid: number): Promise<void> {
  const [row] = await query("select pg_terminate_backend($1, $2) as has_ended", [pid, PATIENCE_MS]);
  if (!row?.has_ended) throw new Error(`session ${pid} does not end`);
}

/**
 * Waits until no session of a killed stack executes a statement. Postgres executes a statement to its end, and commits
 * it, although its client is gone.
 */
export async function sessionsEnd(stack: StackAddress): Promise<void> {
  if (!isOnServer(stack.db_url as string)) return;
  await until(async () => {
    const working = await query(
      `select from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()
         and backend_type = 'client backend' and state <> 'idle'`,
      [],
      stack,
    );
    return working.length === 0;
  }, "the end of the sessions");
}

async function askOnce<Found>(url: string, sql: string, values: unknown[]): Promise<Found[]> {
  const client = new pg.Client({ connectionString: url });
  // A killed stack fails a running query. After the answer, a connection error does not matter.
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
}

/** Whether a database is on the worker's Postgres server. */
function isOnServer(url: string): boolean {
  const server = process.env.DATABASE_URL;
  return server !== undefined && new URL(server).host === new URL(url).host;
}

function poolOf(url: string): pg.Pool {
  const known = pools.get(url);
  if (known) return known;
  const pool = new pg.Pool({
    connectionString: url,
    idleTimeoutMillis: 5000,
    allowExitOnIdle: true,
  });
  // Dropping a database ends its idle sessions.
  pool.on("error", () => {});
  pools.set(url, pool);
  return pool;
}
