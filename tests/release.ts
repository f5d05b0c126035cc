import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import pg from "pg";
import type { StoredDemo } from "../scripts/stored-demo.js";
import { resetDatabase } from "./stack.js";

/**
 * Makes a database of a release, such as 0.1.0: its migrations, the rows of the demo that was kept with it, and work that waits. A stack that
 * starts there applies the later migrations, as for an operator who upgrades.
 */
export async function resetToRelease(cli: string, url: string, release: string): Promise<void> {
  // Inside this repository, so that node_modules is found.
  const root = await mkdtemp(join("tests", ".project-"));
  try {
    const folder = join(root, "supabase");
    await mkdir(join(folder, "migrations"), { recursive: true });
    const config = await readFile("supabase/config.toml", "utf8");
    await writeFile(
      join(folder, "config.toml"),
      config.replace(/^\[db\.seed\]\nenabled = true$/m, "[db.seed]\nenabled = false"),
    );
    for (const name of await migrationsUpTo(release)) {
      await cp(join("supabase", "migrations", name), join(folder, "migrations", name));
    }
    await resetDatabase(cli, ["--database-url", url], root);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
  const kept = gunzipSync(await readFile(join("tests", "releases", `${release}.json.gz`)));
  const path = join("tests", "releases", `${release}.sql`);
  const waiting = existsSync(path) ? await readFile(path, "utf8") : "";
  await load(url, JSON.parse(kept.toString()) as StoredDemo, waiting);
}

/** The migrations of a release and those before it. */
async function migrationsUpTo(release: string): Promise<string[]> {
  const names = (await readdir("supabase/migrations")).sort();
  const last = names.findLastIndex((name) =>
    name.includes(`_souk_${release.replaceAll(".", "_")}`),
  );
  if (last === -1) throw new Error(`there is no migration of release ${release}`);
  return names.slice(0, last + 1);
}

/** Columns of a table that rows have, and the sequences that number them. None if the server lacks the table. */
const COLUMNS = `
  select
    format('%I', a.attname) as name,
    case when a.attidentity <> '' then pg_get_serial_sequence($1, a.attname) end as sequence
  from pg_attribute a
  where a.attrelid = to_regclass($1) and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  order by a.attnum`;

async function load(url: string, kept: StoredDemo, waiting: string): Promise<void> {
  const db = new pg.Client({ connectionString: url });
  await db.connect();
  try {
    // Triggers and foreign keys are off, so nothing that happened before happens again.
    await db.query("set session_replication_role = replica");
    for (const [table, rows] of Object.entries(kept)) {
      const columns = (await db.query<{ name: string; sequence: string | null }>(COLUMNS, [table]))
        .rows;
      if (columns.length === 0) continue;
      // The rows of reference, which the demo has as well.
      await db.query(`delete from ${table}`);
      const names = columns.map(({ name }) => name).join(", ");
      await db.query(
        `insert into ${table} (${names}) overriding system value
         select ${names} from json_populate_recordset(null::${table}, $1)`,
        [rows],
      );
      for (const { name, sequence } of columns.filter(({ sequence }) => sequence !== null)) {
        await db.query(`select setval($1, max(${name})) from ${table}`, [sequence]);
      }
    }
    await db.query(waiting);
  } finally {
    await db.end();
  }
}
