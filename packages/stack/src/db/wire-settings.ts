import { type messages, type PGlite, protocol } from "@electric-sql/pglite";

/** What a session has set, in the order in which it can be set again. */
export type SessionSettings = [name: string, value: string][];

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

/**
 * Runs scripts outside the lock that the caller holds; resolves to the first value. All go over at once, as each
 * call of PGlite costs as much as a small statement does.
 */
async function ask(pg: PGlite, ...scripts: string[]): Promise<string | null> {
  const sent = scripts.map((sql) => protocol.serialize.query(sql));
  const answer = await pg.execProtocol(Buffer.concat(sent));
  const row = answer.messages.find((message) => message.name === "dataRow");
  return (row as messages.DataRowMessage | undefined)?.fields[0] ?? null;
}

/** Reads what the session has set. Postgres lists no setting of a program's own making: `names` are those. */
export async function readSettings(pg: PGlite, names: Iterable<string>): Promise<SessionSettings> {
  const unlisted = ["role", "session_authorization", ...names].map(literal).join(", ");
  const read = await ask(
    pg,
    `select coalesce(json_agg(json_build_array(name, value)
       order by name = 'role', name = 'session_authorization'), '[]')
     from (
       select name, current_setting(name, true) as value
       from (
         select name from pg_settings where source = 'session'
         union select unnest(array[${unlisted}])
       ) as names
     ) as settings
     -- Nobody has changed an authorization that is empty, and it cannot be set.
     where value is not null and (name, value) <> ('session_authorization', '')`,
  );
  return JSON.parse(String(read));
}

/** Puts exactly `settings` in force. */
export async function applySettings(pg: PGlite, settings: SessionSettings): Promise<void> {
  await ask(pg, ...applying(settings));
}

/** Puts exactly `settings` in force, and listens once more: a program may have sent `unlisten *`. */
export async function restore(
  pg: PGlite,
  settings: SessionSettings,
  channels: Iterable<string>,
): Promise<void> {
  const listening = [...channels].map((channel) => `listen ${channel}`);
  await ask(pg, ...applying(settings), ...(listening.length > 0 ? [listening.join("; ")] : []));
}

function applying(settings: SessionSettings): string[] {
  return [
    // A statement of its own: until then, quotes may be read in another way. To PGlite the session's
    // authorization never began with anybody, so that it cannot be reset.
    "set session authorization postgres; reset role; reset all",
    `select set_config(s ->> 0, s ->> 1, false)
     from json_array_elements(${literal(JSON.stringify(settings))}) as s`,
  ];
}

/** Ends whatever a program began, and drops all it made in the session: but for `plans`, which may be kept. */
export async function discard(pg: PGlite, plans: boolean): Promise<void> {
  await pg.execProtocol(protocol.serialize.sync());
  if (pg.isInTransaction()) await ask(pg, "rollback");
  await ask(pg, plans ? "discard all" : ALL_BUT_PLANS);
}

/** What `discard all` is short for, without `deallocate all` and `discard plans`. */
const ALL_BUT_PLANS = `
  close all; set session authorization postgres; reset all; unlisten *; select pg_advisory_unlock_all();
  discard sequences; discard temp`;

/**
 * Whether the session may have lost, after some SQL, the statements that it keeps for its owner, or have got others:
 * or may answer one of them with other columns.
 */
export const changesStatements = (sql: string) =>
  /\b(prepare|deallocate|discard|create|alter|drop)\b/i.test(sql);

/** The settings of a program's own making (`request.jwt.claims`) that a statement names. */
export function settingNames(sql: string): string[] {
  const found = sql.matchAll(/\bset(?:_config\s*\(\s*'|\s+(?:session\s+)?)([\w.]*\w\.\w+)/gi);
  return [...found].map(([, name]) => String(name).toLowerCase());
}
