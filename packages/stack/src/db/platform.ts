import { readdir, readFile } from "node:fs/promises";
import type { Config } from "../config.js";
import type { Database } from "./database.js";

const folder = new URL("./platform/", import.meta.url);

/**
 * Sets up what hosted Supabase has before a project's first migration: roles, schemas, the tables
 * and functions of its services, the secrets of `[db.vault]`. Idempotent.
 */
export async function preparePlatform(db: Database, config: Config): Promise<void> {
  const scripts = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  for (const script of scripts) {
    await db.execute(await readFile(new URL(script, folder), "utf8"));
  }
  for (const [name, secret] of Object.entries(config.db.vault)) {
    await db.query(
      `insert into vault.secrets (name, secret) values ($1, $2)
       on conflict (name) do update set secret = excluded.secret, updated_at = now()`,
      [name, secret],
    );
  }
}
