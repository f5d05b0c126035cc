import { execFile, spawn } from "node:child_process";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createGunzip, createGzip } from "node:zlib";
import pg from "pg";
import { forgottenSchemas, prelude, savedTables, TABLES, UNUSED_TABLES } from "./backup/rows.js";
import { type ObjectRow, openStorage, pagesOfObjects, type Storage } from "./backup/storage.js";

const usage = `Saves and restores a Souk project: its rows, its users, and the objects of Storage. Needs pg_dump
and psql of the server's version or newer. docs/guides/runbook.md describes when to use which.

  npm run backup -- save FOLDER       saves the rows in a new folder below FOLDER, and in FOLDER/objects
                                      the objects that are not there yet
  npm run backup -- restore BACKUP    restores one of those folders in an empty project that has the
                                      backup's migrations, and then the objects. Jobs are off afterwards
  npm run backup -- objects BACKUP    uploads only the objects whose bytes Storage lacks, for example
                                      after a project was restored to an earlier time

  DATABASE_URL         the connection string of the project's database, as postgres: direct or session mode
  SUPABASE_URL         such as https://<ref>.supabase.co
  SUPABASE_SECRET_KEY  one of its secret keys

  --help               prints this
`;

/** What is known of a backup, beside its rows. */
interface About {
  saved_at: string;
  /** The commit of the clone that made it. */
  commit: string | null;
  /** The versions of the migrations in the database. */
  migrations: string[];
  /** The number of rows of each table in the backup. */
  rows: Record<string, number>;
}

/** The rows of a backup; until they are complete, they have the second name. */
const ROWS = "rows.sql.gz";
const PART = `${ROWS}.part`;

/** Where Postgres' programs can be had for each system. */
const DOWNLOADS = "https://www.postgresql.org/download";

/** A reason why a command does nothing, for the person who runs it. */
class Refusal extends Error {}

/** Objects in flight. Storage answers more of them no sooner. */
const OBJECTS_AT_ONCE = 8;

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Refusal(`set ${name}; \`npm run backup -- --help\` lists what is needed`);
  return value;
}

function databaseUrl(): URL {
  const url = setting("DATABASE_URL");
  if (/^postgres(ql)?:/.test(url) && URL.canParse(url)) return new URL(url);
  throw new Refusal(
    "DATABASE_URL must be a Postgres URL: postgresql://user:password@host:5432/name",
  );
}

async function connect(): Promise<pg.Client> {
  const { href: connectionString, hostname } = databaseUrl();
  const isHere = ["127.0.0.1", "localhost"].includes(hostname);
  // As libpq's `require`: Supabase signs its certificates itself.
  const ssl = isHere ? false : { rejectUnauthorized: false };
  const client = new pg.Client({ connectionString, ssl });
  try {
    await client.connect();
    // Hosted projects limit statements of `postgres` to 2 minutes.
    await client.query("set statement_timeout = 0; set idle_in_transaction_session_timeout = 0");
  } catch (error) {
    throw new Refusal(`cannot reach the database of DATABASE_URL: ${(error as Error).message}`);
  }
  return client;
}

/** The environment in which Postgres' programs find the database. An argument would show the password to others. */
function programEnvironment(): NodeJS.ProcessEnv {
  const url = databaseUrl();
  const sslmode = url.searchParams.get("sslmode");
  return {
    ...process.env,
    PGHOST: url.hostname,
    PGPORT: url.port || "5432",
    PGUSER: decodeURIComponent(url.username),
    PGPASSWORD: decodeURIComponent(url.password),
    PGDATABASE: decodeURIComponent(url.pathname.slice(1)),
    ...(sslmode ? { PGSSLMODE: sslmode } : {}),
  };
}

/** Starts a program of Postgres. `ended` rejects if it fails, with what it printed. */
function start(program: string, args: string[]) {
  const child = spawn(program, args, { env: programEnvironment() });
  // pg_dump also warns of what the restore takes care of, so its messages are shown only if it fails.
  const messages = text(child.stderr);
  const ended = new Promise<void>((resolve, reject) => {
    child.once("error", () => {
      reject(
        new Refusal(`${program} is missing: install Postgres' client programs (${DOWNLOADS})`),
      );
    });
    child.once("close", async (code) => {
      if (code === 0) return resolve();
      const printed = await messages;
      const hint = printed.includes("server version mismatch")
        ? `install Postgres' client programs of the server's version or newer (${DOWNLOADS})`
        : "";
      reject(new Refusal(`${program} ended with ${code}:\n${printed}${hint}`));
    });
  });
  // It may fail while something else is awaited.
  ended.catch(() => {});
  return { child, ended };
}

async function migrationsOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query(
    "select version from supabase_migrations.schema_migrations order by version",
  );
  return rows.map(({ version }) => version);
}

/** The number of rows of each saved table, in the client's transaction. */
async function countRows(client: pg.Client): Promise<Record<string, number>> {
  const { rows: tables } = await client.query<{ name: string }>(savedTables);
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const { rows } = await client.query(`select count(*)::float8 as count from ${name}`);
    counts[name] = rows[0].count;
  }
  return counts;
}

