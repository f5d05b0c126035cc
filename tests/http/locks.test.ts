import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { readSqlFiles, SCHEMAS } from "../../scripts/schemas.js";
import { restJob } from "../clock.js";
import { query } from "../database.js";
import { eventually } from "../eventually.js";
import { ownStack } from "../own-stack.js";
import {
  call,
  expectRefusal,
  listProduct,
  marketplaceFields,
  must,
  openTestTenant,
  register,
  supabaseAs,
} from "../souk.js";

// Lock timeouts, and callers that can block each other.

/** A connection in a transaction that can hold locks. */
async function openHolder() {
  const db = new pg.Client({ connectionString: ownStack.db_url as string });
  await db.connect();
  onTestFinished(() => db.end());
  await db.query("begin");
  return db;
}

/** A tenant with a category, and the body for a subcategory. Changes of a tree are serialised. */
async function openShelf() {
  const operator = await register({ tenant_name: "Shelf" });
  const { id } = await must("POST", "/api/categories", { as: operator, body: { name: "Spices" } });
  return { tenantId: operator.tenantId, operator, below: { name: "Herbs", parent_id: id } };
}

it("all named locks are taken in one function", async () => {
  const callers = readSqlFiles(SCHEMAS).filter(({ text }) =>
    /pg_(try_)?advisory_/.test(text.replaceAll(/--.*$/gm, "")),
  );
  expect(callers.map(({ path }) => path)).toEqual([
    "supabase/schemas/foundation/0050_foundation.sql",
  ]);
});

describe.runIf(process.env.DATABASE_URL)("a lock", () => {
  it("of one kind never conflicts with another kind, whatever names callers choose", async () => {
    const { tenantId, operator, below } = await openShelf();
    const db = await openHolder();
    // A lock of another kind with the same words, and one with a hash for which colliding texts are easy to find.
    await db.query("select private.try_hold('idempotency_key', $1::text)", [tenantId]);
    await db.query("select pg_advisory_xact_lock(hashtextextended('categories of ' || $1, 0))", [
      tenantId,
    ]);
    // If it waited for the holder, it would be refused.
    expect((await call("POST", "/api/categories", { as: operator, body: below })).status).toBe(201);
  });

  it("that remains held is CONFLICT after two seconds, through the API and supabase-js", async () => {
    const { tenantId, operator, below } = await openShelf();
    const db = await openHolder();
    await db.query("select private.hold('category_tree', $1::text)", [tenantId]);
    const [refused, { error, status }] = await Promise.all([
      call("POST", "/api/categories", { as: operator, body: below }),
      supabaseAs(operator).rpc("create_category", below),
    ]);
    expectRefusal(refused, 409, "CONFLICT");
    expect([status, error?.message]).toEqual([409, "CONFLICT"]);
    await db.query("rollback");
    await must("POST", "/api/categories", { as: operator, body: below });
  });

  it("of a row that remains held is CONFLICT after two seconds", async () => {
    const operator = await register({ tenant_name: "Held" });
    const made = await must("POST", "/api/marketplaces", {
      as: operator,
      body: marketplaceFields(),
    });
    const db = await openHolder();
    await db.query("select from public.marketplaces where id = $1 for update", [made.id]);
    const [refused, { error, status }] = await Promise.all([
      call("PUT", `/marketplaces/${made.id}`, { as: operator, body: { name: "x" } }),
      supabaseAs(operator).from("marketplaces").update({ name: "y" }).eq("id", made.id),
    ]);
    expectRefusal(refused, 409, "CONFLICT", {});
    // PostgREST uses its own message.
    expect([status, error?.code]).toEqual([500, "55P03"]);
    await db.query("rollback");
    await must("PUT", `/marketplaces/${made.id}`, { as: operator, body: { name: "x" } });
  });

  it("on one tenant's texts does not block the job for other tenants", async () => {
    onTestFinished(await restJob("write-outdated-texts"));
    const [here, elsewhere] = await Promise.all([openTestTenant(), openTestTenant()]);
    const products = await Promise.all([
      listProduct(here.supplier),
      listProduct(elsewhere.supplier),
    ]);
    const outdated = products.map(({ id }) => id);
    const db = await openHolder();
    await db.query(
      "insert into private.outdated_texts (product_id, tenant_id) select unnest($1::uuid[]), unnest($2::uuid[])",
      [outdated, [here.tenantId, elsewhere.tenantId]],
    );
    await db.query("commit; begin");
    const clock = await openHolder();
    await db.query("select private.hold('search_texts', $1::text)", [here.tenantId]);
    await clock.query(
      "select private.write_outdated_texts('00000000-0000-0000-0000-000000000000')",
    );
    const { rows } = await clock.query(
      "select product_id from private.outdated_texts where product_id = any ($1)",
      [outdated],
    );
    expect(rows).toEqual([{ product_id: outdated[0] }]);
    await clock.query("rollback");
  });
});

describe.runIf(process.env.DATABASE_URL)("a statement", () => {
  it("of a user may take eight seconds, and that of a function as long as it declares", async () => {
    const operator = await register({ tenant_name: "Slow" });
    await query(`
      create function public.longest_wait() returns text[] language sql
        as $$ select array[current_setting('statement_timeout'), current_setting('lock_timeout')] $$;
      create function public.longest_wait_of_its_own() returns text[] language sql set statement_timeout = '30s'
        as $$ select public.longest_wait() $$;
      create function public.linger() returns void language sql set statement_timeout = '100ms'
        as 'select pg_sleep(60)';
      grant execute on function public.longest_wait, public.longest_wait_of_its_own, public.linger to authenticated;
      notify pgrst, 'reload schema';
    `);
    onTestFinished(async () => {
      await query(
        "drop function public.longest_wait_of_its_own, public.longest_wait, public.linger",
      );
    });
    const as = supabaseAs(operator);
    const usual = await eventually(() => as.rpc("longest_wait").throwOnError());
    expect(usual.data).toEqual(["8s", "2s"]);
    expect((await as.rpc("longest_wait_of_its_own")).data).toEqual(["30s", "2s"]);
    expect((await as.rpc("linger")).error?.code).toBe("57014");
  });
});
