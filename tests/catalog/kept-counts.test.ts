import pg from "pg";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { runJob } from "../clock.js";
import { query } from "../database.js";
import {
  addCategory,
  listProduct,
  must,
  openTestTenant,
  type Person,
  register,
  stackInUse,
  supabaseAs,
  type TestTenant,
} from "../souk.js";

// The counts of a whole catalog are kept until a product changes. A list with a price filter is always counted anew, so
// a list and the same list with price_min=0 must agree.

/** The counts of a tenant with fewer products are not kept. */
const COUNT = 1000;
const FACETS = "limit=1&facets=colour,brand";

let testTenant: TestTenant;
let category: string;

beforeAll(async () => {
  testTenant = await openTestTenant();
  const { operator, supplier } = testTenant;
  category = await addCategory(operator, "Cups");
  const rows = Array.from({ length: COUNT }, (_, n) => ({
    name: `Cup ${n}`,
    price: 1 + (n % 50),
    category_id: n % 3 === 0 ? category : null,
    attributes: [
      { name: "colour", value: `colour ${n % 7}` },
      { name: "brand", value: `brand ${n % 5}` },
    ],
  }));
  await supabaseAs(supplier).from("products").insert(rows).throwOnError();
}, 60_000);

async function list(as: Person, parameters = FACETS) {
  const { total, filters } = await must("GET", `/api/products?${parameters}`, { as });
  return { total, filters };
}
const counted = (as: Person, parameters = FACETS) => list(as, `${parameters}&price_min=0`);

/** Lists as a person, after the second in which a tenant's counts are kept once. */
async function listLater(as: Person, parameters = FACETS) {
  await query(
    "update private.kept_counts set kept_at = kept_at - interval '1 second' where tenant_id = $1",
    [as.tenantId],
  );
  return list(as, parameters);
}

async function keptAnswers(tenantId = testTenant.tenantId): Promise<number> {
  const sql = "select count(*)::integer as number from private.kept_counts where tenant_id = $1";
  const [row] = await query<{ number: number }>(sql, [tenantId]);
  return row?.number ?? 0;
}

async function recordedChanges(condition = "true"): Promise<number | undefined> {
  const sql = `select count(*)::integer as number from private.catalog_changes where tenant_id = $1 and ${condition}`;
  return (await query<{ number: number }>(sql, [testTenant.tenantId]))[0]?.number;
}

/** Makes all kept counts of the tenant wrong, to show which lists use them. */
const spoil = () =>
  query("update private.kept_counts set counts = '{}' where tenant_id = $1", [testTenant.tenantId]);

async function openDatabase(): Promise<pg.Client> {
  const db = new pg.Client({ connectionString: stackInUse().db_url as string });
  await db.connect();
  onTestFinished(() => db.end());
  return db;
}

