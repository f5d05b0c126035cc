// Measures reports, in turn with SQL over the raw rows; the cost of the book of sales for an order;
// and the rate of events:
// `npm run bench -- analytics --database-url postgres://…/an_empty_database`.
// The database is filled with 1,000,000 orders of three years and 5,000,000 events, half of them of
// the measured tenant. That takes some minutes; `--only-fill` ends then. A database that was filled
// before is used as it is. Beside it, a database whose name ends with `_empty` is made, which has the
// shops alone.
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
    "only-fill": { type: "boolean", default: false },
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
  const functionsUrl = await startStack(databaseUrl);
  await db.connect();
  await fillShops(db);
  await fillOrders();
  await fillEvents();
  const [emptyUrl, empty] = await openEmpty();
  if (!values["only-fill"]) await measure(functionsUrl, emptyUrl, empty);
  await empty.end();
} finally {
  progress("");
  await db.end().catch(() => {});
  await Promise.all(running.map(stop));
}

/** Starts a stack on a database, and answers the address of its functions. */
async function startStack(url: string): Promise<string> {
  progress("starting a stack, which migrates the database");
  const [stack, line] = await start(at("../.."), "packages/stack/src/cli.ts", [
    ...["start", "--database-url", url, "--no-seed", "--port", "0", "--json"],
  ]);
  running.push(stack);
  return JSON.parse(line).functions_url;
}

/** Opens the database without orders and events, and makes it if it is missing. */
async function openEmpty(): Promise<[functionsUrl: string, pg.Client]> {
  const url = new URL(databaseUrl as string);
  url.pathname += "_empty";
  const name = decodeURIComponent(url.pathname.slice(1));
  const { rowCount } = await db.query("select from pg_database where datname = $1", [name]);
  if (!rowCount) await db.query(`create database ${pg.escapeIdentifier(name)}`);
  const functionsUrl = await startStack(url.href);
  const empty = new pg.Client({ connectionString: url.href });
  await empty.connect();
  await fillShops(empty);
  return [functionsUrl, empty];
}

async function measure(functionsUrl: string, emptyUrl: string, empty: pg.Client): Promise<void> {
  const token = await registerReader(functionsUrl, db);
  await measureQuestions(functionsUrl, token);

  const tables = [
    { name: "an empty", db: empty, url: emptyUrl, token: await registerReader(emptyUrl, empty) },
    { name: "a full", db, url: functionsUrl, token },
  ];
  const rates = new Map<string, { rate: number; processor: number }[]>();
  for (let round = 0; round < 3; round++) {
    for (const { name, ...table } of tables) {
      rates.set(name, [...(rates.get(name) ?? []), await measureEvents(table)]);
    }
  }
  await stop(running.pop() as ChildProcess);
  console.log("");
  for (const [name, taken] of rates) {
    const [rate, processor] = (["rate", "processor"] as const).map((key) =>
      median(taken.map((one) => one[key])),
    ) as [number, number];
    console.log(
      `Events per second in batches of 500, with ${name} table: ${rate.toFixed(0)} (goal: 5000). The database needs ${processor.toFixed(1)} ms of processor time for a batch.`,
    );
  }

  for (const part of ["the book of sales", "the queue of visitors"] as const) {
    progress(`placing orders with and without ${part}`);
    const { with: whole, without, added } = await measureOrders(db, 40 * rounds, part);
    console.log(
      `An order of two products takes ${whole.toFixed(2)} ms of processor time in the database, without ${part} ${without.toFixed(2)} ms: ${added[1].toFixed(1)} % more, ${added[0].toFixed(1)} to ${added[2].toFixed(1)} in tenths of the measurement (goal: 5 %).`,
    );
  }
  progress("fifty connections order while lines are rolled up");
  const { longest, rolled } = await measureWaits(db, databaseUrl as string);
  console.log(
    `Fifty connections that order wait ${longest.toFixed(0)} ms at most for the rollup, which took ${rolled} lines meanwhile (goal: 50 ms).`,
  );

  progress("exporting order items");
  const file = await measureExport(db, functionsUrl, token, running[0]?.pid as number);
  const share = ((100 * file.copySeconds) / file.seconds).toFixed(0);
  console.log(
    `\n${file.rows} order items as CSV (${file.megabytes.toFixed(0)} MB) take ${file.seconds.toFixed(1)} s, \`copy … to stdout\` ${file.copySeconds.toFixed(1)} s: ${share} % of its speed (goal: 30 %). The function's process needs at most ${file.memory?.toFixed(0) ?? "?"} MB.`,
  );
}

