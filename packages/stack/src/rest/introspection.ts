import type { Database } from "../db/database.js";

/**
 * A column of the catalogue. Type names are qualified, so that they resolve under any search path.
 */
export interface Column {
  name: string;
  /** With its modifier: `character varying(10)`, `public.status`. */
  type: string;
  /** The base type of a domain, without modifiers. */
  base: string;
  default: string | null;
}

/** A table or view. Object ids are texts, as Postgres writes them into JSON. */
export interface CatalogTable {
  id: string;
  schema: string;
  name: string;
  view: boolean;
  insertable: boolean;
  updatable: boolean;
  deletable: boolean;
  columns: Column[];
}

/** A primary key, or a foreign key with the columns it references. */
export interface CatalogKey {
  kind: "p" | "f";
  constraint: string;
  table: string;
  schema: string;
  name: string;
  columns: string[];
  foreignTable: string;
  foreignSchema: string;
  foreignName: string;
  foreignColumns: string[];
  /** Whether the columns of the foreign key are also unique. */
  oneToOne: boolean;
}

export interface CatalogView {
  id: string;
  schema: string;
  name: string;
  /** The view's columns in order. */
  columns: string[];
  /** The rewrite rule, in Postgres' text format of node trees. */
  rule: string;
}

export interface Parameter {
  /** Empty for an unnamed parameter. */
  name: string;
  type: string;
  required: boolean;
  variadic: boolean;
}

export interface CatalogRoutine {
  id: string;
  schema: string;
  name: string;
  parameters: Parameter[];
  returnSchema: string;
  /** The name of the table if the function returns its rows, else of the type. */
  returnName: string;
  returnsSet: boolean;
  returnsComposite: boolean;
  volatility: "i" | "s" | "v";
  /** The function's own settings that must be set before the statement begins. */
  settings: Record<string, string>;
}

/** A computed relationship: a function of one row of a table that returns rows of another. */
export interface CatalogComputed {
  schema: string;
  name: string;
  tableSchema: string;
  tableName: string;
  foreignSchema: string;
  foreignName: string;
  single: boolean;
}

export interface Catalog {
  tables: CatalogTable[];
  keys: CatalogKey[];
  views: CatalogView[];
  /** The names of all columns by attribute number, of every table with a primary or foreign key. */
  attributes: { table: string; columns: Record<string, string> }[];
  routines: CatalogRoutine[];
  computed: CatalogComputed[];
  /** All roles, whether authenticator may use them, and their settings. */
  roles: { name: string; granted: boolean; settings: Record<string, string> }[];
  /** The settings of `alter role authenticator set pgrst.…`, without the prefix. */
  options: Record<string, string>;
}

/**
 * With an empty search path Postgres qualifies every type name. Without `jit` off, compiling this
 * large query takes many times as long as running it.
 */
const settings = { search_path: "", jit: "off" };

