import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { until } from "../../../tests/eventually.js";
import { hearChanges, openStage, type Stage } from "./realtime-stage.js";

const A = "aaaaaaaa-0000-4000-8000-000000000000";
const B = "bbbbbbbb-0000-4000-8000-000000000000";

const schema = `
  create table public.notes (
    id int primary key, tenant_id uuid not null, body text, price numeric(10, 2),
    big bigint, tags text[], facts jsonb, made_at timestamptz, secret text
  );
  alter table public.notes enable row level security;
  alter table public.notes replica identity full;
  revoke all on public.notes from anon, authenticated;
  grant select (id, tenant_id, body, price, big, tags, facts, made_at) on public.notes to authenticated;
  create policy "Tenants read their notes" on public.notes for select to authenticated
    using (tenant_id = ((select auth.jwt()) ->> 'tenant_id')::uuid);

  create table public.drafts (id int primary key, open boolean not null, body text);
  alter table public.drafts enable row level security;
  create policy "Open ones" on public.drafts for select to authenticated using (open);

  create table public.traps (id int primary key, divisor int);
  alter table public.traps enable row level security;
  create policy "Raises for some" on public.traps for select to authenticated
    using (case when auth.jwt() ->> 'sub' = 'bad' then 1 / divisor > 0 else true end);

  create table public.plain (id int primary key, body text, n int);
  create table public.full_plain (id int primary key, body text);
  alter table public.full_plain replica identity full;
  create table public.keyless (body text);
  create table public.unpublished (id int primary key);
  alter publication supabase_realtime
    add table public.notes, public.drafts, public.traps, public.plain, public.full_plain, public.keyless;
`;

let stage: Stage;
beforeAll(async () => {
  stage = await openStage(schema);
});
afterEach(() => stage.quiet());
afterAll(async () => {
  await stage?.close();
});

const tenant = (tenant_id: string, sub = "u") => ({ sub, tenant_id });
const any = (table: string, filter?: string) => ({
  event: "*",
  schema: "public",
  table,
  ...(filter === undefined ? {} : { filter }),
});

