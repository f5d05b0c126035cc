import { expect, it } from "vitest";
import { query } from "../database.js";
import { listProduct, openTestTenant, supabaseAs, supabaseAsService } from "../souk.js";

// Embedded reads of supabase-js. PostgREST joins two tables by their foreign key, and refuses if there are several.

it("a product can embed its marketplace, and a marketplace its products", async () => {
  const { customer, supplier, marketplace } = await openTestTenant();
  const { id } = await listProduct(supplier);
  const as = supabaseAs(customer);
  const products = await as
    .from("products")
    .select("id, marketplace:marketplaces(id, name)")
    .throwOnError();
  expect(products.data).toEqual([{ id, marketplace: { id: marketplace.id, name: "Spices" } }]);
  const marketplaces = await as.from("marketplaces").select("id, products(id)").throwOnError();
  expect(marketplaces.data).toEqual([{ id: marketplace.id, products: [{ id }] }]);
});

it("no two tables have an ambiguous relationship", async () => {
  const pairs = await query<{ one: string; other: string }>(`
    with keys as (
      select c.conrelid as one, c.confrelid as other
      from pg_constraint c
      join pg_class o on o.oid = c.conrelid
      join pg_class t on t.oid = c.confrelid
      where c.contype = 'f' and c.conparentid = 0 and c.conrelid <> c.confrelid
        and o.relnamespace = 'public'::regnamespace and not o.relispartition
        and t.relnamespace = 'public'::regnamespace and not t.relispartition
    )
    select one::regclass::text as one, other::regclass::text as other
    from keys
    union
    select other::regclass::text, one::regclass::text
    from keys
    order by 1, 2`);
  expect(pairs.length).toBeGreaterThan(50);
  const admin = supabaseAsService();
  const unclear: string[] = [];
  for (const { one, other } of pairs) {
    const { error } = await admin.from(one).select(`*, ${other}(*)`).limit(0);
    if (error?.code === "PGRST201") unclear.push(`${one} → ${other}`);
    else expect(error).toBeNull();
  }
  expect(unclear).toEqual([]);
});
