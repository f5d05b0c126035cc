import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type pg from "pg";
import { findDeno } from "../../packages/stack/src/functions/deno.js";
import { now, type Receivers } from "./receiving.js";
import { listeners, PAYLOAD, SECRET, TENANTS, writeEvents } from "./shops.js";

/** A backlog of deliveries. */
export interface Backlog {
  name: string;
  tenants: number;
  deliveries: number;
  /** Maximum number of requests in flight. */
  atOnce: number;
}

/**
 * One registration gets ten at once; a dispatcher has at most fifty at once if they answer in time.
 */
export const backlogs = (deliveries: number): Backlog[] => [
  { name: "1 receiver, 10 at once", tenants: 1, deliveries, atOnce: 10 },
  { name: `${TENANTS} receivers, 50 at once`, tenants: TENANTS, deliveries, atOnce: 50 },
];

/** Deliveries per second of a backlog, from its commit to the last receipt. */
export async function rateOfSouk(
  db: pg.Client,
  receivers: Receivers,
  { tenants, deliveries }: Backlog,
): Promise<number> {
  await writeEvents(db, "product.updated", { first: 0, count: deliveries, tenants });
  const committed = now();
  const heard = await receivers.heard(deliveries);
  const different = new Set(heard.map(([, sequence]) => sequence)).size;
  if (heard.length > different) throw new Error("some deliveries were made twice");
  const last = heard.reduce((latest, [, , at]) => Math.max(latest, at), 0);
  return deliveries / ((last - committed) / 1000);
}

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The same for a loop that only signs and posts the same bodies. */
export async function rateOfBare(
  kind: "fetch" | "send",
  receivers: Receivers,
  { tenants, deliveries, atOnce }: Backlog,
): Promise<number> {
  const urls = Array.from({ length: tenants }, (_, tenant) => {
    const [first] = listeners(tenant + 1, "product.updated");
    return receivers.urls[first as number];
  });
  const { stdout } = await promisify(execFile)(
    findDeno(),
    [
      ...["run", "--quiet", "--no-prompt", "--no-lock", "--cached-only"],
      ...["--node-modules-dir=manual", "--config", "supabase/functions/deno.json"],
      ...["--allow-net", "--allow-env", "--allow-read", "bench/webhooks/bare.ts"],
      ...[kind, JSON.stringify(urls), SECRET, PAYLOAD, `${deliveries}`, `${atOnce}`],
    ],
    { cwd: root, env: { ...process.env, DENO_NO_UPDATE_CHECK: "1" } },
  );
  await receivers.heard(1.5 * deliveries);
  return deliveries / (Number(stdout) / 1000);
}
