import { randomUUID } from "node:crypto";
import { expect, it, onTestFinished } from "vitest";
import { query } from "../database.js";

// A tenant can move to another database by logical replication. The row filter of a publication can only use columns of
// the replica identity, so the tenant has to be in that of every table. Unlogged tables are not replicated.

/** The tables without `tenant_id`, with the reason. */
const GLOBAL: Record<string, string> = {
  "public.tenants": "its id is the tenant",
  "private.caps": "reference: the caps of all tenants",
  "private.content_move_rules": "reference: the moves of content",
  "private.countries": "reference: addresses by country",
  "private.currencies": "reference: ISO 4217",
  "private.embedding_model": "reference: the model of this database",
  "private.epoch": "the epoch of this database",
  "private.event_retention": "the setting of this database",
  "private.event_statuses": "reference: which statuses an event names",
  "private.event_types": "reference: the events",
  "private.figure_reports": "reference: the reports of dashboards",
  "private.guest_checks": "accounts of guests, and an account is of no tenant",
  "private.guest_registrations": "accounts of guests, and an account is of no tenant",
  "private.jobs_due": "the jobs of this database",
  "private.mail_kinds": "reference: the mails that Souk knows",
  "private.media_settings": "the settings of this database's Storage",
  "private.media_types": "reference: the files that media may be",
  "private.permissions": "reference: what each role may do",
  "private.personal_data": "reference: the columns with personal data",
  "private.piece_moves": "reference: the moves of pieces",
  "private.piece_states": "reference: the states of pieces",
  "private.queues": "reference: the queues of jobs",
  "private.rate_limits": "reference: the limits of each role",
  "private.rich_text_nodes": "reference: what rich text may contain",
  "private.signing_keys": "the secrets of this database",
  "private.spent_refresh_tokens": "sessions of accounts, and an account is of no tenant",
  "private.tax_id_forms": "reference: the forms of tax ids",
  "private.status_moves": "reference: the moves of statuses",
  "private.wakes": "the wakes of this database's workers",
  "private.webhook_schedule": "reference: the waits between attempts",
};

interface Table {
  name: string;
  isPartition: boolean;
  hasTenant: boolean;
  isIdentifiedByTenant: boolean;
}

/** All logged tables in public and private: whether they have a tenant_id, and whether it is in the replica identity. */
async function findTables() {
  return await query<Table>(`
    select format('%s.%s', c.relnamespace::regnamespace, c.relname) as name,
      c.relispartition as "isPartition",
      a.attnum is not null as "hasTenant",
      c.relreplident = 'f' or exists (
        select from pg_index i
        where i.indrelid = c.oid and a.attnum = any (i.indkey)
          and case c.relreplident when 'd' then i.indisprimary when 'i' then i.indisreplident else false end
      ) as "isIdentifiedByTenant"
    from pg_class c
    left join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
    where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace)
      and c.relkind in ('r', 'p') and c.relpersistence = 'p'
    order by name
  `);
}

/** The foreign keys between tables of tenants that do not contain the tenant. */
async function findForeignKeysWithoutTenant() {
  return await query<{ name: string }>(`
    select k.conname::text as name
    from pg_constraint k
    join pg_class c on c.oid = k.conrelid
    join pg_attribute a on a.attrelid = k.confrelid and a.attname = 'tenant_id'
    where k.contype = 'f' and c.relnamespace in ('public'::regnamespace, 'private'::regnamespace)
      and a.attnum <> all (k.confkey)
    order by name
  `);
}

async function findBreaches() {
  const [tables, foreignKeys] = [await findTables(), await findForeignKeysWithoutTenant()];
  return {
    withoutTenant: tables.filter((t) => !t.hasTenant && !(t.name in GLOBAL)).map((t) => t.name),
    withoutTenantInKey: tables
      .filter((t) => t.hasTenant && !t.isIdentifiedByTenant)
      .map((t) => t.name),
    withoutTenantInForeignKey: foreignKeys.map(({ name }) => name),
  };
}

const NO_BREACH = { withoutTenant: [], withoutTenantInKey: [], withoutTenantInForeignKey: [] };

it("has the tenant in the primary key or replica identity of every table, and in foreign keys", async () => {
  expect(await findBreaches()).toEqual(NO_BREACH);
});

it("lets a publication of one tenant's rows take every change", async () => {
  const tables = (await findTables()).filter(({ hasTenant }) => hasTenant);
  const roots = tables.filter(({ isPartition }) => !isPartition);
  // Postgres refuses updates and deletions whose row filter reads a column beside the replica identity, also of no row.
  await query(`
    begin;
    set local session_replication_role = replica;
    create publication one_tenant
      for table ${roots.map(({ name }) => `${name} where (tenant_id = '${randomUUID()}')`).join(", ")}
      with (publish_via_partition_root);
    ${tables.map(({ name }) => `delete from ${name} where false;`).join("\n")}
    rollback
  `);
});

it("lists no table as global that has a tenant", async () => {
  const listed = (await findTables()).filter((t) => t.name in GLOBAL);
  expect(listed.length).toBeGreaterThan(10);
  expect(listed.filter((t) => t.hasTenant)).toEqual([]);
});

it.each([
  ["withoutTenant", "id uuid primary key", "private.of_a_test"],
  [
    "withoutTenantInKey",
    "id uuid primary key, tenant_id uuid not null, unique (tenant_id, id)",
    "private.of_a_test",
  ],
  ["withoutTenantInKey", "tenant_id uuid not null", "private.of_a_test"],
  [
    "withoutTenantInForeignKey",
    "id uuid references public.orders (id), tenant_id uuid, primary key (tenant_id, id)",
    "of_a_test_id_fkey",
  ],
])("finds a table that breaks the rule: %s (%s)", async (breach, columns, found) => {
  onTestFinished(async () => {
    await query("drop table private.of_a_test");
  });
  await query(`create table private.of_a_test (${columns})`);
  expect(await findBreaches()).toEqual({ ...NO_BREACH, [breach]: [found] });
});
