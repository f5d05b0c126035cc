import { readdir, readFile } from "node:fs/promises";
import { migrateAuth } from "../auth/program.js";
import type { Config } from "../config.js";
import type { Database } from "./database.js";

const folder = new URL("./platform/", import.meta.url);
const AUTH_SCRIPT = "30-auth.sql";

/**
 * Sets up what hosted Supabase has before a project's first migration: roles, schemas, the tables
 * and functions of its services, the secrets of `[db.vault]`. `authProgram` creates the tables of Auth if it is given.
 * Idempotent.
 */
export async function preparePlatform(
  db: Database,
  config: Config,
  authProgram?: string,
): Promise<void> {
  const scripts = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  for (const script of scripts) {
    if (authProgram && script === AUTH_SCRIPT) await migrateAuth(authProgram, db, config);
    else await db.execute(await readFile(new URL(script, folder), "utf8"));
  }
  for (const [name, secret] of Object.entries(config.db.vault)) {
    await db.query(
      `insert into vault.secrets (name, secret) values ($1, $2)
       on conflict (name) do update set secret = excluded.secret, updated_at = now()`,
      [name, secret],
    );
  }
}
