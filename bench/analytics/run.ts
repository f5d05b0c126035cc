// How fast figures are, beside the SQL that one would write by hand over the orders, on one machine, in turn:
// `npm run bench:analytics -- --database-url postgres://…/an_empty_database`.
// The database is filled with 1,000,000 orders of three years, half of them the asked tenant's; that takes some minutes.
// A database that this has filled before is used as it is.
import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import pg from "pg";
import { median, progress, start, stop } from "../servers.js";

const { values } = parseArgs({
  options: {
    "database-url": { type: "string" },
    orders: { type: "string", default: "500000" },
    rounds: { type: "string", default: "15" },
  },
});
const databaseUrl = values["database-url"];
if (!databaseUrl) {
  console.error(
    "Say which empty database of a Postgres server to fill: --database-url postgres://…",
  );
  process.exit(2);
}
const rounds = Number(values.rounds);

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const TENANT = "00000000-0000-4000-8000-000000000001";

/** Lines that count for a figure, as one writes them without a book: $1 the tenant, $2 and $3 the days. */
const LINES = `
  select o.created_at as at, o.id as order_id, o.customer_id, i.product_id, i.amount, i.quantity
  from public.orders o join public.order_items i on i.tenant_id = o.tenant_id and i.order_id = o.id
  where o.tenant_id = $1 and o.created_at >= $2 and o.created_at < $3
  union all
  select c.created_at, null, null, i.product_id, -i.amount, -i.quantity
  from public.order_status_changes c
  join public.order_items i on i.tenant_id = c.tenant_id and i.order_id = c.order_id
  where c.tenant_id = $1 and c.new_status in ('cancelled', 'returned') and c.created_at >= $2 and c.created_at < $3`;

const SPAN = (days: number) => `current_date - ${days - 1}, current_date + 1`;

interface Question {
  path: string;
  /** The same, of the raw rows. */
  raw: string;
  /** How many milliseconds it may take, in the middle. */
  goal: number;
}

const withDays = (sql: string, days: number) =>
  sql
    .replaceAll("$1", `'${TENANT}'`)
    .replaceAll("$2", `${SPAN(days).split(", ")[0]}`)
    .replaceAll("$3", `${SPAN(days).split(", ")[1]}`);

const overviewOf = (days: number) => `
  select sum(amount), count(distinct order_id), count(distinct customer_id),
    count(distinct customer_id) filter (where not exists (
      select from public.orders e where e.tenant_id = '${TENANT}' and e.customer_id = l.customer_id
        and e.created_at < current_date - ${days - 1}
    ))
  from (${withDays(LINES, days)}) as l`;

const questions: Record<string, Question> = {
  "overview, 30 days": { path: "overview?period=30d", raw: overviewOf(30), goal: 50 },
  "sales by day, 1 year": {
    path: "sales?period=1y",
    raw: `select at::date, sum(amount), count(distinct order_id) from (${withDays(LINES, 365)}) as l group by 1`,
    goal: 50,
  },
  "best sellers, 30 days": {
    path: "products/top?period=30d",
    raw: `select product_id, sum(amount), sum(quantity) from (${withDays(LINES, 30)}) as l group by 1 order by 2 desc limit 10`,
    goal: 50,
  },
  segments: {
    path: "customers/segments",
    raw: `
      with year as (select customer_id, count(distinct order_id) as orders, sum(amount) as revenue
        from (${withDays(LINES, 365)}) as l group by 1),
      ever as (select customer_id, min(created_at) as first, max(created_at) as last
        from public.orders where tenant_id = '${TENANT}' group by 1)
      select case when last < now() - interval '180 days' then 'lost' when last < now() - interval '90 days' then 'at_risk'
        when orders >= 5 then 'vip' when first > now() - interval '30 days' then 'new' else 'returning' end, count(*), sum(revenue)
      from ever left join year using (customer_id) group by 1`,
    goal: 300,
  },
  "cohorts, 12 months": {
    path: "cohorts",
    raw: `
      with first as (select customer_id, date_trunc('month', min(created_at)) as month
        from public.orders where tenant_id = '${TENANT}' group by 1)
      select f.month, date_trunc('month', o.created_at), count(distinct customer_id)
      from first f join public.orders o using (customer_id)
      where o.tenant_id = '${TENANT}' and f.month >= date_trunc('month', now()) - interval '11 months' group by 1, 2`,
    goal: 300,
  },
};

