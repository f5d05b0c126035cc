import { describe, expect, it } from "vitest";
import { query } from "../database.js";
import { listProduct, must, openTestTenant, orderFor } from "../souk.js";

/**
 * The columns with numbers of a sequence, by table. Two databases make the same numbers, so a table whose rows move with
 * their tenant has the tenant in its key, and `private.continue_numbers` finds it by its tenant_id.
 */
const NUMBERED = {
  "private.moved_shipments": "rows that end with their transaction",
  "private.new_products": "rows that end with their transaction",
  "private.new_sales": "of a tenant",
  "private.sales": "of a tenant",
  "public.inventory_movements": "of a tenant",
};

const HIGH = 10n ** 9n;

describe("numbers from sequences", () => {
  it("are of a tenant, or of rows that stay in their database", async () => {
    const rows = await query<{ name: string; has_tenant: boolean }>(
      `select format('%I.%I', n.nspname, c.relname) as name,
         exists (select from pg_attribute t where t.attrelid = c.oid and t.attname = 'tenant_id') as has_tenant
       from pg_attribute a
       join pg_class c on c.oid = a.attrelid
       join pg_namespace n on n.oid = c.relnamespace
       where a.attidentity <> '' and not a.attisdropped and n.nspname in ('public', 'private')
       order by 1`,
    );
    expect(rows.map(({ name }) => name)).toEqual(Object.keys(NUMBERED));
    const ofTenants = rows.filter(
      ({ name }) => NUMBERED[name as keyof typeof NUMBERED] === "of a tenant",
    );
    expect(ofTenants.filter(({ has_tenant }) => !has_tenant)).toEqual([]);
    const others = await query(
      `select format('%I.%I', n.nspname, c.relname) as name
       from pg_class c
       join pg_namespace n on n.oid = c.relnamespace
       where c.relkind = 'S' and n.nspname in ('public', 'private')
         and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'i')`,
    );
    expect(others).toEqual([]);
  });

  it("go on after those of a tenant that another database has numbered", async () => {
    const { tenantId, operator, supplier, customer } = await openTestTenant();
    const product = await listProduct(supplier);
    await must("POST", "/api/orders", { as: customer, body: orderFor(product) });
    // As if a database had written the rows whose sequences are further.
    await query(
      `insert into public.inventory_movements overriding system value
       select (m).* from (
         select jsonb_populate_record(m, jsonb_build_object('id', m.id + $2::bigint)) as m
         from public.inventory_movements m where m.tenant_id = $1 order by m.id desc limit 1
       ) as moved`,
      [tenantId, HIGH],
    );
    await query(
      `insert into private.sales overriding system value
       select (s).* from (
         select jsonb_populate_record(s, jsonb_build_object('id', s.id + $2::bigint)) as s
         from private.sales s where s.tenant_id = $1 order by s.id desc limit 1
       ) as moved`,
      [tenantId, HIGH],
    );
    for (const arriving of [tenantId, (await openTestTenant()).tenantId]) {
      await query("select private.continue_numbers($1)", [arriving]);
    }
    const change = { as: supplier, body: { operation: "add", quantity: 7 } };
    await must("PATCH", `/api/products/${product.id}/inventory`, change);
    const path = `/api/inventory/movements?product_id=${product.id}`;
    const { movements } = await must("GET", path, { as: operator });
    expect(movements[0]).toMatchObject({ reason: "add", quantity_change: 7 });
    expect(movements[0].id).toBeGreaterThan(movements[1].id);
    expect(movements[1].id).toBeGreaterThan(HIGH);

    const order = await must("POST", "/api/orders", { as: customer, body: orderFor(product) });
    const [last] = await query<{ order_id: string }>(
      "select order_id from private.sales where tenant_id = $1 order by id desc limit 1",
      [tenantId],
    );
    expect(last?.order_id).toBe(order.id);
  });
});
