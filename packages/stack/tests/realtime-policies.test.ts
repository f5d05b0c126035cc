import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { until } from "../../../tests/eventually.js";
import { hearChanges, openStage, type Stage } from "./realtime-stage.js";

const schema = `
  create schema private;
  create table public.teams (id int primary key, member text);
  create table public.docs (
    id int primary key, team_id int, title text, "docs" text, seq int, record text, hidden bool default false
  );
  insert into public.teams values (1, 'ann'), (2, 'bob');
  create function private.readable(d public.docs) returns boolean
  language sql stable security definer set search_path = ''
  as $$ select d.title is distinct from 'unreadable' $$;
  grant usage on schema private to authenticated;
  alter table public.docs enable row level security;
  create policy "Of one's team" on public.docs for select to authenticated
    using (exists (select from public.teams where teams.id = docs.team_id
      and teams.member = (select auth.jwt()) ->> 'sub'));
  create policy "Public ones" on public.docs for all to public using (title = 'public');
  create policy "Never hidden" on public.docs as restrictive for select to authenticated
    using (not hidden and private.readable(docs.*));
  create policy "No concern of select" on public.docs for insert to authenticated with check (true);
  create policy "Another role's" on public.docs for select to service_role using (true);

  create type public.mood as enum ('sad', 'glad');
  create type public.place as (lat float8, name text);
  create domain public.short as text check (length(value) < 9);
  create table public.wide (
    id uuid primary key default gen_random_uuid(), a bool, b int2, c int8, d float4, e float8, f numeric,
    g char(3), h varchar(9), i name, j date, k time, l timetz, m timestamp, n timestamptz, o interval,
    p bytea, q json, r jsonb, s int[][], t text[], u mood, v mood[], w place, x place[], y short,
    z int4range, aa tsvector, ab inet, ac bit(3), ad point, ae "char", af xid8, ag oid, ah money,
    ai int generated always as (b + 1) stored, aj citext, ak extensions.citext[]
  );
  alter table public.wide drop column h;
  alter table public.wide enable row level security;
  create policy "All that is glad" on public.wide for select to authenticated
    using (u = 'glad' and aj = 'MIXED' and r @> '{"a": 1}' and z @> 3);

  create table public.parted (id int, body text, primary key (id)) partition by range (id);
  create table public.parted_low partition of public.parted for values from (0) to (10);

  create table public.large (id int primary key, body text);
  create table public.plain (id int primary key, body text);
  create table public.slow (id int primary key);
  alter table public.slow enable row level security;
  create policy "Takes a second" on public.slow for select to authenticated
    using ((select pg_sleep(1)) is not null);
  create table public.odd (id int primary key, fact json);
  create schema closed;
  create table closed.things (id int primary key);
  grant select on closed.things to authenticated;
  create table closed.guarded (id int primary key);
  alter table closed.guarded enable row level security;
  create policy "Everybody" on closed.guarded for select to authenticated using (true);
  grant select on closed.guarded to authenticated;
  alter publication supabase_realtime add table public.docs, public.wide, public.parted, public.large,
    public.plain, public.slow, public.odd, closed.things, closed.guarded;
`;

let stage: Stage;
beforeAll(async () => {
  stage = await openStage(
    `create extension if not exists citext with schema extensions; ${schema}`,
  );
});
afterEach(() => stage.quiet());
afterAll(async () => {
  await stage?.close();
});

const all = (table: string, schema = "public") => ({ event: "*", schema, table });