/** Saves the rows as of one moment. Returns the folder. If it fails, nothing is left that looks like a backup. */
async function saveRows(client: pg.Client, folder: string): Promise<string> {
  const savedAt = new Date().toISOString();
  const backup = join(folder, savedAt.replaceAll(":", "-").replace(/\.\d+/, ""));
  await mkdir(backup, { recursive: true, mode: 0o700 });
  try {
    await writeRows(client, backup, savedAt);
  } catch (error) {
    await rm(join(backup, PART), { force: true });
    // Not empty if another save has used it within the same second.
    await rmdir(backup).catch(() => {});
    throw error;
  }
  return backup;
}

async function writeRows(client: pg.Client, backup: string, saved_at: string): Promise<void> {
  await client.query("begin isolation level repeatable read read only");
  const { rows } = await client.query("select pg_export_snapshot() as snapshot");
  const dump = start("pg_dump", [
    ...["--data-only", "--load-via-partition-root", "--no-unlogged-table-data"],
    ...TABLES.flatMap((pattern) => ["--table", pattern]),
    ...UNUSED_TABLES.flatMap((table) => ["--exclude-table", table]),
    `--snapshot=${rows[0].snapshot}`,
  ]);
  dump.child.stdin.end();
  const part = join(backup, PART);
  const written = pipeline(
    dump.child.stdout,
    createGzip(),
    createWriteStream(part, { mode: 0o600 }),
  );
  // Both have ended before a failure is reported: then the file can be removed.
  await Promise.allSettled([written, dump.ended]);
  await Promise.all([written, dump.ended]);
  const about: About = {
    saved_at,
    commit: await promisify(execFile)("git", ["rev-parse", "HEAD"]).then(
      ({ stdout }) => stdout.trim(),
      () => null,
    ),
    migrations: await migrationsOf(client),
    rows: await countRows(client),
  };
  await client.query("commit");
  await writeFile(join(backup, "about.json"), `${JSON.stringify(about, null, 2)}\n`);
  await rename(part, join(backup, ROWS));
}

/** Calls `work` for each object, some at a time. */
async function eachObject(objects: ObjectRow[], work: (row: ObjectRow) => Promise<void>) {
  const waiting = [...objects];
  const lane = async () => {
    for (let row = waiting.shift(); row; row = waiting.shift()) await work(row);
  };
  await Promise.all(Array.from({ length: OBJECTS_AT_ONCE }, lane));
}

/** The file of an object's bytes. A version's bytes never change, so a file is complete as soon as it has its name. */
const fileOf = (folder: string, { bucket, version }: ObjectRow) => join(folder, bucket, version);

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Downloads the objects that the folder lacks. Returns how many, and those whose bytes could not be read. */
async function saveObjects(client: pg.Client, storage: Storage, folder: string) {
  const missing: string[] = [];
  let count = 0;
  for await (const page of pagesOfObjects(client)) {
    await eachObject(page, async (row) => {
      const file = fileOf(folder, row);
      if (await exists(file)) return;
      if (await download(storage, row, file)) count += 1;
      else missing.push(`${row.bucket}/${row.name}`);
    });
  }
  return { count, missing };
}

/** Resolves to false if there are no bytes, or other ones than the row says. */
async function download(storage: Storage, row: ObjectRow, file: string): Promise<boolean> {
  const bytes = await storage.read(row);
  if (!bytes) return false;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const part = `${file}.part`;
  await pipeline(Readable.fromWeb(bytes), createWriteStream(part, { mode: 0o600 }));
  const isWhole = row.size === null || (await stat(part)).size === row.size;
  await (isWhole ? rename(part, file) : rm(part));
  return isWhole;
}

/** Uploads the objects whose bytes Storage lacks. Returns how many, and those for which there is no file. */
async function uploadObjects(client: pg.Client, storage: Storage, folder: string) {
  const missing: string[] = [];
  let count = 0;
  for await (const page of pagesOfObjects(client)) {
    const uploaded: ObjectRow[] = [];
    await eachObject(page, async (row) => {
      if (await storage.has(row)) return;
      const file = fileOf(folder, row);
      if (await exists(file)) {
        await storage.write(row, createReadStream(file), (await stat(file)).size);
        uploaded.push(row);
      } else missing.push(`${row.bucket}/${row.name}`);
    });
    // The upload made the key the owner of the objects.
    await client.query(
      `update storage.objects o
       set owner = r.owner, owner_id = r.owner_id, user_metadata = r.user_metadata, created_at = r.created_at
       from jsonb_to_recordset($1::jsonb)
         as r (id uuid, owner uuid, owner_id text, user_metadata jsonb, created_at timestamptz)
       where o.id = r.id`,
      [JSON.stringify(uploaded)],
    );
    count += uploaded.length;
  }
  return { count, missing };
}