test("insert, update and delete arrive with their values, under their own event", async () => {
  const client = await stage.client(tenant(A));
  const all = await hearChanges(client, "all", any("notes"));
  const inserts = await hearChanges(client, "inserts", { ...any("notes"), event: "INSERT" });
  const deletes = await hearChanges(client, "deletes", { ...any("notes"), event: "DELETE" });
  expect(all.system[0]).toMatchObject({
    extension: "postgres_changes",
    status: "ok",
    message: "Subscribed to PostgreSQL",
  });
  await stage.db.execute(`
    insert into public.notes values (1, '${A}', 'one', 12.50, 9007199254740993, '{a,"b c"}',
      '{"k": [1, null]}', '2026-01-02 03:04:05.678+02', 'hidden')`);
  await stage.db.execute("update public.notes set body = 'two' where id = 1");
  await stage.db.execute("delete from public.notes where id = 1");
  await until(() => all.events.length === 3 && deletes.events.length === 1);
  const [insert, update, del] = all.events;
  const record = {
    id: 1,
    tenant_id: A,
    body: "one",
    price: 12.5,
    big: 2 ** 53,
    tags: ["a", "b c"],
    facts: { k: [1, null] },
    made_at: "2026-01-02T01:04:05.678+00:00",
  };
  expect(insert).toMatchObject({
    eventType: "INSERT",
    schema: "public",
    table: "notes",
    errors: null,
    old: {},
  });
  expect(insert.new).toEqual(record);
  expect(insert.commit_timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(update).toMatchObject({ eventType: "UPDATE", old: { body: "one" } });
  expect(update.new).toEqual({ ...record, body: "two" });
  expect(del).toMatchObject({ eventType: "DELETE", new: {} });
  expect(del.old).toEqual({ id: 1 });
  expect(inserts.events.map((e) => e.eventType)).toEqual(["INSERT"]);
  expect(deletes.events.map((e) => e.eventType)).toEqual(["DELETE"]);
});

test("each of two tenants gets only its own rows, anon gets none, service_role gets all", async () => {
  const ofA = await hearChanges(await stage.client(tenant(A)), "t", any("notes"));
  const ofB = await hearChanges(await stage.client(tenant(B)), "t", any("notes"));
  const anon = await hearChanges(await stage.client(), "t", any("notes"));
  const service = await hearChanges(
    await stage.client({ role: "service_role" }),
    "t",
    any("notes"),
  );
  const rows = Array.from({ length: 40 }, (_, i) => `(${100 + i}, '${i % 2 ? A : B}')`);
  await stage.db.execute(`insert into public.notes (id, tenant_id) values ${rows.join(",")}`);
  await stage.db.execute("update public.notes set body = 'x' where id >= 100");
  await until(() => service.events.length === 80);
  await until(() => ofA.events.length === 40 && ofB.events.length === 40);
  expect(new Set(ofA.events.map((e) => e.new.tenant_id))).toEqual(new Set([A]));
  expect(new Set(ofB.events.map((e) => e.new.tenant_id))).toEqual(new Set([B]));
  // A role that may not read the key gets an error and no part of the row, as in hosted Supabase.
  await until(() => anon.events.length === 80);
  for (const { errors, new: record, old } of anon.events) {
    expect([errors, record, old]).toEqual([["Error 401: Unauthorized"], {}, {}]);
  }
  await stage.db.execute("delete from public.notes");
  await until(() => service.events.length === 120 && anon.events.length === 120);
  expect(anon.events.at(-1)).toMatchObject({ eventType: "DELETE", errors: null, old: {} });
});

test("a tenant filter holds for inserts, updates and deletes under a full replica identity", async () => {
  const client = await stage.client(tenant(A));
  const ofA = await hearChanges(client, "fa", any("notes", `tenant_id=eq.${A}`));
  const ofB = await hearChanges(client, "fb", any("notes", `tenant_id=eq.${B}`));
  await stage.db.execute(`
    insert into public.notes (id, tenant_id) values (1, '${A}'), (2, '${B}');
    update public.notes set body = 'x';
    delete from public.notes;`);
  await until(() => ofA.events.length === 3 && ofB.events.length === 1);
  expect(ofA.events.map((e) => e.eventType)).toEqual(["INSERT", "UPDATE", "DELETE"]);
  expect(ofA.events[2].old).toEqual({ id: 1 });
  // The other tenant's rows stay hidden. A deletion contains only the key, as in hosted Supabase.
  expect(ofB.events.map((e) => [e.eventType, e.old])).toEqual([["DELETE", { id: 2 }]]);
});

test("each operator filters", async () => {
  const client = await stage.client({});
  const wanted: [string, number[]][] = [
    ["n=eq.2", [2]],
    ["n=neq.2", [1, 3]],
    ["n=lt.2", [1]],
    ["n=lte.2", [1, 2]],
    ["n=gt.2", [3]],
    ["n=gte.2", [2, 3]],
    ["n=in.(1,3)", [1, 3]],
    ["n=not.in.(1,3)", [2]],
    ["n=is.null", [4]],
    ["n=not.is.null", [1, 2, 3]],
    ["body=like.b%", [2]],
    ["body=ilike.B%", [2]],
    ["body=not.like.b%", [1, 3, 4]],
    ["n=gt.1,n=lt.3", [2]],
    ['body=in.("c, d",a)', [1, 3]],
    ['body=eq."c, d"', [3]],
    ["body=match.^[ab]$", [1, 2]],
  ];
  const heard = await Promise.all(
    wanted.map(([filter], i) => hearChanges(client, `op${i}`, any("plain", filter))),
  );
  for (const { system } of heard) expect(system[0]?.status).toBe("ok");
  await stage.db.execute(`
    insert into public.plain values (1, 'a', 1), (2, 'b', 2), (3, 'c, d', 3), (4, 'e', null), (5, null, null)`);
  const end = await hearChanges(client, "op-end", any("plain"));
  await stage.db.execute("insert into public.plain values (6, null, null)");
  await until(() => end.events.length === 1);
  wanted.forEach(([filter, ids], i) => {
    const got = heard[i]?.events.map((e) => e.new.id).filter((id) => id < 5);
    expect([filter, got]).toEqual([filter, ids]);
  });
});

test("several bindings of a channel each get their own changes", async () => {
  const client = await stage.client({});
  const channel = client.channel("several");
  const got: string[] = [];
  let ready = false;
  const on = (name: string, event: string, filter?: string) =>
    channel.on(
      "postgres_changes" as never,
      { event, schema: "public", table: "plain", ...(filter ? { filter } : {}) } as never,
      (change: { eventType: string }) => got.push(`${name}:${change.eventType}`),
    );
  on("low", "*", "id=lt.60");
  on("updates", "UPDATE");
  on("inserts", "INSERT");
  channel
    .on("system", {}, () => {
      ready = true;
    })
    .subscribe();
  await until(() => ready);
  await stage.db.execute("insert into public.plain values (50), (70)");
  await stage.db.execute("update public.plain set n = 1 where id = 70");
  await until(() => got.length === 4);
  expect(got.sort()).toEqual(["inserts:INSERT", "inserts:INSERT", "low:INSERT", "updates:UPDATE"]);
});

test("policies are applied to a row as it was when it changed, not as it is now", async () => {
  const reader = await hearChanges(await stage.client({}), "drafts", any("drafts"));
  await stage.db.execute(`
    begin;
    insert into public.drafts values (1, false, 'closed'), (2, true, 'gone'), (3, true, 'first');
    update public.drafts set open = true, body = 'opened' where id = 1;
    update public.drafts set open = false, body = 'shut' where id = 3;
    delete from public.drafts where id = 2;
    commit;`);
  await until(() => reader.events.some((e) => e.eventType === "DELETE"));
  expect(reader.events.map((e) => e.new.body ?? e.eventType)).toEqual([
    "gone",
    "first",
    "opened",
    "DELETE",
  ]);
});

test("a policy that raises hides those rows from that subscriber, and no other rows", async () => {
  const bad = await hearChanges(await stage.client({ sub: "bad" }), "traps", any("traps"));
  const good = await hearChanges(await stage.client({ sub: "good" }), "traps", any("traps"));
  await stage.db.execute("insert into public.traps values (1, 1), (2, 0), (3, 1), (4, 0), (5, 1)");
  await until(() => good.events.length === 5 && bad.events.length === 3);
  expect(bad.events.map((e) => e.new.id)).toEqual([1, 3, 5]);
  expect(stage.warnings.some((line) => line.includes("division by zero"))).toBe(true);
});

test("a deleted row contains more than its key only with full identity and without RLS", async () => {
  const client = await stage.client({});
  const plain = await hearChanges(client, "p", { ...any("plain"), event: "DELETE" });
  const full = await hearChanges(client, "f", any("full_plain"));
  await stage.db.execute("insert into public.plain values (900, 'x', 1)");
  await stage.db.execute("delete from public.plain where id = 900");
  await stage.db.execute("insert into public.full_plain values (1, 'x')");
  await stage.db.execute("update public.full_plain set body = 'y'");
  await stage.db.execute("delete from public.full_plain");
  await until(() => plain.events.length === 1 && full.events.length === 3);
  expect(plain.events[0].old).toEqual({ id: 900 });
  expect(full.events[1].old).toEqual({ id: 1, body: "x" });
  expect(full.events[2].old).toEqual({ id: 1, body: "y" });
});

test("a change of a table without a key arrives as an error, as in hosted Supabase", async () => {
  const heard = await hearChanges(await stage.client({}), "k", any("keyless"));
  await stage.db.execute("insert into public.keyless values ('x')");
  await until(() => heard.events.length === 1);
  expect(heard.events[0]).toMatchObject({
    new: {},
    errors: ["Error 400: Bad Request, no primary key"],
  });
});

test("an invalid subscription is refused with the message of hosted Supabase", async () => {
  const client = await stage.client(tenant(A));
  const refused = async (topic: string, binding: ReturnType<typeof any>) => {
    const { system, statuses } = await hearChanges(client, topic, binding);
    expect(statuses).toEqual(["SUBSCRIBED"]);
    expect(system[0]).toMatchObject({ extension: "postgres_changes", status: "error" });
    return system[0]?.message;
  };
  expect(await refused("r1", any("nope"))).toBe(
    "Unable to subscribe to changes with given parameters. Please check Realtime is enabled for the given connect parameters: [event: *, schema: public, table: nope, filters: [], select: nil]",
  );
  expect(await refused("r2", any("unpublished"))).toContain("Please check Realtime is enabled");
  expect(await refused("r3", any("notes", "secret=eq.x"))).toMatch(
    /Exception: ERROR P0001 \(raise_exception\) invalid column for filter secret$/,
  );
  expect(await refused("r4", any("notes", "id=foo.1"))).toBe(
    'Error parsing `filter` params: ["foo", "1"]',
  );
  expect(await refused("r5", any("notes", "tenant_id=eq.x"))).toMatch(
    /Exception: ERROR 22P02 \(invalid_text_representation\) invalid input syntax for type uuid: "x"$/,
  );
  expect(await refused("r6", any("notes", "id=like.1"))).toContain(
    "operator like requires a text-compatible column type, got integer",
  );
});

test("changes of a table arrive once it is published, and stop when it is dropped from the publication", async () => {
  const client = await stage.client({});
  await stage.db.execute("create table public.late (id int primary key)");
  const early = await hearChanges(client, "late1", any("late"));
  expect(early.system[0]?.status).toBe("error");
  await stage.db.execute("alter publication supabase_realtime add table public.late");
  const heard = await hearChanges(client, "late2", any("late"));
  await stage.db.execute("insert into public.late values (1)");
  await until(() => heard.events.length === 1);
  await stage.db.execute("alter publication supabase_realtime drop table public.late");
  await stage.db.execute("insert into public.late values (2)");
  const other = await hearChanges(client, "late3", any("plain"));
  await stage.db.execute("insert into public.plain values (1000)");
  await until(() => other.events.length === 1);
  expect(heard.events.length).toBe(1);
  const triggers = await stage.db.query(
    "select 1 from pg_trigger where tgrelid = 'public.late'::regclass",
  );
  expect(triggers).toEqual([]);
});

test("a burst of 5,000 rows arrives completely and in order, and the queue is empty after it", async () => {
  const heard = await hearChanges(await stage.client({}), "burst", any("plain"));
  await stage.db.execute(
    "insert into public.plain (id, n) select i, i from generate_series(10001, 15000) i",
  );
  await until(() => heard.events.length === 5000, "the burst");
  expect(heard.events.map((e) => e.new.id)).toEqual(
    Array.from({ length: 5000 }, (_, i) => 10001 + i),
  );
  const [row] = await stage.db.query<{ n: number }>(
    "select count(*)::int as n from realtime.changes",
  );
  expect(row?.n).toBe(0);
});

test("a change committed before a subscription does not reach it", async () => {
  const client = await stage.client({});
  await stage.db.execute("insert into public.plain values (20001)");
  const heard = await hearChanges(client, "before", any("plain"));
  await stage.db.execute("insert into public.plain values (20002)");
  await until(() => heard.events.length > 0);
  expect(heard.events.map((e) => e.new.id)).toEqual([20002]);
});

test("a client reconnects by itself after a restart of the service", async () => {
  const client = await stage.client(tenant(A));
  const heard = await hearChanges(client, "again", any("notes"));
  await stage.restart();
  await until(() => heard.system.length === 2, "the second subscription");
  await stage.db.execute(`insert into public.notes (id, tenant_id) values (77, '${A}')`);
  await until(() => heard.events.length === 1);
  expect(heard.events[0].new.id).toBe(77);
});

test("no change is queued without a subscriber, and no client sees the queue", async () => {
  const heard = await hearChanges(await stage.client({}), "q", any("plain"));
  await stage.quiet();
  const count = "select count(*)::int as n from realtime.changes";
  await expect
    .poll(() => stage.db.query("select last_value from realtime.capture_until"))
    .toEqual([{ last_value: 1 }]);
  await stage.db.execute("insert into public.plain (id) select generate_series(30001, 30100)");
  expect(await stage.db.query(count)).toEqual([{ n: 0 }]);
  expect(heard.events).toEqual([]);
  for (const role of ["anon", "authenticated", "service_role"]) {
    for (const attempt of [
      count,
      "select last_value from realtime.capture_until",
      "select realtime.follow_publication()",
    ]) {
      await expect(stage.db.run({ role }, attempt)).rejects.toMatchObject({ code: "42501" });
    }
  }
});

test("a subscriber to a schema gets the changes of a table as soon as it is published", async () => {
  const client = await stage.client({});
  const heard = await hearChanges(client, "schema", { event: "*", schema: "public" });
  await stage.db.execute("create table public.newcomer (id int primary key)");
  await stage.db.execute("alter publication supabase_realtime add table public.newcomer");
  await until(() => heard.system.length === 2, "the new subscription");
  expect(heard.system[1]?.message).toBe("Subscribed to PostgreSQL");
  await stage.db.execute("insert into public.newcomer values (1)");
  await until(() => heard.events.length === 1);
  expect(heard.events[0]).toMatchObject({ table: "newcomer", new: { id: 1 } });
  const only = await hearChanges(client, "only", any("newcomer"));
  await stage.db.execute("alter publication supabase_realtime drop table public.newcomer");
  await until(() => only.system.length === 2);
  expect(only.system[1]).toMatchObject({ status: "error" });
  await stage.db.execute(
    "insert into public.newcomer values (2); insert into public.plain values (31000)",
  );
  await until(() => heard.events.length === 2);
  expect(heard.events[1]).toMatchObject({ table: "plain", new: { id: 31000 } });
});

test("the columns and rows of a publication are ignored, as in hosted Supabase", async () => {
  await stage.db.execute(`
    create table public.listed (id int primary key, body text);
    alter publication supabase_realtime add table public.listed (id) where (id > 100)`);
  const heard = await hearChanges(await stage.client({}), "listed", any("listed"));
  await stage.db.execute("insert into public.listed values (1, 'x')");
  await until(() => heard.events.length === 1);
  expect(heard.events[0].new).toEqual({ id: 1, body: "x" });
});

test("chosen columns include the key, and all changes of one transaction have the same time", async () => {
  const client = await stage.client({});
  const select = { ...any("plain", "n=gt.0"), select: ["body"] };
  const heard = await hearChanges(client, "select", select);
  await stage.db.execute(`
    begin;
    insert into public.plain values (32001, 'a', 1);
    select pg_sleep(0.02);
    update public.plain set body = 'b' where id = 32001;
    commit`);
  await until(() => heard.events.length === 2);
  expect(heard.events.map((e) => e.new)).toEqual([
    { id: 32001, body: "a" },
    { id: 32001, body: "b" },
  ]);
  expect(heard.events[0].commit_timestamp).toBe(heard.events[1].commit_timestamp);
  const message = async (topic: string, binding: object) =>
    (await hearChanges(client, topic, binding as never)).system[0]?.message;
  expect(await message("s1", { ...select, select: ["nope"] })).toMatch(
    /Exception: ERROR P0001 \(raise_exception\) invalid column for select nope$/,
  );
  expect(await message("s2", { ...select, table: "*", filter: undefined })).toMatch(
    /^Column selection is not supported for wildcard/,
  );
  expect(await message("s3", { event: "INSERT", filter: "a=eq.1" })).toBe(
    "No subscription params provided. Please provide at least a `schema` or `table` to subscribe to: " +
      '%{"event" => "INSERT", "filter" => "a=eq.1"}',
  );
});
