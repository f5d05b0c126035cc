// Measures the quality and, with `--speed`, the speed of search: `npm run bench -- search [
// --speed]`.
// `--facets` measures lists with and without three facets in turn, with `--products`; `--filled` skips
// the filling.
// `--most 2` leaves two products of each family: 280, as in a small catalogue.
// Runs on PGlite in memory, or on a server with `--database-url postgres://…/an_empty_database`.
// `--worst 20` prints the
// queries with the worst results of `--engine` (ilike, text, semantic or hybrid).
import type { ChildProcess } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { progress, start, stop } from "../servers.js";
import { makeCatalogue, type Product } from "./catalogue.js";
import { type Engine, hybrid, ilike, semantic, text } from "./engines.js";
import { facets } from "./facets.js";
import { type Judged, judge, table } from "./quality.js";
import { queries } from "./queries.js";
import { type Address, embedded, hasVectors, openShop, type Shop } from "./shop.js";
import { speed } from "./speed.js";
import { spelledProducts, spelledQueries } from "./spellings.js";

const { values } = parseArgs({
  options: {
    "database-url": { type: "string" },
    speed: { type: "boolean", default: false },
    facets: { type: "boolean", default: false },
    filled: { type: "boolean", default: false },
    products: { type: "string", default: "10000,100000" },
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "5" },
    worst: { type: "string", default: "0" },
    most: { type: "string" },
    engine: { type: "string", default: "hybrid" },
  },
});
const databaseUrl = values["database-url"];

async function quality(stack: Address): Promise<void> {
  const products = makeCatalogue(values.most ? { most: Number(values.most) } : {});
  progress(`importing ${products.length} products`);
  const shop = await openShop(stack, products);
  const judged: Judged[] = [];
  const ask = async (engine: Engine) => {
    progress(`asking ${engine.name}`);
    try {
      judged.push(...(await judge(engine, queries, products, shop.names)));
    } finally {
      // An ended connection would throw, and hide the first error.
      await engine.close?.();
    }
  };
  await ask(ilike(shop));
  await ask(text(shop));
  if (await hasVectors(stack)) {
    progress("learning what the products mean");
    await untilEmbedded(shop);
    await ask(await semantic(shop));
    await ask(hybrid(shop));
  } else {
    progress("");
    console.log(
      "No vectors: this server lacks the extension vector, so semantic search is not measured.",
    );
  }
  progress("");
  console.log(`nDCG@10 of ${queries.length} queries over ${products.length} products`);
  console.table(table(judged, "ndcg"));
  console.log("recall@50");
  console.table(table(judged, "recall"));
  showWorst(judged, products);
}

/** Measures other spellings in a separate small shop, where products can only be found by words. */
async function spelled(stack: Address): Promise<void> {
  const shop = await openShop(stack, spelledProducts);
  const judged = await judge(text(shop), spelledQueries, spelledProducts, shop.names);
  console.log(`nDCG@10 of ${spelledQueries.length} queries in other spellings`);
  console.table(table(judged, "ndcg"));
  showWorst(judged, spelledProducts);
}

async function untilEmbedded(shop: Shop): Promise<void> {
  const until = performance.now() + 600_000;
  for (;;) {
    try {
      return await embedded(shop);
    } catch (error) {
      if (performance.now() > until) throw error;
      await setTimeout(500);
    }
  }
}

/** Prints the queries with an engine's worst results, and these results. */
function showWorst(judged: readonly Judged[], products: readonly Product[]): void {
  const nameOf = new Map(products.map(({ external_id, name }) => [external_id, name]));
  const worst = judged
    .filter(({ engine }) => engine === values.engine)
    .sort((a, b) => a.ndcg - b.ndcg)
    .slice(0, Number(values.worst));
  for (const { query, ndcg, recall, found } of worst) {
    console.log(`${ndcg.toFixed(2)} ${recall.toFixed(2)} ${query.kind}: ${query.text}`);
    for (const name of found.slice(0, 5)) console.log(`            ${nameOf.get(name)} (${name})`);
  }
}

/** Raises rate limits, because one customer sends the requests of hundreds. */
async function liftLimits({ url, service_role_key: key }: Address): Promise<void> {
  for (const kind of ["customer", "address"]) {
    const answer = await fetch(`${url}/rest/v1/rpc/set_rate_limit`, {
      method: "POST",
      headers: { apikey: key, authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ kind, requests_per_minute: 1_000_000_000 }),
    });
    if (!answer.ok) throw new Error(`set_rate_limit: ${answer.status} ${await answer.text()}`);
  }
}

const children: ChildProcess[] = [];
try {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const place = databaseUrl ? ["--database-url", databaseUrl] : ["--data", "memory"];
  const [child, ready] = await start(root, "packages/stack/src/cli.ts", [
    ...["start", "--port", "0", "--json", "--no-seed"],
    ...place,
  ]);
  children.push(child);
  const stack = JSON.parse(ready) as Address;
  await liftLimits(stack);
  const length = { rounds: Number(values.rounds), seconds: Number(values.seconds) };
  const sizes = values.products.split(",").map(Number);
  if (values.speed) {
    await speed(stack, sizes, length);
  } else if (values.facets) {
    await facets(stack, sizes.at(-1) as number, length, values.filled);
  } else {
    await quality(stack);
    await spelled(stack);
  }
} finally {
  await Promise.all(children.map(stop));
}
