import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { programOf } from "../../../tests/programs.js";
import { openPglite } from "../src/db/pglite.js";
import { openReceiver } from "./jobs-setup.js";
import { makeProject, removeProject, shortLived, writeFiles } from "./project.js";

const ROUNDS = 2;

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

/** Starts anew; resolves when its output, or what it tells the user, matches. */
async function start(until: RegExp, ...args: string[]): Promise<string[]> {
  const child = programOf("packages/stack/tests/db-crash-child.ts");
  const process_ = spawn(process.execPath, [...shortLived, child, ...args], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
  });
  running = process_;
  const acknowledged: string[] = [];
  let said = "";
  await new Promise<void>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      said += chunk;
      if (until.test(said)) resolve();
    };
    // A line that the kill cuts off was not said.
    process_.stdout.on("data", (chunk: Buffer) => {
      acknowledged.push(...String(chunk).split("\n").slice(0, -1));
      hear(chunk);
    });
    process_.stderr.on("data", hear);
    process_.once("exit", () => reject(new Error(`ended before ${until}:\n${said}`)));
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

test("killed within a migration, and within the seed, the next start completes each once", async () => {
  const second = "create table public.more (n int); insert into public.more values (1);";
  const seed = "insert into public.more values (2); insert into public.more values (3);";
  const forever = "select pg_sleep(600);";
  await writeFiles(root, { "supabase/migrations/2_more.sql": second + forever });
  await start(/\] platform/);
  await later(300);
  await kill();
  await writeFiles(root, {
    "supabase/migrations/2_more.sql": second,
    "supabase/seed.sql": seed.replace("; ", `; ${forever} `),
  });
  await start(/\] migrations.* [12] applied/);
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

test(`killed ${ROUNDS} times in the middle of its work, it has every row that it acknowledged`, async () => {
  const acknowledged: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const said = await start(/^\d+$/m);
    await later(Math.random() * 60);
    await kill();
    acknowledged.push(...said);
  }
  const rows = (await read("select id from public.rows")) as { id: number }[];
  const there = new Set(rows.map(({ id }) => String(id)));
  expect(acknowledged.length).toBeGreaterThanOrEqual(ROUNDS);
  expect(acknowledged.filter((id) => !there.has(id))).toEqual([]);
  expect(new Set(acknowledged).size).toBe(acknowledged.length);
});

test("killed within a job, and while a request is under way, jobs go on", async () => {
  const receiver = await openReceiver((_, response) => {
    if (receiver.requests.length > 1) response.end("answered");
  });
  await start(/begun/, receiver.url);
  await expect.poll(() => receiver.requests.length).toBe(1);
  await kill();
  await start(/succeeded/, receiver.url);
  await expect.poll(() => receiver.requests.length).toBe(2);
  await kill();
  const runs = "select status, return_message from cron.job_run_details order by runid limit 2";
  expect(await read(runs)).toEqual([
    { status: "failed", return_message: "server restarted" },
    { status: "succeeded", return_message: "1 row" },
  ]);
  await receiver.close();
});
