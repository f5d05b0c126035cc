// Measures frequent requests of a shop through Souk, in turn with a bare server and pgbench, on one
// machine:
// `npm run bench -- commerce --database-url postgres://…/an_empty_database`.
// The database is filled with `--tenants`, `--products` and `--orders`; the measured tenant always
// has the same number.
// With `--filled`, the database is already filled and only measured.
import type { ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { decodeJwt } from "jose";
import pg from "pg";
import { load, type Measured } from "../load.js";
import { median, progress, register, start, stop } from "../servers.js";
import { pgbench, settingsOf } from "./pgbench.js";
import { measureShipping } from "./shipping.js";
import { BUYERS, type Case, cases, keepBuyers, openShop, type Shop } from "./shop.js";

const { values } = parseArgs({
  options: {
    "database-url": { type: "string" },
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "3" },
    connections: { type: "string", default: "10" },
    tenants: { type: "string", default: "200" },
    products: { type: "string", default: "100000" },
    orders: { type: "string", default: "25000" },
    filled: { type: "boolean", default: false },
  },
});
const databaseUrl = values["database-url"];
if (!databaseUrl) {
  console.error(
    "Give an empty database of a Postgres server to fill: --database-url postgres://…\n" +
      "[--tenants 200] [--products 100000] [--orders 25000] [--filled] [--connections 10] [--rounds 3] [--seconds 5]",
  );
  process.exit(2);
}
const [seconds, rounds, connections] = [values.seconds, values.rounds, values.connections].map(
  Number,
) as [number, number, number];
const [tenants, products, orders] = [values.tenants, values.products, values.orders].map(
  Number,
) as [number, number, number];

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The tenant of `fill.sql` with 10,000 products, whose number never changes. */
const TENANT = "00000000-0000-4000-8000-000000000001";
const ITS_PRODUCTS = 10_250;
const ITS_ORDERS = 5_000;

async function fill(db: pg.Client): Promise<void> {
  progress("filling the database");
  const each = (all: number, its: number) => Math.round((all - its) / (tenants - 1));
  await db.query(
    `set fill.last = '${tenants}';
     set fill.products = '${Math.max(each(products, ITS_PRODUCTS), 40)}';
     set fill.orders = '${Math.max(each(orders, ITS_ORDERS), 1)}'`,
  );
  // Statement by statement, because jobs would have to wait for a single transaction.
  for (const statement of (await readFile(at("fill.sql"), "utf8")).split(/;\n(?=\n|$)/)) {
    await db.query(statement);
  }
  // One customer sends the requests of hundreds.
  await db.query("update private.rate_limits set requests_per_minute = 1000000000");
  await db.query("update private.caps set value = 1000000000 where name = 'events_per_minute'");
}

interface Servers {
  souk: string;
  bare: string;
  headers: Record<string, string>;
  /** The tokens of the customers who place orders. */
  buyers: string[];
  settings: Record<string, string>;
}

/** The rates of each round; pgbench's are empty if it is not used. */
type Rates = Record<"souk" | "bare", Measured[]> & { pgbench: number[] };

async function measure(one: Case, shop: Shop, servers: Servers, made: Rates, warm: boolean) {
  const length = { connections, seconds, status: one.status };
  const { headers, buyers } = servers;
  const headersOf = (n: number) =>
    one.byMany ? { ...headers, authorization: `Bearer ${buyers[n % buyers.length]}` } : headers;
  const wanted = (n: number) => ({ ...one.wanted(shop, n), headers: headersOf(n) });
  const souk = await load(servers.souk, wanted, length);
  const plain = { "content-type": "application/json" };
  const bare = await load(servers.bare, (n) => ({ ...one.bare(shop, n), headers: plain }), length);
  const sql = one.sql?.(shop);
  const inside = sql && (await pgbench(databaseUrl as string, sql, servers.settings, length));
  if (warm) return;
  made.souk.push(souk);
  made.bare.push(bare);
  if (inside) made.pgbench.push(inside);
}

function row({ goal }: Case, { souk, bare, pgbench: inside }: Rates) {
  const middle = (made: Measured[], of: "rate" | "p50" | "p99") => median(made.map((m) => m[of]));
  const share = (of: number[]) =>
    of.length > 0
      ? Number(median(souk.map(({ rate }, i) => rate / (of[i] as number))).toFixed(2))
      : null;
  const [p50, p99] = [middle(souk, "p50"), middle(souk, "p99")];
  const ratios = { pgbench: share(inside), bare: share(bare.map(({ rate }) => rate)) };
  return {
    "Souk /s": Math.round(middle(souk, "rate")),
    "pgbench /s": inside.length > 0 ? Math.round(median(inside)) : null,
    "of pgbench": ratios.pgbench,
    "bare /s": Math.round(middle(bare, "rate")),
    "of bare": ratios.bare,
    goal: `${goal.least} of ${goal.of}${(ratios[goal.of] ?? 0) < goal.least ? ", missed" : ""}`,
    "p50 ms": Number(p50.toFixed(1)),
    "p99 ms": Number(p99.toFixed(1)),
  };
}

const children: ChildProcess[] = [];
const db = new pg.Client({ connectionString: databaseUrl });
try {
  const cli = at("../../packages/stack/src/cli.ts");
  const place = ["start", "--port", "0", "--json", "--database-url", databaseUrl];
  const [stack, ready] = await start(resolve(at("../..")), cli, place);
  children.push(stack);
  const { url, functions_url, anon_key } = JSON.parse(ready);
  await db.connect();
  if (!values.filled) await fill(db);
  const shop = await openShop(db, TENANT);
  await db.query("vacuum analyze");
  const [bare, bareUrl] = await start(resolve(at(".")), at("bare.ts"), [databaseUrl]);
  children.push(bare);
  const registered = () => register(functions_url, { tenant_id: TENANT });
  const { token } = await registered();
  const buyers: string[] = [];
  progress("registering the customers");
  while (buyers.length < BUYERS) buyers.push((await registered()).token);
  await keepBuyers(db, buyers.map(decodeJwt));
  const servers: Servers = {
    souk: url,
    bare: bareUrl,
    headers: {
      apikey: anon_key,
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
    },
    buyers,
    settings: {
      ...(await settingsOf(db, "authenticated")),
      role: "authenticated",
      // With a blank after each colon, because pgbench treats `:name` as a variable.
      "request.jwt.claims": JSON.stringify(decodeJwt(token), null, 1).replaceAll("\n", ""),
    },
  };

  const all = new Map<Case, Rates>(cases.map((one) => [one, { souk: [], bare: [], pgbench: [] }]));
  // The first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [one, made] of all) {
      progress(`round ${round} of ${rounds}: ${one.name}`);
      await measure(one, shop, servers, made, round === 0);
    }
  }
  progress("");
  const { rows: there } = await db.query(
    `select array[
       (select count(*) from public.tenants), (select count(*) from public.products), (select count(*) from public.orders)
     ]::integer[] as counts`,
  );
  const [shops, goods, sales] = (there[0].counts as number[]).map((n) => n.toLocaleString("en"));
  console.log(
    `${connections} connections, ${rounds} × ${seconds} s, medians; 10,000 products of one of ${shops} tenants, ` +
      `which have ${goods} products and ${sales} orders`,
  );
  console.table(Object.fromEntries([...all].map(([one, made]) => [one.name, row(one, made)])));
  console.table(await measureShipping(db, TENANT, await settingsOf(db, "authenticated")));
} finally {
  await db.end();
  await Promise.all(children.map(stop));
}
