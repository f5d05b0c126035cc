// Measures reading, saving, listing and merging of content, in turn with what each is compared with:
// `npm run bench -- content --database-url postgres://…/an_empty_database`.
// It fills the database with 10,000 pages of 20 blocks in 5 languages, a type with 1,000 pieces of content and one with
// 100,000. That takes some minutes. A database that it has filled before is used as it is.
import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import pg from "pg";
import { merge } from "../../supabase/functions/_shared/content/merge.js";
import { backendTime } from "../imports/processor.js";
import { load } from "../load.js";
import { median, progress, register, start, stop } from "../servers.js";
import { numbers, type Page, pageOfBlocks, pageOfText, rewritten } from "./documents.js";

const { values } = parseArgs({
  options: {
    "database-url": { type: "string", default: process.env.DATABASE_URL },
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "5" },
    connections: { type: "string", default: "4" },
    saves: { type: "string", default: "1000" },
  },
});
const databaseUrl = values["database-url"];
if (!databaseUrl) {
  console.error(
    "Name an empty database of a Postgres server: --database-url postgres://…\n" +
      "[--connections 4] [--rounds 5] [--seconds 5] [--saves 1000]",
  );
  process.exit(2);
}
const [seconds, rounds, connections, saves] = [
  values.seconds,
  values.rounds,
  values.connections,
  values.saves,
].map(Number) as [number, number, number, number];

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const TENANT = "00000000-0000-4000-8000-000000000001";
const PAGES = 10_000;
const LANGUAGES = ["en", "ar", "de", "es", "fr"];
const KILOBYTES = 1000;

/** Members of the tenant in bench/commerce/fill.sql. */
const EDITOR = "f2000000-0000-4000-8000-000000000001";
const READER = "f3000000-0000-4000-8000-000000000001";

interface Row {
  what: string;
  measured: string;
  goal: string;
  isMissed: boolean;
}

const db = new pg.Client({ connectionString: databaseUrl });
const running: ChildProcess[] = [];
try {
  progress("starting a stack, which migrates the database");
  const place = ["start", "--port", "0", "--json", "--database-url", databaseUrl];
  const [stack, line] = await start(at("../.."), "packages/stack/src/cli.ts", place);
  running.push(stack);
  const { url, functions_url } = JSON.parse(line);
  await db.connect();
  await fill();
  const { token } = await register(functions_url, { tenant_id: TENANT });
  console.log("| | measured | goal |\n|---|---|---|");
  print([await readPages(url, token)]);
  print([await listBoth("an editor", EDITOR), await listBoth("a reader", READER)]);
  print(await save("blocks", pageOfBlocks(100 * KILOBYTES), saves));
  print(await save("one text", pageOfText(100 * KILOBYTES), saves / 5));
  print([mergeDocuments()]);
} finally {
  progress("");
  await db.end().catch(() => {});
  await Promise.all(running.map(stop));
}

function print(rows: Row[]): void {
  progress("");
  for (const { what, measured, goal, isMissed } of rows) {
    console.log(`| ${what} | ${measured} | ${goal}${isMissed ? ", missed" : ""} |`);
  }
}

/** Rates of a page by its slug and of a product, in turn, for a customer over HTTP. */
async function readPages(url: string, token: string): Promise<Row> {
  const { rows: goods } = await db.query(
    "select id from public.products where tenant_id = $1 and status = 'active' limit 1000",
    [TENANT],
  );
  const ask = (path: (n: number) => string) =>
    load(
      url,
      (n) => ({
        method: "GET",
        path: `/functions/v1/api/${path(n)}`,
        headers: { authorization: `Bearer ${token}` },
      }),
      { connections, seconds, status: 200 },
    );
  const rates = { page: [] as number[], product: [] as number[] };
  // The first round is warm-up.
  for (let round = 0; round <= rounds; round += 1) {
    progress(`reading, round ${round} of ${rounds}`);
    const page = await ask(
      (n) =>
        `content/static_pages/story-${1 + ((n * 7919) % PAGES)}?language=${LANGUAGES[n % LANGUAGES.length]}`,
    );
    const product = await ask((n) => `products/${goods[(n * 7919) % goods.length].id}`);
    if (round === 0) continue;
    rates.page.push(page.rate);
    rates.product.push(product.rate);
  }
  const share = median(rates.page.map((rate, i) => rate / (rates.product[i] as number)));
  return {
    what: `a page of 20 blocks by its slug, among ${PAGES} in ${LANGUAGES.length} languages`,
    measured: `${share.toFixed(2)} of a product's rate (${median(rates.page).toFixed(0)} /s)`,
    goal: "0.5",
    isMissed: share < 0.5,
  };
}

/** CPU time of Postgres for a list of 20 of 100,000 and of 20 of 1,000, in turn. */
async function listBoth(who: string, user: string): Promise<Row> {
  const took = { few: [] as number[], many: [] as number[] };
  for (let round = 0; round <= 3 * rounds; round += 1) {
    progress(`lists of ${who}, round ${round} of ${3 * rounds}`);
    for (const type of ["few", "many"] as const) {
      const began = await backendTime(db);
      for (let n = 0; n < 20; n += 1) {
        await asMember(user, 'select public.list_content($1, "limit" => 20)', [type]);
      }
      if (round > 0) took[type].push((await backendTime(db)) - began);
    }
  }
  const sum = (of: number[]) => of.reduce((total, one) => total + one, 0);
  const times = sum(took.many) / sum(took.few);
  return {
    what: `20 of 100,000 pieces, for ${who}`,
    measured: `${times.toFixed(2)} times 20 of 1,000 (${(sum(took.many) / took.many.length / 20).toFixed(1)} ms of CPU time)`,
    goal: "1.2",
    isMissed: times > 1.2,
  };
}

