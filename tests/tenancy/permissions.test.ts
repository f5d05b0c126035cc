import { expect, it } from "vitest";
import { PERMISSIONS } from "../../supabase/functions/_shared/values/permissions.generated.ts";
import { query } from "../database.js";

// Permissions are rows, and rules name them by text. A misspelt name would refuse everybody, and an unused one would
// promise a rule that does not exist.

/** The permissions that functions, policies and triggers of the database ask for. */
const asked = async () =>
  (
    await query<{ name: string }>(
      `with rule (source) as (
         select p.prosrc from pg_proc p where p.pronamespace in ('private'::regnamespace, 'public'::regnamespace)
         union all
         select concat_ws(' ', pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)) from pg_policy p
         union all
         select pg_get_triggerdef(t.oid) from pg_trigger t where t.tgfoid = 'private.permitted_only'::regproc
       )
       select distinct call[1] as name
       from rule
       cross join regexp_matches(
         source, '(?:scope|scope_of|reach|require_permission|permitted_only|managed_product|supplier_id|locked_person|own_customer)\\([^()'']*''([^'']+)''', 'g'
       ) as call
       order by name`,
    )
  ).map(({ name }) => name);

it("rules ask for exactly the permissions that have rows", async () => {
  expect(await asked()).toEqual(Object.keys(PERMISSIONS).toSorted());
});

it("admins have every permission for all records, but those that customers have for themselves", async () => {
  const rows = await query<{ permission: string }>(
    `select permission from private.permissions where permission not in ('addresses.read', 'addresses.write')
     group by permission
     having not bool_or(role = 'admin' and scope = 'all')`,
  );
  expect(rows).toEqual([]);
});

it("a permission that is set anew replaces its rows", async () => {
  await query("select private.set_permission('shop_wishes.read', '{admin,client}', '{customer}')");
  await query(
    "select private.set_permission('shop_wishes.read', '{admin}', own_of => '{supplier}')",
  );
  const rows = await query<{ role: string; scope: string }>(
    `with gone as (delete from private.permissions where permission = 'shop_wishes.read' returning role, scope)
     select role, scope from gone order by role desc`,
  );
  expect(rows).toEqual([
    { role: "admin", scope: "all" },
    { role: "supplier", scope: "own" },
  ]);
});
