import { chmod, chown, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { eventually } from "../../../tests/eventually.js";
import { isAlive } from "../../../tests/processes.js";
import { findPrograms } from "../src/db/server.js";
import { makeProject, type Running, removeProject, run, runToEnd, runWith } from "./project.js";

// A Postgres from npm beside the stack, and its state after each way in which the stack can end.

const installed = await findPrograms().catch(() => null);

const START = ["start", "--port", "0", "--json", "--postgres"];

describe.skipIf(!installed)("a start with --postgres", () => {
  let root: string;
  const started: Running[] = [];
  const begin = () => {
    const running = run(root, ...START);
    started.push(running);
    return running;
  };

  beforeAll(async () => {
    root = await makeProject({
      "supabase/migrations/20260101000000_things.sql":
        "create table public.things (id int primary key, name text);\ngrant all on public.things to anon;\n",
      "supabase/migrations/20260102000000_vectors.sql":
        "-- requires: vector\ncreate table public.vectors ();\n",
      "supabase/seed.sql": "insert into public.things values (1, 'from the seed');\n",
      "supabase/config.toml": "[edge_runtime]\nenabled = false\n",
    });
    // The server's user is not root, and must be able to open its folder.
    if (process.getuid?.() === 0) await chown(root, 65_534, 65_534);
  });
  afterAll(async () => {
    for (const { process, exited } of started) {
      process.kill("SIGKILL");
      await exited;
    }
    await removeProject(root);
  });

  const serverOf = async (data = join(root, ".souk", "postgres-17", "data")) =>
    Number((await readFile(join(data, "postmaster.pid"), "utf8")).split("\n")[0]);
  const end = async ({ process, exited }: Running) => {
    process.kill("SIGINT");
    expect(await exited).toBe(0);
  };
  const names = async (url: string | null) => {
    const client = new pg.Client({ connectionString: url as string });
    await client.connect();
    try {
      return (await client.query("select name from public.things order by id")).rows;
    } finally {
      await client.end();
    }
  };

  test("keeps its rows over Ctrl-C and a kill, and lists the missing extensions", async () => {
    const first = begin();
    const at = await first.ready();
    expect(first.output.err).toContain("creating a Postgres cluster");
    expect(first.output.err).toContain("this server has no extension vector");
    const headers = { apikey: at.anon_key, "content-type": "application/json" };
    const body = JSON.stringify({ id: 2, name: "ordered" });
    const added = await fetch(`${at.url}/rest/v1/things`, { method: "POST", headers, body });
    expect(added.status).toBe(201);
    const server = await serverOf();
    first.process.kill("SIGKILL");
    await first.exited;

    const second = begin();
    const again = await second.ready();
    expect(await serverOf()).not.toBe(server);
    await eventually(() => expect(isAlive(server)).toBe(false));
    expect(second.output.err).not.toContain("creating a Postgres cluster");
    expect(await names(again.db_url)).toEqual([{ name: "from the seed" }, { name: "ordered" }]);

    const other = await runToEnd(root, "reset", "--postgres");
    expect(other.err).toContain("in use by another start");
    const last = await serverOf();
    await end(second);
    // It deletes the file with its id before it ends, and stays listed until it is reaped.
    await eventually(() => expect(isAlive(last)).toBe(false));

    expect((await runToEnd(root, "reset", "--postgres")).code).toBe(0);
    const third = begin();
    expect(await names((await third.ready()).db_url)).toEqual([{ name: "from the seed" }]);
    await end(third);
  });

  test("starts its server again when that ends", async () => {
    const stack = begin();
    const { url, anon_key, db_url } = await stack.ready();
    const before = await names(db_url);
    const server = await serverOf();
    process.kill(server, "SIGKILL");
    await eventually(async () => {
      const answer = await fetch(`${url}/rest/v1/things?order=id`, {
        headers: { apikey: anon_key },
      });
      expect(answer.status).toBe(200);
      expect(await serverOf()).not.toBe(server);
    });
    expect(await names(db_url)).toEqual(before);
    expect(stack.output.err).toContain("Postgres ended, and was started again");
    await end(stack);
  });

  test("refuses connections without its password", async () => {
    const stack = begin();
    const url = new URL((await stack.ready()).db_url as string);
    url.password = "postgres";
    await expect(names(url.href)).rejects.toThrow("password authentication failed");
    await end(stack);
  });

  test.each([
    "SIGINT",
    "SIGKILL",
  ] as const)("in memory leaves no file or process after %s", async (signal) => {
    // Another stack's folders are not counted.
    const TMPDIR = await mkdtemp(join(tmpdir(), "souk-server-test-"));
    onTestFinished(() => rm(TMPDIR, { recursive: true }));
    await chmod(TMPDIR, 0o777);
    const stack = runWith({ TMPDIR }, root, ...START, "--data", "memory");
    started.push(stack);
    await stack.ready();
    const left = async () =>
      (await readdir(TMPDIR)).filter((name) => /^souk-postgres-\w{6}$/.test(name));
    expect(await left()).toHaveLength(1);
    stack.process.kill(signal);
    await stack.exited;
    await eventually(async () => expect(await left()).toEqual([]));
  });

  test("takes no --database-url", async () => {
    const { code, err } = await runToEnd(
      root,
      "start",
      "--postgres",
      "--database-url",
      "postgres://h/d",
    );
    expect(code).toBe(1);
    expect(err).toContain("exclude each other");
  });
});
