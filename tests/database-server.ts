import pg from "pg";

/** Runs one statement directly on a database server, without a stack. */
export async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** The URL of another database on the same server. */
export function databaseAt(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
}

/** A statement that gives a database the settings of its template: Postgres copies only what is in the database. */
export const copySettings = (template: string, name: string) => `do $$
declare
  setting record;
begin
  for setting in
    select
      case s.setrole when 0 then '' else format('role %s in ', s.setrole::regrole) end as role,
      split_part(c.entry, '=', 1) as name, substr(c.entry, strpos(c.entry, '=') + 1) as value
    from pg_db_role_setting s
    join pg_database d on d.oid = s.setdatabase
    cross join unnest(s.setconfig) as c (entry)
    where d.datname = '${template}'
  loop
    execute format('alter %sdatabase %I set %s = %L', setting.role, '${name}', setting.name, setting.value);
  end loop;
end
$$`;
