import { execFile } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { promisify } from "node:util";
import type { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { eventually } from "../../../tests/eventually.js";
import type { Database } from "../src/db/database.js";
import { asDatabase, startPglite } from "../src/db/pglite.js";
import { openWire, type Wire } from "../src/db/wire.js";

let pglite: PGlite;
let db: Database;
let wire: Wire;
let clients: pg.Client[] = [];
const heard: string[] = [];

/** A client of the wire port. The end of its connection does not fail the test. */
async function enter(at: Partial<pg.ClientConfig> = {}): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: wire.url, ...at });
  client.on("error", () => {});
  clients.push(client);
  await client.connect();
  return client;
}

const leave = (client: pg.Client) => client.end();
const settled = () => new Promise((done) => setTimeout(done, 20));

beforeAll(async () => {
  pglite = await startPglite(null);
  db = await asDatabase(pglite);
  await db.execute(`
    create role anon;
    create role postgres login;
    grant anon to postgres;
    create table words (word text);
    alter table words owner to postgres;
  `);
  await db.listen("stack", (payload) => heard.push(payload));
  wire = await openWire(
    pglite,
    0,
    { channels: new Set(["stack"]), forget() {} },
    { waitMs: 500, idleMs: 1000 },
  );
});
afterAll(async () => {
  await wire.close();
  await db.close();
});
beforeEach(() => db.execute("truncate words"));
afterEach(async () => {
  await Promise.all(clients.map((client) => client.end().catch(() => {})));
  clients = [];
});

const words = () => db.query<{ word: string }>("select word from words order by word");

describe("a client of PGlite's port", () => {
  test("has its own transactions, separate from the stack's", async () => {
    const client = await enter();
    await client.query("begin");
    await client.query("insert into words values ('theirs')");
    let done = false;
    const ours = db.query("insert into words values ('ours')").then(() => {
      done = true;
    });
    await settled();
    expect(done).toBe(false);
    await client.query("rollback");
    await ours;
    expect(await words()).toEqual([{ word: "ours" }]);

    let theirs: Promise<pg.QueryResult> | undefined;
    await db.transaction({}, async (tx) => {
      await tx.query("insert into words values ('within')");
      theirs = client.query("select count(*)::int as n from words");
      await settled();
      await tx.query("insert into words values ('as well')");
    });
    expect((await theirs)?.rows).toEqual([{ n: 3 }]);
  });

  test("keeps its settings, which do not affect the stack", async () => {
    const client = await enter({ options: "", application_name: "look" });
    await client.query("set role anon");
    await client.query(`set request.jwt.claims = '{"sub": "''x\\"}'`);
    await client.query("select set_config('my.own', 'mine', false)");
    await client.query("set search_path = ''");
    await client.query("set standard_conforming_strings = off");
    await client.query("set statement_timeout = '3s'");
    const state = `select current_user, current_setting('search_path') as path,
      current_setting('request.jwt.claims', true) as claims, current_setting('my.own', true) as own,
      current_setting('statement_timeout') as timeout, current_setting('application_name') as name`;
    expect(await db.query(state)).toEqual([
      {
        current_user: "supabase_admin",
        path: "public",
        claims: "",
        own: "",
        timeout: "0",
        name: "",
      },
    ]);
    expect(await db.run({ "request.jwt.claims": "ours" }, state)).toMatchObject([
      { claims: "ours" },
    ]);
    expect((await client.query(state)).rows).toEqual([
      {
        current_user: "anon",
        path: '""',
        claims: '{"sub": "\'x\\"}',
        own: "mine",
        timeout: "3s",
        name: "look",
      },
    ]);
    await expect(client.query("select from public.words")).rejects.toThrow("permission denied");
    await client.query("reset role; set session authorization anon");
    expect(await db.query("select session_user, current_user")).toEqual([
      { session_user: "supabase_admin", current_user: "supabase_admin" },
    ]);
    expect((await client.query("select session_user")).rows).toEqual([{ session_user: "anon" }]);
    expect(await words()).toEqual([]);
  });

  test("leaves no transaction, prepared statement, table or lock behind", async () => {
    const client = await enter();
    await client.query("begin");
    await client.query("insert into words values ('lost')");
    await client.query("commit; begin; insert into words values ('undone')");
    await client.query("prepare mine as select 1");
    await client.query("create temp table kept ()");
    await client.query("select pg_advisory_lock(7)");
    await client.query("commit; set session authorization anon; begin");
    await leave(client);
    expect(await words()).toEqual([{ word: "lost" }, { word: "undone" }]);
    const next = await enter();
    expect(
      (
        await next.query(`select (select count(*) from pg_prepared_statements)
          + (select count(*) from pg_locks where locktype = 'advisory')
          + (select count(*) from pg_class where relname = 'kept') as left_behind, current_user`)
      ).rows,
    ).toEqual([{ left_behind: "0", current_user: "postgres" }]);
  });

  test("that is idle in a transaction is disconnected, and its transaction rolled back", async () => {
    const client = await enter();
    const refused = new Promise<Error>((resolve) => client.on("error", resolve));
    await client.query("begin");
    await client.query("insert into words values ('idle')");
    expect(await words()).toEqual([]);
    expect(await refused).toMatchObject({ code: "25P03", severity: "FATAL" });
  });

  test("connects when the previous one disconnects, and is refused while it stays", async () => {
    const first = await enter();
    const second = enter();
    await settled();
    await leave(first);
    await (await second).query("select 1");
    await expect(enter()).rejects.toMatchObject({ code: "53300" });
  });

  test("must name the existing user and database", async () => {
    await expect(
      enter({ user: "anon", connectionString: undefined, ...at("postgres") }),
    ).rejects.toMatchObject({
      code: "28P01",
    });
    await expect(
      enter({ user: "postgres", connectionString: undefined, ...at("other") }),
    ).rejects.toMatchObject({
      code: "3D000",
    });
    const { rows } = await (await enter()).query("select session_user");
    expect(rows).toEqual([{ session_user: "postgres" }]);
  });

  test("is the superuser under its name", async () => {
    const connectionString = wire.url.replace("//postgres:", "//supabase_admin:");
    const { rows } = await (await enter({ connectionString })).query(
      "select session_user, current_setting('is_superuser') as is_superuser",
    );
    expect(rows).toEqual([{ session_user: "supabase_admin", is_superuser: "on" }]);
  });

  test("notifies the stack, but does not receive what only the stack listens to", async () => {
    const client = await enter();
    const received: string[] = [];
    client.on("notification", ({ payload }) => received.push(String(payload)));
    await client.query("unlisten *; listen mine");
    await client.query("notify stack, 'theirs'; notify mine, 'own'");
    await client.query("discard all");
    await db.query("notify stack, 'ours'");
    await eventually(() => expect(heard).toEqual(["theirs", "ours"]));
    expect(received).toEqual(["own"]);
  });

  test("recovers from its errors, also in the extended protocol", async () => {
    const client = await enter();
    for (const sql of ["select nope", "select $1::int / 0"]) {
      await expect(client.query(sql, sql.includes("$1") ? ["1"] : [])).rejects.toThrow();
    }
    expect((await client.query("select $1::text as value", ["it"])).rows).toEqual([
      { value: "it" },
    ]);
    const large = "x".repeat(3_000_000);
    expect((await client.query("select $1::text as value", [large])).rows[0].value).toBe(large);
  });

  test("that sends invalid bytes is disconnected, and affects no other client", async () => {
    const client = await enter();
    const refused = new Promise<Error>((resolve) => client.on("error", resolve));
    // biome-ignore lint/suspicious/noExplicitAny: its raw stream, to send what no client would
    (client as any).connection.stream.write(Buffer.from([0x7a, 0, 0, 0, 4]));
    expect(await refused).toMatchObject({ code: "08P01" });
    const stranger = connect(Number(new URL(wire.url).port), "127.0.0.1");
    stranger.write("Q\0\0\0\x31insert into words values ('unannounced') -- \0");
    const [answer] = await once(stranger, "data");
    expect(String(answer)).toContain("08P01");
    stranger.destroy();
    expect(await words()).toEqual([]);
  });
});

