// Measures reports, in turn with SQL over the raw rows; the cost of the book of sales for an order;
// and the rate of events:
// `npm run bench:analytics -- --database-url postgres://…/an_empty_database`.
// The database is filled with 1,000,000 orders of three years and 5,000,000 events, half of them of
// the measured tenant. That
// takes some minutes. A database that was filled before is used as it is.
import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import pg from "pg";
import { processorTime } from "../imports/processor.js";
import { median, progress, register, start, stop } from "../servers.js";
import { measureExport } from "./exports.js";
import { measureOrders, measureWaits } from "./orders.js";
import { questions, TENANT } from "./questions.js";

const { values } = parseArgs({
  options: {
    "database-url": { type: "string" },
    orders: { type: "string", default: "500000" },
    events: { type: "string", default: "2500000" },
    rounds: { type: "string", default: "15" },
  },
});
const databaseUrl = values["database-url"];
if (!databaseUrl) {
  console.error("Name an empty database of a Postgres server to fill: --database-url postgres://…");
  process.exit(2);
}
const rounds = Number(values.rounds);

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const db = new pg.Client({ connectionString: databaseUrl });
const running: ChildProcess[] = [];
try {
  progress("starting a stack, which migrates the database");
  const [stack, line] = await start(at("../.."), "packages/stack/src/cli.ts", [
    ...["start", "--database-url", databaseUrl, "--no-seed", "--port", "0", "--json"],
  ]);
  running.push(stack);
  const { functions_url } = JSON.parse(line);
  await db.connect();
  await fillOrders();
  const isFilled = await hasEvents();
  const token = await registerReader(functions_url);
  await db.query("select public.set_rate_limit('client', 1000000)");
  const before = isFilled ? undefined : await measureEvents(functions_url, token);
  if (!isFilled) await fillEvents();
  const after = await measureEvents(functions_url, token);

  console.log("| question | p50 | raw SQL | faster | goal |\n|---|---|---|---|---|");
  for (const [name, { path, raw, goal, faster }] of Object.entries(questions)) {
    progress(name);
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let round = 0; round < rounds; round++) {
      ours.push(await timed(() => ask(`${functions_url}/api/analytics/${path}`, token)));
      if (round % 3 === 0) theirs.push(await timed(() => db.query(raw)));
    }
    const [fast, slow] = [median(ours), median(theirs)];
    console.log(
      `| ${name} | ${fast.toFixed(0)} ms | ${slow.toFixed(0)} ms | ${(slow / fast).toFixed(1)} × | ${goal} ms${faster ? `, ${faster} ×` : ""} |`,
    );
  }
  for (const [table, figures] of Object.entries({ "an empty": before, "a full": after })) {
    console.log(
      figures
        ? `\nEvents per second in batches of 500, with ${table} table: ${figures.rate.toFixed(0)} (goal: 5000). The database needs ${figures.processor.toFixed(2)} ms of processor time for a batch.`
        : `\nEvents with ${table} table: not measured, because the database had been filled before.`,
    );
  }

  for (const part of ["the book of sales", "the queue of visitors"] as const) {
    progress(`placing orders with and without ${part}`);
    const { with: whole, without } = await measureOrders(db, rounds, part);
    const added = (100 * (whole / without - 1)).toFixed(1);
    console.log(
      `An order of two products takes ${whole.toFixed(2)} ms of processor time in the database, without ${part} ${without.toFixed(2)} ms: ${added} % more (goal: 5 %).`,
    );
  }
  progress("fifty connections order while lines are rolled up");
  const { longest, rolled } = await measureWaits(db, databaseUrl);
  console.log(
    `Fifty connections that order wait ${longest.toFixed(0)} ms at most for the rollup, which took ${rolled} lines meanwhile (goal: 50 ms).`,
  );

  progress("exporting order items");
  const file = await measureExport(db, functions_url, token, stack.pid as number);
  const share = ((100 * file.copySeconds) / file.seconds).toFixed(0);
  console.log(
    `\n${file.rows} order items as CSV (${file.megabytes.toFixed(0)} MB) take ${file.seconds.toFixed(1)} s, \`copy … to stdout\` ${file.copySeconds.toFixed(1)} s: ${share} % of its speed (goal: 30 %). The function's process needs at most ${file.memory?.toFixed(0) ?? "?"} MB.`,
  );
} finally {
  progress("");
  await db.end().catch(() => {});
  await Promise.all(running.map(stop));
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

async function ask(address: string, token: string, body?: string): Promise<void> {
  const response = await fetch(address, {
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body && { method: "POST", body }),
  });
  const answer = await response.text();
  if (response.status !== 200) throw new Error(`${address}: ${response.status} ${answer}`);
}

