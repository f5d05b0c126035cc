import type { Config } from "./config.js";

// What a stack takes up. It stands apart so that the command line can tell of it without loading the
// stack, which takes a second and a half of processor time.

/** The folder of the rows when none is named. */
export const DATA_FOLDER = ".souk";

/** What `reset` removes from a server: everything of these schemas. Roles belong to the whole cluster. */
export const clearedSchemas = [
  "public",
  "private",
  "auth",
  "cron",
  "net",
  "realtime",
  "storage",
  "vault",
  "extensions",
  "supabase_migrations",
];

/**
 * The port where mails are read, for a stack whose gateway has `port`: a stack beside the one of the
 * config's ports takes any free one. Null when they are not.
 */
export function mailPortOf({ api, local_smtp }: Config, port: number): number | null {
  if (!local_smtp.enabled) return null;
  return port === api.port && port !== 0 ? local_smtp.port : 0;
}

/** Likewise, the port where psql reaches a database that lives inside the stack. */
export function databasePortOf({ api, db }: Config, port: number): number {
  return port === api.port ? db.port : 0;
}
