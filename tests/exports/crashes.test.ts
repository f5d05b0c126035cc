import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { query, queueBehind } from "../database.js";
import { administer, databaseAt } from "../database-server.js";
import { eventually } from "../eventually.js";
import { openPlace } from "../place.js";
import {
  call,
  must,
  openTestTenant,
  supabaseAs,
  supabaseAsService,
  type TestTenant,
  useStack,
} from "../souk.js";
import { type RunningStack, setRateLimit, startStack } from "../stack.js";
import { type Calls, type Crash, type CrashTime, dispatch } from "./dispatcher.js";
import { askFor, bytesOf, type Export, getExport, rowsOf } from "./exporting.js";

// Dispatchers that crash, are slow, or work at the same time: each row is in the files once.

/** The number of products. Their descriptions fill more than a part of a file. */
const PRODUCTS = 160;
const DESCRIPTION = "x".repeat(45_000);
/** Tests one crash in seven, or all, which takes minutes, if EXPORT_CRASHES is `all`. */
const ONE_CRASH_IN = process.env.EXPORT_CRASHES === "all" ? 1 : 7;

/**
 * Maximum file sizes: for one file that ends with a part, and for two files, of which the second is sent in one
 * request.
 */
const FILE_BYTES = { 1: 52_428_800, 2: 6_500_000 };

let stack: RunningStack;
let drop = async () => {};
let testTenant: TestTenant;
/** The ids of all products, newest first. */
let ids: string[];

beforeAll(async () => {
  const place = await openPlace();
  drop = place.drop;
  stack = await startStack(place.options, { functions: ["api", "auth", "export-dispatch"] });
  useStack(stack);
  await setRateLimit(stack, "address", 1_000_000);
  await setRateLimit(stack, "admin", 1_000_000);
  // Only tests wake the stack's own dispatcher.
  await query("delete from vault.secrets where name = 'functions_url'");
  testTenant = await openTestTenant();
  const products = Array.from({ length: PRODUCTS }, (_, n) => ({
    ...{ name: `Rug ${n}`, price: 1, description: DESCRIPTION },
  }));
  for (let from = 0; from < PRODUCTS; from += 40) {
    const some = products.slice(from, from + 40);
    await supabaseAs(testTenant.operator).from("products").insert(some).throwOnError();
  }
  const rows = await query<{ id: string }>(
    "select id from public.products where tenant_id = $1 order by created_at desc, id",
    [testTenant.tenantId],
  );
  ids = rows.map(({ id }) => id);
});

afterAll(async () => {
  useStack(undefined);
  await stack?.stop();
  await drop();
});

const ask = (format = "csv") => askFor(testTenant.operator, { type: "products", format });
const remove = ({ id }: Export) =>
  must("DELETE", `/api/analytics/exports/${id}`, { as: testTenant.operator });

async function splitInto(files: 1 | 2): Promise<void> {
  await supabaseAsService()
    .rpc("set_cap", { name: "export_file_bytes", value: FILE_BYTES[files] })
    .throwOnError();
}

/** Ends all leases and pauses. */
async function passTime(): Promise<void> {
  await query("update private.jobs set due_at = '-infinity'");
}

/** Fails unless the export is ready, with each row once, in this many files. */
async function expectWhole(asked: Export, count = 1): Promise<Buffer[]> {
  const ready = await getExport(testTenant.operator, asked);
  expect(ready).toMatchObject({ status: "ready", rows: PRODUCTS, progress: 100 });
  expect(ready.urls).toHaveLength(count);
  const rows = await rowsOf(ready);
  expect(rows.map(({ id }) => id)).toEqual(ids);
  const files = await Promise.all(ready.urls.map(bytesOf));
  expect(ready.bytes).toBe(files.reduce((sum, { length }) => sum + length, 0));
  return files;
}

/** Compares files. Vitest would compare byte by byte, which is slow. */
const areSame = (some: Buffer[], others: Buffer[]) =>
  Buffer.concat(some).equals(Buffer.concat(others));

/**
 * All crashes that can happen in these calls, except in the last check for work. Pages are alike, so only the first
 * counts.
 */