test("policies of every shape decide as in a query of the table", async () => {
  const ann = await hearChanges(await stage.client({ sub: "ann" }), "docs", all("docs"));
  const bob = await hearChanges(await stage.client({ sub: "bob" }), "docs", all("docs"));
  const anon = await hearChanges(await stage.client(), "docs", all("docs"));
  await stage.db.execute(`
    insert into public.docs (id, team_id, title, hidden) values
      (1, 1, 'a', false), (2, 2, 'b', false), (3, 2, 'public', false), (4, 1, 'h', true),
      (5, 1, 'unreadable', false), (6, null, 'public', false), (7, 3, 'c', false)`);
  // The expected rows come from queries of the table by the same subscribers.
  const seen = async (claims: Record<string, unknown>, role: string) =>
    (
      await stage.db.run<{ id: number }>(
        { role, "request.jwt.claims": JSON.stringify(claims) },
        "select id from public.docs order by id",
      )
    ).map((row) => row.id);
  const ids = (heard: typeof ann) => heard.events.map((e) => e.new.id);
  const byAnn = await seen({ sub: "ann" }, "authenticated");
  const byBob = await seen({ sub: "bob" }, "authenticated");
  const byAnon = await seen({}, "anon");
  expect([byAnn, byBob, byAnon]).toEqual([
    [1, 3, 6],
    [2, 3, 6],
    [3, 6],
  ]);
  await until(() => [ann, bob, anon].every((heard) => ids(heard).includes(6)));
  expect([ids(ann), ids(bob), ids(anon)]).toEqual([byAnn, byBob, byAnon]);
  expect(stage.warnings).toEqual([]);
});

test("every type arrives unchanged after the policy check", async () => {
  const heard = await hearChanges(await stage.client({ sub: "x" }), "wide", all("wide"), {
    ...all("wide"),
    filter: "n=gt.2026-01-01,aj=eq.mixed,u=in.(glad)",
  } as never);
  expect(heard.system[0]?.message).toBe("Subscribed to PostgreSQL");
  await stage.db.execute(`
    set timezone = 'Asia/Tokyo';
    insert into public.wide (a, b, c, d, e, f, g, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa,
      ab, ac, ad, ae, af, ag, ah, aj, ak)
    values (true, 1, 9007199254740991, 1.5, 'Infinity', 'NaN', 'ab', 'name', '2026-01-02', '03:04', '03:04+01',
      'infinity', '2026-01-02 03:04:05+00', '1 day 02:00', '\\x00ff', '{"z": [":,\\"}"], "a": 1}', '{"a": 1}',
      '{{1,2},{3,4}}', '{a,NULL,"b,c"}', 'glad', '{sad,glad}', '(1.5,here)', '{"(1,\\"a b\\")"}', 'short',
      '[1,5)', 'a:1 b:2', '10.0.0.0/8', '101', '(1,2)', 'c', '7', 5, '12.34', 'Mixed', '{a,b}');
    reset timezone`);
  await until(() => heard.events.length === 2 || stage.warnings.length > 0);
  expect(stage.warnings).toEqual([]);
  expect(heard.events[0].new).toMatchObject({
    a: true,
    b: 1,
    e: Infinity,
    g: "ab ",
    m: "infinity",
    n: "2026-01-02T03:04:05+00:00",
    p: "00ff",
    r: { a: 1 },
    s: [
      [1, 2],
      [3, 4],
    ],
    t: ["a", null, "b,c"],
    u: "glad",
    w: { lat: 1.5, name: "here" },
    ai: 2,
    aj: "Mixed",
  });
  expect(stage.warnings).toEqual([]);
});

test("a value that jsonb refuses and json allows does not block delivery", async () => {
  const client = await stage.client({ sub: "x" });
  const heard = await hearChanges(client, "odd", all("odd"));
  const filtered = await hearChanges(client, "odd-filter", { ...all("odd"), filter: "id=gt.0" });
  await stage.db.execute(String.raw`
    insert into public.odd values (1, '{"z": "\u0000"}'), (2, '{"z": [":,\"}", 12345678901234567890]}')`);
  await until(() => heard.events.length === 2 && filtered.events.length > 0);
  expect(heard.events[0].new).toEqual({ id: 1, fact: { z: "\u0000" } });
  expect(filtered.events.at(-1).new.fact.z[0]).toBe(':,"}');
  stage.warnings.length = 0;
});

test("the changes of a writer of any role are captured, and only those it committed", async () => {
  const heard = await hearChanges(await stage.client({ sub: "x" }), "plain", all("plain"));
  await stage.db.run({ role: "authenticated" }, "insert into public.plain values (1, 'a')");
  await stage.db.run({ role: "anon" }, "insert into public.plain values (2, 'b')");
  await stage.db
    .transaction({ role: "authenticated" }, async (tx) => {
      await tx.query("insert into public.plain values (3, 'c')");
      throw new Error("changed my mind");
    })
    .catch(() => {});
  await stage.db.transaction({ role: "authenticated" }, async (tx) => {
    await tx.query("savepoint s");
    await tx.query("insert into public.plain values (4, 'd')");
    await tx.query("rollback to s");
    await tx.query("insert into public.plain values (5, 'e')");
  });
  await stage.db.execute("truncate public.plain");
  await stage.db.execute("insert into public.plain values (6, 'f')");
  await until(() => heard.events.some((e) => e.new.id === 6));
  expect(heard.events.map((e) => e.new.id)).toEqual([1, 2, 5, 6]);
});

