import { spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import pg from "pg";
import { type Config, ConfigError, readConfig } from "../packages/stack/src/config.js";
import { buildDatabase } from "../packages/stack/src/db/build.js";
import type { Database } from "../packages/stack/src/db/database.js";
import { type Claim, claimPlace, refuseOtherUrls } from "../packages/stack/src/db/open.js";
import { preparePlatform } from "../packages/stack/src/db/platform.js";
import { ADMIN, OWNER } from "../packages/stack/src/db/roles.js";
import { findServer } from "../packages/stack/src/db/server.js";
import { findWire } from "../packages/stack/src/db/wire.js";
import { createLog } from "../packages/stack/src/log.js";
import { DATA_FOLDER } from "../packages/stack/src/places.js";
import { Refusal } from "../packages/stack/src/refusal.js";
import { writeOrCheck } from "./generated.js";
import { makeMigration, presentNext, sumsOf } from "./migration.js";
import { readSqlFiles, SCHEMAS, type SqlFile } from "./schemas.js";

const TYPES = "packages/client/src/database.generated.ts";
const ENUMS = "supabase/functions/_shared/values/enums.generated.ts";
/** The decimals of currencies, for the client and the functions, which share no modules. */
const CURRENCIES = [
  "packages/client/src/currencies.generated.ts",
  "supabase/functions/_shared/values/currencies.generated.ts",
];
/** What each role may do, for both as well. */
const PERMISSIONS = [
  "packages/client/src/permissions.generated.ts",
  "supabase/functions/_shared/values/permissions.generated.ts",
];
const EVENT_NAMES = "supabase/functions/_shared/values/event_names.generated.ts";
const DIRECTIONS = "supabase/functions/_shared/values/directions.generated.ts";
/** The checksums of the migrations of releases. */
const SUMS = "supabase/released.sha256";
const HEADER = "// Made from the database by `npm run types`. Do not edit.\n";

const usage = `Inspects the project's database, with psql and the Supabase CLI. Needs no Docker.

  npm run db -- psql [ARGS]      psql on the database of the running stack; if none runs, on its
                                 data folder while psql runs. ARGS are the arguments of psql
  npm run db -- diff             the differences between supabase/migrations and the running
                                 stack's database, as SQL for a new migration
  npm run db -- migration        writes supabase/migrations/*_souk_next*.sql from supabase/schemas and
                                 supabase/reference; --check compares them
  npm run db -- types            prints the database's types. --write writes them to
                                 ${TYPES}, and the values of
                                 its enums to ${ENUMS},
                                 the decimals of currencies and the permissions of roles to files
                                 beside each of the two, and the names of events and the direction
                                 of languages beside the enums;
                                 --check compares them with these files, and --advisors also asks the
                                 advisors, whose warnings it does not print
  npm run db -- advisors         the advisors of Supabase's dashboard; fails on an error
  npm run db -- lint             plpgsql_check of every function, on a server that has it
  npm run db -- push             applies the migrations to an empty database with the CLI's
                                 \`db push\`, as to a hosted project: as postgres, no superuser

types, advisors and lint use an empty database with all migrations.

  --database-url URL    psql, diff: another database instead of the running stack's
                        types, advisors, lint: a server on which the empty database is created
                        temporarily, instead of PGlite
`;

const root = process.cwd();
const require = createRequire(import.meta.url);

/** A reachable database, and a function that closes it. */
interface Opened {
  url: string;
  close(): Promise<void>;
}

/**
 * Opens an empty database: PGlite, or a new one on `server`. `prepare` opens and fills it; by default, with the platform
 * and every migration.
 */
async function openScratch(server?: string, prepare = migrated): Promise<Opened> {
  const config = await readConfig(root);
  const endings: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const end of endings.splice(0).reverse()) await end();
  };
  // Also removes an interrupted build.
  const interrupted = () => void close().finally(() => process.exit(130));
  process.once("SIGINT", interrupted).once("SIGTERM", interrupted);
  try {
    const made = server === undefined ? null : await createDatabase(server);
    if (made) endings.push(made.close);
    const claim = await claimPlace(made ? { url: made.url } : "memory");
    endings.push(() => claim.release());
    const db = await prepare(claim, config);
    endings.push(() => db.close());
    await db.serve(0);
    return { url: String(db.url), close };
  } catch (error) {
    await close();
    throw error;
  }
}

