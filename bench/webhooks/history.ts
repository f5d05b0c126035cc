import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import type pg from "pg";
import { now } from "./receiving.js";
import { writeEvents } from "./shops.js";

/** The cost of one delivery in the database, in µs. */
export interface Cost {
  /** Writing its event and the delivery. */
  write: number;
  /** Claiming it and recording its result. */
  send: number;
}

const BATCH = 100;

/** Fills in past deliveries, with their events and attempts. */
export async function fillHistory(db: pg.Client, rows: number): Promise<void> {
  await db.query("select set_config('fill.rows', $1, false)", [String(rows)]);
  await db.query(await readFile(new URL("history.sql", import.meta.url), "utf8"));
  await db.query("vacuum analyze");
}

/**
 * Simulates a dispatcher to which every receiver answers at once. Nothing else may dispatch
 * meanwhile.
 */
export async function costOfDelivery(db: pg.Client, deliveries: number): Promise<Cost> {
  const begun = now();
  await writeEvents(db, "product.updated", { first: 0, count: deliveries, tenants: 50 });
  const written = now();
  const dispatcher = randomUUID();
  let made = 0;
  let done: object[] = [];
  do {
    const { rows } = await db.query<{ id: string; webhook_id: string; leased_until: string }>(
      `select t.id, t.webhook_id, t.leased_until::text, t.body
       from public.lease_webhook_deliveries($1, $2::jsonb, $3) as t`,
      [dispatcher, JSON.stringify(done), BATCH],
    );
    made += rows.length;
    done = rows.map(({ id, webhook_id, leased_until }) => ({
      id,
      webhook_id,
      leased_until,
      response_code: 200,
      response_body: "",
      retry_after_seconds: null,
      error: null,
      started_at: new Date().toISOString(),
      duration_ms: 1,
    }));
  } while (done.length > 0);
  if (made !== deliveries) throw new Error(`${made} of ${deliveries} deliveries could be claimed`);
  const micros = (ms: number) => (ms * 1000) / deliveries;
  return { write: micros(written - begun), send: micros(now() - written) };
}
