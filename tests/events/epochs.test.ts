import { readFile } from "node:fs/promises";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { findServerPrograms, makeCluster } from "../cluster.js";
import { query } from "../database.js";
import { eventually } from "../eventually.js";
import { ownStack } from "../own-stack.js";
import { must, type Person, register } from "../souk.js";
import { arrived, listen } from "../webhooks/receiving.js";

// A restore, as the database sees it: its rows are of another server, which counted transactions otherwise.

/** More transactions than any test makes. */
const MANY = 10n ** 12n;

const EMIT = "select private.emit($1, 'user.verified', jsonb_build_object('mark', $2::text))";

async function emit({ tenantId }: Person, ...marks: string[]): Promise<void> {
  for (const mark of marks) await query(EMIT, [tenantId, mark]);
}

/** A tenant with the events `before 1` and `before 2` and one webhook, whose deliveries are over. */
async function openTenant() {
  const operator = await register({ tenant_name: "Oasis" });
  const receiver = await listen(operator, ["user.verified"]);
  await emit(operator, "before 1", "before 2");
  await arrived(receiver, 2);
  return { operator, receiver };
}

/** Makes the rows of a tenant those of a server that has counted this many transactions more, in the first epoch. */
async function restore({ tenantId }: Person, more = MANY) {
  await query(
    `update public.events set epoch = 'epoch', xact_id = (xact_id::text::bigint + $2::bigint)::text::xid8
     where tenant_id = $1`,
    [tenantId, more],
  );
  await query("update private.epoch set server_started_at = server_started_at - interval '1 day'");
}

/** The cursor of the event with this mark. */
async function cursorOf({ tenantId }: Person, mark: string): Promise<string> {
  const [row] = await query<{ cursor: string }>(
    `select private.event_cursor(e.epoch, e.xact_id, e.created_at, e.id) as cursor
     from public.events e where e.tenant_id = $1 and e.payload -> 'data' ->> 'mark' = $2`,
    [tenantId, mark],
  );
  return row?.cursor as string;
}

/** Reads until an event has a mark. Resolves to all marks in order, and the last cursor. */
async function readTo(as: Person, mark: string, after?: string) {
  const marks: string[] = [];
  let next = after;
  await eventually(async () => {
    for (let more = true; more; ) {
      const parameters = new URLSearchParams({ limit: "1", ...(next && { after: next }) });
      const page = await must("GET", `/api/events?${parameters}`, { as });
      // biome-ignore lint/suspicious/noExplicitAny: bodies as the API answers them.
      marks.push(...page.events.map(({ data }: any) => data.mark).filter(Boolean));
      ({ next, more } = page);
    }
    expect(marks).toContain(mark);
  });
  return { marks, next };
}

/** The marks of the tenant's events with their epochs, in the order in which they were written. */
async function epochsOf({ tenantId }: Person): Promise<string[]> {
  const rows = await query<{ epoch: string }>(
    `select extract(epoch from e.epoch)::text as epoch from public.events e
     where e.tenant_id = $1 and e.payload -> 'data' ? 'mark' order by e.created_at`,
    [tenantId],
  );
  return rows.map(({ epoch }) => epoch);
}

const programs = await findServerPrograms();

