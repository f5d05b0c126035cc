import { expect } from "vitest";
import { query } from "../database.js";
import { openTenantRecords, type Row, type TenantRecords } from "./tenant-records.js";

// Two tenants with a row in every table, for tests of isolation.

export interface Neighbours {
  ours: TenantRecords;
  theirs: TenantRecords;
  /** Every relation of the schema `public`, from the database's catalog. */
  relations: Relation[];
  close(): Promise<void>;
}

export interface Relation {
  name: string;
  is_view: boolean;
  /** The columns that a signed-in user can write. */
  insertable: string[];
  updatable: string[];
  /** All values of the enum and boolean columns among them. */
  values: Record<string, (string | boolean)[]>;
}

export async function openNeighbours(): Promise<Neighbours> {
  const [ours, theirs] = await Promise.all([
    openTenantRecords("ours"),
    openTenantRecords("theirs"),
  ]);
  // This job must not run while a test checks for changes.
  await query("select private.count_auctions()");
  const relations = await query<Relation>(`
    select c.relname as name, c.relkind = 'v' as is_view,
      array(
        select a.attname::text from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
          and has_column_privilege('authenticated', c.oid, a.attnum, 'insert')
      ) as insertable,
      array(
        select a.attname::text from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
          and has_column_privilege('authenticated', c.oid, a.attnum, 'update')
      ) as updatable,
      (
        select coalesce(jsonb_object_agg(a.attname, e.labels), '{}')
        from pg_attribute a
        join lateral (
          select jsonb_agg(e.enumlabel order by e.enumsortorder) as labels
          from pg_enum e where e.enumtypid = a.atttypid
          union all
          select '[true, false]'::jsonb where a.atttypid = 'boolean'::regtype
        ) as e on e.labels is not null
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      ) as values
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
    order by c.relname
  `);
  const close = async () => {
    await Promise.all([ours.receiver.close(), theirs.receiver.close()]);
  };
  return { ours, theirs, relations, close };
}

/** The column that contains a row's tenant. */
export function ownerColumn(relation: string): string {
  return relation === "tenants" ? "id" : "tenant_id";
}

/** All rows of a tenant in every relation, in one statement. */
export async function rowsOf(
  { tenantId }: TenantRecords,
  relations: readonly { name: string }[],
): Promise<Record<string, Row[]>> {
  const parts = relations.map(
    ({ name }) => `
      select '${name}' as name, coalesce(jsonb_agg(r.row order by r.row::text), '[]') as rows
      from (select to_jsonb(t) as row from public.${name} t where t.${ownerColumn(name)} = $1) as r`,
  );
  const found = await query<{ name: string; rows: Row[] }>(parts.join(" union all "), [tenantId]);
  return Object.fromEntries(found.map(({ name, rows }) => [name, rows]));
}

/** Fails if an answer contains anything of a tenant: its mark, or an id of its records that was not sent. */
export function expectNothingOf(
  tenantRecords: TenantRecords,
  shown: unknown,
  sent: unknown = "",
): void {
  const text = JSON.stringify(shown) ?? "";
  const sentText = JSON.stringify(sent);
  for (const secret of secretsOf(tenantRecords)) {
    if (!sentText.includes(secret)) expect(text).not.toContain(secret);
  }
}

/** Texts that reveal a tenant: its mark, and the ids of its members and records. */
export function secretsOf(tenantRecords: TenantRecords): string[] {
  const { mark, tenantId, people, supplierId, customerId, ...things } = tenantRecords;
  return [
    mark,
    tenantId,
    supplierId,
    customerId,
    ...Object.values(people).flatMap(({ id, email }) => [id, email]),
    ...Object.values(things as Record<string, { id?: unknown }>).flatMap(({ id }) =>
      typeof id === "string" ? id : [],
    ),
  ];
}
