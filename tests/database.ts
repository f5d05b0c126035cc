import pg from "pg";
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
