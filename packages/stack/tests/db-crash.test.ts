import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { eventually } from "../../../tests/eventually.js";
import { draw } from "../../../tests/random.js";
import { openPglite } from "../src/db/pglite.js";
import { openReceiver } from "./jobs-setup.js";
import { makeProject, removeProject, writeFiles } from "./project.js";

// Each start is a separate process, which is slow while other tests run.

const ROUNDS = 2;
const child = fileURLToPath(new URL("./db-crash-child.ts", import.meta.url));
const tsx = import.meta.resolve("tsx");

let root: string;
let running: ChildProcess | undefined;

beforeEach(async () => {
  root = await makeProject({
    "supabase/migrations/1_rows.sql":
      "create table public.rows (id bigint generated always as identity primary key, text text);",
    "supabase/seed.sql": "",
  });
});
afterEach(async () => {
  if (running?.exitCode === null && running.signalCode === null) await kill();
  await removeProject(root);
});

/** Starts again. Resolves when its output, or what it prints for the user, matches. */
async function start(until: RegExp, ...args: string[]): Promise<string[]> {
  const process_ = spawn(process.execPath, ["--import", tsx, child, ...args], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
  });
  running = process_;
  const acknowledged: string[] = [];
  let output = "";
  await new Promise<void>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      output += chunk;
      if (until.test(output)) resolve();
    };
    // A line that the kill cuts off does not count.
    process_.stdout.on("data", (chunk: Buffer) => {
      acknowledged.push(...String(chunk).split("\n").slice(0, -1));
      hear(chunk);
    });
    process_.stderr.on("data", hear);
    process_.once("exit", () => reject(new Error(`ended before ${until}:\n${output}`)));
  });
  return acknowledged;
}

async function kill(): Promise<void> {
  const gone = once(running as ChildProcess, "close");
  running?.kill("SIGKILL");
  await gone;
}

const later = (ms: number) => new Promise((done) => setTimeout(done, ms));

async function read(sql: string): Promise<unknown[]> {
  const db = await openPglite(join(root, ".souk", "postgres"));
  try {
    return await db.query(sql);
  } finally {
    await db.close();
  }
}

test("after a kill within a migration, and within the seed, the next start completes each once", async () => {
  const second = "create table public.more (n int); insert into public.more values (1);";
  const seed = "insert into public.more values (2); insert into public.more values (3);";
  const forever = "select pg_sleep(600);";
  await writeFiles(root, { "supabase/migrations/2_more.sql": second + forever });
  await start(/\] platform/);
  // Usually it is within the statement that does not end. An earlier kill must have the same
  // result.
  await later(300);
  await kill();
  await writeFiles(root, {
    "supabase/migrations/2_more.sql": second,
    "supabase/seed.sql": seed.replace("; ", `; ${forever} `),
  });
  await start(/\] migrations.* [12] applied/);
  // The same within the seed.
  await later(300);
  await kill();
  expect(await read("select n from public.more")).toEqual([{ n: 1 }]);
  await writeFiles(root, { "supabase/seed.sql": seed });
  await start(/^\d+$/m);
  await kill();
  expect(await read("select n from public.more order by n")).toEqual([
    { n: 1 },
    { n: 2 },
    { n: 3 },
  ]);
});

test(`after ${ROUNDS} kills during its work, it has every row that it acknowledged`, async () => {
  const acknowledged: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const rows = await start(/^\d+$/m);
    await later(draw(60));
    await kill();
    acknowledged.push(...rows);
  }
  const rows = (await read("select id from public.rows")) as { id: number }[];
  const there = new Set(rows.map(({ id }) => String(id)));
  expect(acknowledged.length).toBeGreaterThanOrEqual(ROUNDS);
  expect(acknowledged.filter((id) => !there.has(id))).toEqual([]);
  expect(new Set(acknowledged).size).toBe(acknowledged.length);
});

test("after a kill within a job, and during a request, jobs continue", async () => {
  const receiver = await openReceiver((_, response) => {
    if (receiver.requests.length > 1) response.end("answered");
  });
  await start(/begun/, receiver.url);
  await eventually(() => expect(receiver.requests.length).toBe(1));
  await kill();
  await start(/succeeded/, receiver.url);
  await eventually(() => expect(receiver.requests.length).toBe(2));
  await kill();
  const runs = "select status, return_message from cron.job_run_details order by runid limit 2";
  expect(await read(runs)).toEqual([
    { status: "failed", return_message: "server restarted" },
    { status: "succeeded", return_message: "1 row" },
  ]);
  await receiver.close();
});