const db = new pg.Client({ connectionString: databaseUrl });
const running: ChildProcess[] = [];
try {
  progress("starting a stack, which migrates the database");
  const [stack, line] = await start(at("../.."), "packages/stack/src/cli.ts", [
    "start",
    "--database-url",
    databaseUrl,
    "--port",
    "0",
    "--json",
  ]);
  running.push(stack);
  const { functions_url } = JSON.parse(line);
  await db.connect();
  await fill();
  const token = await register(functions_url);
  console.log("| question | p50 | raw SQL | faster | goal |\n|---|---|---|---|---|");
  for (const [name, { path, raw, goal }] of Object.entries(questions)) {
    progress(name);
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let round = 0; round < rounds; round++) {
      ours.push(await timed(() => ask(`${functions_url}/api/analytics/${path}`, token)));
      if (round % 3 === 0) theirs.push(await timed(() => db.query(raw)));
    }
    const [fast, slow] = [median(ours), median(theirs)];
    console.log(
      `| ${name} | ${fast.toFixed(0)} ms | ${slow.toFixed(0)} ms | ${(slow / fast).toFixed(1)} × | ${goal} ms |`,
    );
  }
  progress("placing orders with and without the book");
  const { with: written, without } = await measureOrders();
  const added = (100 * (written / without - 1)).toFixed(1);
  console.log(
    `\nAn order of two products takes ${written.toFixed(2)} ms in the database, without the book ${without.toFixed(2)} ms: ${added} % more (goal: 5 %).`,
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

async function ask(address: string, token: string): Promise<void> {
  const response = await fetch(address, { headers: { authorization: `Bearer ${token}` } });
  const answer = await response.text();
  if (response.status !== 200) throw new Error(`${address}: ${response.status} ${answer}`);
}

/** Somebody who may ask: a machine of the tenant. */
async function register(functionsUrl: string): Promise<string> {
  const answer = await fetch(`${functionsUrl}/auth/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      email: `${randomUUID()}@bench.souk.test`,
      password: "correct horse",
      tenant_id: TENANT,
    }),
  });
  const { access_token, user } = (await answer.json()) as {
    access_token: string;
    user: { id: string };
  };
  await db.query("update public.members set role = 'client' where user_id = $1", [user.id]);
  return access_token;
}

/** What an order takes in the database, in milliseconds: with the book and without it, in turn. */
async function measureOrders(): Promise<{ with: number; without: number }> {
  const [buyer] = (
    await db.query(
      "select user_id from public.members where tenant_id = $1 and role = 'customer'",
      [TENANT],
    )
  ).rows;
  const { rows: goods } = await db.query(
    "select id, marketplace_id, price from public.products where tenant_id = $1 and status = 'active' and kind = 'physical' limit 100",
    [TENANT],
  );
  await db.query(
    "update public.inventory set quantity = 1000000 where product_id = any ($1::uuid[])",
    [goods.map(({ id }) => id)],
  );
  const claims = JSON.stringify({
    sub: buyer.user_id,
    role: "authenticated",
    tenant_id: TENANT,
  });
  const taken: Record<"enable" | "disable", number[]> = { enable: [], disable: [] };
  for (let round = 0; round < 2 * rounds; round++) {
    const way = round % 2 ? "disable" : "enable";
    await db.query(`alter table public.order_items ${way} trigger order_items_enter`);
    for (let n = 0; n < 20; n++) {
      const items = [goods[(round + n) % goods.length], goods[(round + 7 * n + 1) % goods.length]];
      await db.query("begin; set local role authenticated");
      await db.query("select set_config('request.jwt.claims', $1, true)", [claims]);
      const began = performance.now();
      await db.query("select public.place_order($1, $2, $3)", [
        items[0].marketplace_id,
        JSON.stringify(
          items.map(({ id, price }) => ({ product_id: id, quantity: 1, price: Number(price) })),
        ),
        { street: "1 Market Street", city: "Fez", postal_code: "30000" },
      ]);
      await db.query("commit");
      // The first ones after a change of the triggers plan anew.
      if (n >= 5) taken[way].push(performance.now() - began);
    }
  }
  await db.query("alter table public.order_items enable trigger order_items_enter");
  return { with: median(taken.enable), without: median(taken.disable) };
}

async function fill(): Promise<void> {
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
  // The stack's own clock does it as well.
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
  await db.query("vacuum analyze private.sales_days");
  await db.query("vacuum analyze private.customer_days");
  await db.query("vacuum analyze private.ordering_customers");
}
