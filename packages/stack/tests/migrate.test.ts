import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readConfig } from "../src/config.js";
import { buildDatabase } from "../src/db/build.js";
import type { Database } from "../src/db/database.js";
import { migrate, prepareLedger } from "../src/db/migrate.js";
import { type Claim, claimPlace } from "../src/db/open.js";
import { openPglite } from "../src/db/pglite.js";
import { preparePlatform } from "../src/db/platform.js";
import { openPostgres } from "../src/db/postgres.js";
import { findSeedFiles, recordSeed, seed } from "../src/db/seed.js";
import { splitStatements } from "../src/db/statements.js";
import type { Log } from "../src/log.js";
import { makeProject, removeProject, writeFiles } from "./project.js";
import { everyServer } from "./servers.js";

const server = process.env.DATABASE_URL;

let warnings: string[];
const log: Log = {
  info: () => {},
  warn: (line) => void warnings.push(line),
  error: () => {},
  of: () => log,
};

/** Creates an empty database on the server. Resolves with a function that drops it. */
async function createScratch(name: string): Promise<{ url: string; drop(): Promise<void> }> {
  const scratch = `${name}_${process.pid}`;
  const ask = async (sql: string) => {
    const client = new pg.Client({ connectionString: server });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  await ask(`create database ${scratch}`);
  const url = new URL(String(server));
  url.pathname = scratch;
  return { url: url.href, drop: () => ask(`drop database ${scratch} with (force)`) };
}

describe("a file's statements", () => {
  test("are split by Postgres' grammar, with their line numbers", async () => {
    const sql =
      "-- ünicode; not an end\nselect 'é;';\n\n\ncreate function f() returns int language sql\nas $$ select 1; $$;;\nselect 3 -- last\n";
    expect(await splitStatements("x.sql", sql)).toEqual([
      { text: "-- ünicode; not an end\nselect 'é;'", line: 1, isElevated: false },
      {
        text: "create function f() returns int language sql\nas $$ select 1; $$",
        line: 5,
        isElevated: false,
      },
      { text: "select 3 -- last", line: 7, isElevated: false },
    ]);
    for (const empty of ["", " \n", "-- nothing\n", ";;"]) {
      expect(await splitStatements("x.sql", empty)).toEqual([]);
    }
  });

  test("that Postgres cannot parse are named with their line", async () => {
    const sql = "select 'ééé';\n\nselect 1;\nselec 2;";
    await expect(splitStatements("x.sql", sql)).rejects.toThrow(
      'x.sql:4: syntax error at or near "selec"',
    );
  });

  test("must not contain transaction commands", async () => {
    await expect(splitStatements("x.sql", "\nbegin;\nselect 1;\ncommit;")).rejects.toThrow(
      "x.sql:2: remove `begin`",
    );
    expect(await splitStatements("x.sql", "savepoint a;")).toHaveLength(1);
  });
});

describe.each(everyServer)("migrations on %s", (kind) => {
  let db: Database;
  let root: string;
  let drop = async () => {};

  beforeAll(async () => {
    const empty = await makeProject();
    const config = await readConfig(empty);
    if (kind === "postgres") {
      const scratch = await createScratch("migrate");
      drop = scratch.drop;
      const first = await openPostgres(scratch.url);
      await preparePlatform(first, config);
      await first.close();
      db = await openPostgres(scratch.url);
    } else {
      db = await openPglite(null);
      await preparePlatform(db, config);
    }
    await removeProject(empty);
  });

  afterAll(async () => {
    await db.close();
    await drop();
  });

  beforeEach(async () => {
    warnings = [];
    root = await makeProject();
    await db.execute(`
      drop schema public cascade; create schema public authorization pg_database_owner;
      drop schema if exists supabase_migrations cascade;`);
    await prepareLedger(db);
  });

  afterEach(() => removeProject(root));

  /** Migrates and seeds the database from the project's files, as a start does. */
  async function bring(
    files: Record<string, string> = {},
  ): Promise<{ applied: number; ran: number }> {
    await writeFiles(root, files);
    const config = await readConfig(root);
    const seeds = await findSeedFiles(config, log);
    await recordSeed(db, seeds);
    const applied = await migrate(db, config, log);
    return { applied, ran: await seed(db, config, seeds) };
  }

  const tables = async () =>
    (
      await db.query<{ name: string }>(
        "select tablename as name from pg_tables where schemaname = 'public' order by 1",
      )
    ).map(({ name }) => name);

  test("run once, in order, and are recorded in the CLI's format", async () => {
    const files = {
      "supabase/migrations/2_second.sql": "alter table a add column b text;\n",
      "supabase/migrations/1_first.sql":
        "-- why\ncreate table a ();\n\ncomment on table a is 'x; \"y\" \\z';\n",
      "supabase/migrations/notes.sql": "select nothing;",
      "supabase/migrations/README.md": "",
    };
    expect((await bring(files)).applied).toBe(2);
    expect((await bring()).applied).toBe(0);
    expect(
      await db.query("select version, name, statements from supabase_migrations.schema_migrations"),
    ).toEqual([
      {
        version: "1",
        name: "first",
        statements: ["-- why\ncreate table a ()", "comment on table a is 'x; \"y\" \\z'"],
      },
      { version: "2", name: "second", statements: ["alter table a add column b text"] },
    ]);
    expect(warnings).toContain(
      "left out supabase/migrations/notes.sql: its name is not <version>_<name>.sql",
    );
  });

  test("that fail are rolled back, and the error names file, line and statement", async () => {
    const wrong = "create table b ();\n\n-- é\ninsert into a\nvalues ('é', nothing);\n";
    await expect(
      bring({
        "supabase/migrations/1_a.sql": "create table a (n int);",
        "supabase/migrations/2_b.sql": wrong,
      }),
    ).rejects.toThrow(/^supabase\/migrations\/2_b\.sql:5: column "nothing".*`insert into a`$/);
    expect(await tables()).toEqual(["a"]);

    await expect(
      bring({
        "supabase/migrations/2_b.sql": "-- é\n\n/* what */ do $$ begin raise 'no'; end $$;",
      }),
    ).rejects.toThrow("supabase/migrations/2_b.sql:3: no (P0001), in the statement `do $$");
    expect((await bring({ "supabase/migrations/2_b.sql": "create table b ();" })).applied).toBe(1);
  });

  test("run as postgres, with the rights that it has on hosted projects", async () => {
    await bring({
      "supabase/migrations/1_allowed.sql": `
        create extension if not exists pg_trgm with schema extensions;
        create table a (id uuid primary key references auth.users, owner name default session_user);
        alter publication supabase_realtime add table a;
        create policy "They see the bucket a" on storage.objects for select using (bucket_id = 'a');
        alter policy "They see the bucket a" on storage.objects using (bucket_id = 'b');
        create policy "They hear a" on realtime.messages for select using (topic = 'a');
        drop policy "They hear a" on realtime.messages;
        alter role authenticated set lock_timeout = '2s';
        create function see() returns trigger language plpgsql as $$ begin return new; end $$;
        create trigger see after insert on auth.users for each row execute function see();
        set session_replication_role = replica;
        select vault.create_secret('x', 'of_a_migration');
        select cron.schedule('of_a_migration', '0 0 1 1 *', 'select 1');
        select cron.unschedule('of_a_migration');`,
      "supabase/seed.sql": "create table seeded (owner name default session_user)",
    });
    const owners = await db.query(
      "select tablename as name, tableowner as owner from pg_tables where schemaname = 'public' order by 1",
    );
    expect(owners).toEqual(["a", "seeded"].map((name) => ({ name, owner: "postgres" })));
    const [{ rights }] = (await db.query(
      `select json_build_array(rolsuper, rolcreaterole, rolbypassrls, rolconfig) as rights
       from pg_roles where rolname = 'postgres'`,
    )) as [{ rights: unknown }];
    expect(rights).toEqual([false, true, true, ["statement_timeout=2min"]]);
  });

  test.each([
    "create role chief superuser",
    "alter role anon superuser",
    "alter table storage.objects add column mine text",
    "alter table auth.users disable row level security",
    "drop table realtime.messages",
    "create policy p on auth.mfa_factors using (true)",
    "create function f() returns int language c as 'x'",
    // PGlite has no extension that hosted projects refuse.
    ...(kind === "postgres" ? ["create extension pageinspect"] : []),
    "copy (select 1) to program 'cat'",
    "grant pg_execute_server_program to anon",
  ])("that need a superuser are refused with the reason: %s", async (statement) => {
    await expect(bring({ "supabase/migrations/1_a.sql": statement })).rejects.toThrow(
      /^supabase\/migrations\/1_a\.sql:1: .*\(42501\).*no superuser here as on hosted projects/,
    );
  });

  test("that changed, disappeared or share a version are refused before any runs", async () => {
    await bring({ "supabase/migrations/1_a.sql": "create table a ();\n-- behind\n" });
    await bring({ "supabase/migrations/1_a.sql": "\r\ncreate table a ();\r\n" });
    await expect(
      bring({
        "supabase/migrations/1_a.sql": "create table a (n int);",
        "supabase/migrations/2_b.sql": "create table b ();",
      }),
    ).rejects.toThrow(/1_a\.sql has changed since it was applied: `npm run reset`/);
    await rm(join(root, "supabase/migrations/1_a.sql"));
    await expect(bring()).rejects.toThrow(/migration 1, which supabase\/migrations lacks/);
    await expect(
      bring({
        "supabase/migrations/1_a.sql": "create table a ();",
        "supabase/migrations/1_b.sql": "",
      }),
    ).rejects.toThrow("have the same version");
    expect(await tables()).toEqual(["a"]);
  });

  test("recorded by the CLI, with a comment after the last statement, count as unchanged", async () => {
    await writeFiles(root, { "supabase/migrations/1_a.sql": "create table a ();\n-- end\n" });
    await db.query(
      `insert into supabase_migrations.schema_migrations (version, name, statements)
       values ('1', 'a', array['create table a ()', '-- end'])`,
    );
    expect((await bring()).applied).toBe(0);
  });

  test("wait until the server has the extension that they require", async () => {
    const sql = (extension: string) => `-- requires: ${extension}\ncreate table a ();\n`;
    const file = "supabase/migrations/1_a.sql";
    expect((await bring({ [file]: sql("nosuchextension, pgcrypto") })).applied).toBe(0);
    expect(warnings.join()).toContain(`left out ${file}: this server has no extension nosuchext`);
    expect((await bring({ "supabase/migrations/2_b.sql": "create table b ();" })).applied).toBe(1);
    expect((await bring({ [file]: sql("pgcrypto") })).applied).toBe(1);
    expect(await tables()).toEqual(["a", "b"]);
  });

  test("leave no setting for the next", async () => {
    const before = await db.query(
      "select current_setting('search_path') as path, current_user as u",
    );
    await bring({
      "supabase/migrations/1_a.sql":
        "set search_path = ''; set check_function_bodies = off; create table public.a (); set role anon;",
      "supabase/migrations/2_b.sql": "create table b (h bytea default digest('x', 'sha256'));",
    });
    for (let i = 0; i < 3; i++) {
      expect(
        await db.query("select current_setting('search_path') as path, current_user as u"),
      ).toEqual(before);
    }
    expect(await db.query("show check_function_bodies")).toEqual([{ check_function_bodies: "on" }]);
  });

  test("a seed of several files runs once, in order, also after a crash between files", async () => {
    const one = "insert into a values (1);\n";
    const files = {
      "supabase/config.toml": '[db.seed]\nsql_paths = ["./seeds/z*.sql", "./seed.sql", "./no.sql"]',
      "supabase/migrations/1_a.sql": "create table a (n int primary key);",
      "supabase/seeds/z1.sql": one,
      "supabase/seeds/z2.sql": "insert into a values (2);",
      "supabase/seed.sql": "insert into a select 3 / 0;",
    };
    await expect(bring(files)).rejects.toThrow("supabase/seed.sql:1: division by zero");
    expect(warnings).toContain("no seed file is named supabase/no.sql");
    const rest = await bring({ "supabase/seed.sql": "insert into a values (3);" });
    expect(rest).toEqual({ applied: 0, ran: 1 });
    expect((await bring({ "supabase/seed.sql": "insert into a values (4);" })).ran).toBe(0);
    expect(await db.query("select n from a order by n")).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    expect(
      await db.query(
        "select path, hash from supabase_migrations.seed_files where path like '%z1%'",
      ),
    ).toEqual([
      { path: "supabase/seeds/z1.sql", hash: createHash("sha256").update(one).digest("hex") },
    ]);
  });

  test("a database with recorded migrations gets no seed", async () => {
    await writeFiles(root, { "supabase/migrations/1_a.sql": "create table a (n int);" });
    await migrate(db, await readConfig(root), log);
    expect((await bring({ "supabase/seed.sql": "insert into a values (1);" })).ran).toBe(0);
  });
});

describe.skipIf(!server)("a server's database", () => {
  let scratch: Awaited<ReturnType<typeof createScratch>>;
  let claim: Claim;

  beforeAll(async () => {
    scratch = await createScratch("claim");
    claim = await claimPlace({ url: scratch.url });
  });

  afterAll(async () => {
    await claim.release();
    await scratch.drop();
  });

  test("has one stack at a time", async () => {
    await expect(claimPlace({ url: scratch.url })).rejects.toThrow("in use by another start");
  });

  test("is created, cleared and created again", async () => {
    const root = await makeProject({
      "supabase/migrations/1_a.sql":
        "create schema private; create table private.a (); create extension citext schema extensions;",
    });
    const config = await readConfig(root);
    for (let round = 0; round < 2; round++) {
      const db = await buildDatabase(claim, config, log, (_name, work) => work(), true);
      expect(await db.query("select version from supabase_migrations.schema_migrations")).toEqual([
        { version: "1" },
      ]);
      expect(await db.query("select encode(digest('x', 'md5'), 'hex') <> '' as ok")).toEqual([
        { ok: true },
      ]);
      await db.close();
      await claim.clear();
    }
    await removeProject(root);
  });

  test("that does not exist, or whose user is no superuser, is refused in one line", async () => {
    const missing = new URL(scratch.url);
    missing.pathname = "no_such_database";
    await expect(claimPlace({ url: missing.href })).rejects.toThrow(/has no database "no_such_d/);
    await expect(claimPlace({ url: "nonsense://[" })).rejects.toThrow("--database-url");
  });
});
