// Which rows a backup contains, and how a project is emptied for them.

/** The schemas that migrations make. Add those of your own. */
export const OWN_SCHEMAS = ["public", "private"];

/** Tables of the services. Their schemas have others, which the services of the new project fill. */
const SERVICES = ["auth.*", "storage.buckets", "storage.objects"];

/** The tables of a backup, as patterns of pg_dump. */
export const TABLES = [...OWN_SCHEMAS.map((schema) => `${schema}.*`), ...SERVICES];

/** Tables of these patterns that belong to the new project: the migrations of its Supabase Auth. */
export const UNUSED_TABLES = ["auth.schema_migrations"];

/** Names the tables of a backup. Partitions count as their table, and unlogged tables are left out. */
export const savedTables = `
  select format('%I.%I', n.nspname, c.relname) as name
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence = 'p'
    and (
      n.nspname in (${[...OWN_SCHEMAS, "auth"].map((schema) => `'${schema}'`).join(", ")})
      or n.nspname = 'storage' and c.relname in ('buckets', 'objects')
    )
    and format('%I.%I', n.nspname, c.relname) not in (${UNUSED_TABLES.map((table) => `'${table}'`).join(", ")})
  order by 1`;

/** Names the schemas with tables of the user's own that a backup does not contain. */
export const forgottenSchemas = `
  select distinct n.nspname as name
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and c.relowner = current_user::regrole
    and n.nspname not in (${OWN_SCHEMAS.map((schema) => `'${schema}'`).join(", ")}, 'supabase_migrations')
    and n.nspname !~ '^pg_'`;

/**
 * Runs before the rows, in their transaction. The locks of the clocks are held until the session ends: a clock that is
 * running would go on with the restored jobs. `replica` switches triggers and foreign keys off, so nothing that happened
 * before happens again. The migrations have written rows of reference, which the backup has too.
 */
export const prelude = `
set statement_timeout = 0;
select pg_advisory_lock(private.kind_key('clock'), private.lock_key(q.queue))
from (select distinct j.queue from private.jobs_due j) q;
set session_replication_role = replica;
do $$
begin
  execute (
    select 'truncate ' || string_agg(c.oid::regclass::text, ', ')
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in (${OWN_SCHEMAS.map((schema) => `'${schema}'`).join(", ")})
      and c.relkind in ('r', 'p') and not c.relispartition
  );
end
$$;
delete from storage.objects;
delete from storage.buckets;
`;
