import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { query } from "../database.js";
import { openPlace } from "../place.js";
import { commandOf, descendantsOf } from "../processes.js";
import {
  type Bazaar,
  call,
  must,
  openBazaar,
  supabaseAs,
  supabaseAsService,
  useStack,
} from "../souk.js";
import { type RunningStack, setRateLimit, startStack } from "../stack.js";
import { type Calls, type Death, type Doom, dispatch } from "./dispatcher.js";
import { askFor, bytesOf, type Export, getExport, rowsOf, until } from "./exporting.js";

// Dispatchers that die, come back, are slow, or are two: each row is in the file once, and each file is one.

/** Together more than a part of a file. */
const PRODUCTS = 160;
const DESCRIPTION = "x".repeat(45_000);
/** All deaths take minutes: EXPORT_DEATHS=all tries each of them, and else it is one of seven, spread evenly. */
const ONE_DEATH_IN = process.env.EXPORT_DEATHS === "all" ? 1 : 7;

/** One file that ends with a part, or one that does and another that goes in one piece. */
const FILE_BYTES = { 1: 52_428_800, 2: 6_500_000 };

let stack: RunningStack;
let drop = async () => {};
let bazaar: Bazaar;
/** Of every product, newest first. */
let ids: string[];

beforeAll(async () => {
  const place = await openPlace();
  drop = place.drop;
  stack = await startStack(place.options);
  useStack(stack);
  await setRateLimit(stack, "address", 1_000_000);
  await setRateLimit(stack, "admin", 1_000_000);
  // Nobody wakes the stack's own dispatcher but a test that wants it.
  await query("delete from vault.secrets where name = 'functions_url'");
  bazaar = await openBazaar();
  const products = Array.from({ length: PRODUCTS }, (_, n) => ({
    ...{ name: `Rug ${n}`, price: 1, description: DESCRIPTION },
  }));
  for (let from = 0; from < PRODUCTS; from += 40) {
    const some = products.slice(from, from + 40);
    await supabaseAs(bazaar.operator).from("products").insert(some).throwOnError();
  }
  const rows = await query<{ id: string }>(
    "select id from public.products where tenant_id = $1 order by created_at desc, id",
    [bazaar.tenantId],
  );
  ids = rows.map(({ id }) => id);
});

afterAll(async () => {
  useStack(undefined);
  await stack?.stop();
  await drop();
});

const ask = (format = "csv") => askFor(bazaar.operator, { type: "products", format });
const remove = ({ id }: Export) =>
  must("DELETE", `/api/analytics/exports/${id}`, { as: bazaar.operator });

async function splitInto(files: 1 | 2): Promise<void> {
  await supabaseAsService()
    .rpc("set_cap", { name: "export_file_bytes", value: FILE_BYTES[files] })
    .throwOnError();
}

/** What time does to whoever has died, or waits for another try. */
async function passTime(): Promise<void> {
  await query(
    "update private.export_jobs set turn_at = '-infinity', leased_until = '-infinity' where lease is not null",
  );
  await query("update private.export_jobs set turn_at = '-infinity'");
}

/** Fails unless the export is whole: each row once, in so many files, and its record says so. */
async function expectWhole(asked: Export, count = 1): Promise<Buffer[]> {
  const ready = await getExport(bazaar.operator, asked);
  expect(ready).toMatchObject({ status: "ready", rows: PRODUCTS, progress: 100 });
  expect(ready.urls).toHaveLength(count);
  const rows = await rowsOf(ready);
  expect(rows.map(({ id }) => id)).toEqual(ids);
  const files = await Promise.all(ready.urls.map(bytesOf));
  expect(ready.bytes).toBe(files.reduce((sum, { length }) => sum + length, 0));
  return files;
}

/** Whether files are the same: of millions of bytes vitest would compare each by itself. */
const areSame = (some: Buffer[], others: Buffer[]) =>
  Buffer.concat(some).equals(Buffer.concat(others));

/** How many calls of each name were made. */
const timesOf = (calls: Calls) => {
  const times = new Map<string, number>();
  for (const name of calls) times.set(name, (times.get(name) ?? 0) + 1);
  return [...times];
};

