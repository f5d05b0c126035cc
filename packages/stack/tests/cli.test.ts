import { readdir } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { descendantsOf, isAlive } from "../../../tests/processes.js";
import { openPglite } from "../src/db/pglite.js";
import { makeProject, type Running, removeProject, run, runToEnd, writeFiles } from "./project.js";

let root: string;
let started: Running[] = [];

const begin = (...args: string[]) => {
  const running = run(root, "start", "--port", "0", "--json", ...args);
  started.push(running);
  return running;
};

beforeAll(async () => {
  root = await makeProject({
    "supabase/migrations/20260101000000_things.sql":
      "create table public.things (id int primary key, name text);\n",
    "supabase/migrations/20260102000000_never.sql":
      "-- requires: nosuchextension\ncreate table public.never ();\n",
    "supabase/seed.sql": "insert into public.things values (1, 'from the seed');\n",
  });
});

afterEach(async () => {
  for (const { process, exited } of started) {
    process.kill("SIGKILL");
    await exited;
  }
  started = [];
});

afterAll(() => removeProject(root));

/** Reads the rows of the project's stopped database. */
async function things(): Promise<unknown[]> {
  const db = await openPglite(join(root, ".souk", "postgres"));
  try {
    return await db.query("select id, name from public.things order by id");
  } finally {
    await db.close();
  }
}

describe("the command line", () => {
  test.each([
    [["start", "--nonsense"], "'--nonsense'"],
    [["start", "more"], "'more'"],
    [["start", "--port", "many"], "'many'"],
    [["start", "--port", "70000"], "'70000'"],
    [["start", "--data", "x", "--database-url", "postgres://h/d"], "exclude each other"],
    [["reset", "--port", "1"], "'--port'"],
    [["sell"], "'sell'"],
    [[], "no command"],
  ])("%j is answered with the usage", async (args, reason) => {
    const { code, out, err } = await runToEnd(root, ...args);
    expect(code).toBe(1);
    expect(out).toBe("");
    expect(err).toContain(reason);
    expect(err).toContain("--database-url URL");
  });

  test("explains itself", async () => {
    const { code, out, err } = await runToEnd(root, "--help");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("supabase_migrations");
  });
});

/** What one line on standard error says, with exit code 1 and nothing on standard output. */
async function refusal(at: string, ...args: string[]): Promise<string> {
  const { code, out, err } = await runToEnd(at, ...args);
  expect(out).toBe("");
  expect(code).toBe(1);
  const lines = err.trim().split("\n");
  const errors = lines.filter((line) => line.startsWith("error:"));
  expect(lines.at(-1)).toBe(errors[0]);
  expect(errors).toHaveLength(1);
  return errors[0] as string;
}

describe("a start that cannot be", () => {
  test("without a config", async () => {
    expect(await refusal(join(root, "supabase"), "start")).toContain("start Souk from the folder");
  });

  test("with a config that is no TOML, or has a wrong value", async () => {
    const broken = await makeProject({ "supabase/config.toml": "[api\nport = 1" });
    expect(await refusal(broken, "start")).toContain("config.toml:1: Invalid TOML");
    await writeFiles(broken, { "supabase/config.toml": '[api]\nport = "x"' });
    expect(await refusal(broken, "start")).toContain("api.port");
    expect(await readdir(broken)).toEqual(["supabase"]);
    await removeProject(broken);
  });

  test("on a taken port touches no database", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as { port: number };
    const fresh = await makeProject();
    const line = await refusal(fresh, "start", "--port", String(port));
    expect(line).toContain(`port ${port} is taken`);
    expect(await readdir(fresh)).toEqual(["supabase"]);
    other.close();
    await removeProject(fresh);
  });

  test("on a server that is not there, without telling the password", async () => {
    const url = "postgres://me:hush-hush@127.0.0.1:1/shop";
    const line = await refusal(root, "start", "--port", "0", "--database-url", url);
    expect(line).toContain("cannot reach Postgres at 127.0.0.1:1");
    expect(line).not.toContain("hush");
  });

  test("status says when nothing answers", async () => {
    expect(await refusal(root, "status", "--port", "1")).toContain("no stack answers");
  });
});

