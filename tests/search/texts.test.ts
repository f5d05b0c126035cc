import pg from "pg";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { restJob, runJob } from "../clock.js";
import { endSession, query } from "../database.js";
import { eventually } from "../eventually.js";
import { ownStack } from "../own-stack.js";
import {
  call,
  listProduct,
  must,
  openTestTenant,
  persist,
  supabaseAs,
  type TestTenant,
} from "../souk.js";

// Search texts when a product changes in two concurrent transactions, or very many products change in one.

let testTenant: TestTenant;

beforeAll(async () => {
  testTenant = await openTestTenant();
  // These tests run the job themselves.
  return restJob("write-outdated-texts");
});

const writeOutdated = () => runJob("write-outdated-texts");

async function found(text: string): Promise<string[]> {
  const path = `/api/products?search=${encodeURIComponent(text)}`;
  const { products } = await must("GET", path, { as: testTenant.operator });
  return products.map(({ name }: { name: string }) => name);
}

/** The number of products that each of these words finds. */
function totals(...words: string[]): Promise<number[]> {
  return Promise.all(
    words.map(async (word) => {
      const { total } = await must("GET", `/api/products?search=${word}`, {
        as: testTenant.operator,
      });
      return total;
    }),
  );
}

const list = (name: string, overrides: object = {}) =>
  listProduct(testTenant.supplier, { name, ...overrides });

async function addCategory(name: string, parent_id: string | null = null): Promise<string> {
  const body = { name, parent_id };
  return (await must("POST", "/api/categories", { as: testTenant.operator, body })).id;
}

/** Lists products with the same name in a category. Resolves to their ids, in order. */
async function listMany(count: number, name: string, category_id: string): Promise<string[]> {
  const { data } = await supabaseAs(testTenant.supplier)
    .from("products")
    .insert(Array.from({ length: count }, () => ({ name, price: 1, category_id })))
    .select("id")
    .throwOnError();
  return (data as { id: string }[]).map(({ id }) => id).sort();
}

const rename = (id: string, name: string) =>
  persist("PUT", `/api/categories/${id}`, { as: testTenant.operator, body: { name } });
const change = (id: string, body: object) =>
  persist("PUT", `/api/products/${id}`, { as: testTenant.supplier, body });

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: ownStack.db_url as string });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** Sends a call while `sql` has been executed and is not committed; then commits. */
async function during<Answer>(
  sql: string,
  values: unknown[],
  makeCall: () => Promise<Answer>,
): Promise<Answer> {
  const db = await connect();
  const [{ pid }] = (await db.query("select pg_backend_pid() as pid")).rows;
  await db.query("begin");
  await db.query(sql, values);
  let answered = false;
  const answer = makeCall().finally(() => {
    answered = true;
  });
  // Other sessions wait as well, such as those that make embeddings.
  await eventually(async () => {
    const waiting = await query(
      `select from pg_stat_activity
         where $1 = any (pg_blocking_pids(pid)) and query ~ '(create|update)_(product|category)'`,
      [pid],
    );
    expect(answered || waiting.length > 0).toBe(true);
  });
  await db.query("commit");
  return await answer;
}

const RENAME_CATEGORY = "update public.categories set name = $2 where id = $1";