const sql = `
with recursive exposed as (
  select n.oid, n.nspname from pg_catalog.pg_namespace n
  where n.nspname in (select json_array_elements_text($1::json))
), searched as (
  select oid from exposed
  union
  select n.oid from pg_catalog.pg_namespace n
  where n.nspname in (select json_array_elements_text($2::json))
), bases (oid, base) as (
  select t.oid, t.oid from pg_catalog.pg_type t where t.typtype <> 'd'
  union all
  select t.oid, bases.base from pg_catalog.pg_type t join bases on t.typbasetype = bases.oid
  where t.typtype = 'd'
), tables as (
  select c.oid, c.relname, c.relkind, n.nspname, c.reltype,
    case when c.relkind in ('r', 'p') then 28 when c.relkind = 'm' then 0
      else pg_catalog.pg_relation_is_updatable(c.oid::regclass, true) end as events
  from pg_catalog.pg_class c join exposed n on n.oid = c.relnamespace
  where c.relkind in ('r', 'v', 'm', 'f', 'p') and not c.relispartition
), columns as (
  select a.attrelid, json_agg(json_build_object(
    'name', a.attname,
    'type', format_type(a.atttypid, a.atttypmod),
    'base', format_type(b.base, null),
    'default', case
      when a.attgenerated <> '' then null
      when a.attidentity <> '' then (
        select format('nextval(%L)', d.objid::regclass) from pg_catalog.pg_depend d
        where d.refobjid = a.attrelid and d.refobjsubid = a.attnum and d.deptype = 'i' limit 1)
      else coalesce(pg_get_expr(ad.adbin, ad.adrelid), pg_get_expr(t.typdefaultbin, 0)) end
  ) order by a.attnum) as columns
  from pg_catalog.pg_attribute a
  join tables on tables.oid = a.attrelid
  join pg_catalog.pg_type t on t.oid = a.atttypid
  left join bases b on b.oid = a.atttypid
  left join pg_catalog.pg_attrdef ad on ad.adrelid = a.attrelid and ad.adnum = a.attnum
  where a.attnum > 0 and not a.attisdropped
  group by a.attrelid
), uniques as (
  select con.conrelid, (select array_agg(k order by k) from unnest(con.conkey) k) as cols
  from pg_catalog.pg_constraint con where con.contype in ('p', 'u')
), keys as (
  select con.*,
    (select json_agg(a.attname order by k.nth) from unnest(con.conkey) with ordinality k (num, nth)
      join pg_catalog.pg_attribute a on a.attrelid = con.conrelid and a.attnum = k.num) as columns,
    (select json_agg(a.attname order by k.nth) from unnest(con.confkey) with ordinality k (num, nth)
      join pg_catalog.pg_attribute a on a.attrelid = con.confrelid and a.attnum = k.num) as refs,
    (select array_agg(k order by k) from unnest(con.conkey) k) as cols
  from pg_catalog.pg_constraint con
  where con.contype in ('p', 'f') and con.conparentid = 0
    and con.connamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
), rows as (
  select c.oid, c.reltype, c.relname, n.nspname from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'v', 'm', 'f', 'p')
), authenticator as (
  select r.oid from pg_catalog.pg_roles r where r.rolname = 'authenticator'
)
select
  (select coalesce(json_agg(json_build_object(
    'id', t.oid, 'schema', t.nspname, 'name', t.relname, 'view', t.relkind in ('v', 'm'),
    'insertable', t.events & 8 = 8, 'updatable', t.events & 4 = 4, 'deletable', t.events & 16 = 16,
    'columns', coalesce(c.columns, '[]')) order by t.nspname, t.relname), '[]')
   from tables t left join columns c on c.attrelid = t.oid) as tables,
  (select coalesce(json_agg(json_build_object(
    'kind', k.contype, 'constraint', k.conname, 'table', k.conrelid,
    'schema', tn.nspname, 'name', t.relname, 'columns', k.columns,
    'foreignTable', k.confrelid, 'foreignSchema', fn.nspname, 'foreignName', f.relname,
    'foreignColumns', k.refs,
    'oneToOne', k.contype = 'f' and exists (
      select 1 from uniques u where u.conrelid = k.conrelid and u.cols = k.cols)
    ) order by k.conrelid, k.conname), '[]')
   from keys k
   join pg_catalog.pg_class t on t.oid = k.conrelid
   join pg_catalog.pg_namespace tn on tn.oid = t.relnamespace
   left join pg_catalog.pg_class f on f.oid = k.confrelid
   left join pg_catalog.pg_namespace fn on fn.oid = f.relnamespace) as keys,
  (select coalesce(json_agg(json_build_object(
    'id', c.oid, 'schema', n.nspname, 'name', c.relname, 'rule', r.ev_action::text,
    'columns', (select json_agg(a.attname order by a.attnum) from pg_catalog.pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0))), '[]')
   from pg_catalog.pg_class c
   join searched s on s.oid = c.relnamespace
   join pg_catalog.pg_namespace n on n.oid = c.relnamespace
   join pg_catalog.pg_rewrite r on r.ev_class = c.oid and r.rulename = '_RETURN'
   where c.relkind in ('v', 'm')) as views,
  (select coalesce(json_agg(x), '[]') from (
    select a.attrelid as table, json_object_agg(a.attnum, a.attname) as columns
    from pg_catalog.pg_attribute a
    where a.attnum > 0 and a.attrelid in (select conrelid from keys union select confrelid from keys)
    group by a.attrelid) x) as attributes,
  (select coalesce(json_agg(json_build_object(
    'id', p.oid, 'schema', n.nspname, 'name', p.proname,
    'returnSchema', rn.nspname, 'returnName', coalesce(comp.relname, rt.typname),
    'returnsSet', p.proretset,
    'returnsComposite', rt.typtype = 'c' or coalesce(p.proargmodes::text[] && '{t,b,o}', false),
    'volatility', p.provolatile,
    'settings', (select coalesce(json_object_agg(split_part(c, '=', 1), split_part(c, '=', 2)), '{}')
      from unnest(p.proconfig) c where c like 'statement_timeout=%'),
    'parameters', (
      select coalesce(json_agg(json_build_object(
        'name', coalesce(p.proargnames[a.i], ''),
        'type', case format_type(a.type, null)
          when 'bit' then 'bit varying' when 'bit[]' then 'bit varying[]'
          when 'character' then 'character varying' when 'character[]' then 'character varying[]'
          else format_type(a.type, null) end,
        'required', a.nth <= p.pronargs - p.pronargdefaults,
        'variadic', a.mode = 'v') order by a.i), '[]')
      from (
        select u.type, u.i, coalesce(p.proargmodes[u.i], 'i') as mode, row_number() over (order by u.i) as nth
        from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) with ordinality u (type, i)
        where coalesce(p.proargmodes[u.i], 'i') in ('i', 'b', 'v')) a)
    ) order by n.nspname, p.proname, p.pronargs, p.oid), '[]')
   from pg_catalog.pg_proc p
   join exposed n on n.oid = p.pronamespace
   join bases b on b.oid = p.prorettype
   join pg_catalog.pg_type rt on rt.oid = b.base
   join pg_catalog.pg_namespace rn on rn.oid = rt.typnamespace
   left join pg_catalog.pg_class comp on comp.oid = rt.typrelid
   where p.prokind = 'f' and rt.oid not in ('trigger'::regtype, 'event_trigger'::regtype)) as routines,
  (select coalesce(json_agg(json_build_object(
    'schema', n.nspname, 'name', p.proname,
    'tableSchema', a.nspname, 'tableName', a.relname,
    'foreignSchema', f.nspname, 'foreignName', f.relname,
    'single', not p.proretset or p.prorows = 1)), '[]')
   from pg_catalog.pg_proc p
   join exposed n on n.oid = p.pronamespace
   join rows a on a.reltype = p.proargtypes[0]
   join rows f on f.reltype = p.prorettype
   where p.pronargs = 1) as computed,
  (select coalesce(json_agg(json_build_object(
    'name', r.rolname,
    'granted', pg_has_role(authenticator.oid, r.oid, 'member'),
    'settings', (select coalesce(json_object_agg(
        split_part(c.entry, '=', 1), substr(c.entry, strpos(c.entry, '=') + 1)), '{}')
      from unnest(r.rolconfig) c (entry)
      join pg_catalog.pg_settings s on s.name = split_part(c.entry, '=', 1)
      where s.context = 'user' and s.name <> 'default_transaction_isolation'))), '[]')
   from pg_catalog.pg_roles r, authenticator) as roles,
  (select coalesce(json_object_agg(
     substr(split_part(c.entry, '=', 1), 7), substr(c.entry, strpos(c.entry, '=') + 1)
     order by s.setdatabase), '{}')
   from pg_catalog.pg_db_role_setting s
   join authenticator on authenticator.oid = s.setrole
   left join pg_catalog.pg_database d on d.oid = s.setdatabase
   cross join unnest(s.setconfig) c (entry)
   where (d.oid is null or d.datname = current_database()) and c.entry like 'pgrst.%') as options
`;

/**
 * Reads the catalogue of the schemas `exposed`; `searched` are the other schemas of the search
 * path.
 */
export async function introspect(
  db: Database,
  exposed: readonly string[],
  searched: readonly string[],
): Promise<Catalog> {
  const [catalog] = await db.run<Catalog>(settings, sql, [
    JSON.stringify(exposed),
    JSON.stringify(searched),
  ]);
  if (!catalog) throw new Error("the catalogue query returned no row");
  return catalog;
}