describe("events after a restore", () => {
  it("from a server that has counted more transactions are each listed once, in order", async () => {
    const { operator } = await openTenant();
    await restore(operator);
    const cursor = await cursorOf(operator, "before 1");
    const before = await readTo(operator, "before 2");
    await emit(operator, "after 1", "after 2");
    const all = ["before 1", "before 2", "after 1", "after 2"];
    const { marks, next } = await readTo(operator, "after 2");
    expect(marks).toEqual(all);
    expect((await readTo(operator, "after 2", cursor)).marks).toEqual(all.slice(1));
    // Cursors of the first epoch had none.
    const old = cursor.replace(/^0-/, "");
    expect(old).not.toBe(cursor);
    expect((await readTo(operator, "after 2", old)).marks).toEqual(all.slice(1));
    expect((await readTo(operator, "after 2", before.next)).marks).toEqual(all.slice(2));

    // A second restore, again from a server that was further.
    await query(
      "update public.events set xact_id = (xact_id::text::bigint + $1::bigint)::text::xid8",
      [MANY],
    );
    await query(
      "update private.epoch set server_started_at = server_started_at - interval '1 day'",
    );
    const further = next?.replace(/-(\d+)/, (_, xact) => `-${BigInt(xact) + MANY}`);
    await emit(operator, "again");
    expect((await readTo(operator, "again", further)).marks).toEqual(["again"]);
    expect((await readTo(operator, "again")).marks).toEqual([...all, "again"]);
  });

  it("to an earlier time are listed for readers that had read on", async () => {
    const { operator } = await openTenant();
    const { next } = await readTo(operator, "before 2");
    // The reader has seen events of transactions that are gone, and whose numbers come again.
    const further = next?.replace(/^(\d+)-(\d+)/, (_, epoch, xact) => `${epoch}-${+xact + 1000}`);
    await restore(operator, 0n);
    await emit(operator, "after");
    expect((await readTo(operator, "after", further)).marks).toEqual(["after"]);
  });

  it("are delivered by webhooks and cause mails, and cause none again", async () => {
    const { operator, receiver } = await openTenant();
    await restore(operator);
    const mails = () => query("select from public.mails where tenant_id = $1", [operator.tenantId]);
    const before = await mails();
    await emit(operator, "after");
    await register({ tenant_id: operator.tenantId });
    const marks = async (count: number) =>
      (await arrived(receiver, count)).map(({ body }) => body.data.mark ?? "verified").toSorted();
    // The new member's address is verified, too.
    expect(await marks(4)).toEqual(["after", "before 1", "before 2", "verified"]);
    expect((await mails()).length).toBe(before.length + 1);
  });

  it("have the epoch that the database had before it was recorded", async () => {
    const { operator } = await openTenant();
    await restore(operator);
    const present = "select extract(epoch from private.present_epoch())::text as epoch";
    const [before] = await query<{ epoch: string }>(present);
    await emit(operator, "after 1", "after 2");
    expect(await query(present)).toEqual([before]);
    expect((await epochsOf(operator)).slice(2)).toEqual([before?.epoch, before?.epoch]);
    const [recorded] = await query(
      "select extract(epoch from epoch)::text as epoch from private.epoch",
    );
    expect(recorded).toEqual(before);
  });

  // PGlite has one transaction at a time.
  it.skipIf(!process.env.DATABASE_URL)(
    "do not wait for the transaction that records the epoch",
    async () => {
      const { operator } = await openTenant();
      await restore(operator);
      const first = await connect();
      try {
        await first.query("begin");
        await first.query(EMIT, [operator.tenantId, "first"]);
        await emit(operator, "second");
        await first.query("rollback");
        await emit(operator, "third");
        expect(new Set((await epochsOf(operator)).slice(2)).size).toBe(1);
        expect((await readTo(operator, "third")).marks.slice(2)).toEqual(["second", "third"]);
      } finally {
        await first.end();
      }
    },
  );
});

describe("a new epoch", () => {
  const BEGIN = "select private.begin_epoch() as epoch";

  it.skipIf(!programs)("begins with each start of the server, however it ended", async () => {
    const cluster = await makeCluster(programs);
    onTestFinished(() => cluster.remove());
    await cluster.query("create role authenticated; create schema private");
    for (const path of ["schemas/foundation/0057_epochs.sql", "reference/foundation.sql"]) {
      await cluster.query(await readFile(`supabase/${path}`, "utf8"));
    }
    const epochs: string[] = [];
    for (const end of ["fast", "immediate", "fast"] as const) {
      const sql = `select private.present_epoch()::text as first, private.record_epoch()::text as second`;
      const read = await cluster.query<{ first: string; second: string }>(sql);
      expect(read[0]?.second).toBe(read[0]?.first);
      epochs.push(read[0]?.first as string);
      expect(await cluster.query("select epoch::text as first from private.epoch")).toEqual([
        { first: read[0]?.first },
      ]);
      await cluster.stop(end);
      await cluster.start();
    }
    expect(epochs).toEqual([...new Set(epochs)].toSorted());
  });

  it("puts events of another database first, whose epoch was later", async () => {
    const { operator } = await openTenant();
    await query("update public.events set epoch = now() where tenant_id = $1", [operator.tenantId]);
    const { events } = await must("GET", "/api/events", { as: operator });
    expect(events).toEqual([]);
    await query(BEGIN);
    await emit(operator, "after");
    const { marks } = await readTo(operator, "after");
    expect(marks).toEqual(["before 1", "before 2", "after"]);
  });

  it.skipIf(!process.env.DATABASE_URL)(
    "begins when the transactions that have written events have ended",
    async () => {
      const { operator } = await openTenant();
      const { next } = await readTo(operator, "before 2");
      const [slow, starter] = await Promise.all([connect(), connect()]);
      try {
        await slow.query("begin");
        await slow.query(EMIT, [operator.tenantId, "slow"]);
        await expect(starter.query(BEGIN)).rejects.toMatchObject({ code: "55P03" });
        await slow.query(EMIT, [operator.tenantId, "slower"]);
        await slow.query("commit");
        await starter.query(BEGIN);
        await emit(operator, "last");
        const marks = ["slow", "slower", "last"];
        expect((await readTo(operator, "last", next)).marks).toEqual(marks);
      } finally {
        await Promise.all([slow.end(), starter.end()]);
      }
    },
  );
});

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: ownStack.db_url as string });
  await client.connect();
  return client;
}