// PGlite has one session, with one transaction after the other.
describe.skipIf(!process.env.DATABASE_URL)("a product is found by its current text", () => {
  it("when its variant was renamed concurrently", async () => {
    const product = await list("Djellaba", { variants: [{ name: "Ochre" }] });
    const answer = await during(
      "update public.product_variants set name = $2 where product_id = $1",
      [product.id, "Vermilion"],
      () => change(product.id, { name: "Gandoura" }),
    );
    expect(answer.status).toBe(200);
    for (const word of ["gandoura", "vermilion"])
      expect(await found(word), word).toEqual(["Gandoura"]);
    expect([...(await found("djellaba")), ...(await found("ochre"))]).toEqual([]);
  });

  it("when it was renamed concurrently with its variant", async () => {
    const product = await list("Tarboosh", { variants: [{ name: "Umber" }] });
    const [variant] = product.variants;
    const answer = await during(
      "update public.products set name = $2 where id = $1",
      [product.id, "Chechia"],
      () => change(product.id, { variants: [{ id: variant.id, name: "Cochineal" }] }),
    );
    expect(answer.status).toBe(200);
    for (const word of ["chechia", "cochineal"])
      expect(await found(word), word).toEqual(["Chechia"]);
    expect([...(await found("tarboosh")), ...(await found("umber"))]).toEqual([]);
  });

  it("when a category above it was renamed concurrently", async () => {
    const parent = await addCategory("Farriers");
    const product = await list("Horseshoe", { category_id: await addCategory("Iron", parent) });
    const answer = await during(RENAME_CATEGORY, [parent, "Smithy"], () =>
      change(product.id, { description: "It brings luck." }),
    );
    expect(answer.status).toBe(200);
    for (const word of ["smithy", "luck"]) expect(await found(word), word).toEqual(["Horseshoe"]);
    expect(await found("farriers")).toEqual([]);
  });

  it("when it was changed while a category above it was renamed", async () => {
    const parent = await addCategory("Coopers");
    const product = await list("Cask", { category_id: await addCategory("Oaken", parent) });
    const answer = await during(
      "update public.products set description = $2 where id = $1",
      [product.id, "For olives."],
      () => rename(parent, "Barrelwright"),
    );
    expect(answer.status).toBe(200);
    for (const word of ["barrelwright", "olives"])
      expect(await found(word), word).toEqual(["Cask"]);
    expect(await found("coopers")).toEqual([]);
  });

  it("when it was listed or moved below a category during its renaming", async () => {
    const parent = await addCategory("Scribes");
    const product = await list("Inkwell");
    await during(RENAME_CATEGORY, [parent, "Calligraphy"], () =>
      list("Reed pen", { category_id: parent }),
    );
    await during(RENAME_CATEGORY, [parent, "Scriptorium"], () =>
      change(product.id, { category_id: parent }),
    );
    expect((await found("scriptorium")).sort()).toEqual(["Inkwell", "Reed pen"]);
    expect([...(await found("scribes")), ...(await found("calligraphy"))]).toEqual([]);
  });

  it("when a category was renamed while it was listed or moved below it", async () => {
    const parent = await addCategory("Tanners");
    const product = await list("Hide");
    const { tenant_id, marketplace_id } = product;
    await during(
      `insert into public.products (tenant_id, marketplace_id, category_id, name, price)
       values ($1, $2, $3, 'Saddle', 9)`,
      [tenant_id, marketplace_id, parent],
      () => rename(parent, "Leatherworks"),
    );
    await during(
      "update public.products set category_id = $2 where id = $1",
      [product.id, parent],
      () => rename(parent, "Chouara"),
    );
    expect((await found("chouara")).sort()).toEqual(["Hide", "Saddle"]);
    expect([...(await found("tanners")), ...(await found("leatherworks"))]).toEqual([]);
  });

  it("in the language to which its marketplace was changed concurrently", async () => {
    const { operator, supplier, marketplace } = await openTestTenant();
    await during(
      "update public.marketplaces set language = 'de' where id = $1",
      [marketplace.id],
      () => listProduct(supplier, { name: "Für Kindern" }),
    );
    const { total } = await must("GET", "/api/products?search=Kindes", { as: operator });
    expect(total).toBe(1);
  });
});

describe("outdated texts", () => {
  it("below a large renamed category are written by the job", async () => {
    const category = await addCategory("Beads");
    const [changed, deleted] = await listMany(502, "Pearl", category);
    await rename(category, "Jewels");
    expect(await totals("beads", "jewels")).toEqual([502, 0]);
    await change(String(changed), { name: "Ruby" });
    await call("DELETE", `/api/products/${deleted}`, { as: testTenant.supplier });
    expect(await totals("beads", "jewels")).toEqual([500, 1]);
    await writeOutdated();
    expect(await totals("beads", "jewels")).toEqual([0, 501]);
    expect(await query("select from private.outdated_texts")).toEqual([]);
  });

  it("are found each night", async () => {
    const { id } = await list("Abacus");
    await query("update private.product_texts set document = '' where product_id = $1", [id]);
    expect(await found("abacus")).toEqual([]);
    await runJob("mend-search");
    await writeOutdated();
    expect(await found("abacus")).toEqual(["Abacus"]);
  });
});

