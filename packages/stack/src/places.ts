import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import type { Config } from "./config.js";

// The ports and folders of a stack. They stand apart so that the command line can tell them without loading the
// stack, which takes a second and a half of processor time.

/**
 * Where a stack keeps its rows: a folder, a server's URL, or nowhere once it ends. `server`: a Postgres
 * from npm with the rows in a folder; null: nowhere once it ends.
 */
export type Place = { folder: string } | { url: string } | { server: string | null } | "memory";

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
 * Where Storage keeps the bytes that belong to the rows at `place`: beside them, or for a server given by
 * its URL in the default folder, under a name of its own. Null for rows that end with the process.
 */
export function storageFolderOf(place: Place, root: string): string | null {
  if (place === "memory") return null;
  if ("folder" in place) return join(place.folder, "storage");
  if ("server" in place) return place.server && join(place.server, "storage-postgres-17");
  const { hostname, port, pathname } = new URL(place.url);
  const server = createHash("sha256").update(`${hostname}:${port}${pathname}`).digest("hex");
  return resolve(root, DATA_FOLDER, `storage-${server.slice(0, 16)}`);
}

/** The ports beside the gateway's; 0 is any free one. */
export interface Ports {
  /** Where psql reaches a database that runs inside the stack. */
  database: number;
  /** Where mails are read; null when they are not. */
  mails: number | null;
  /** Where mails are sent to; null when they are not. */
  smtp: number | null;
}

/**
 * The ports of a stack whose gateway has `port`: the config's, moved as far as `port` is from `[api] port`. So a
 * stack at another port has the same ones at each start. Beside a gateway at any free port, they are any free ones.
 */
export function portsOf({ api, db, local_smtp }: Config, port: number): Ports {
  const moved = (own: number) => {
    if (port === api.port) return own;
    const there = own + port - api.port;
    return port && api.port && own && there > 0 && there <= LAST_PORT ? there : 0;
  };
  const { enabled } = local_smtp;
  return {
    database: moved(db.port),
    mails: enabled ? moved(local_smtp.port) : null,
    smtp: enabled ? moved(local_smtp.smtp_port) : null,
  };
}

const LAST_PORT = 65_535;
