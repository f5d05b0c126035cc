import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../config.js";
import type { Log } from "../log.js";
import { Refusal } from "../refusal.js";
import type { Database } from "./database.js";
import { OWNER } from "./roles.js";
import { readSql, runFile, type Statement, splitStatements } from "./statements.js";

interface Migration {
  /** The path for messages: `supabase/migrations/20260101000000_tenancy.sql`. */
  file: string;
  version: string;
  name: string;
  /** Extensions that it needs, from the comment in its first line. */
  requires: string[];
  statements: Statement[];
}

const REBUILD = "`npm run reset` rebuilds the database, without its rows";

/** Creates the tables in which the Supabase CLI also records applied migrations, as it does. */
export async function prepareLedger(db: Database): Promise<void> {
  await db.execute(`
    set role ${OWNER};
    create schema if not exists supabase_migrations;
    create table if not exists supabase_migrations.schema_migrations (version text not null primary key);
    alter table supabase_migrations.schema_migrations add column if not exists statements text[];
    alter table supabase_migrations.schema_migrations add column if not exists name text;
    create table if not exists supabase_migrations.seed_files (path text not null primary key, hash text not null);
    reset role;
  `);
}

/**
 * Applies the migrations that the server lacks, each in one transaction with its record. Returns
 * how many it applied. Throws `Refusal` when the recorded migrations differ from the files, before
 * it changes anything, and when a statement fails.
 */
export async function migrate(db: Database, config: Config, log: Log): Promise<number> {
  const migrations = await readMigrations(config.root, log);
  const recorded = await db.query<{ version: string; statements: string[] | null }>(
    "select version, statements from supabase_migrations.schema_migrations order by version",
  );
  const byVersion = new Map(migrations.map((migration) => [migration.version, migration]));
  for (const { version, statements } of recorded) {
    const migration = byVersion.get(version);
    if (!migration) {
      throw new Refusal(
        `the database has migration ${version}, which supabase/migrations lacks: ` +
          `put the file back, or ${REBUILD}`,
      );
    }
    if (statements && !sameText(migration.statements, statements)) {
      throw new Refusal(`${migration.file} has changed since it was applied: ${REBUILD}`);
    }
  }

  const applied = new Set(recorded.map(({ version }) => version));
  const available = new Set(
    (await db.query<{ name: string }>("select name from pg_available_extensions")).map(
      ({ name }) => name,
    ),
  );
  let count = 0;
  for (const migration of migrations) {
    if (applied.has(migration.version)) continue;
    const missing = migration.requires.filter((extension) => !available.has(extension));
    if (missing.length > 0) {
      log.warn(`left out ${migration.file}: this server has no extension ${missing.join(", ")}`);
      continue;
    }
    await apply(db, migration);
    count += 1;
  }
  return count;
}

async function apply(db: Database, migration: Migration): Promise<void> {
  const { file, version, name, statements } = migration;
  await runFile(db, file, statements, async (tx) => {
    await tx.query(
      `insert into supabase_migrations.schema_migrations (version, name, statements)
       select $1, $2, array(
         select value from jsonb_array_elements_text($3::text::jsonb) with ordinality as s (value, n) order by n
       )`,
      [version, name, JSON.stringify(statements.map(({ text }) => text))],
    );
  });
}

async function readMigrations(root: string, log: Log): Promise<Migration[]> {
  const folder = join(root, "supabase", "migrations");
  let names: string[];
  try {
    names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw new Refusal(`cannot read ${folder}: ${(error as Error).message}`);
  }
  const migrations: Migration[] = [];
  for (const entry of names) {
    const file = `supabase/migrations/${entry}`;
    const [, version, name] = /^([0-9]+)_(.*)\.sql$/.exec(entry) ?? [];
    if (version === undefined || name === undefined) {
      log.warn(`left out ${file}: its name is not <version>_<name>.sql`);
      continue;
    }
    const twin = migrations.find((other) => other.version === version);
    if (twin) throw new Refusal(`${twin.file} and ${file} have the same version: rename one`);
    const sql = await readSql(join(folder, entry));
    const requires = /^-- requires: *(.+)/.exec(sql)?.[1]?.split(",") ?? [];
    migrations.push({
      file,
      version,
      name,
      requires: requires.map((extension) => extension.trim()),
      statements: await splitStatements(file, sql),
    });
  }
  return migrations;
}

/** The CLI also records a comment after the last statement, as an additional statement. */
function sameText(statements: readonly Statement[], recorded: readonly string[]): boolean {
  return (
    recorded.length >= statements.length &&
    recorded.every((text, i) => {
      const ours = statements[i]?.text;
      return ours === undefined ? onlyComments(text) : ours === text;
    })
  );
}

function onlyComments(text: string): boolean {
  return text.split("\n").every((line) => /^\s*(--|$)/.test(line));
}