describe.skipIf(!process.env.DATABASE_URL)("texts that the job writes", () => {
  let products: string[];
  let category: string;

  beforeAll(async () => {
    category = await addCategory("Bezoar");
    products = await listMany(600, "Stone", category);
  });

  it("do not wait for a product that is being changed, and are written afterwards", async () => {
    await rename(category, "Gallstone");
    const db = await connect();
    await db.query("begin");
    await db.query("update public.products set price = 2 where id = any ($1)", [
      [products[5], products[590]],
    ]);
    await writeOutdated();
    expect(await totals("bezoar", "gallstone")).toEqual([2, 598]);
    await db.query("rollback");
    await writeOutdated();
    expect(await totals("bezoar", "gallstone")).toEqual([0, 600]);
  });

  it("include those of products whose deletion was rolled back", async () => {
    const gypsum = await addCategory("Gypsum");
    const [stays, goes] = [
      await list("Dust", { category_id: gypsum }),
      await list("Sand", { category_id: gypsum }),
    ];
    const db = await connect();
    await db.query("begin");
    await db.query("delete from public.products where id = $1", [goes.id]);
    await db.query("savepoint here");
    await db.query("delete from public.products where id = $1", [stays.id]);
    // It waits for neither.
    expect((await rename(gypsum, "Alabaster")).status).toBe(200);
    await db.query("rollback to here; commit");
    await writeOutdated();
    expect(await found("alabaster")).toEqual(["Dust"]);
    expect(await query("select from private.outdated_texts")).toEqual([]);
  });

  it("are written once by concurrent runs", async () => {
    await rename(category, "Marcasite");
    await Promise.all([writeOutdated(), writeOutdated(), writeOutdated()]);
    await writeOutdated();
    expect(await totals("marcasite")).toEqual([600]);
    expect(await query("select from private.outdated_texts")).toEqual([]);
  });

  it("are not lost when a run crashes", async () => {
    await rename(category, "Obsidian");
    const [holding, writing] = await Promise.all([connect(), connect()]);
    writing.on("error", () => {});
    const [{ pid }] = (await writing.query("select pg_backend_pid() as pid")).rows;
    await holding.query("begin");
    await holding.query("select from private.product_texts where tenant_id = $1 for update", [
      testTenant.tenantId,
    ]);
    const died = expect(
      writing.query("select private.write_outdated_texts(null)"),
    ).rejects.toThrow();
    // It has taken some, and waits for one.
    await eventually(async () => {
      const waiting = "select from pg_locks where pid = $1 and not granted";
      expect(await query(waiting, [pid])).toHaveLength(1);
    });
    await endSession(pid);
    await died;
    await holding.query("rollback");
    await writeOutdated();
    expect(await totals("obsidian")).toEqual([600]);
  });

  it("are correct after any concurrent changes", async () => {
    const { tenantId } = testTenant;
    const categories = await Promise.all(["One", "Two", "Three"].map((name) => addCategory(name)));
    const some = products.slice(0, 12);
    const answers = await Promise.all([
      ...Array.from({ length: 12 }, (_, i) => rename(categories[i % 3] as string, `Hall ${i}`)),
      ...Array.from({ length: 4 }, (_, i) => rename(category, `Stones ${i}`)),
      ...some.map((id, i) => change(id, { category_id: categories[i % 3], name: `Gem ${i}` })),
      ...some.map((id, i) => change(id, { variants: [{ name: `Carat ${i}` }] })),
      ...some.map((_, i) =>
        persist("POST", "/api/products", {
          as: testTenant.supplier,
          body: { name: "Agate", price: 1, category_id: categories[i % 3] },
        }),
      ),
      ...some
        .slice(0, 4)
        .map((id) => persist("DELETE", `/api/products/${id}`, { as: testTenant.supplier })),
      ...Array.from({ length: 4 }, async () => {
        await writeOutdated();
        return { status: 200 };
      }),
    ]);
    const refused = answers.filter(({ status }) => status >= 300 && status !== 404);
    expect(refused).toEqual([]);
    await writeOutdated();
    await query("select private.find_outdated_texts($1, $2)", [
      tenantId,
      "00000000-0000-0000-0000-000000000000",
    ]);
    expect(await query("select from private.outdated_texts")).toEqual([]);
  });
});

describe.skipIf(!process.env.DATABASE_URL)("a word", () => {
  it("that was marked as unused while a product got it is kept", async () => {
    const gone = await list("Kasbahs");
    await must("DELETE", `/api/products/${gone.id}`, { as: testTenant.supplier });
    const forget = () => query("select private.delete_old_search_words($1)", [testTenant.tenantId]);
    await during(
      "insert into public.products (tenant_id, marketplace_id, name, price) values ($1, $2, 'Kasbahs', 9)",
      [gone.tenant_id, gone.marketplace_id],
      forget,
    );
    await forget();
    await query(
      `update private.search_words set unused_since = unused_since - interval '25 hours'
       where tenant_id = $1`,
      [testTenant.tenantId],
    );
    await forget();
    expect(await found("asbah")).toEqual(["Kasbahs"]);
  });
});
