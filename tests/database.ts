import pg from "pg";
import { stackInUse } from "./souk.js";
import type { StackAddress } from "./stack.js";

/** Connections that were opened and wait for the next question, by the URL of their database. */
const pools = new Map<string, pg.Pool>();

/** What would leave something behind in a session. It gets a session of its own. */
const LEAVES_SOMETHING =
  /(^|;)\s*(begin|set|listen|lock|create temp)\b|set_config\(|advisory_lock/i;

/**
 * Asks the running database as a superuser, past every service and every policy. Sessions of the worker's server are
 * used again: to open one costs more than most questions. PGlite lets in one program at a time, so nobody stays there.
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
  // A stack that is killed fails the query under way; one that has its answer needs the connection no more.
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
  // A database that is dropped takes its idle sessions along.
  pool.on("error", () => {});
  pools.set(url, pool);
  return pool;
}
