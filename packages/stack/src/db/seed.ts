import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join, posix } from "node:path";
import type { Config } from "../config.js";
import type { Log } from "../log.js";
import type { Database } from "./database.js";
import { readSql, runFile, splitStatements } from "./statements.js";

/**
 * The recorded hash of a file that still has to be run. If a start was killed, the next one runs
 * it.
 */
const DUE = "";

/**
 * The files of `[db.seed] sql_paths` in order, named as the CLI names them: `supabase/seed.sql`.
 */
export async function findSeedFiles(config: Config, log: Log): Promise<string[]> {
  if (!config.db.seed.enabled) return [];
  const files = new Set<string>();
  for (const path of config.db.seed.sql_paths) {
    const pattern = posix.join("supabase", path);
    const found = await filesLike(config.root, pattern);
    if (found.length === 0) log.warn(`no seed file is named ${pattern}`);
    for (const file of found) files.add(file);
  }
  return [...files];
}

/** Finds files; `*` matches any part of a file's name. */
async function filesLike(root: string, pattern: string): Promise<string[]> {
  const folder = posix.dirname(pattern);
  const name = posix.basename(pattern).replace(/[.+?^${}()|[\]\\]/g, "\\$&");
  const expression = new RegExp(`^${name.replaceAll("*", ".*")}$`);
  const entries = await readdir(join(root, folder)).catch(() => []); // The folder may not exist.
  return entries
    .filter((entry) => expression.test(entry))
    .sort()
    .map((entry) => posix.join(folder, entry));
}

/** Records files as due, on a database that has neither migrations nor a seed. */
export async function recordSeed(db: Database, files: readonly string[]): Promise<void> {
  await db.query(
    `insert into supabase_migrations.seed_files (path, hash)
     select path, $2
     from jsonb_array_elements_text($1::text::jsonb) as path
     where not exists (select 1 from supabase_migrations.schema_migrations)
       and not exists (select 1 from supabase_migrations.seed_files)`,
    [JSON.stringify(files), DUE],
  );
}

/** Runs those of `files` that are due. Returns how many it ran. Throws `Refusal` when one fails. */
export async function seed(
  db: Database,
  config: Config,
  files: readonly string[],
): Promise<number> {
  const rows = await db.query<{ path: string }>(
    "select path from supabase_migrations.seed_files where hash = $1",
    [DUE],
  );
  const due = files.filter((file) => rows.some(({ path }) => path === file));
  for (const file of due) {
    const sql = await readSql(join(config.root, file));
    const hash = createHash("sha256").update(sql).digest("hex");
    await runFile(db, file, await splitStatements(file, sql), async (tx) => {
      await tx.query("update supabase_migrations.seed_files set hash = $2 where path = $1", [
        file,
        hash,
      ]);
    });
  }
  return due.length;
}
