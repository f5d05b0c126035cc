import pg from "pg";
import { beforeAll, describe, expect, inject, it, onTestFinished, vi } from "vitest";
import { query } from "./database.js";
import { type Bazaar, call, listProduct, must, openBazaar } from "./souk.js";

// What is found when a product changes in two transactions at once.

let bazaar: Bazaar;

beforeAll(async () => {
  bazaar = await openBazaar();
});

async function found(text: string): Promise<string[]> {
  const path = `/api/products?search=${encodeURIComponent(text)}`;
  const { products } = await must("GET", path, { as: bazaar.operator });
  return products.map(({ name }: { name: string }) => name);
}

const list = (name: string, wish: object = {}) => listProduct(bazaar.supplier, { name, ...wish });

async function addCategory(name: string, parent_id: string | null = null): Promise<string> {
  const body = { name, parent_id };
  return (await must("POST", "/api/categories", { as: bazaar.operator, body })).id;
}

const rename = (id: string, name: string) =>
  call("PUT", `/api/categories/${id}`, { as: bazaar.operator, body: { name } });
const change = (id: string, body: object) =>
  call("PUT", `/api/products/${id}`, { as: bazaar.supplier, body });

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: inject("stack").db_url as string });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** Makes a call when `sql` has been done and is not committed; then it is. */
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
  // Others wait as well, such as those who make embeddings.
  await vi.waitFor(
    async () => {
      const waiting = await query(
        `select from pg_stat_activity
         where $1 = any (pg_blocking_pids(pid)) and query ~ '(create|update)_(product|category)'`,
        [pid],
      );
      expect(answered || waiting.length > 0).toBe(true);
    },
    { timeout: 10_000 },
  );
  await db.query("commit");
  return await answer;
}

const RENAME_CATEGORY = "update public.categories set name = $2 where id = $1";

// PGlite has one session, in which one transaction comes after the other.
describe.skipIf(!process.env.DATABASE_URL)("a product is found by what it says", () => {
  it("when its variant was being renamed", async () => {
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

  it("when it was being renamed while its variant was", async () => {
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

  it("when a category above it was being renamed", async () => {
    const hall = await addCategory("Farriers");
    const product = await list("Horseshoe", { category_id: await addCategory("Iron", hall) });
    const answer = await during(RENAME_CATEGORY, [hall, "Smithy"], () =>
      change(product.id, { description: "It brings luck." }),
    );
    expect(answer.status).toBe(200);
    for (const word of ["smithy", "luck"]) expect(await found(word), word).toEqual(["Horseshoe"]);
    expect(await found("farriers")).toEqual([]);
  });

  it("when it was being changed while a category above it was renamed", async () => {
    const hall = await addCategory("Coopers");
    const product = await list("Cask", { category_id: await addCategory("Oaken", hall) });
    const answer = await during(
      "update public.products set description = $2 where id = $1",
      [product.id, "For olives."],
      () => rename(hall, "Barrelwright"),
    );
    expect(answer.status).toBe(200);
    for (const word of ["barrelwright", "olives"])
      expect(await found(word), word).toEqual(["Cask"]);
    expect(await found("coopers")).toEqual([]);
  });

  it("when it was listed, or moved, below a category that was being renamed", async () => {
    const hall = await addCategory("Scribes");
    const product = await list("Inkwell");
    await during(RENAME_CATEGORY, [hall, "Calligraphy"], () =>
      list("Reed pen", { category_id: hall }),
    );
    await during(RENAME_CATEGORY, [hall, "Scriptorium"], () =>
      change(product.id, { category_id: hall }),
    );
    expect((await found("scriptorium")).sort()).toEqual(["Inkwell", "Reed pen"]);
    expect([...(await found("scribes")), ...(await found("calligraphy"))]).toEqual([]);
  });

  it("when it was being listed, or moved, below a category that was renamed", async () => {
    const hall = await addCategory("Tanners");
    const product = await list("Hide");
    const { tenant_id, marketplace_id } = product;
    await during(
      `insert into public.products (tenant_id, marketplace_id, category_id, name, price)
       values ($1, $2, $3, 'Saddle', 9)`,
      [tenant_id, marketplace_id, hall],
      () => rename(hall, "Leatherworks"),
    );
    await during(
      "update public.products set category_id = $2 where id = $1",
      [product.id, hall],
      () => rename(hall, "Chouara"),
    );
    expect((await found("chouara")).sort()).toEqual(["Hide", "Saddle"]);
    expect([...(await found("tanners")), ...(await found("leatherworks"))]).toEqual([]);
  });

  it("in the language that its marketplace was being given", async () => {
    const { operator, supplier, marketplace } = await openBazaar();
    await during(
      "update public.marketplaces set language = 'de' where id = $1",
      [marketplace.id],
      () => listProduct(supplier, { name: "Für Kindern" }),
    );
    const { total } = await must("GET", "/api/products?search=Kindes", { as: operator });
    expect(total).toBe(1);
  });
});