async function save(folder: string): Promise<void> {
  const storage = openStorage(setting("SUPABASE_URL"), setting("SUPABASE_SECRET_KEY"));
  const client = await connect();
  try {
    const objects = join(folder, "objects");
    // Before the rows, because objects may be deleted until they are read; and again for those uploaded meanwhile.
    const before = await saveObjects(client, storage, objects);
    const backup = await saveRows(client, folder);
    const after = await saveObjects(client, storage, objects);
    const { rows } = await readAbout(backup);
    const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
    console.log(`saved ${total} rows in ${backup}`);
    console.log(`saved ${before.count + after.count} new objects in ${objects}`);
    report(after.missing, "objects have no bytes that could be read");
    const { rows: forgotten } = await client.query<{ name: string }>(forgottenSchemas);
    report(
      forgotten.map(({ name }) => name),
      "schemas have tables and are not saved: add them to OWN_SCHEMAS in scripts/backup/rows.ts",
    );
  } finally {
    await client.end();
  }
}

/** Prints what a backup lacks. The exit code tells a scheduler. */
function report(lacking: string[], problem: string): void {
  if (lacking.length === 0) return;
  console.error(`error: ${lacking.length} ${problem}:\n${lacking.slice(0, 20).join("\n")}`);
  process.exitCode = 1;
}

async function readAbout(backup: string): Promise<About> {
  if (!(await exists(join(backup, ROWS)))) {
    const found = await readdir(backup).catch(() => []);
    const hint = found.filter((name) => /^\d{4}-/.test(name)).at(-1);
    throw new Refusal(
      `${backup} is no complete backup${hint ? `: did you mean ${join(backup, hint)}?` : ""}`,
    );
  }
  return JSON.parse(await readFile(join(backup, "about.json"), "utf8"));
}

/** Refuses a project that has rows of its own, or other tables than the backup. */
async function refuseUnsuitable(client: pg.Client, about: About): Promise<void> {
  const there = await migrationsOf(client).catch(() => [] as string[]);
  const other = [...about.migrations, ...there].find(
    (version) => !about.migrations.includes(version) || !there.includes(version),
  );
  if (other) {
    throw new Refusal(
      `the project and the backup differ in migration ${other}: check out commit ${about.commit}, ` +
        "and apply its migrations with `supabase db push`",
    );
  }
  const { rows } = await client.query(
    "select exists (select from auth.users) or exists (select from public.tenants) as used",
  );
  if (rows[0].used) {
    throw new Refusal("the project has tenants or users: a backup is restored in an empty project");
  }
}

async function restore(backup: string): Promise<void> {
  const storage = openStorage(setting("SUPABASE_URL"), setting("SUPABASE_SECRET_KEY"));
  const about = await readAbout(backup);
  const client = await connect();
  try {
    await refuseUnsuitable(client, about);
    await client.query("select cron.alter_job(j.jobid, active => false) from cron.job j");
    // One transaction: after an error the project is as empty as before.
    const psql = start("psql", [
      ...["--no-psqlrc", "--quiet", "--output=/dev/null"],
      ...["--set=ON_ERROR_STOP=1", "--single-transaction", "--file=-"],
    ]);
    psql.child.stdout.resume();
    await Promise.all([
      pipeline(async function* () {
        yield prelude;
        yield* createReadStream(join(backup, ROWS)).pipe(createGunzip());
      }, psql.child.stdin).catch((error) => {
        // psql has ended, and says why.
        if (error.code !== "EPIPE") throw error;
      }),
      psql.ended,
    ]);
    // It is later than those of all cursors. A server that runs for long may have started before the backup's.
    await client.query("select private.begin_epoch()");
    await client.query("select private.make_event_partitions()");
    await client.query("select private.make_storefront_partitions()");
    const rows = await countRows(client);
    for (const [table, count] of Object.entries(about.rows)) {
      if (rows[table] === count) continue;
      throw new Refusal(`${table} has ${rows[table]} rows, and the backup ${count}: do not use it`);
    }
    console.log(`restored the rows of ${about.saved_at}: every table has as many as the backup`);
    await restoreObjects(client, storage, backup);
    console.log("jobs are off until you start them: see docs/guides/runbook.md");
  } finally {
    await client.end();
  }
}

async function restoreObjects(client: pg.Client, storage: Storage, backup: string): Promise<void> {
  const { count, missing } = await uploadObjects(client, storage, join(dirname(backup), "objects"));
  console.log(`uploaded ${count} objects`);
  report(missing, "objects are neither in Storage nor in the backup");
}

async function objects(backup: string): Promise<void> {
  await readAbout(backup);
  const storage = openStorage(setting("SUPABASE_URL"), setting("SUPABASE_SECRET_KEY"));
  const client = await connect();
  try {
    await restoreObjects(client, storage, backup);
  } finally {
    await client.end();
  }
}

const commands = { save, restore, objects };

async function main([name = "", folder, ...more]: string[]): Promise<number> {
  const command = commands[name as keyof typeof commands];
  if (!command || !folder || more.length > 0 || folder.startsWith("-")) {
    process[name === "--help" ? "stdout" : "stderr"].write(usage);
    return name === "--help" ? 0 : 1;
  }
  try {
    await command(resolve(folder));
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    console.error(`error: ${error.message}`);
    return 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
