import type { Database } from "../db/database.js";

/** The search path of a project's own statements. */
export const PROJECT_PATH = "public, extensions";

/** A published table, with the data for its changes' payloads and checks. */
export interface Relation {
  oid: string;
  schema: string;
  name: string;
  published: boolean;
  rls: boolean;
  columns: Column[];
  /** The access of each role; roles that do not exist are missing. */
  access: Record<string, Access>;
}

export interface Column {
  name: string;
  /** The name in `pg_type`: `int8`, `_text`. */
  type: string;
  /** The type in SQL, with its schema if necessary: `bigint`, `text[]`. */
  cast: string;
  /** Whether it is part of the primary key. */
  key: boolean;
  /** Whether it is part of the replica identity, which identifies a deleted row. */
  identity: boolean;
}

export interface Access {
  /** The columns that the role may select. */
  columns: string[];
  /** The condition of its policies for select, in SQL; null if they do not apply to the role. */
  policy: string | null;
}

const relationsSql = `
select c.oid::text, n.nspname::text as schema, c.relname::text as name, c.relrowsecurity as rls,
  exists (
    select from pg_publication_tables t
    where t.pubname = 'supabase_realtime' and t.schemaname = n.nspname and t.tablename = c.relname
  ) as published,
  (
    select json_agg(json_build_object(
      'name', a.attname, 'type', t.typname, 'cast', format_type(a.atttypid, null),
      'key', k.conkey is not null,
      'identity', case c.relreplident
        when 'f' then true
        when 'd' then k.conkey is not null
        when 'i' then exists (
          select from pg_index i
          where i.indrelid = c.oid and i.indisreplident and a.attnum = any (i.indkey)
        )
        else false
      end
    ) order by a.attnum)
    from pg_attribute a
    join pg_type t on t.oid = a.atttypid
    left join pg_constraint k
      on k.conrelid = c.oid and k.contype = 'p' and a.attnum = any (k.conkey)
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  ) as columns,
  coalesce((
    select json_object_agg(r.rolname, json_build_object(
      'columns', coalesce((
        select json_agg(a.attname)
        from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
          and has_column_privilege(r.oid, c.oid, a.attnum, 'select')
      ), '[]'),
      'policy', case
        when c.relrowsecurity and not r.rolsuper and not r.rolbypassrls
          and (c.relforcerowsecurity or not pg_has_role(r.oid, c.relowner, 'usage'))
        then (
          select format('(%s) and (%s)',
            coalesce(string_agg(p.expression, ' or ') filter (where p.permissive), 'false'),
            coalesce(string_agg(p.expression, ' and ') filter (where not p.permissive), 'true')
          )
          from (
            select polpermissive as permissive,
              coalesce(format('(%s)', pg_get_expr(polqual, polrelid)), 'true') as expression
            from pg_policy
            where polrelid = c.oid and polcmd in ('r', '*')
              and exists (
                select from unnest(polroles) as granted
                where case when granted = 0 then true else pg_has_role(r.oid, granted, 'usage') end
              )
          ) as p
        )
      end
    ))
    from pg_roles r
    where r.rolname in (select json_array_elements_text($2::text::json))
  ), '{}') as access
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where c.oid in (select json_array_elements_text($1::text::json)::oid)`;

/** Reads the relations with these oids, and the access of these roles. */
export async function readRelations(
  db: Database,
  oids: Iterable<string>,
  roles: Iterable<string>,
): Promise<Map<string, Relation>> {
  const params = [JSON.stringify([...oids]), JSON.stringify([...roles])];
  // With an empty search path Postgres qualifies the names of types and in policies.
  const relations = await db.run<Relation>({ search_path: "" }, relationsSql, params);
  return new Map(relations.map((relation) => [relation.oid, relation]));
}

/**
 * Returns the oids of published tables by name; `*` matches every schema or table. As hosted, a name is a `like`
 * pattern, in which `_` matches any character.
 */
export async function findPublished(
  db: Database,
  schema: string,
  table: string,
): Promise<string[]> {
  const rows = await db.query<{ oid: string }>(
    `select c.oid::text
     from pg_publication_tables t
     join pg_namespace n on n.nspname = t.schemaname
     join pg_class c on c.relnamespace = n.oid and c.relname = t.tablename
     where t.pubname = 'supabase_realtime' and n.nspname <> 'realtime'
       and t.schemaname like (case $1 when '*' then '%' else $1 end) escape ''
       and t.tablename like (case $2 when '*' then '%' else $2 end) escape ''`,
    [schema, table],
  );
  return rows.map((row) => row.oid);
}
