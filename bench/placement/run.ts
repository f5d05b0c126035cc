// Measures what promotion adds to a list, and the cost of an auction alone, through the real stack:
// `npm run bench -- placement --database-url postgres://…/an_empty_database`.
// Each is measured in turn with its comparison, in one run, on one machine. The database is filled
// with 100,000 products
// of 200 tenants and 1,000 campaigns, 204 of them of the measured tenant.
import type { ChildProcess } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { decodeJwt } from "jose";
import pg from "pg";
import { load, type Measured } from "../load.js";
import { median, progress, register, start, stop } from "../servers.js";

const { values } = parseArgs({
  options: {
    "database-url": { type: "string" },
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "5" },
    connections: { type: "string", default: "4" },
    auctions: { type: "string", default: "500" },
  },
});
const databaseUrl = values["database-url"];
if (!databaseUrl) {
  console.error("Give an empty database of a Postgres server to fill: --database-url postgres://…");
  process.exit(2);
}
const [seconds, rounds, connections, auctions] = [
  values.seconds,
  values.rounds,
  values.connections,
  values.auctions,
].map(Number) as [number, number, number, number];

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The tenant with 10,000 products; each of its halls has five aisles of 200 products. */
const TENANT = "00000000-0000-4000-8000-000000000001";
const hall = (n: number) => `f7000000-0000-4000-8000-${`${1000 + n * 10}`.padStart(12, "0")}`;
const aisle = (n: number) =>
  `f7000000-0000-4000-8000-${`${1000 + (1 + (n % 10)) * 10 + 1 + ((n * 3) % 5)}`.padStart(12, "0")}`;

/** Words in product names: things, of which there are 250 each, and materials, 850 each. */
const words = ["lantern", "teapot", "brass", "curtain", "kettle", "linen"];

/** Queries of lists without a sort. With the equivalent sort, nothing is promoted. */
const lists: Record<string, (n: number) => string> = {
  "an aisle of 200 products": (n) => `category=${aisle(n)}`,
  "a hall of 1,000 products": (n) => `category=${hall(1 + (n % 10))}`,
  "the whole catalog": () => "",
  "a brand, 250 products": (n) => `brand=${encodeURIComponent(`Brand ${n % 40}`)}`,
  "a search, 250 to 850 hits": (n) => `search=${words[n % words.length]}`,
};

/** The categories of an auction. */
const branches: Record<string, string> = {
  "in an aisle": `array['${aisle(1)}'::uuid]`,
  "in a hall": `private.category_branch('${TENANT}', '${hall(1)}')`,
  "in the whole catalog": "null::uuid[]",
};

async function measureLists(url: string, headers: Record<string, string>) {
  const table: Record<string, object> = {};
  for (const [name, query] of Object.entries(lists)) {
    const ask = (sort: string) =>
      load(
        url,
        (n) => ({
          method: "GET",
          path: `/functions/v1/api/products?limit=20&${query(n)}${sort}`,
          headers,
        }),
        { connections, seconds, status: 200 },
      );
    const made: { promoted: Measured; plain: Measured }[] = [];
    // The first round warms up.
    for (let round = 0; round <= rounds; round += 1) {
      progress(`round ${round} of ${rounds}: ${name}`);
      const promoted = await ask("");
      const plain = await ask("&sort=created_at&order=desc");
      if (round > 0) made.push({ promoted, plain });
    }
    const middle = (of: "promoted" | "plain", what: keyof Measured) =>
      Number(median(made.map((one) => one[of][what])).toFixed(1));
    table[name] = {
      "promoted p50 ms": middle("promoted", "p50"),
      "plain p50 ms": middle("plain", "p50"),
      "ratio of p50": Number(
        median(made.map(({ promoted, plain }) => promoted.p50 / plain.p50)).toFixed(2),
      ),
      "promoted p99 ms": middle("promoted", "p99"),
      "plain p99 ms": middle("plain", "p99"),
      "ratio of rates": Number(
        median(made.map(({ promoted, plain }) => plain.rate / promoted.rate)).toFixed(2),
      ),
    };
  }
  return table;
}

async function measureAuctions(db: pg.Client, claims: string) {
  const table: Record<string, object> = {};
  await db.query("select set_config('role', 'authenticated', false)");
  await db.query("select set_config('request.jwt.claims', $1, false)", [claims]);
  for (const [name, branch] of Object.entries(branches)) {
    const took = { auction: [] as number[], read: [] as number[] };
    const statements = {
      auction: `select * from private.hold_auction('category', ${branch}, null, 20, null)`,
      read: `select c.product_id from public.campaigns c
        where c.tenant_id = '${TENANT}' and c.status = 'active'
          and (${branch} is null or c.category_id = any (${branch}))
        order by c.bid_amount desc limit 6`,
    };
    for (let n = 0; n < auctions; n += 1) {
      if (n % 50 === 0) progress(`auction ${n} of ${auctions}, ${name}`);
      for (const which of ["auction", "read"] as const) {
        const begun = performance.now();
        await db.query({ name: `${which} ${name}`, text: statements[which] });
        took[which].push(performance.now() - begun);
      }
    }
    const at = (of: number[], share: number) =>
      of.toSorted((a, b) => a - b)[Math.floor(of.length * share)] as number;
    table[name] = {
      "p50 ms": Number(at(took.auction, 0.5).toFixed(2)),
      "p99 ms": Number(at(took.auction, 0.99).toFixed(2)),
      "indexed read p50 ms": Number(at(took.read, 0.5).toFixed(2)),
      ratio: Number((at(took.auction, 0.5) / at(took.read, 0.5)).toFixed(1)),
    };
  }
  return table;
}

const children: ChildProcess[] = [];
const db = new pg.Client({ connectionString: databaseUrl });
try {
  const place = ["start", "--port", "0", "--json", "--database-url", databaseUrl];
  const [stack, ready] = await start(at("../.."), at("../../packages/stack/src/cli.ts"), place);
  children.push(stack);
  const { url, functions_url, anon_key } = JSON.parse(ready);
  await db.connect();
  progress("filling the database");
  for (const file of ["../commerce/fill.sql", "campaigns.sql"]) {
    await db.query(await readFile(at(file), "utf8"));
  }
  // One customer sends the requests of hundreds.
  await db.query("update private.rate_limits set requests_per_minute = 1000000000");
  await db.query("vacuum analyze");
  const { token } = await register(functions_url, { tenant_id: TENANT });
  const headers = { apikey: anon_key, authorization: `Bearer ${token}` };
  const byList = await measureLists(url, headers);
  const byAuction = await measureAuctions(db, JSON.stringify(decodeJwt(token)));
  progress("");
  console.log(`${connections} connections, ${rounds} × ${seconds} s, medians; pages of 20`);
  console.table(byList);
  console.log(`An auction for a page of 20 by itself, ${auctions} times, on one connection`);
  console.table(byAuction);
} finally {
  await db.end();
  await Promise.all(children.map(stop));
}