/** Saves of a page, each with one changed paragraph. The whole page is sent. */
async function save(shape: string, first: Page, count: number): Promise<Row[]> {
  const slug = `saved-${randomUUID().slice(0, 8)}-x`;
  const random = numbers(7);
  await asMember(EDITOR, "select public.create_content('static_pages', $1)", [
    JSON.stringify({ slug, title: { en: "Saved" }, ...first }),
  ]);
  const sizeOf = async () =>
    Number(
      (await db.query("select pg_total_relation_size('private.content_versions') as size")).rows[0]
        .size,
    );
  const before = await sizeOf();
  const began = await backendTime(db);
  const took: number[] = [];
  let page = first;
  for (let n = 1; n <= count; n += 1) {
    if (n % 20 === 0) progress(`saving a page of ${shape}, ${n} of ${count}`);
    page = rewritten(page, random);
    // Includes parsing the argument and writing the result.
    const { rows } = await asMember(
      EDITOR,
      `explain (analyze, timing off, format json)
       select length(public.save_content('static_pages', $1, $2, $3::text::jsonb)::text)`,
      [slug, n, JSON.stringify(page)],
    );
    const [plan] = rows[0]["QUERY PLAN"];
    took.push(plan["Planning Time"] + plan["Execution Time"]);
  }
  const spent = ((await backendTime(db)) - began) / count;
  const grown = ((await sizeOf()) - before) / 1e6;
  const p50 = median(took);
  return [
    {
      what: `a save of 100 kB of ${shape}`,
      measured: `p50 ${p50.toFixed(1)} ms in the database (${spent.toFixed(1)} ms of CPU time)`,
      goal: "20 ms",
      isMissed: p50 > 20,
    },
    {
      what: `${count} saves of it`,
      measured: `${grown.toFixed(1)} MB`,
      goal: `${((20 * count) / 1000).toFixed(0)} MB`,
      isMissed: grown > (20 * count) / 1000,
    },
  ];
}

/** Merges two sides of a page of 1 MB, each with 10 changed paragraphs, one with a moved block. */
function mergeDocuments(): Row {
  const base = pageOfBlocks(1000 * KILOBYTES, 10);
  const half = Math.floor(base.blocks.length / 2);
  /** A side with changes in its own half only. */
  const side = (of: Page, mine: (n: number) => boolean, random: () => number): Page => {
    let changed = of;
    for (let n = 0; n < 10; n += 1) changed = rewritten(changed, random);
    const blocks = changed.blocks.map((block, n) => (mine(n) ? block : of.blocks[n]));
    return { ...changed, blocks: blocks as Page["blocks"] };
  };
  const took: number[] = [];
  for (let round = 0; round < 5 * rounds; round += 1) {
    progress(`merging, round ${round} of ${5 * rounds}`);
    // Parsed from JSON, so the documents share no objects.
    const [one, other, third] = [
      base,
      side(base, (n) => n < half, numbers(round + 1)),
      side(base, (n) => n >= half, numbers(round + 100)),
    ].map((page) => JSON.parse(JSON.stringify(page)) as Page) as [Page, Page, Page];
    other.blocks.unshift(...other.blocks.splice(3, 1));
    const began = process.cpuUsage();
    const { conflicts } = merge(one, other, third);
    const { user, system } = process.cpuUsage(began);
    if (conflicts.length > 0) throw new Error("the sides must not conflict");
    took.push((user + system) / 1000);
  }
  const middle = median(took);
  return {
    what: "a merge of two documents of 1 MB",
    measured: `${middle.toFixed(0)} ms of CPU time`,
    goal: "200 ms",
    isMissed: middle > 200,
  };
}

/** Runs a statement as a member of the tenant, in its own transaction. */
async function asMember(user: string, sql: string, args: unknown[]): Promise<pg.QueryResult> {
  const claims = JSON.stringify({ sub: user, role: "authenticated", tenant_id: TENANT });
  await db.query("begin; set local role authenticated");
  try {
    await db.query("select set_config('request.jwt.claims', $1, true)", [claims]);
    return await db.query(sql, args);
  } finally {
    await db.query("commit");
  }
}

async function fill(): Promise<void> {
  const { rows } = await db.query(
    `select exists (select from public.tenants where id = $1) as has_shop,
       exists (select from public.content_types where tenant_id = $1 and key = 'many') as has_content`,
    [TENANT],
  );
  if (!rows[0].has_shop) {
    progress("filling the shop");
    const shop = await readFile(at("../commerce/fill.sql"), "utf8");
    await db.query(`set fill.last = '1'; set fill.orders = '100'; ${shop}`);
  }
  if (!rows[0].has_content) {
    progress("filling the content");
    await db.query(await readFile(at("fill.sql"), "utf8"));
  }
  // One customer sends thousands of requests.
  await db.query("update private.rate_limits set requests_per_minute = 1000000000");
  await db.query(
    "update private.caps set value = 1000000000 where name in ('events_per_minute', 'content_per_tenant')",
  );
  // Plans need current statistics.
  await db.query("vacuum analyze");
}
