import { expect } from "vitest";
import { dayThatLasts, runJob } from "../clock.js";
import { query } from "../database.js";
import { type Household, openHousehold, type Row } from "./household.js";

// Two tenants, side by side, with a row in every table: for tests of what one may see of the other.

export interface Neighbours {
  ours: Household;
  theirs: Household;
  /** Every relation of the schema `public`, by the catalog of the database itself. */
  relations: Relation[];
  close(): Promise<void>;
}

export interface Relation {
  name: string;
  is_view: boolean;
  /** The columns that a signed-in user may write at all. */
  insertable: string[];
  updatable: string[];
  /** Every value of those of them that are of an enum or boolean. */
  values: Record<string, (string | boolean)[]>;
}

export async function openNeighbours(): Promise<Neighbours> {
  // What begins with a day (fees, scheduled exports) would look as if a stranger had written it.
  await dayThatLasts(240_000);
  const [ours, theirs] = await Promise.all([openHousehold("ours"), openHousehold("theirs")]);
  // By now, and not by the clock, while somebody looks whether anything changes.
  await runJob("count-auctions");
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

/** The column that says whose a row is. */
export function ownerColumn(relation: string): string {
  return relation === "tenants" ? "id" : "tenant_id";
}

/** All rows of a tenant in every relation, in one statement: with the auctions added up that were held so far. */
export async function rowsOf(
  { tenantId }: Household,
  relations: readonly { name: string }[],
): Promise<Record<string, Row[]>> {
  await runJob("count-auctions");
  const parts = relations.map(
    ({ name }) => `
      select '${name}' as name, coalesce(jsonb_agg(r.row order by r.row::text), '[]') as rows
      from (select to_jsonb(t) as row from public.${name} t where t.${ownerColumn(name)} = $1) as r`,
  );
  const found = await query<{ name: string; rows: Row[] }>(parts.join(" union all "), [tenantId]);
  return Object.fromEntries(found.map(({ name, rows }) => [name, rows]));
}

/** Fails if an answer shows anything of a tenant: its mark, or an id of its that nobody sent. */
export function expectNothingOf(household: Household, shown: unknown, sent: unknown = ""): void {
  const text = JSON.stringify(shown) ?? "";
  const said = JSON.stringify(sent);
  for (const secret of secretsOf(household)) {
    if (!said.includes(secret)) expect(text).not.toContain(secret);
  }
}

/** What tells of a tenant wherever it stands: its mark, its people, the ids of its things. */
export function secretsOf(household: Household): string[] {
  const { mark, tenantId, people, supplierId, customerId, ...things } = household;
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