describe("one project's life", { timeout: 60_000 }, () => {
  test("a first start killed while it makes the database is completed by the next", async () => {
    const first = begin();
    await expect
      .poll(() => readdir(join(root, ".souk", "postgres")).catch(() => []), { timeout: 20_000 })
      .toContain("PG_VERSION");
    first.process.kill("SIGKILL");
    await first.exited;

    const second = begin();
    await second.says(/\[souk\] database/);
    second.process.kill("SIGKILL");
    await second.exited;

    const third = begin();
    await third.ready();
    expect(third.output.err).toContain("left out supabase/migrations/20260102000000_never.sql");
    third.process.kill("SIGTERM");
    expect(await third.exited).toBe(0);
    expect(await things()).toEqual([{ id: 1, name: "from the seed" }]);
  });

  test("runs, keeps others out, shows itself, and ends without a trace", async () => {
    const stack = begin();
    const addresses = await stack.ready();
    expect(addresses).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      functions_url: `${addresses.url}/functions/v1`,
      anon_key: expect.any(String),
      service_role_key: expect.any(String),
      jwt_secret: expect.any(String),
      db_url: null,
    });
    const { port } = new URL(addresses.url);

    const shown = await runToEnd(root, "status", "--port", port, "--json");
    expect([shown.code, shown.err]).toEqual([0, ""]);
    expect({ db_url: null, ...JSON.parse(shown.out) }).toEqual(addresses);
    expect((await runToEnd(root, "status", "--port", port)).out).toContain(addresses.anon_key);

    expect(await refusal(root, "start", "--port", "0")).toContain("in use by another start");
    expect(await refusal(root, "reset")).toContain("in use by another start");
    expect(await refusal(root, "start", "--port", port)).toContain("is taken");

    const headers = { apikey: addresses.anon_key };
    expect((await fetch(`${addresses.url}/rest/v1/things`, { headers })).status).toBe(200);
    expect((await fetch(`${addresses.url}/storage/v1/bucket`, { headers })).status).toBe(501);

    const children = descendantsOf(stack.process.pid as number);
    stack.process.kill("SIGINT");
    stack.process.kill("SIGINT"); // As a terminal and npm together do.
    expect(await stack.exited).toBe(0);
    // The functions' warden ends by itself a moment after us, and stays listed until it is reaped.
    await expect.poll(() => children.filter(isAlive), { timeout: 10_000 }).toEqual([]);
    await expect(fetch(addresses.url)).rejects.toThrow();
  });

  test("a killed one leaves no claim behind, and its rows; the seed does not come twice", async () => {
    const killed = begin();
    await killed.ready();
    killed.process.kill("SIGKILL");
    await killed.exited;
    const next = begin();
    await next.ready();
    next.process.kill("SIGTERM");
    expect(await next.exited).toBe(0);
    expect(await things()).toEqual([{ id: 1, name: "from the seed" }]);
  });

  test("a signal during the start ends it", async () => {
    const stack = begin();
    await stack.says(/\[souk\] database/);
    stack.process.kill("SIGTERM");
    expect(await stack.exited).toBe(0);
    expect(stack.output.out).toBe("");
  });

  test("a broken migration is named with its line; what came before it stays", async () => {
    await writeFiles(root, {
      "supabase/migrations/20260103000000_wrong.sql":
        "create table public.more ();\n\n-- why\nselect 1,\n  nothing;\n",
    });
    const line = await refusal(root, "start", "--port", "0");
    expect(line).toContain("supabase/migrations/20260103000000_wrong.sql:5: column");
    expect(line).toContain("`select 1,`");
    await writeFiles(root, { "supabase/migrations/20260103000000_wrong.sql": "select 1;\n" });
    expect(await things()).toHaveLength(1);
  });

  test("a changed migration is refused until reset, which seeds anew", async () => {
    await writeFiles(root, {
      "supabase/migrations/20260101000000_things.sql":
        "create table public.things (id int primary key, name text, price numeric);\n",
      "supabase/seed.sql": "insert into public.things values (2, 'anew');\n",
    });
    const line = await refusal(root, "start", "--port", "0");
    expect(line).toContain("20260101000000_things.sql has changed");
    expect(line).toContain("npm run reset");
    expect(await things()).toEqual([{ id: 1, name: "from the seed" }]);

    expect((await runToEnd(root, "reset")).code).toBe(0);
    expect(await things()).toEqual([{ id: 2, name: "anew" }]);
  });

  test("without a seed, in memory", async () => {
    const stack = begin("--data", "memory", "--no-seed");
    await stack.ready();
    expect(stack.output.err).not.toContain("[souk] seed");
    stack.process.kill("SIGTERM");
    expect(await stack.exited).toBe(0);
  });
});