const migrated = (claim: Claim, config: Config) =>
  buildDatabase(claim, config, createLog(), (_, work) => work(), false);

/** The CLI works as `postgres`, which may create the extension on hosted projects only. */
async function withPlpgsqlCheck(claim: Claim, config: Config): Promise<Database> {
  const db = await migrated(claim, config);
  await db.execute("create extension plpgsql_check");
  return db;
}

/**
 * The platform of a hosted project. There the extension supautils lets `postgres` create extensions, and policies on some
 * tables of the services: here the one that Postgres does not trust it with exists, and it is a member of their owners.
 */
async function projectWithoutMigrations(claim: Claim, config: Config): Promise<Database> {
  const db = await claim.open();
  await preparePlatform(db, config);
  await db.execute(`
    create extension vector with schema extensions;
    grant supabase_storage_admin, supabase_realtime_admin to postgres;
  `);
  return await claim.reopen(db);
}

async function createDatabase(server: string): Promise<Opened> {
  refuseOtherUrls(server);
  const admin = new pg.Client({ connectionString: server });
  const name = `souk_scratch_${process.pid}`;
  try {
    await admin.connect();
    await admin.query(`create database ${name}`);
  } catch (error) {
    await admin.end();
    throw new Refusal(`cannot create a database at --database-url: ${(error as Error).message}`);
  }
  const url = new URL(server);
  url.pathname = name;
  return {
    url: url.href,
    async close() {
      await admin.query(`drop database ${name} with (force)`);
      await admin.end();
    },
  };
}

/** Returns the database of the stack on this project's ports; null if none runs. */
async function findRunning({ api, db }: Config): Promise<string | null> {
  const health = `http://127.0.0.1:${api.port}/auth/v1/health`;
  const answer = await fetch(health, { signal: AbortSignal.timeout(5000) }).catch(() => null);
  if (!answer?.ok) return null;
  const url = (await findServer(resolve(root, DATA_FOLDER), db.port)) ?? (await findWire(db.port));
  if (url) return url;
  throw new Refusal(
    "the stack runs on another server: give its database with --database-url, as for `npm start`",
  );
}

/** Opens the database in the data folder, if nothing else uses it. */
async function openFolder(): Promise<Opened> {
  const folder = resolve(root, DATA_FOLDER);
  if (!existsSync(join(folder, "postgres"))) {
    throw new Refusal(
      `no stack runs, and ${folder} contains no database: create one with \`npm start\``,
    );
  }
  const claim = await claimPlace({ folder }).catch(() => {
    throw new Refusal(
      `${folder} is in use by a stack on other ports than the config's: ` +
        "give its database with --database-url, the DB URL that `npm start` printed",
    );
  });
  const db = await claim.open();
  await db.serve(0);
  return {
    url: String(db.url),
    async close() {
      await db.close();
      await claim.release();
    },
  };
}

async function openPresent(given: string | undefined): Promise<Opened> {
  if (given !== undefined) refuseOtherUrls(given);
  const url = given ?? (await findRunning(await readConfig(root)));
  return url ? { url, close: async () => {} } : await openFolder();
}

/** A program could not be started, or ended with an error. */
class Failure extends Error {}

/** Runs a program; resolves to its output. Its errors and progress go to the terminal. */
async function output(program: string, args: string[], input = ""): Promise<string> {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(input);
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    printed += chunk;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code === 0) return printed;
  process.stdout.write(printed);
  throw new Failure(`${args.slice(0, 2).join(" ")} ended with ${code}`);
}

/**
 * Runs the Supabase CLI. npm installs it on Linux x64; elsewhere an installed `supabase` is used.
 */