/**
 * Registers a member of the tenant with the role client, which may read reports. Returns its token.
 */
async function registerReader(functionsUrl: string): Promise<string> {
  const { token, id } = await register(functionsUrl, { tenant_id: TENANT });
  await db.query("update public.members set role = 'client' where user_id = $1", [id]);
  return token;
}

/**
 * Measures events per second: 59 batches of 500, four at once; and for one batch the processor time of the database's
 * sessions, in ms.
 */
async function measureEvents(
  functionsUrl: string,
  token: string,
): Promise<{ rate: number; processor: number }> {
  progress("reporting events");
  const { rows: goods } = await db.query(
    "select id from public.products where tenant_id = $1 and status = 'active' limit 100",
    [TENANT],
  );
  const batches = Array.from({ length: 60 }, (_, batch) =>
    JSON.stringify({
      events: Array.from({ length: 500 }, (_, n) => ({
        id: randomUUID(),
        type: ["visit", "product_view", "product_view", "add_to_cart"][n % 4],
        product_id: goods[(batch + n) % goods.length].id,
        visitor_id: `visitor ${batch * 60 + (n % 60)}`,
      })),
    }),
  );
  // The first batch warms up the function and the database.
  await ask(`${functionsUrl}/api/analytics/events`, token, batches.pop());
  const count = 500 * batches.length;
  const database = decodeURIComponent(new URL(databaseUrl as string).pathname.slice(1));
  const used = () => processorTime(0, database).postgres;
  const began = used();
  const ms = await timed(() =>
    Promise.all(
      Array.from({ length: 4 }, async () => {
        for (let batch = batches.pop(); batch; batch = batches.pop()) {
          await ask(`${functionsUrl}/api/analytics/events`, token, batch);
        }
      }),
    ),
  );
  return { rate: (1000 * count) / ms, processor: (500 * (used() - began)) / count };
}

/** Fills shops and orders, if they are missing. */
async function fillOrders(): Promise<void> {
  const { rows } = await db.query(
    "select count(*)::integer as tenants from public.tenants where id = $1",
    [TENANT],
  );
  if (rows[0].tenants === 0) {
    progress("filling the shops");
    const shops = await readFile(at("../commerce/fill.sql"), "utf8");
    await db.query(`set fill.last = '2'; set fill.orders = '100'; ${shops}`);
    progress("filling three years of orders");
    const past = await readFile(at("fill.sql"), "utf8");
    await db.query(`set fill.sales = '${Number(values.orders)}'; ${past}`);
  }
  // The stack's own job does this too.
  for (let waits = true, rolled = 0; waits; ) {
    const { rows: step } = await db.query(
      `select coalesce(sum(private.roll_up_sales(t, 20000)), 0)::integer as lines,
         private.tenants_to_roll_up(1) <> '{}' as waits
       from unnest(private.tenants_to_roll_up(20)) as t`,
    );
    ({ waits } = step[0]);
    rolled += step[0].lines;
    progress(`rolling up, ${rolled} lines`);
  }
  for (const table of ["sales_days", "customer_days", "customer_gaps", "ordering_customers"]) {
    await db.query(`vacuum analyze private.${table}`);
  }
}

async function hasEvents(): Promise<boolean> {
  const { rows } = await db.query(
    "select count(*)::integer as events from private.storefront_events where tenant_id = $1",
    [TENANT],
  );
  return rows[0].events >= Number(values.events);
}

async function fillEvents(): Promise<void> {
  progress("filling 90 days of events");
  const events = await readFile(at("events.sql"), "utf8");
  await db.query(`set fill.events = '${Number(values.events)}'; ${events}`);
  for (let waits = true, counted = 0; waits; ) {
    const { rows: step } = await db.query(
      `select coalesce(sum(private.count_visitors(t, 5000)), 0)::integer as days,
         private.tenants_to_count(1) <> '{}' as waits
       from unnest(private.tenants_to_count(20)) as t`,
    );
    ({ waits } = step[0]);
    counted += step[0].days;
    progress(`counting visitors, ${counted} days`);
  }
  for (const table of ["visitor_days", "visitor_gaps", "uncounted_visitor_days"]) {
    await db.query(`vacuum analyze private.${table}`);
  }
}
