import { readFile } from "node:fs/promises";
import { decodeJwt } from "jose";
import pg from "pg";
import { learnWords } from "../../supabase/functions/_shared/embeddings/learn.js";
import { load, type Measured } from "../load.js";
import { median, progress, register } from "../servers.js";
import { makeCatalogue, SEARCHABLE } from "./catalogue.js";
import { mean } from "./measures.js";
import { queries } from "./queries.js";
import { type Address, hasVectors } from "./shop.js";

/** The measured tenants of `fill.sql`, by their share of all products. */
export const TENANTS = {
  "a tenth": "00000000-0000-4000-8000-000000000001",
  "a hundredth": "00000000-0000-4000-8000-000000000002",
} as const;
type Share = keyof typeof TENANTS;
const shares = Object.keys(TENANTS) as Share[];

const WAYS = {
  text: (query: string) => `/api/products?${new URLSearchParams({ search: query })}&limit=20`,
  hybrid: (query: string) =>
    `/api/products/search/semantic?${new URLSearchParams({ query })}&limit=20`,
} as const;
type Way = keyof typeof WAYS;

export interface Length {
  rounds: number;
  seconds: number;
}

const at = (file: string) => readFile(new URL(file, import.meta.url), "utf8");

/** Creates bench.models, the models of all tenants' products, from the judged catalogue. */
export async function makeModels(db: pg.Client): Promise<void> {
  const families = new Map<string, number>();
  const models = makeCatalogue().map(({ name, description, price, attributes, facts }, place) => {
    families.set(facts.family, families.get(facts.family) ?? families.size);
    const written = attributes.map((attribute) => ({
      ...attribute,
      type: "text",
      required: false,
      searchable: SEARCHABLE.includes(attribute.name),
    }));
    const family = families.get(facts.family);
    return { place, family, name, description, price, attributes: written };
  });
  const columns =
    "place integer, family integer, name text, description text, price numeric, attributes jsonb";
  await db.query(`create schema bench; create table bench.models (${columns})`);
  await db.query(
    `insert into bench.models (place, family, name, description, price, attributes)
     select m.place, m.family, m.name, m.description, m.price, m.attributes
     from jsonb_to_recordset($1::jsonb) as m (${columns})`,
    [JSON.stringify(models)],
  );
}

/** Makes the first tenant learn the words of the models. */
async function learnModels(db: pg.Client): Promise<void> {
  const { rows } = await db.query<{ words: string[] }>(
    `select private.words_of(concat_ws(' ', m.name, m.description)) as words
     from bench.models m order by m.place`,
  );
  const learnt = learnWords(rows.map(({ words }) => words));
  await db.query(
    `insert into private.word_vectors (tenant_id, word, vector, learnt_at)
     select $1, w.word, w.vector::extensions.halfvec(384), now()
     from unnest($2::text[], $3::text[]) as w (word, vector)
     on conflict do nothing`,
    [
      TENANTS["a tenth"],
      learnt.map(({ word }) => word),
      learnt.map(({ vector }) => `[${vector.join()}]`),
    ],
  );
}

/**
 * Fills the database up to `products` products of 100 tenants, of which the first `tenants` are
 * filled in, with vectors if available, in one transaction.
 */
export async function fill(
  db: pg.Client,
  before: number,
  products: number,
  vectors: boolean,
  tenants = 100,
) {
  await db.query("begin");
  await db.query(
    `select set_config('fill.before', $1, false), set_config('fill.products', $2, false),
       set_config('fill.tenants', $3, false)`,
    [String(before), String(products), String(tenants)],
  );
  await db.query(await at("fill.sql"));
  if (vectors) {
    // The words are learnt after the tenant exists.
    if (before === 0) await learnModels(db);
    await db.query(await at("fill-vectors.sql"));
  }
  await db.query("commit");
  await db.query("vacuum analyze");
}

/**
 * Measures the latency in ms of one customer who sends the judged queries; medians of the rounds.
 */
async function latencies(
  stack: Address,
  tokens: Record<Share, string>,
  ways: Way[],
  length: Length,
) {
  const { pathname, origin } = new URL(stack.functions_url);
  const measured: Record<string, { p50: number; p99: number }> = {};
  for (const way of ways) {
    for (const share of shares) {
      const headers = { authorization: `Bearer ${tokens[share]}` };
      const wanted = (count: number) => {
        const { text } = queries[(count * 7919) % queries.length] as { text: string };
        return { method: "GET" as const, path: pathname + WAYS[way](text), headers };
      };
      const rounds: Measured[] = [];
      // The first round warms up.
      for (let round = 0; round <= length.rounds; round += 1) {
        progress(`round ${round} of ${length.rounds}: ${way}, ${share} of the products`);
        const { seconds } = length;
        rounds.push(await load(origin, wanted, { connections: 1, seconds, status: 200 }));
      }
      const middle = (of: "p50" | "p99") => median(rounds.slice(1).map((one) => one[of]));
      measured[`${way}, ${share}`] = { p50: middle("p50"), p99: middle("p99") };
    }
  }
  return measured;
}