function supabase(...args: string[]): Promise<string> {
  let program = "supabase";
  try {
    program = require.resolve("@supabase/cli-linux-x64/bin/supabase");
  } catch {} // Use the one in the path.
  return output(program, [...args, "--yes"]).catch((error) => {
    if (error.code !== "ENOENT") throw error;
    throw new Refusal(
      "the Supabase CLI is missing: install it (https://supabase.com/docs/guides/local-development/cli)",
    );
  });
}

/** Disables TLS, which the CLI would request but neither PGlite nor a local server supports. */
function withoutTls(url: string): string {
  const plain = new URL(url);
  if (!plain.searchParams.has("sslmode")) plain.searchParams.set("sslmode", "disable");
  return plain.href;
}

async function within<T>(opened: Opened, work: (url: string) => Promise<T>): Promise<T> {
  try {
    return await work(opened.url);
  } finally {
    await opened.close();
  }
}

async function psql(args: string[], given?: string): Promise<number> {
  return await within(await openPresent(given), async (url) => {
    // psql handles Ctrl-C itself: it cancels a statement, not the session.
    process.on("SIGINT", () => {});
    const child = spawn("psql", [url, ...args], { stdio: "inherit" });
    return await new Promise<number>((resolve, reject) => {
      child.once("close", (code) => resolve(code ?? 1));
      child.once("error", () => {
        reject(
          new Refusal(
            "psql is missing: install Postgres' client programs " +
              "(Debian: apt install postgresql-client; macOS: brew install libpq)",
          ),
        );
      });
    });
  });
}

/** Opens an empty database with the platform, and applies these files as migrations, in their order. */
async function databaseOf(files: readonly SqlFile[]): Promise<Opened> {
  const project = mkdtempSync(join(tmpdir(), "souk-project-"));
  try {
    const migrations = join(project, "supabase", "migrations");
    mkdirSync(migrations, { recursive: true });
    cpSync("supabase/config.toml", join(project, "supabase", "config.toml"));
    files.forEach(({ subject, text }, at) => {
      writeFileSync(join(migrations, `${String(at).padStart(4, "0")}_${subject}.sql`), text);
    });
    const config = await readConfig(project);
    return await openScratch(undefined, (claim) => migrated(claim, config));
  } finally {
    rmSync(project, { recursive: true });
  }
}

/** The difference between two databases, without the lines in which the CLI remarks what it leaves out. */
async function difference(from: readonly SqlFile[], to: readonly SqlFile[]): Promise<string> {
  return await within(await databaseOf(from), async (before) =>
    within(await databaseOf(to), async (after) => {
      const sql = await supabase(
        "db",
        "diff",
        `--from=${withoutTls(before)}`,
        `--to=${withoutTls(after)}`,
      );
      return sql.replace(/^[│▲●].*\n/gm, "");
    }),
  );
}

/** Refuses a project whose migrations of releases are not those of the releases. */
function refuseChangedReleases(): void {
  const sums = existsSync(SUMS) ? readFileSync(SUMS, "utf8") : "";
  if (sums === sumsOf()) return;
  throw new Failure(
    `a migration of a release has changed: \`sha256sum --check ${SUMS}\` names it. Databases have it already, ` +
      "so change supabase/schemas, and put the file back with `git checkout`",
  );
}

async function migration(args: string[]): Promise<number> {
  refuseChangedReleases();
  const made = await makeMigration(difference);
  for (const { path, text } of made) {
    writeOrCheck(path, text, "supabase/schemas and supabase/reference", "npm run db -- migration");
  }
  for (const path of presentNext().filter((path) => !made.some((file) => file.path === path))) {
    if (!args.includes("--check")) rmSync(path);
    else throw new Failure(`${path} is out of date: run \`npm run db -- migration\``);
  }
  return Number(process.exitCode ?? 0);
}

const types = async (args: string[], server?: string): Promise<number> =>
  within(await openScratch(server), async (url) => {
    if (args.includes("--advisors")) await advisorsOf(url);
    return await typesOf(url, args);
  });

