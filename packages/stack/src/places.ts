import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import type { Config } from "./config.js";
import { parseUrl } from "./url.js";

// The resources that a stack uses. Separate from the stack, so that the command line can use this file without loading
// the stack, which takes 1.5 s of processor time.

/**
 * The place of a stack's rows. `folder`: PGlite in a folder. `url`: a Postgres server. `server`: a
 * Postgres from npm with the rows in a folder, or, if null, in a folder that is removed when the
 * stack ends. `memory`: PGlite in memory.
 */
export type DatabaseLocation =
  | { folder: string }
  | { url: string }
  | { server: string | null }
  | "memory";

/** The default folder of the rows. */
export const DATA_FOLDER = ".souk";

/**
 * The schemas that `reset` drops on a server. Roles are kept, because they belong to the whole
 * cluster.
 */
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
 * Returns the folder of Storage for the rows at `place`: next to the rows. For a server given by its URL, it is a
 * folder below the default one, named after the server and the database. Null for `memory`.
 */
export function storageFolderOf(place: DatabaseLocation, root: string): string | null {
  if (place === "memory") return null;
  if ("folder" in place) return join(place.folder, "storage");
  if ("server" in place) return place.server && join(place.server, "storage-postgres-17");
  const { hostname, port, pathname } = new URL(place.url);
  const server = createHash("sha256").update(`${hostname}:${port}${pathname}`).digest("hex");
  return resolve(root, DATA_FOLDER, `storage-${server.slice(0, 16)}`);
}

/**
 * Returns the port for reading mails, for a stack whose gateway has `port`. A stack on another port
 * than the configured one takes any free port. Null if `[local_smtp]` is off.
 */
export function mailPortOf({ api, local_smtp }: Config, port: number): number | null {
  if (!local_smtp.enabled) return null;
  return port === api.port && port !== 0 ? local_smtp.port : 0;
}

/** Likewise, the port where the mailbox receives mails by SMTP. */
export function smtpPortOf({ api, local_smtp }: Config, port: number): number | null {
  if (!local_smtp.enabled) return null;
  return port === api.port && port !== 0 ? local_smtp.smtp_port : 0;
}

/** Likewise, the port where the console is served; null when it is not. */
export function consolePortOf({ api, studio }: Config, port: number): number | null {
  if (!studio.enabled) return null;
  return port === api.port && port !== 0 ? studio.port : 0;
}

/**
 * Likewise, the port where the storefront is served: that of the site in Auth's mails. Null when
 * the site is not on this machine.
 */
export function storefrontPortOf({ api, auth }: Config, port: number): number | null {
  const site = parseUrl(auth.site_url);
  // Auth reports an invalid site URL.
  if (!site) return null;
  if (site.protocol !== "http:" || !/^(127\.0\.0\.1|localhost)$/.test(site.hostname)) return null;
  return port === api.port && port !== 0 ? Number(site.port || 80) : 0;
}

/** Likewise, the port where psql reaches a database that lives inside the stack. */
export function databasePortOf({ api, db }: Config, port: number): number {
  return port === api.port ? db.port : 0;
}