async function measureQuestions(functionsUrl: string, token: string): Promise<void> {
  console.log("| question | p50 | raw SQL | times faster | goal |\n|---|---|---|---|---|");
  for (const [name, { path, raw, goal, faster }] of Object.entries(questions)) {
    progress(name);
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let round = 0; round < rounds; round++) {
      ours.push(await timed(() => ask(`${functionsUrl}/api/analytics/${path}`, token)));
      if (round % 3 === 0) theirs.push(await timed(() => db.query(raw)));
    }
    const [fast, slow] = [median(ours), median(theirs)];
    const ratio = slow / fast;
    const isMissed = fast > goal || ratio < (faster ?? 0);
    console.log(
      `| ${name} | ${fast.toFixed(0)} ms | ${slow.toFixed(0)} ms | ${ratio.toFixed(ratio < 10 ? 1 : 0)} | ${goal} ms${faster ? `, ${faster} ×` : ""}${isMissed ? ", missed" : ""} |`,
    );
  }
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
async function registerReader(functionsUrl: string, client: pg.Client): Promise<string> {
  const { token, id } = await register(functionsUrl, { tenant_id: TENANT });
  await client.query("update public.members set role = 'client' where user_id = $1", [id]);
  await client.query("select public.set_rate_limit('client', 1000000)");
  return token;
}

/**
 * Measures events per second: 59 batches of 500, four at once; and for one batch the processor time of the database's
 * sessions, in ms.
 */
async function measureEvents(table: {
  db: pg.Client;
  url: string;
  token: string;
}): Promise<{ rate: number; processor: number }> {
  progress("reporting events");
  const { rows: goods } = await table.db.query(
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
  await ask(`${table.url}/api/analytics/events`, table.token, batches.pop());
  const count = 500 * batches.length;
  const { rows } = await table.db.query("select current_database() as name");
  const used = () => processorTime(0, rows[0].name).postgres;
  const began = used();
  const ms = await timed(() =>
    Promise.all(
      Array.from({ length: 4 }, async () => {
        for (let batch = batches.pop(); batch; batch = batches.pop()) {
          await ask(`${table.url}/api/analytics/events`, table.token, batch);
        }
      }),
    ),
  );
  return { rate: (1000 * count) / ms, processor: (500 * (used() - began)) / count };
}

/** Fills the shops of a database, if they are missing. */
async function fillShops(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query("select from public.tenants where id = $1", [TENANT]);
  if (rowCount) return;
  progress("filling the shops");
  const shops = await readFile(at("../commerce/fill.sql"), "utf8");
  await client.query(`set fill.last = '2'; set fill.orders = '100'; ${shops}`);
}

/** Fills the orders, if they are missing, and rolls them up. */
async function fillOrders(): Promise<void> {
  const { rows } = await db.query(
    "select count(*)::integer as orders from public.orders where tenant_id = $1",
    [TENANT],
  );
  if (rows[0].orders < Number(values.orders)) {
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

/** Fills the events, if they are missing, and counts their visitors. */
async function fillEvents(): Promise<void> {
  const { rows } = await db.query(
    "select count(*)::integer as events from private.storefront_events where tenant_id = $1",
    [TENANT],
  );
  if (rows[0].events >= Number(values.events)) return;
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