const at = (database: string) => ({
  host: "127.0.0.1",
  port: Number(new URL(wire.url).port),
  database,
});

const psql = promisify(execFile);
const installed = await psql("psql", ["--version"]).then(
  () => true,
  () => false,
);

test.skipIf(!installed)("psql copies in and out", async () => {
  const { stdout } = await psql("sh", [
    "-c",
    `printf 'a\\nb\\n' | psql '${wire.url}' -c 'copy words from stdin' -c 'copy words to stdout' 2>&1
     printf 'a\\tb\\n' | psql '${wire.url}' -c 'copy words from stdin' 2>&1
     psql '${wire.url}' -c 'copy words from stdin; copy words from stdin' </dev/null 2>&1; true`,
  ]);
  expect(stdout).toContain("COPY 2\na\nb\n");
  expect(stdout).toContain("extra data after last expected column");
  expect(stdout).toContain("one `copy from stdin` at a time");
  expect(await words()).toHaveLength(2);
});

test("`deallocate all` by a client only makes the stack prepare again", async () => {
  await db.serve(0);
  const look = () => db.query("select $1::text as word", ["here"]);
  for (let i = 0; i < 3; i++) await look();
  const client = new pg.Client({ connectionString: String(db.url) });
  await client.connect();
  await client.query("deallocate all");
  expect(await look()).toEqual([{ word: "here" }]);
  await client.end();
});

test("a database is closed only after the session of its last client is restored", async () => {
  const ending = await startPglite(null);
  const close = vi.spyOn(ending, "close");
  const closing = await asDatabase(ending);
  await closing.execute("create role postgres login");
  await closing.serve(0);
  const client = new pg.Client({ connectionString: String(closing.url) });
  await client.connect();
  await client.query("select 1");
  let answer = () => {};
  const held = closing.transaction({}, () => new Promise<void>((done) => (answer = done)));
  await client.end();
  await settled();
  const closed = closing.close();
  await settled();
  expect(close).not.toHaveBeenCalled();
  answer();
  await Promise.all([held, closed]);
  expect(close).toHaveBeenCalledOnce();
});

test("a port in use is refused with a clear error", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await new Promise((done) => other.once("listening", done));
  const { port } = other.address() as { port: number };
  await expect(db.serve(port)).rejects.toThrow(`port ${port} for the database is taken`);
  await expect(db.serve(port)).rejects.toThrow("[db] port");
  other.close();
});
