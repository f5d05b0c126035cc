import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Database, isDatabaseError } from "../src/db/database.js";
import { openScratch } from "./jobs-setup.js";
import { everyServer } from "./servers.js";

describe.each(everyServer)("the database on %s", (server) => {
  let db: Database;
  let close: () => Promise<void>;

  beforeAll(async () => {
    ({ db, close } = await openScratch(server));
    await db.execute(`
      grant anon, authenticated to postgres;
      create table public.shapes (id int, owner text default 'anon');
      insert into public.shapes values (1), (2);
      alter table public.shapes enable row level security;
      create policy own on public.shapes using (owner = current_user);
      create function public.one() returns int language sql stable as 'select 1';
      create function public.many() returns setof int language sql stable as 'select 1';
      revoke execute on function public.one(), public.many() from public, anon;`);
  });
  afterAll(() => close());

  /** Enough times for the session to keep a generic plan. */
  async function often<T>(work: () => Promise<T>): Promise<T> {
    for (let i = 0; i < 12; i++) await work();
    return await work();
  }

  test.each([
    "select public.one() + $1::int as n",
    "select n from public.many() as n where n >= $1::int",
  ])("one role's plan is not used for another role: %s", async (sql) => {
    const as = (role: string) => db.run({ role }, sql, ["1"]);
    expect(await often(() => as("authenticated"))).toHaveLength(1);
    await expect(as("anon")).rejects.toMatchObject({ code: "42501" });
    expect(await as("authenticated")).toHaveLength(1);
  });

  test("each role sees rows by its own policy, whichever role asked before", async () => {
    const as = (role: string) =>
      db.run({ role }, "select id from shapes where id >= $1::int", ["1"]);
    expect(await often(() => as("anon"))).toHaveLength(2);
    expect(await often(() => as("authenticated"))).toEqual([]);
    expect(await as("anon")).toHaveLength(2);
  });

  test("a statement succeeds after its prepared plan was dropped or became outdated", async () => {
    const look = () => db.query<{ id: number }>("select * from shapes where id = $1::int", ["1"]);
    expect(await often(look)).toEqual([{ id: 1, owner: "anon" }]);
    await db.execute("alter table shapes add column size text");
    // Every session detects it by itself.
    for (const rows of await Promise.all(Array.from({ length: 30 }, look))) {
      expect(rows).toEqual([{ id: 1, owner: "anon", size: null }]);
    }
    await db.execute("alter table shapes drop column size");
    expect(await often(look)).toEqual([{ id: 1, owner: "anon" }]);
  });

  test("concurrent statements in a transaction each get their own rows", async () => {
    const numbers = ["1", "2", "3", "4"];
    const answers = await db.transaction({}, (tx) =>
      Promise.all(numbers.map((n) => tx.query("select $1::int as n", [n]))),
    );
    expect(answers).toEqual(numbers.map((n) => [{ n: Number(n) }]));
  });

  test("a failed statement has no effect, and the next one works", async () => {
    const add = (id: string) =>
      db.run(
        {},
        "with added as (insert into shapes values ($1::int) returning id) select 1 / (id - 7) from added",
        [id],
      );
    await often(() => add("9"));
    await expect(add("7")).rejects.toMatchObject({ code: "22012" });
    await expect(add("x")).rejects.toMatchObject({ code: "22P02" });
    await expect(db.run({ role: "nobody_there" }, "select $1::text", ["x"])).rejects.toThrow();
    expect(await db.query("select from shapes where id = 7")).toEqual([]);
    await add("8");
    expect(await db.query("select id from shapes where id = 8")).toEqual([{ id: 8 }]);
  });

  test("a failed statement holds no lock when its error is known", async (context) => {
    if (server === "pglite") return context.skip("PGlite has one session");
    // Rolling back many changes of the catalogs takes a while.
    const failing = `do $$ begin
      perform pg_advisory_xact_lock(11);
      for i in 1..1500 loop execute 'create function public.f' || i || '() returns int language sql return 1'; end loop;
      raise 'no';
    end $$`;
    await db.transaction({}, async (other) => {
      await other.query("select");
      await expect(db.query(failing)).rejects.toThrow("no");
      const free = await other.query("select pg_try_advisory_xact_lock(11) as it_is");
      expect(free).toEqual([{ it_is: true }]);
    });
  });

  test("settings end with their transaction", async () => {
    await often(() =>
      db.run({ role: "anon", "request.jwt.claims": "{}" }, "select $1::text", ["x"]),
    );
    const states = await Promise.all(
      Array.from({ length: 25 }, () =>
        db.query(
          "select current_user as name, coalesce(current_setting('request.jwt.claims', true), '') as claims",
        ),
      ),
    );
    expect(new Set(states.map((state) => JSON.stringify(state)))).toEqual(
      new Set(['[{"name":"supabase_admin","claims":""}]']),
    );
  });

  test("a transaction is atomic, also with concurrent statements, and refuses statements after its end", async () => {
    let kept: { query(sql: string): Promise<unknown> } | undefined;
    await db.transaction({ role: "postgres" }, async (tx) => {
      kept = tx;
      await Promise.all(
        ["11", "12", "13"].map((id) => tx.query("insert into shapes values ($1::int)", [id])),
      );
    });
    expect(await db.query("select from shapes where id between 11 and 13")).toHaveLength(3);
    await expect(kept?.query("select 1")).rejects.toThrow("the transaction has ended");
    await expect(
      db.transaction({}, async (tx) => {
        await tx.query("insert into shapes values (21)");
        await tx.query("select 1 / 0");
      }),
    ).rejects.toMatchObject({ code: "22012" });
    expect(await db.query("select from shapes where id = 21")).toEqual([]);
  });
});

test("distinguishes errors of the operating system from errors of the database with similar codes", () => {
  const broken = Object.assign(new Error("write EPIPE"), { code: "EPIPE", syscall: "write" });
  expect(isDatabaseError(broken)).toBe(false);
  expect(isDatabaseError(Object.assign(new Error(), { code: "57P01" }))).toBe(true);
});
