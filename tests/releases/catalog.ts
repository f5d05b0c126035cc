import pg from "pg";

/**
 * What a database is, as lines: its objects with their definitions, privileges and comments, and the rows of reference.
 * Without the order of columns and without partitions, which depend on the day.
 */
const LINES = `
with own as (select oid from pg_namespace where nspname in ('public', 'private')),
relations as (
  select c.* from pg_class c join own n on n.oid = c.relnamespace where c.relkind in ('r', 'p', 'v') and not c.relispartition
)
select concat_ws(' ', 'relation', c.oid::regclass, c.relkind, c.relrowsecurity, c.relpersistence, c.relreplident,
  c.reloptions, c.relacl, obj_description(c.oid, 'pg_class'))
from relations c
union all
select concat_ws(' ', 'column', c.oid::regclass, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attgenerated,
  a.attidentity, pg_get_expr(d.adbin, d.adrelid), a.attacl, col_description(c.oid, a.attnum))
from relations c
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
union all
select concat_ws(' ', 'view', c.oid::regclass, pg_get_viewdef(c.oid)) from relations c where c.relkind = 'v'
union all
select concat_ws(' ', 'constraint', o.conrelid::regclass, o.conname, pg_get_constraintdef(o.oid))
from pg_constraint o join relations c on c.oid = o.conrelid
union all
select concat_ws(' ', 'index', pg_get_indexdef(i.indexrelid), i.indisreplident)
from pg_index i join relations c on c.oid = i.indrelid
union all
select concat_ws(' ', 'trigger', pg_get_triggerdef(t.oid), t.tgenabled)
from pg_trigger t join relations c on c.oid = t.tgrelid where not t.tgisinternal
union all
select concat_ws(' ', 'policy', p.polrelid::regclass, p.polname, p.polcmd, p.polroles::regrole[],
  pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid))
from pg_policy p
union all
select concat_ws(' ', 'function', pg_get_functiondef(p.oid), p.proacl, obj_description(p.oid, 'pg_proc'))
from pg_proc p join own n on n.oid = p.pronamespace where p.prokind in ('f', 'p')
union all
select concat_ws(' ', 'enum', t.oid::regtype, string_agg(e.enumlabel, ',' order by e.enumsortorder))
from pg_type t join own n on n.oid = t.typnamespace join pg_enum e on e.enumtypid = t.oid group by t.oid
union all
select concat_ws(' ', 'type', t.oid::regtype,
  string_agg(concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod)), ',' order by a.attnum))
from pg_type t join own n on n.oid = t.typnamespace
join pg_class c on c.oid = t.typrelid and c.relkind = 'c'
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
group by t.oid
union all
select concat_ws(' ', 'words', c.oid::regconfig,
  string_agg(concat_ws(':', m.maptokentype, m.mapdict::regdictionary), ',' order by m.maptokentype, m.mapseqno))
from pg_ts_config c join own n on n.oid = c.cfgnamespace join pg_ts_config_map m on m.mapcfg = c.oid group by c.oid
union all
select concat_ws(' ', 'published', p.pubname, p.schemaname, p.tablename) from pg_publication_tables p
union all
select concat_ws(' ', 'role', r.rolname, setting) from pg_roles r cross join unnest(r.rolconfig) as setting
union all
select concat_ws(' ', 'cron', j.jobname, j.schedule, j.command) from cron.job j
union all
select concat_ws(' ', 'job', j.name, j.queue, j.command, j.every, j.at, j.timeout) from private.jobs_due j
union all
select concat_ws(' ', 'bucket', b.id, b.public, b.allowed_mime_types) from storage.buckets b
order by 1`;

/** Tables of reference, whose rows are the same in each database. Operators change other rows that a release brings. */
const REFERENCE = [
  "status_moves",
  "countries",
  "currencies",
  "media_types",
  "piece_states",
  "piece_moves",
  "event_types",
  "event_statuses",
  "webhook_schedule",
  "queues",
  "figure_reports",
  "content_move_rules",
  "rich_text_nodes",
  "letters",
];

export async function catalogOf(url: string): Promise<string[]> {
  const db = new pg.Client({ connectionString: url });
  await db.connect();
  try {
    const { rows } = await db.query({ text: LINES, rowMode: "array" });
    const lines = rows.map(([line]) => line as string);
    for (const table of REFERENCE) {
      const found = await db.query(
        `select '${table} ' || to_jsonb(t)::text as line from private.${table} t order by 1`,
      );
      lines.push(...found.rows.map(({ line }) => line as string));
    }
    return lines;
  } finally {
    await db.end();
  }
}