function crashesIn(calls: Calls): Crash[] {
  const counts = new Map<string, number>();
  for (const name of calls) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .filter(([name]) => name !== "leave_export")
    .flatMap(([name, count]) => {
      const times: CrashTime[] =
        name === "part" ? ["before", "halfway", "after"] : ["before", "after"];
      const numbers = /^(read|take)/.test(name) ? 1 : count;
      return Array.from({ length: numbers }, (_, n) =>
        times.map((time) => ({ call: name, nth: n + 1, time })),
      ).flat();
    });
}

describe.each([
  ["json", 2, /./],
  // The calls that differ if the last file ends with a part.
  ["csv", 1, /part|report/],
] as const)("a dispatcher of %s in %d", (format, count, crashable) => {
  it("may crash at each call: the next one continues and writes the same files", async () => {
    await splitInto(count);
    const plain = await ask(format);
    const calls = await dispatch();
    const written = await expectWhole(plain, count);
    const crashes = crashesIn(calls.filter((name) => crashable.test(name)));
    expect(crashes.length).toBeGreaterThan(5);
    for (const crash of crashes.filter((_, n) => n % ONE_CRASH_IN === 0)) {
      const asked = await ask(format);
      await dispatch(crash);
      await passTime();
      await dispatch();
      const files = await expectWhole(asked, count).catch((error) => {
        throw new Error(`crashed ${JSON.stringify(crash)}: ${error.message}`);
      });
      expect(areSame(files, written), JSON.stringify(crash)).toBe(true);
      await remove(asked);
    }
  });
});

describe("a partly received part", () => {
  it("is written again with its export if the rows have changed since", async () => {
    const asked = await ask();
    await dispatch({ call: "part", nth: 1, time: "halfway" });
    await supabaseAs(testTenant.operator)
      .from("products")
      .update({ description: "y".repeat(45_000) })
      .in("id", ids.slice(50, 100))
      .throwOnError();
    await passTime();
    const calls = await dispatch();
    expect(calls.filter((name) => name === "begin")).toHaveLength(1);
    const files = await expectWhole(asked);
    expect(Buffer.concat(files).toString().match(/,y+,/g)).toHaveLength(50);
    await remove(asked);
  });
});

/** A dispatcher that pauses before its second report until it is resumed. */
function pausing() {
  let resume = () => {};
  let stopped = () => {};
  const paused = new Promise<void>((resolve) => {
    stopped = resolve;
  });
  let reports = 0;
  const slow = dispatch(undefined, async (name) => {
    if (name !== "report_export" || ++reports !== 2) return;
    await new Promise<void>((goOn) => {
      resume = goOn;
      stopped();
    });
  });
  return { paused, slow, resume: () => resume() };
}

describe("the last part of a file", () => {
  it.each(["announced", "halfway"] as const)("is completed after a crash: %s", async (time) => {
    await splitInto(1);
    const asked = await ask();
    const calls = await dispatch({ call: "part", nth: 2, time });
    expect(calls.at(-1)).toBe("part");
    await passTime();
    expect(await dispatch()).not.toContain("begin");
    await expectWhole(asked);
    await remove(asked);
  });
});

describe("a lease", () => {
  it("that another dispatcher has taken over changes nothing", async () => {
    const asked = await ask();
    const { paused, slow, resume } = pausing();
    await paused;
    await passTime();
    await dispatch();
    const files = await expectWhole(asked);
    resume();
    expect(await slow).not.toContain("leave_export");
    expect(areSame(await expectWhole(asked), files)).toBe(true);
    await remove(asked);
  });

  it("ends when the export is deleted", async () => {
    const asked = await ask();
    const { paused, slow, resume } = pausing();
    await paused;
    await remove(asked);
    resume();
    expect(await slow).not.toContain("leave_export");
    const gone = await call("GET", `/api/analytics/exports/${asked.id}`, {
      as: testTenant.operator,
    });
    expect(gone.status).toBe(404);
    expect(await query("select from private.export_jobs")).toEqual([]);
  });

  it("is held by one dispatcher: of four concurrent ones none writes the same as another", async () => {
    const asked: Export[] = [];
    for (const format of ["csv", "json", "csv"]) asked.push(await ask(format));
    const taken = await Promise.all([dispatch(), dispatch(), dispatch(), dispatch()]);
    for (const one of asked) await expectWhole(one);
    const puts = taken.flat().filter((name) => name === "begin" || name === "put");
    expect(puts).toHaveLength(asked.length);
    for (const one of asked) await remove(one);
  });

  it("that expires six times in a row makes the export fail", async () => {
    const asked = await ask();
    for (let crashes = 0; crashes < 6; crashes += 1) {
      expect((await getExport(testTenant.operator, asked)).status).not.toBe("failed");
      await dispatch({ call: "read_export_rows", nth: 1, time: "before" });
      await passTime();
    }
    await dispatch();
    expect(await getExport(testTenant.operator, asked)).toMatchObject({
      status: "failed",
      error: "The export could not be written, several times in a row. Ask for it again.",
    });
  });
});