async function typesOf(url: string, args: string[]): Promise<number> {
  const printed = await supabase(
    "gen",
    "types",
    "--lang=typescript",
    `--remote=${withoutTls(url)}`,
  );
  const biome = require.resolve("@biomejs/biome/bin/biome");
  const made = await output(
    process.execPath,
    [biome, "format", "--stdin-file-path=database.ts"],
    HEADER + printed,
  );
  const values = await valuesIn(url);
  if (!args.includes("--write") && !args.includes("--check")) {
    process.stdout.write(made);
    return 0;
  }
  // The CLI prints the types, and behind them the values of the enums. Functions may import only what is in their folder.
  const [types = "", enums = ""] = made.split(/\n(?=export const Constants = )/);
  writeOrCheck(TYPES, types, "the migrations");
  writeOrCheck(
    ENUMS,
    `${HEADER}${enums}\nexport const { Enums } = Constants.public;\n`,
    "the migrations",
  );
  for (const path of CURRENCIES) writeOrCheck(path, values.currencies, "the migrations");
  for (const path of PERMISSIONS) writeOrCheck(path, values.permissions, "the migrations");
  writeOrCheck(EVENT_NAMES, values.eventNames, "the migrations");
  writeOrCheck(DIRECTIONS, values.directions, "the migrations");
  return Number(process.exitCode ?? 0);
}

/** The modules of values that are rows or functions of the database. */
async function valuesIn(url: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const currencies = await client.query<{ code: string; exponent: number }>(
    'select code, exponent from private.currencies order by code collate "C"',
  );
  const events = await client.query<{ name: string }>(
    'select name from private.event_types order by name collate "C"',
  );
  const permissions = await client.query<{ permission: string; scopes: Record<string, string> }>(
    `select permission, json_object_agg(role, scope order by role desc) as scopes from private.permissions
     group by permission order by permission collate "C"`,
  );
  const direction = await client.query<{ pattern: string }>(
    "select private.right_to_left_tags() as pattern",
  );
  await client.end();
  const scopesOf = (scopes: Record<string, string>) =>
    Object.entries(scopes).map(([role, scope]) => `${role}: "${scope}"`);
  return {
    permissions: `${HEADER}
/** The records of the tenant for which each role has a permission: all, or its own. Other roles lack it. */
export const PERMISSIONS = {
${permissions.rows.map((row) => `  "${row.permission}": { ${scopesOf(row.scopes).join(", ")} },`).join("\n")}
} as const;

/** What a role may do: resource.action. */
export type Permission = keyof typeof PERMISSIONS;
`,
    currencies: `${HEADER}
/** The number of decimals of amounts in each currency. Engines have other numbers for some. */
export const CURRENCY_DECIMALS: Readonly<Record<string, number>> = {
${currencies.rows.map(({ code, exponent }) => `  ${code}: ${exponent},`).join("\n")}
};
`,
    eventNames: `${HEADER}
/** The name of every event: the rows of private.event_types. */
export const EVENT_NAMES = [
${events.rows.map(({ name }) => `  "${name}",`).join("\n")}
] as const;
`,
    directions: `${HEADER}
/** The tags of languages that are usually written from right to left: private.right_to_left_tags of the database. */
export const RIGHT_TO_LEFT_TAGS =
  /${direction.rows[0]?.pattern}/i;
`,
  };
}

const advisors = async (_: string[], server?: string): Promise<number> => {
  process.stdout.write(await within(await openScratch(server), advisorsOf));
  return 0;
};

/** What the advisors say. Throws `Failure` on an error. */
const advisorsOf = (url: string): Promise<string> =>
  supabase("db", "advisors", `--remote=${withoutTls(url)}`, "--level=warn", "--fail-on=error");

/** The result of `db lint` for a function. */
interface Finding {
  function: string;
  issues: { message: string }[];
}

/**
 * Parameters have the names of the API's query, such as `order` and `from`, which are harmless when
 * quoted.
 */
const HARMLESS = /^name of parameter "\w+" is reserved keyword$/;

/** Whether the server lacks the function because it has no vectors. The callers ask first. */
function lacksVectors(message: string): boolean {
  const [, missing] = /^function (private\.\w+)\(.*\) does not exist$/.exec(message) ?? [];
  return readSqlFiles(SCHEMAS).some(
    ({ needsVector, text }) => needsVector && text.includes(`create function ${missing}(`),
  );
}

