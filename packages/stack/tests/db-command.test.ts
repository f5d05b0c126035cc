import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { programOf } from "../../../tests/programs.js";
import { makeProject, type Running, removeProject, run } from "./project.js";

const installed = (program: string) =>
  (process.env.PATH ?? "").split(":").some((folder) => existsSync(`${folder}/${program}`));
const hasPsql = installed("psql");
const hasCli =
  installed("supabase") ||
  createRequire(import.meta.url)
    .resolve.paths("@supabase/cli-linux-x64")
    ?.some((folder) => existsSync(`${folder}/@supabase/cli-linux-x64/bin/supabase`));

let root: string;
let stack: Running | undefined;

/** Runs `npm run db -- …` as in the project. */
async function db(args: string[], env: NodeJS.ProcessEnv = process.env, cwd = root) {
  const child = spawn(process.execPath, ["--liftoff-only", programOf("scripts/db.ts"), ...args], {
    cwd,
    env,
  });
  const output = { out: "", err: "" };
  child.stdout.on("data", (chunk) => {
    output.out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output.err += chunk;
  });
  const [code] = await once(child, "close");
  return { code, ...output };
}

/** Free ports, for a stack that is found by its config. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports;
}

async function stop(): Promise<void> {
  stack?.process.kill("SIGTERM");
  await stack?.exited;
  stack = undefined;
}

beforeAll(async () => {
  const [api, database, mails] = await freePorts(3);
  root = await makeProject({
    "supabase/config.toml": `[api]\nport = ${api}\n[db]\nport = ${database}\n[local_smtp]\nport = ${mails}\n`,
    "supabase/migrations/1_things.sql":
      "create table public.things (id int primary key);\nalter table public.things enable row level security;",
  });
});
afterAll(async () => {
  await stop();
  await removeProject(root);
});

test("prints its usage, and a remedy in each error", async () => {
  const help = await db(["--help"]);
  expect(help.code).toBe(0);
  for (const name of ["psql", "types", "advisors", "lint", "diff"]) {
    expect(help.out).toContain(`db -- ${name}`);
  }
  expect(await db(["sell"])).toMatchObject({ code: 1, err: expect.stringContaining("'sell'") });
  expect(await db(["diff", "--nope"])).toMatchObject({
    code: 1,
    err: expect.stringContaining("'--nope'"),
  });
  expect(await db(["lint"])).toMatchObject({
    code: 1,
    err: expect.stringContaining("PGlite has no plpgsql_check: give a server"),
  });
  expect(await db(["psql"])).toMatchObject({
    code: 1,
    err: expect.stringContaining("no stack runs, and"),
  });
  const url = "postgresql://me:hush@127.0.0.1:1/shop";
  const refused = await db(["diff", "--database-url", url]);
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("cannot reach") });
  expect(refused.err).not.toContain("hush");
  for (const command of ["diff", "advisors"]) {
    expect(await db([command, "--database-url", "shop"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("must be a Postgres URL"),
    });
  }
  expect(await db(["psql", "--database-url", url], { PATH: "" })).toMatchObject({
    code: 1,
    err: expect.stringContaining("psql is missing: install"),
  });
});

test("a database that cannot be built ends the command, and is dropped", {
  // Without a server, the command builds in memory.
  skip: !process.env.DATABASE_URL,
}, async () => {
  const server = process.env.DATABASE_URL as string;
  const broken = await makeProject({
    "supabase/migrations/1_broken.sql": "select nothing at all;",
  });
  const left = async () => {
    const client = new pg.Client({ connectionString: server });
    await client.connect();
    const { rows } = await client.query(
      "select datname from pg_database where datname like 'souk_scratch_%'",
    );
    await client.end();
    return rows;
  };
  try {
    const before = await left();
    const failed = await db(["advisors", "--database-url", server], process.env, broken);
    expect(failed).toMatchObject({ code: 1, err: expect.stringContaining("1_broken.sql") });
    expect(await left()).toEqual(before);
  } finally {
    await removeProject(broken);
  }
});

test("psql and diff open the running stack, and psql the stopped one", {
  skip: !hasPsql,
}, async () => {
  stack = run(root, "start", "--json");
  const { url } = await stack.ready();
  const made = await db(["psql", "-Atc", "create table public.extra (n int); select current_user"]);
  expect(made).toMatchObject({ code: 0, out: expect.stringContaining("postgres") });
  expect((await db(["psql", "-c", "select nope"])).code).toBe(1);
  if (hasCli) {
    const diff = await db(["diff"]);
    expect(diff.out).toMatch(/create table "public"\."extra"/i);
    expect(diff.out).not.toContain("things");
  }
  expect((await fetch(`${url}/auth/v1/health`)).status).toBe(200);
  await stop();
  const left = await db(["psql", "-Atc", "select count(*) from public.extra"]);
  expect(left).toEqual({ code: 0, out: "0\n", err: "" });
});
