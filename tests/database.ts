import pg from "pg";
import { stackInUse } from "./souk.js";
import type { StackAddress } from "./stack.js";

/**
 * Asks the running database as a superuser, past every service and every policy. PGlite lets in one
 * program at a time, so nobody stays.
 */
export async function query<Found = Record<string, unknown>>(
  sql: string,
  values: unknown[] = [],
  stack: StackAddress = stackInUse(),
): Promise<Found[]> {
  const client = new pg.Client({ connectionString: stack.db_url as string });
  // A stack that is killed fails the query under way; one that has its answer needs the connection no more.
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
}