async function lint(_: string[], server?: string): Promise<number> {
  if (server === undefined) {
    throw new Refusal(
      "PGlite has no plpgsql_check: give a server that has it with --database-url " +
        "(Debian: apt install postgresql-15-plpgsql-check)",
    );
  }
  const output = await within(await openScratch(server, withPlpgsqlCheck), (url) =>
    supabase(
      "db",
      "lint",
      `--remote=${withoutTls(url)}`,
      "--schema=public,private",
      "--level=warning",
      "--fail-on=none",
    ),
  );
  // The result for no findings is text, not JSON.
  const findings = output.includes("[")
    ? (JSON.parse(output.slice(output.indexOf("["))) as Finding[])
    : [];
  const grave = findings
    .map(({ function: name, issues }) => ({
      function: name,
      issues: issues.filter(({ message }) => !HARMLESS.test(message) && !lacksVectors(message)),
    }))
    .filter(({ issues }) => issues.length > 0);
  if (grave.length > 0) throw new Failure(`plpgsql_check found: ${JSON.stringify(grave, null, 2)}`);
  console.log("plpgsql_check found no problems in any function");
  return 0;
}

/** The URL with which the stack's own server is administered. Its password is that of `postgres`. */
function asAdmin(url: string): string {
  const all = new URL(url);
  all.username = ADMIN;
  return all.href;
}

async function push(_: string[], server?: string): Promise<number> {
  if (server !== undefined) throw new Refusal("push takes no --database-url: it uses PGlite");
  await within(await openScratch(undefined, projectWithoutMigrations), async (url) => {
    await supabase("db", "push", `--remote=${withoutTls(url)}`, "--skip-vault");
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query(
      "select count(*)::int as count from supabase_migrations.schema_migrations",
    );
    await client.end();
    console.log(`\`supabase db push\` applied ${rows[0].count} migrations as ${OWNER}`);
  });
  return 0;
}

async function diff(_: string[], given?: string): Promise<number> {
  await within(await openPresent(given), async (present) => {
    // On the same kind of server, because versions differ in privileges and types.
    const server = given ?? asAdmin(present);
    const scratch = await openScratch((await isPglite(present)) ? undefined : server);
    const sql = await within(scratch, (migrated) =>
      supabase("db", "diff", `--from=${withoutTls(migrated)}`, `--to=${withoutTls(present)}`),
    );
    if (/\S/.test(sql)) process.stdout.write(sql);
    else console.error("the database has no changes that the migrations lack");
  });
  return 0;
}

async function isPglite(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    const { rows } = await client.query("select version() like '%emcc%' as pglite");
    return rows[0].pglite;
  } catch (error) {
    throw new Refusal(`cannot reach the database: ${(error as Error).message}`);
  } finally {
    await client.end();
  }
}

const commands = { psql, diff, migration, types, advisors, lint, push };
/** The flags of commands that write generated files. */
const FLAGS: Record<string, string[]> = {
  migration: ["--check"],
  types: ["--check", "--write", "--advisors"],
};

async function main([name = "", ...args]: string[]): Promise<number> {
  const command = commands[name as keyof typeof commands];
  if (!command || (name !== "psql" && args.includes("--help"))) {
    const asked = name === "--help" || command;
    process[asked ? "stdout" : "stderr"].write(asked ? usage : `no command '${name}'\n\n${usage}`);
    return asked ? 0 : 1;
  }
  const at = args.indexOf("--database-url");
  const [, url] = at === -1 ? [] : args.splice(at, 2);
  const strange = args.find((arg) => !FLAGS[name]?.includes(arg));
  try {
    if (at !== -1 && !url) throw new Refusal("--database-url takes a value");
    if (name !== "psql" && strange) throw new Refusal(`${name} takes no '${strange}'`);
    return await command(args, url);
  } catch (error) {
    const known = [Refusal, Failure, ConfigError].some((kind) => error instanceof kind);
    if (!known) throw error;
    console.error(`error: ${(error as Error).message}`);
    return 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