describe("an export that a dispatcher has been writing for a while", () => {
  it("waits for the exports of other tenants", async () => {
    const [large, elsewhere] = [await ask(), await openTestTenant()];
    const first = await take();
    expect(first.id).toBe(large.id);
    const other = await askFor(elsewhere.operator, { type: "products" });
    const given = { export_id: first.id, lease: first.lease, arrived: true };
    await supabaseAsService().rpc("leave_export", given).throwOnError();
    expect((await take()).id).toBe(other.id);
    expect((await take()).id).toBe(large.id);
    expect(await take()).toBeNull();
    await remove(large);
    await query("delete from public.exports where id = $1", [other.id]);
  });

  // PGlite executes one transaction at a time.
  it.skipIf(!process.env.DATABASE_URL)(
    "can be deleted while it reports, without a deadlock",
    async () => {
      const service = supabaseAsService();
      for (const [report, result] of [
        ["report_export", { checkpoint: { rows: 0, bytes: 0 } }],
        ["leave_export", { error: "The disk is full." }],
      ] as const) {
        const { id } = await ask();
        const { lease } = await take();
        const answers = await queueBehind(
          `select from private.jobs where subject_id = '${id}' for update`,
          [
            async () => (await service.rpc(report, { export_id: id, lease, ...result })).error,
            () => query("delete from public.exports where id = $1 returning id", [id]),
          ],
        );
        expect(answers).toEqual([null, [{ id }]]);
      }
    },
  );

  const take = async () => (await supabaseAsService().rpc("lease_export").throwOnError()).data;
});

describe.skipIf(!process.env.DATABASE_URL)("a database outage while a file is written", () => {
  // PGlite stops only together with its stack.
  it("delays the export, which has each row once afterwards", async () => {
    await splitInto(1);
    const asked = await ask();
    const { paused, slow, resume } = pausing();
    await paused;
    const back = await takeAway();
    try {
      const status = await call("GET", "/api/analytics/exports", { as: testTenant.operator });
      expect(status.status).toBe(503);
      resume();
      // The dispatcher cannot report, release the export or take another one.
      expect((await slow).slice(-3)).toEqual(["report_export", "leave_export", "lease_export"]);
    } finally {
      await back();
    }
    await passTime();
    expect(await dispatch()).not.toContain("begin");
    await expectWhole(asked);
    await remove(asked);
  });

  /** Ends all connections to the stack's database and refuses new ones, until the returned function is called. */
  async function takeAway(): Promise<() => Promise<void>> {
    const url = stack.db_url as string;
    const name = new URL(url).pathname.slice(1);
    const server = databaseAt(url, "postgres");
    await administer(server, `alter database ${name} allow_connections false`);
    await administer(
      server,
      `select pg_terminate_backend(pid, 30000) from pg_stat_activity where datname = '${name}'`,
    );
    return async () => {
      await administer(server, `alter database ${name} allow_connections true`);
      await eventually(() => must("GET", "/api/analytics/exports", { as: testTenant.operator }));
    };
  }
});

describe("an export whose first part is never accepted", () => {
  it("fails after six attempts, although each of them reports progress first", async () => {
    const asked = await ask();
    for (let crashes = 0; crashes < 6; crashes += 1) {
      expect((await getExport(testTenant.operator, asked)).status).not.toBe("failed");
      await dispatch({ call: "part", nth: 1, time: "before" });
      await passTime();
    }
    await dispatch();
    expect((await getExport(testTenant.operator, asked)).status).toBe("failed");
  });
});
