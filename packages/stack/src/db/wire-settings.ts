import { type messages, type PGlite, protocol } from "@electric-sql/pglite";
import { ADMIN } from "./roles.js";

/** The settings of a session, in the order in which they can be applied. */
export type SessionSettings = [name: string, value: string][];

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** Runs a script without taking the lock, which the caller holds; resolves to its single value. */
async function ask(pg: PGlite, sql: string): Promise<string | null> {
  const answer = await pg.execProtocol(protocol.serialize.query(sql));
  const row = answer.messages.find((message) => message.name === "dataRow");
  return (row as messages.DataRowMessage | undefined)?.fields[0] ?? null;
}

/** Reads a session's settings. `names` are custom settings, which Postgres does not list. */
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
     -- An empty authorization is unchanged, and cannot be set.
     where value is not null and (name, value) <> ('session_authorization', '')`,
  );
  return JSON.parse(String(read));
}

/** Resets all settings and applies `settings`. */
export async function applySettings(pg: PGlite, settings: SessionSettings): Promise<void> {
  // A separate statement: before the reset, string literals may be parsed differently. PGlite has no initial session
  // authorization, so it cannot be reset.
  await ask(pg, `set session authorization ${ADMIN}; reset role; reset all`);
  await ask(
    pg,
    `select set_config(s ->> 0, s ->> 1, false)
     from json_array_elements(${literal(JSON.stringify(settings))}) as s`,
  );
}

/** Listens again: a client may have sent `unlisten *`. */
export async function listenAgain(pg: PGlite, channels: Iterable<string>): Promise<void> {
  for (const channel of channels) await ask(pg, `listen ${channel}`);
}

/** Rolls back a client's transaction and discards everything it created in the session. */
export async function discardAll(pg: PGlite): Promise<void> {
  await pg.execProtocol(protocol.serialize.sync());
  if (pg.isInTransaction()) await ask(pg, "rollback");
  await ask(pg, "discard all");
}

/** Returns the custom settings (`request.jwt.claims`) that a statement names. */
export function settingNames(sql: string): string[] {
  const found = sql.matchAll(/\bset(?:_config\s*\(\s*'|\s+(?:session\s+)?)([\w.]*\w\.\w+)/gi);
  return [...found].map(([, name]) => String(name).toLowerCase());
}