describe("the counts of a whole catalog", () => {
  it("are kept until a product changes", async () => {
    const { customer, supplier } = testTenant;
    const seen = await listLater(customer);
    expect(seen.total).toBeGreaterThanOrEqual(COUNT);
    expect(seen).toEqual(await counted(customer));
    await spoil();
    expect((await list(customer)).total).toBe(0);
    await listProduct(supplier, { name: "Jug" });
    expect(await list(customer)).toEqual(await counted(customer));
  });

  it("are right after every change of a product, of its variants, categories and marketplace", async () => {
    const { operator, supplier, customer, marketplace } = testTenant;
    const jug = await listProduct(supplier, { name: "Jug", price: 7, category_id: category });
    const change = (body: object) => must("PUT", `/api/products/${jug.id}`, { as: supplier, body });
    const changes: Record<string, () => Promise<unknown>> = {
      price: () => change({ price: 900 }),
      category: async () => change({ category_id: await addCategory(operator, "Jugs") }),
      attributes: () => change({ attributes: [{ name: "colour", value: "glazed" }] }),
      brand: () => change({ attributes: [{ name: "brand", value: "Safi" }] }),
      variants: () =>
        change({ variants: [{ name: "Large", price: 950, inventory: { quantity: 1 } }] }),
      status: () => change({ status: "discontinued" }),
      "another product": () => listProduct(supplier, { name: "Bowl", price: 1 }),
      "the name of a category": () =>
        must("PUT", `/api/categories/${category}`, { as: operator, body: { name: "Mugs" } }),
      marketplace: () =>
        must("PUT", `/api/marketplaces/${marketplace.id}`, {
          as: operator,
          body: { status: "inactive" },
        }),
      "marketplace again": () =>
        must("PUT", `/api/marketplaces/${marketplace.id}`, {
          as: operator,
          body: { status: "active" },
        }),
    };
    for (const [name, make] of Object.entries(changes)) {
      const before = await listLater(customer);
      await make();
      const after = await list(customer);
      expect(after, name).not.toEqual(before);
      expect(after, name).toEqual(await counted(customer));
    }
  });

  it("are kept separately for each role, supplier, filter and list of facets", async () => {
    const { tenantId, operator, supplier, customer } = testTenant;
    const other = await register({ tenant_id: tenantId, role: "supplier" });
    await listProduct(supplier, { name: "Draft", status: "draft" });
    await query("delete from private.kept_counts where tenant_id = $1", [tenantId]);
    const asked = [operator, supplier, customer, other].flatMap((person) =>
      [FACETS, "limit=1", "limit=1&attributes[colour]=colour 1", "limit=1&brand=brand 1"].map(
        (parameters) => ({ person, parameters }),
      ),
    );
    for (const { person, parameters } of asked) await listLater(person, parameters);
    expect(await keptAnswers()).toBe(asked.length);
    for (const { person, parameters } of asked) {
      expect(await list(person, parameters)).toEqual(await counted(person, parameters));
    }
  });

  it("are kept for the 20 newest requests, for an hour", async () => {
    const { tenantId, customer } = testTenant;
    for (let n = 0; n < 22; n++) await listLater(customer, `limit=1&facets=facet ${n}`);
    expect(await keptAnswers()).toBe(20);
    const age = "update private.kept_counts set kept_at = kept_at - interval '1 hour'";
    await query(`${age} where tenant_id = $1`, [tenantId]);
    await spoil();
    expect(await list(customer, "limit=1&facets=facet 21")).toEqual(
      await counted(customer, "limit=1&facets=facet 21"),
    );
    await runJob("forget-counts");
    expect(await keptAnswers()).toBe(1);
  });

  it("are kept again after a restore from a database with more transactions", async () => {
    const { tenantId, customer } = testTenant;
    const future = "1000000000000";
    await listLater(customer);
    await query("update private.kept_counts set snapshot = $1 where tenant_id = $2", [
      `${future}:${future}:`,
      tenantId,
    ]);
    await query("insert into private.catalog_changes (tenant_id, xact_id) values ($1, $2)", [
      tenantId,
      future,
    ]);
    await spoil();
    await query(
      "update private.epoch set server_started_at = server_started_at - interval '1 day'",
    );
    expect(await list(customer)).toEqual(await counted(customer));
    await runJob("forget-counts");
    expect(await recordedChanges(`xact_id >= '${future}'`)).toBe(0);
    expect(await keptAnswers()).toBe(0);
    await listLater(customer);
    await spoil();
    expect((await list(customer)).total).toBe(0);
  });

  it("change with a transaction whose number was used before a restore", async () => {
    const { tenantId } = testTenant;
    await query(`begin;
      insert into private.catalog_changes (tenant_id, finished_at) values ('${tenantId}', now() - interval '1 hour');
      ${changeOne("Again")};
      commit`);
    expect(await recordedChanges("finished_at < now() - interval '30 minutes'")).toBe(0);
  });

  it("are not kept for fewer than 1,000 products", async () => {
    const small = await openTestTenant();
    await listProduct(small.supplier);
    expect((await list(small.customer)).total).toBe(1);
    expect(await keptAnswers(small.tenantId)).toBe(0);
  });

  // These need two concurrent sessions, which PGlite does not have.
  describe.runIf(process.env.DATABASE_URL)("beside an open transaction", () => {
    it("change when the transaction is committed", async () => {
      const { customer } = testTenant;
      const db = await openDatabase();
      await db.query("begin");
      await db.query(changeOne("Open"));
      const before = await listLater(customer);
      await spoil();
      // The change is not committed, so the kept counts hold.
      expect((await list(customer)).total).toBe(0);
      await db.query("commit");
      const after = await list(customer);
      expect(after).toEqual(await counted(customer));
      expect(after).not.toEqual(before);
    });

    it("change with later statements of the transaction that keeps them", async () => {
      const { tenantId, customer } = testTenant;
      const db = await openDatabase();
      await query("delete from private.kept_counts where tenant_id = $1", [tenantId]);
      await db.query("begin");
      // The transaction has an identity before it lists.
      await db.query(changeOne("Early"));
      const claims = { sub: customer.id, tenant_id: tenantId, role: "authenticated" };
      await db.query("select set_config('request.jwt.claims', $1, true)", [JSON.stringify(claims)]);
      await db.query("set local role authenticated");
      await db.query("select public.list_products(facets => '{colour,brand}')");
      await db.query("reset role");
      await db.query(changeOne("Late"));
      await db.query("commit");
      expect(await keptAnswers()).toBe(1);
      const after = await list(customer);
      expect(after).toEqual(await counted(customer));
      expect(JSON.stringify(after)).toContain("Late");
    });

    it("are noted as long as counts can depend on a change", async () => {
      const { tenantId, supplier } = testTenant;
      await listProduct(supplier, { name: "Plate" });
      await runJob("forget-counts");
      expect(await recordedChanges()).toBeGreaterThan(0);
      await query(
        "update private.catalog_changes set finished_at = finished_at - interval '70 minutes' where tenant_id = $1",
        [tenantId],
      );
      const db = await openDatabase();
      await db.query("begin");
      await db.query(changeOne("Unfinished"));
      await runJob("forget-counts");
      await db.query("commit");
      expect(await recordedChanges()).toBe(1);
    });
  });
});

/** Gives one product of the tenant a brand of its own. */
function changeOne(brand: string): string {
  const attributes = JSON.stringify([{ name: "brand", value: brand }]);
  return `update public.products set attributes = '${attributes}' where id = (
    select p.id from public.products p
    where p.tenant_id = '${testTenant.tenantId}' and p.brand like 'brand %' limit 1
  )`;
}