/** The minimum of `private.products_close_to`: products that are less close are not found. */
const LEAST_CLOSENESS = 0.25;

/**
 * Measures recall: the share of the ten products nearest to a meaning, found by comparison with all of the tenant, that
 * search finds. Products below the minimum closeness do not count.
 */
async function recalls(db: pg.Client, tokens: Record<Share, string>, probes: number) {
  const { rows: meanings } = await db.query<{ meaning: string }>(
    `select extensions.l2_normalize(m.embedding operator(extensions.+) n.noise)::text as meaning
     from bench.meanings m
     join bench.noises n on n.n = (m.place * 17 + 5) % 1000
     order by md5(m.place::text)
     limit $1`,
    [probes],
  );
  const measured = {} as Record<Share, number>;
  for (const share of shares) {
    const claims = JSON.stringify(decodeJwt(tokens[share]));
    const found: number[] = [];
    for (const { meaning } of meanings) {
      progress(`recall of ${share} of the products: ${found.length} of ${probes}`);
      await db.query("begin");
      await db.query("set local enable_indexscan = off");
      const { rows: exact } = await db.query<{ distance: number }>(
        `select e.embedding operator(extensions.<=>) $2::extensions.halfvec(384) as distance
         from private.product_embeddings e
         where e.tenant_id = $1 and e.embedding operator(extensions.<=>) $2::extensions.halfvec(384) <= $3
         order by distance
         limit 10`,
        [TENANTS[share], meaning, 1 - LEAST_CLOSENESS],
      );
      await db.query("set local enable_indexscan = on");
      await db.query(
        "select set_config('role', 'authenticated', true), set_config('request.jwt.claims', $1, true)",
        [claims],
      );
      const { rows: near } = await db.query<{ closeness: number }>(
        `select m.closeness from private.products_meant(null, $1, null, null, 10) m`,
        [meaning],
      );
      await db.query("rollback");
      if (exact.length === 0) continue;
      // Compared by distance, because products at the same distance are interchangeable.
      const furthest = (exact.at(-1)?.distance ?? 0) + 1e-6;
      found.push(near.filter(({ closeness }) => 1 - closeness <= furthest).length / exact.length);
    }
    measured[share] = Number(mean(found).toFixed(3));
  }
  return measured;
}

/** Measures with each number of products, and prints tables. */
export async function speed(stack: Address, sizes: number[], length: Length): Promise<void> {
  // Before the connection is opened: PGlite admits one client at a time.
  const vectors = await hasVectors(stack);
  const db = new pg.Client({ connectionString: stack.db_url as string });
  await db.connect();
  try {
    const ways: Way[] = vectors ? ["text", "hybrid"] : ["text"];
    await makeModels(db);
    const tokens = {} as Record<Share, string>;
    const tables = { times: {} as Record<string, Record<string, number>>, recall: {} as object };
    let before = 0;
    for (const size of sizes) {
      progress(`filling in ${size} products`);
      const begun = performance.now();
      await fill(db, before, size, vectors);
      progress("");
      console.log(`${size} products after ${Math.round((performance.now() - begun) / 1000)} s`);
      before = size;
      for (const share of shares)
        tokens[share] ??= (
          await register(stack.functions_url, { tenant_id: TENANTS[share] })
        ).token;
      for (const [what, { p50, p99 }] of Object.entries(
        await latencies(stack, tokens, ways, length),
      )) {
        const row = tables.times[what] ?? {};
        tables.times[what] = row;
        row[`p50 ms, ${size}`] = Number(p50.toFixed(1));
        row[`p99 ms, ${size}`] = Number(p99.toFixed(1));
        const first = row[`p50 ms, ${sizes[0]}`] as number;
        if (size !== sizes[0]) row[`times p50, ${size}`] = Number((p50 / first).toFixed(1));
      }
      if (vectors) Object.assign(tables.recall, { [size]: await recalls(db, tokens, 100) });
    }
    progress("");
    console.log(`one connection, ${length.rounds} × ${length.seconds} s, medians; 100 tenants`);
    console.table(tables.times);
    if (vectors) {
      console.log("recall@10 of what is near in meaning, against comparing all");
      console.table(tables.recall);
    }
  } finally {
    await db.end();
  }
}
