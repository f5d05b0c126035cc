// Measures the import of products, and how its rate depends on their number:
// `npm run bench -- imports [--database-url postgres://…/an_empty_database] [--products N]`;
// without a URL on PGlite in memory.
// In turn, a tenth of the lines is imported into Souk and then inserted into a bare table, in one
// run, on one machine.
import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import pg from "pg";
import { median, progress, register, start, stop } from "../servers.js";
import { processorTime, type Spent } from "./processor.js";

const { values } = parseArgs({
  options: {
    "database-url": { type: "string" },
    products: { type: "string", default: "20000" },
  },
});
const databaseUrl = values["database-url"];
const products = Number(values.products);
const PARTS = 10;
const LINES_AT_ONCE = 250;

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const THINGS = ["lantern", "tray", "rug", "kettle", "soap", "basket", "curtain", "teapot", "lamp"];
const MADE_OF = ["copper", "cedar", "wool", "brass", "olive", "linen", "carved", "blue"];
const one = <T>(of: T[], n: number) => of[n % of.length] as T;

/** Returns line n of a shop's catalogue: every tenth product comes in two sizes. */
function lineOf(n: number, price: number) {
  const stock =
    n % 10 === 0
      ? { variants: ["S", "L"].map((name) => ({ name, quantity: 5 })) }
      : { quantity: (n % 7) + 1 };
  return {
    external_id: `sku-${n}`,
    name: `${one(MADE_OF, n)} ${one(THINGS, n * 7)} ${n}`,
    description: `A ${one(THINGS, n * 3)}, ${one(MADE_OF, n * 5)}. ${"It is described at some length. ".repeat(1 + (n % 8))}`,
    price: price + (n % 1000),
    attributes: [
      { name: "brand", value: `Brand ${n % 40}` },
      { name: "material", value: one(MADE_OF, n), searchable: true },
    ],
    images: [{ url: `https://images.example/${n}.jpg`, alt: "As it looks" }],
    ...stock,
  };
}

type Line = ReturnType<typeof lineOf>;
const linesOf = (first: number, beyond: number, price: number): Line[] =>
  Array.from({ length: beyond - first }, (_, i) => lineOf(first + i, price));

/** Registers an operator with a marketplace and returns its token. */
async function openShop(functions: string): Promise<string> {
  const post = async (path: string, body: object, token?: string) => {
    const answer = await fetch(functions + path, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  };
  const { token } = await register(functions, { tenant_name: "Bench" });
  const shop = { name: "Bench", category: "home", currency: "EUR", language: "en" };
  await post("/api/marketplaces", { ...shop, domain: `${randomUUID()}.example` }, token);
  return token;
}

/** Returns lines per second, from the first byte sent to the end of the answer. */
async function timed(lines: number, work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return lines / ((performance.now() - begun) / 1000);
}

async function importInto(functions: string, token: string, lines: Line[], what: string) {
  const answer = await fetch(`${functions}/api/products/import`, {
    method: "POST",
    headers: { "content-type": "application/x-ndjson", authorization: `Bearer ${token}` },
    body: lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
  });
  const summary = (await answer.json()) as Record<string, unknown>;
  // Fails if lines were refused, which would be faster.
  if (summary[what] !== lines.length)
    throw new Error(`not all were ${what}: ${JSON.stringify(summary)}`);
}

const PEER = `
  create schema peer;
  create table peer.products (
    id uuid primary key default gen_random_uuid(), tenant_id uuid not null, external_id text not null, name text not null,
    description text not null, price numeric not null, images jsonb not null, attributes jsonb not null, variants jsonb,
    quantity integer, created_at timestamptz not null default now(),
    unique (tenant_id, external_id)
  )`;

async function insertInto(db: pg.Client, lines: Line[]) {
  for (let first = 0; first < lines.length; first += LINES_AT_ONCE) {
    await db.query(
      `insert into peer.products
         (tenant_id, external_id, name, description, price, images, attributes, variants, quantity)
       select
         '00000000-0000-4000-8000-000000000001', l.external_id, l.name, l.description, l.price, l.images,
         l.attributes, l.variants, l.quantity
       from jsonb_to_recordset($1) as l (
         external_id text, name text, description text, price numeric, images jsonb, attributes jsonb, variants jsonb,
         quantity integer
       )`,
      [JSON.stringify(lines.slice(first, first + LINES_AT_ONCE))],
    );
  }
}

const children: ChildProcess[] = [];
try {
  const cli = at("../../packages/stack/src/cli.ts");
  const place = databaseUrl ? ["--database-url", databaseUrl] : ["--data", "memory"];
  const flags = ["start", "--port", "0", "--no-seed", "--json", ...place];
  const [stack, ready] = await start(resolve(at("../..")), cli, flags);
  children.push(stack);
  const { functions_url: functions, db_url } = JSON.parse(ready);
  const token = await openShop(functions);
  const peer = async (work: (db: pg.Client) => Promise<unknown>) => {
    // PGlite admits one client at a time, so the connection is closed.
    const db = new pg.Client({ connectionString: databaseUrl ?? db_url });
    await db.connect();
    await work(db).finally(() => db.end());
  };
  await peer((db) => db.query(PEER));

  const database = databaseUrl && new URL(databaseUrl).pathname.slice(1);
  const spent = () => processorTime(stack.pid as number, database);
  const had: Spent = { stack: 0, postgres: 0 };
  const souk: number[] = [];
  const bare: number[] = [];
  const bounds = Array.from({ length: PARTS + 1 }, (_, n) => Math.round((products * n) / PARTS));
  for (const [n, first] of bounds.slice(0, -1).entries()) {
    progress(`part ${n + 1} of ${PARTS}`);
    const lines = linesOf(first, bounds[n + 1] as number, 10.25);
    const before = spent();
    souk.push(await timed(lines.length, () => importInto(functions, token, lines, "imported")));
    const after = spent();
    had.stack += after.stack - before.stack;
    had.postgres += after.postgres - before.postgres;
    await peer(async (db) => {
      bare.push(await timed(lines.length, () => insertInto(db, lines)));
    });
  }
  const some = Math.min(products, 5000);
  progress("once more");
  const again = linesOf(0, some, 10.25);
  const unchanged = await timed(some, () => importInto(functions, token, again, "unchanged"));
  const dearer = linesOf(0, some, 11.25);
  const changed = await timed(some, () => importInto(functions, token, dearer, "updated"));
  progress("");

  const whole = products / souk.reduce((seconds, rate) => seconds + products / PARTS / rate, 0);
  const round = (rate: number | undefined) => Math.round(rate as number);
  console.log(`${products} products, ${databaseUrl ? "Postgres" : "PGlite"}; lines a second`);
  console.table({
    "new, by tenths": souk.map(round).join(" "),
    "the bare table": bare.map(round).join(" "),
    "new, all of it": round(whole),
    "the last three tenths to the first three": (
      median(souk.slice(-3)) / median(souk.slice(0, 3))
    ).toFixed(2),
    "to the bare table": median(souk.map((rate, n) => rate / (bare[n] as number))).toFixed(3),
    "processor time of a new line, ms": `${(had.stack / products).toFixed(2)}, Postgres ${(had.postgres / products).toFixed(2)}`,
    unchanged: round(unchanged),
    "with another price": round(changed),
  });
} finally {
  await Promise.all(children.map(stop));
}
