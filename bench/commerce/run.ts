// What a shop does all day, through Souk, beside a bare server and pgbench:
// `npm run bench:commerce -- --database-url postgres://…/an_empty_database`.
// All are measured in turn, in one run, on one machine. The database is filled with 200 tenants.
import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { decodeJwt } from "jose";
import pg from "pg";
import { load, type Measured } from "../load.js";
import { median, progress, start, stop } from "../servers.js";
import { pgbench } from "./pgbench.js";
import { type Case, cases, openShop, type Shop } from "./shop.js";

const { values } = parseArgs({
  options: {
    "database-url": { type: "string" },
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "3" },
    connections: { type: "string", default: "10" },
  },
});
const databaseUrl = values["database-url"];
if (!databaseUrl) {
  console.error(
    "Say which empty database of a Postgres server to fill: --database-url postgres://…",
  );
  process.exit(2);
}
const [seconds, rounds, connections] = [values.seconds, values.rounds, values.connections].map(
  Number,
) as [number, number, number];

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The tenant of `fill.sql` that has 10,000 products. */
const TENANT = "00000000-0000-4000-8000-000000000001";

/** A customer of the tenant, by its token. */
async function register(functions: string): Promise<string> {
  const answer = await fetch(`${functions}/auth/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      email: `${randomUUID()}@example.com`,
      password: randomUUID(),
      tenant_id: TENANT,
    }),
  });
  const made = (await answer.json()) as { access_token?: string };
  if (!made.access_token) throw new Error(`nobody could register: ${JSON.stringify(made)}`);
  return made.access_token;
}

async function fill(db: pg.Client): Promise<void> {
  progress("filling the database");
  await db.query(await readFile(at("fill.sql"), "utf8"));
  // One customer asks for hundreds of others.
  await db.query("update private.rate_limits set requests_per_minute = 1000000000");
}

interface Servers {
  souk: string;
  bare: string;
  headers: Record<string, string>;
  claims: string;
}

type Rates = Record<"souk" | "bare", Measured[]> & { pgbench: number[] };

async function measure(one: Case, shop: Shop, servers: Servers, made: Rates, warm: boolean) {
  const length = { connections, seconds, status: one.status };
  const { headers } = servers;
  const souk = await load(servers.souk, (n) => ({ ...one.wanted(shop, n), headers }), length);
  const plain = { "content-type": "application/json" };
  const bare = await load(servers.bare, (n) => ({ ...one.bare(shop, n), headers: plain }), length);
  const sql = one.sql?.(shop);
  const inside = sql && (await pgbench(databaseUrl as string, sql, servers.claims, length));
  if (warm) return;
  made.souk.push(souk);
  made.bare.push(bare);
  if (inside) made.pgbench.push(inside);
}

function row({ souk, bare, pgbench: inside }: Rates) {
  const middle = (made: Measured[], of: "rate" | "p50" | "p99") => median(made.map((m) => m[of]));
  const ratio = median(souk.map(({ rate }, i) => rate / (bare[i] as Measured).rate));
  const [p50, p99] = [middle(souk, "p50"), middle(souk, "p99")];
  return {
    "Souk /s": Math.round(middle(souk, "rate")),
    "bare /s": Math.round(middle(bare, "rate")),
    ratio: Number(ratio.toFixed(2)),
    "pgbench /s": inside.length > 0 ? Math.round(median(inside)) : null,
    "p50 ms": Number(p50.toFixed(1)),
    "p99 ms": Number(p99.toFixed(1)),
    "p99/p50": Number((p99 / p50).toFixed(1)),
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
  await fill(db);
  const shop = await openShop(db, TENANT);
  await db.query("vacuum analyze");
  const [bare, bareUrl] = await start(resolve(at(".")), at("bare.ts"), [databaseUrl]);
  children.push(bare);
  const token = await register(functions_url);
  const servers: Servers = {
    souk: url,
    bare: bareUrl,
    headers: {
      apikey: anon_key,
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
    },
    // With a blank behind each colon, since pgbench takes `:name` for a variable.
    claims: JSON.stringify(decodeJwt(token), null, 1).replaceAll("\n", ""),
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
  console.log(
    `${connections} connections, ${rounds} × ${seconds} s, medians; 10,000 products of one of 200 tenants`,
  );
  console.table(Object.fromEntries([...all].map(([one, made]) => [one.name, row(made)])));
} finally {
  await db.end();
  await Promise.all(children.map(stop));
}