test("without RLS, privileges on the schema do not matter, as in hosted Supabase; with RLS they do", async () => {
  const client = await stage.client({ sub: "x" });
  const closed = await hearChanges(client, "closed", all("things", "closed"));
  const guarded = await hearChanges(client, "guarded", all("guarded", "closed"));
  const plain = await hearChanges(client, "open", all("plain"));
  await stage.db.execute(
    "insert into closed.guarded values (1); insert into closed.things values (1)",
  );
  await stage.db.execute("insert into public.plain values (30, 'x')");
  await until(() => plain.events.length === 1 && closed.events.length === 1);
  expect(closed.events[0].new).toEqual({ id: 1 });
  expect(guarded.events).toEqual([]);
  expect(stage.warnings.splice(0).join()).toContain("permission denied for schema closed");
});

test("changes of a partition carry its own name, as in hosted Supabase", async () => {
  const heard = await hearChanges(await stage.client({}), "parted", all("parted_low"));
  await stage.db.execute("insert into public.parted values (1, 'x')");
  await until(() => heard.events.length === 1);
  expect(heard.events[0]).toMatchObject({ table: "parted_low", new: { id: 1, body: "x" } });
});

test("a row over a megabyte arrives without its long values, and its error says so", async () => {
  const heard = await hearChanges(await stage.client({}), "large", all("large"));
  await stage.db.execute(`
    insert into public.large values (1, repeat('x', 1100000)), (2, repeat('y', 900000))`);
  await until(() => heard.events.length === 2);
  expect(heard.events[0]).toMatchObject({
    new: { id: 1 },
    errors: ["Error 413: Payload Too Large"],
  });
  expect(heard.events[0].new).toEqual({ id: 1 });
  expect(heard.events[1].new.body.length).toBe(900000);
});

test("overlapping transactions all arrive", async (context) => {
  if (stage.db.server === "pglite") return context.skip("PGlite has one session");
  const heard = await hearChanges(await stage.client({}), "overlap", all("plain"));
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const slow = stage.db.transaction({}, async (tx) => {
    await tx.query("insert into public.plain values (100, 'slow')");
    await held;
  });
  await stage.db.execute("insert into public.plain values (101, 'quick')");
  await until(() => heard.events.length === 1);
  const late = await hearChanges(await stage.client({}), "late", all("plain"));
  release();
  await slow;
  await until(() => heard.events.length === 2 && late.events.length === 1);
  expect(heard.events.map((e) => e.new.id)).toEqual([101, 100]);
  // It began before the subscription and committed after it.
  expect(late.events.map((e) => e.new.id)).toEqual([100]);
});

test("a subscription made while changes are queued gets none of the earlier ones", async (context) => {
  if (stage.db.server === "pglite") return context.skip("in PGlite's one session nothing waits");
  const slow = await hearChanges(await stage.client({}), "slow", all("slow"));
  await stage.db.execute("insert into public.slow values (1)");
  await stage.db.execute("insert into public.plain values (300, 'before')");
  const plain = await hearChanges(await stage.client({}), "after", all("plain"));
  expect(slow.events).toEqual([]);
  await stage.db.execute("insert into public.plain values (301, 'after')");
  await until(() => slow.events.length === 1 && plain.events.length > 0);
  expect(plain.events.map((e) => e.new.id)).toEqual([301]);
});

test("events continue after the server dropped every connection", async (context) => {
  if (stage.db.server === "pglite") return context.skip("PGlite has no connections");
  const heard = await hearChanges(await stage.client({}), "dropped", all("plain"));
  await stage.db
    .query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    )
    .catch(() => {});
  await expect
    .poll(() =>
      stage.db
        .execute("insert into public.plain values (200, 'x') on conflict do nothing")
        .then(() => true)
        .catch(() => false),
    )
    .toBe(true);
  await until(() => heard.events.length === 1);
});