describe.each([
  ["json", 2, /./],
  // What is different where the last file ends with a part.
  ["csv", 1, /part|report/],
] as const)("a dispatcher of %s in %d", (format, count, deadly) => {
  it("may die of whatever it asks: the next one goes on where it was", async () => {
    await splitInto(count);
    const plain = await ask(format);
    const calls = await dispatch();
    const written = await expectWhole(plain, count);
    const deaths = (name: string): Death[] =>
      name === "part" ? ["before", "halfway", "after"] : ["before", "after"];
    const dooms = timesOf(calls)
      .filter(([name]) => name !== "leave_export" && deadly.test(name))
      // Pages are all the same.
      .map(([name, times]) => [name, name.startsWith("read") ? 1 : times] as const)
      .flatMap(([name, times]) => Array.from({ length: times }, (_, n) => [name, n + 1] as const))
      .flatMap(([name, nth]) => deaths(name).map((how): Doom => ({ call: name, nth, how })))
      // The last time that it looks for work there is none.
      .filter(({ call, nth }) => call !== "take_export" || nth === 1);
    expect(dooms.length).toBeGreaterThan(10);
    for (const doom of dooms.filter((_, n) => n % ONE_DEATH_IN === 0)) {
      const asked = await ask(format);
      await dispatch(doom);
      await passTime();
      await dispatch();
      const files = await expectWhole(asked, count).catch((error) => {
        throw new Error(`died ${JSON.stringify(doom)}: ${error.message}`);
      });
      expect(areSame(files, written), JSON.stringify(doom)).toBe(true);
      await remove(asked);
    }
  }, 300_000);
});

describe("a part that has arrived by half", () => {
  it("is begun anew with its export where its rows have changed since", async () => {
    const asked = await ask();
    await dispatch({ call: "part", nth: 1, how: "halfway" });
    await supabaseAs(bazaar.operator)
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

/** A dispatcher that stops in the middle of a file, until it is to go on. */
function pausing() {
  let resume = () => {};
  let stopped = () => {};
  const paused = new Promise<void>((told) => {
    stopped = told;
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

describe("a lease", () => {
  it("that is somebody else's by now changes nothing", async () => {
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

  it("ends with an export that is deleted: nobody writes it any more", async () => {
    const asked = await ask();
    const { paused, slow, resume } = pausing();
    await paused;
    await remove(asked);
    resume();
    expect(await slow).not.toContain("leave_export");
    const gone = await call("GET", `/api/analytics/exports/${asked.id}`, { as: bazaar.operator });
    expect(gone.status).toBe(404);
    expect(await query("select from private.export_jobs")).toEqual([]);
  });

  it("is one dispatcher's: of many that are awake none writes what another has", async () => {
    const asked: Export[] = [];
    for (const format of ["csv", "json", "csv"]) asked.push(await ask(format));
    const taken = await Promise.all([dispatch(), dispatch(), dispatch(), dispatch()]);
    // Whoever found nothing has gone home, and what waited for its turn is done by who was there.
    for (const one of asked) await expectWhole(one);
    const puts = taken.flat().filter((name) => name === "begin" || name === "put");
    expect(puts).toHaveLength(asked.length);
    for (const one of asked) await remove(one);
  });

  it("ends five times over, and the export has failed", async () => {
    const asked = await ask();
    for (let deaths = 0; deaths < 6; deaths += 1) {
      expect((await getExport(bazaar.operator, asked)).status).not.toBe("failed");
      await dispatch({ call: "read_export_rows", nth: 1, how: "before" });
      await passTime();
    }
    await dispatch();
    expect(await getExport(bazaar.operator, asked)).toMatchObject({
      status: "failed",
      error: "It could not be written, several times over. Ask for it again.",
    });
  });
});

describe("the stack's own dispatcher, killed in the middle", () => {
  it("goes on where it was, again and again", async () => {
    const asked = await ask();
    let killed = 0;
    for (const share of [1, 40]) {
      await wake();
      await vi.waitFor(
        async () => {
          const { progress, status } = await getExport(bazaar.operator, asked);
          expect(status === "ready" || progress >= share).toBe(true);
        },
        { timeout: 30_000, interval: 5 },
      );
      killed += killDispatchers();
      // What the killed one had asked for last may be done after all, and lengthen its lease.
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      await passTime();
    }
    expect(killed).toBeGreaterThan(0);
    await wake();
    // On a busy machine it may lengthen the lease later still: then another lease's two minutes pass first.
    await until(bazaar.operator, asked, "ready", 200_000);
    await expectWhole(asked);
  }, 300_000);

  const wake = () => call("POST", "/export-dispatch", { headers: { apikey: stack.secret_key } });

  function killDispatchers(): number {
    const dispatchers = descendantsOf(stack.process.pid as number).filter((pid) =>
      commandOf(pid).includes("/export-dispatch/"),
    );
    for (const pid of dispatchers) process.kill(pid, "SIGKILL");
    return dispatchers.length;
  }
});
