import { readFile } from "node:fs/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { restJob } from "../clock.js";
import { ownStack } from "../own-stack.js";
import { type Person, register, supabaseAsService } from "../souk.js";
import { arrived, listen } from "./receiving.js";

// Calls of a worker by transactions that follow each other. The dispatcher of webhooks stands for all workers.

let operator: Person;
let wakeAgain: () => Promise<void>;
beforeAll(async () => {
  operator = await register({ tenant_name: "Bell" });
  // Only the calls under test wake the dispatcher.
  wakeAgain = await restJob("webhook-dispatch");
});
afterAll(() => wakeAgain());

/** A session of its own. PGlite accepts one at a time. */
const session = async () => {
  const client = new pg.Client({ connectionString: ownStack.db_url as string });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
};

/** Writes an event. Resolves to the number of calls that the open transaction will make. */
async function callsOfEvent(client: pg.Client): Promise<number> {
  await client.query(
    "insert into public.events (tenant_id, name, payload) values ($1, 'content.created', '{}')",
    [operator.tenantId],
  );
  const { rows } = await client.query(
    `select count(*)::integer as calls from net.http_request_queue
     where url like '%/webhook-dispatch' and xmin = pg_current_xact_id()::xid`,
  );
  return rows[0].calls;
}

/** A transaction with one event. Resolves to the number of its calls. */
async function transaction(
  client: pg.Client,
  { begin = "begin", end = "commit", before = "", after = "" } = {},
): Promise<number> {
  await client.query(begin);
  if (before) await client.query(before);
  const calls = await callsOfEvent(client);
  if (after) await client.query(after);
  await client.query(end);
  return calls;
}

const FORGET = "delete from private.wakes where worker = 'webhook-dispatch'";
const stays = (time: string) =>
  `update private.wakes set woken_at = ${time} where worker = 'webhook-dispatch'`;
/** So that a slow machine has no influence. The worker looks every few seconds meanwhile. */
const FOR_LONG = stays("clock_timestamp() + interval '20 seconds'");
const OVER = stays("clock_timestamp() - interval '250 milliseconds'");

async function wakeId(client: pg.Client): Promise<string> {
  const { rows } = await client.query(
    "select wake_id from private.wakes where worker = 'webhook-dispatch'",
  );
  return rows[0].wake_id;
}

const isOver = async (wake_id: string) =>
  (await supabaseAsService().rpc("wake_is_over", { wake_id }).throwOnError()).data;

describe("transactions that write events", () => {
  it("call the dispatcher at most once in 250 ms, and none of their events is forgotten", async () => {
    const there = await listen(operator, ["content.created"]);
    const client = await session();
    const time = async () =>
      Number((await client.query("select extract(epoch from clock_timestamp()) as s")).rows[0].s);
    await client.query(FORGET);
    const begun = await time();
    let calls = 0;
    for (let i = 0; i < 50; i++) calls += await transaction(client);
    expect(calls).toBeGreaterThan(0);
    expect(calls).toBeLessThanOrEqual(Math.floor((await time()) - begun) * 4 + 4);
    await arrived(there, 50);
  });

  it("rely on a call until it is 250 ms old", async () => {
    await listen(operator, ["content.created"]);
    const client = await session();
    expect(await transaction(client, { before: FORGET, after: FOR_LONG })).toBe(1);
    const first = await wakeId(client);
    expect(await transaction(client, { end: "rollback" })).toBe(0);
    expect(await transaction(client)).toBe(0);
    expect(await wakeId(client)).toBe(first);
    expect(await transaction(client, { before: OVER })).toBe(1);
    expect(await wakeId(client)).not.toBe(first);
  });

  it("are seen by the worker that they rely on, without another call", async () => {
    const there = await listen(operator, ["content.created"]);
    const client = await session();
    expect(await transaction(client, { before: FORGET, after: FOR_LONG })).toBe(1);
    await arrived(there, 1);
    expect(await transaction(client)).toBe(0);
    await arrived(there, 2);
    await client.query(OVER);
  });

  it("do not rely on a call that is rolled back", async () => {
    await listen(operator, ["content.created"]);
    const client = await session();
    await client.query(FORGET);
    expect(await transaction(client, { end: "rollback" })).toBe(1);
    expect(await transaction(client)).toBe(1);
  });

  it("call the worker themselves if they may not see the calls of others", async () => {
    await listen(operator, ["content.created"]);
    const client = await session();
    for (const level of ["repeatable read", "serializable"]) {
      expect(await transaction(client, { before: FORGET, after: FOR_LONG })).toBe(1);
      expect(await transaction(client, { begin: `begin isolation level ${level}` })).toBe(1);
    }
    await client.query(OVER);
  });
});

it("a call that timed out is no failure to the query of the guide to production", async () => {
  const guide = await readFile("docs/guides/production.md", "utf8");
  const [failures] =
    /^select status_code, error_msg[^;]*net\._http_response[^;]*;/m.exec(guide) ?? [];
  const client = await session();
  await client.query("begin; delete from net._http_response");
  await client.query(
    `insert into net._http_response (id, status_code, timed_out, error_msg) values
       (-1, 202, false, null), (-2, 200, false, null),
       (-3, null, true, 'Timeout of 5000 ms reached. Total time: 5001.0 ms'),
       (-4, 401, false, null), (-5, null, false, 'Couldn''t connect to server')`,
  );
  const { rows } = await client.query(failures as string);
  await client.query("rollback");
  expect(rows.map(({ status_code, error_msg }) => [status_code, error_msg]).toSorted()).toEqual(
    [
      [401, null],
      [null, "Couldn't connect to server"],
    ].toSorted(),
  );
});

// PGlite has one session: no transaction is open while the worker asks.
describe.skipIf(!process.env.DATABASE_URL)("a wake", () => {
  it("is not over while a transaction that relies on it is open", async () => {
    const there = await listen(operator, ["content.created"]);
    const [client, late, other] = [await session(), await session(), await session()];
    expect(await transaction(client, { before: FORGET, after: FOR_LONG })).toBe(1);
    const wake = await wakeId(client);
    expect(await isOver(wake)).toBe(false);
    await late.query("begin");
    expect(await callsOfEvent(late)).toBe(0);
    await client.query(OVER);
    expect(await isOver(wake)).toBe(false);
    // Meanwhile another one does not rely on it.
    expect(await transaction(other, { end: "rollback" })).toBe(1);
    await late.query("commit");
    await arrived(there, 2);
    expect(await isOver(wake)).toBe(true);
  });

  it("is not waited for by transactions at the same time, which call too", async () => {
    await listen(operator, ["content.created"]);
    const [one, other] = [await session(), await session()];
    await one.query(FORGET);
    await one.query("begin");
    expect(await callsOfEvent(one)).toBe(1);
    expect(await transaction(other)).toBe(1);
    await one.query("commit");
  });
});
