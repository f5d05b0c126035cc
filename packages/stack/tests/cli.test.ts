import { readdir } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../../tests/eventually.js";
import { descendantsOf, isAlive } from "../../../tests/processes.js";
import { openPglite } from "../src/db/pglite.js";
import {
  type Addresses,
  makeProject,
  type Running,
  removeProject,
  run,
  runToEnd,
  writeFiles,
} from "./project.js";

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
  // Starting a process takes most of the time of each test.
  test.concurrent.each([
    [["start", "--nonsense"], "'--nonsense'"],
    [["start", "more"], "'more'"],
    [["start", "--port", "many"], "'many'"],
    [["start", "--port", "70000"], "'70000'"],
    [["start", "--password-cost", "11"], "'11'"],
    [["start", "--password-cost", "3"], "'3'"],
    [["start", "--data", "x", "--database-url", "postgres://h/d"], "exclude each other"],
    [["reset", "--port", "1"], "'--port'"],
    [["reset", "--data", "memory"], "reset cannot remove anything from memory"],
    [["sell"], "'sell'"],
    [[], "no command"],
  ])("%j prints the usage", async (args, reason) => {
    const { code, out, err } = await runToEnd(root, ...args);
    expect(code).toBe(1);
    expect(out).toBe("");
    expect(err).toContain(reason);
    expect(err).toContain("--database-url URL");
  });

  test("prints its usage", async () => {
    const { code, out, err } = await runToEnd(root, "--help");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("supabase_migrations");
  });
});

/**
 * Runs a command that fails with exit code 1 and prints nothing on standard output. Resolves with
 * its one line on standard error.
 */
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

describe("a start fails", () => {
  test("without a config", async () => {
    expect(await refusal(join(root, "supabase"), "start")).toContain("start Souk in the folder");
  });

  test("with a config that is not TOML, or that has a wrong value", async () => {
    const broken = await makeProject({ "supabase/config.toml": "[api\nport = 1" });
    expect(await refusal(broken, "start")).toContain("config.toml:1: Invalid TOML");
    await writeFiles(broken, { "supabase/config.toml": '[api]\nport = "x"' });
    expect(await refusal(broken, "start")).toContain("api.port");
    expect(await readdir(broken)).toEqual(["supabase"]);
    await removeProject(broken);
  });

  test("on a port in use, and opens no database", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as { port: number };
    const fresh = await makeProject();
    const line = await refusal(fresh, "start", "--port", String(port));
    expect(line).toContain(`port ${port} for the gateway is taken`);
    expect(await readdir(fresh)).toEqual(["supabase"]);
    other.close();
    await removeProject(fresh);
  });

  test("on a server that does not exist, without printing the password", async () => {
    const url = "postgres://me:hush-hush@127.0.0.1:1/shop";
    const line = await refusal(root, "start", "--port", "0", "--database-url", url);
    expect(line).toContain("cannot reach Postgres at 127.0.0.1:1");
    expect(line).not.toContain("hush");
  });

  test("on an invalid Postgres URL", async () => {
    const line = await refusal(root, "start", "--port", "0", "--database-url", "shop");
    expect(line).toContain("--database-url must be a Postgres URL");
  });

  test("status reports that nothing answers", async () => {
    expect(await refusal(root, "status", "--port", "1")).toContain("no stack answers");
  });
});

/** Sends keys in the wrong places, to see whether they are logged. */
async function askBadly({ url, service_role_key, secret_key, jwt_secret }: Addresses) {
  const paths = [
    "rest/v1/things",
    "rest/v1/rpc/nothing",
    "auth/v1/token",
    "auth/v1/verify",
    "auth/v1/admin/users",
    "realtime/v1/api/broadcast",
    "storage/v1/bucket",
    "storage/v1/object/sign/bucket/name",
    "functions/v1/nothing",
    "nowhere",
  ];
  for (const secret of [service_role_key, secret_key, jwt_secret]) {
    for (const path of paths) {
      const query = new URLSearchParams({ apikey: secret, token: secret, select: secret });
      const bodies = [
        JSON.stringify({ name: secret, password: secret, id: [secret] }),
        `{${secret}`,
      ];
      for (const body of bodies) {
        const headers = { apikey: secret, authorization: `Bearer ${secret}`, prefer: secret };
        const init = {
          method: "POST",
          body,
          headers: { ...headers, "content-type": "application/json" },
        };
        await (await fetch(`${url}/${path}?${query}`, init)).text();
      }
      await (
        await fetch(`${url}/${path}?${query}`, { headers: { authorization: `Bearer x.${secret}` } })
      ).text();
    }
  }
}

describe("the life of one project", () => {
  test("a first start that was killed while it created the database is completed by the next", async () => {
    const first = begin();
    await eventually(async () =>
      expect(await readdir(join(root, ".souk", "postgres"))).toContain("PG_VERSION"),
    );
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

  test("start runs, refuses a second start, prints its status, and leaves no process or file", async () => {
    const stack = begin();
    const addresses = await stack.ready();
    expect(addresses).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      functions_url: `${addresses.url}/functions/v1`,
      storage_url: `${addresses.url}/storage/v1`,
      publishable_key: expect.stringMatching(/^sb_publishable_/),
      secret_key: expect.stringMatching(/^sb_secret_/),
      anon_key: expect.any(String),
      service_role_key: expect.any(String),
      jwt_secret: expect.any(String),
      db_url: expect.stringMatching(
        /^postgresql:\/\/postgres:postgres@127\.0\.0\.1:\d+\/postgres$/,
      ),
      mailpit_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      smtp_url: expect.stringMatching(/^smtp:\/\/127\.0\.0\.1:\d+$/),
      console_url: null,
      storefront_url: null,
    });
    const { port } = new URL(addresses.url);

    const shown = await runToEnd(root, "status", "--port", port, "--json");
    expect([shown.code, shown.err]).toEqual([0, ""]);
    expect(JSON.parse(shown.out)).toEqual(addresses);
    const printed = await runToEnd(root, "status", "--port", port);
    expect(printed).toMatchObject({
      code: 0,
      err: "",
      out: expect.stringContaining(addresses.anon_key),
    });

    expect(await refusal(root, "status", "--port", "1")).toContain(`--port ${port}\``);

    await writeFiles(root, { "supabase/config.toml": "[auth]\njwt_expiry = 600\n" });
    await stack.says(/config\.toml has changed: stop the stack/);
    await writeFiles(root, { "supabase/config.toml": "" });

    expect(await refusal(root, "start", "--port", "0")).toContain("in use by another start");
    expect(await refusal(root, "reset")).toContain("in use by another start");
    expect(await refusal(root, "start", "--port", port)).toContain("is taken");

    const headers = { apikey: addresses.publishable_key };
    // A client that stalls in the middle of a body does not block the database's only session.
    const stalled = ["rest/v1/things", "auth/v1/signup"].map((path) => {
      const socket = connect(Number(port), "127.0.0.1");
      const type = "Content-Type: application/json\r\nContent-Length: 99";
      const key = `apikey: ${addresses.anon_key}`;
      socket.write(`POST /${path} HTTP/1.1\r\nHost: x\r\n${key}\r\n${type}\r\n\r\n{`);
      return socket;
    });
    for (let i = 0; i < 3; i += 1) {
      expect((await fetch(`${addresses.url}/rest/v1/things`, { headers })).status).toBe(200);
    }
    for (const socket of stalled) socket.destroy();
    expect((await fetch(`${addresses.url}/storage/v1/status`)).status).toBe(200);
    await askBadly(addresses);
    const { anon_key, service_role_key, publishable_key, secret_key, jwt_secret } = addresses;
    for (const secret of [anon_key, service_role_key, publishable_key, secret_key, jwt_secret]) {
      expect(stack.output.err).not.toContain(secret.slice(-20));
    }

    const children = descendantsOf(stack.process.pid as number);
    stack.process.kill("SIGINT");
    stack.process.kill("SIGINT"); // As a terminal and npm do together.
    expect(await stack.exited).toBe(0);
    // The functions' reaper exits shortly after the stack, and stays listed until it is reaped.
    await eventually(() => expect(children.filter(isAlive)).toEqual([]));
    await expect(fetch(addresses.url)).rejects.toThrow();
  });

  test("a killed start leaves its rows and no lock; the seed does not run twice", async () => {
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

  test("a failing migration is named with its line; the earlier ones stay", async () => {
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

  test("a changed migration is refused until reset, which seeds again", async () => {
    await writeFiles(root, {
      "supabase/migrations/20260101000000_things.sql":
        "create table public.things (id int primary key, name text, price numeric);\n",
      "supabase/seed.sql": "insert into public.things values (2, 'anew');\n",
    });
    const line = await refusal(root, "start", "--port", "0");
    expect(line).toContain("20260101000000_things.sql has changed");
    expect(line).toContain("npm run reset");
    expect(await things()).toEqual([{ id: 1, name: "from the seed" }]);

    await writeFiles(root, { ".souk/storage/objects/00/bytes": "of an object" });
    expect((await runToEnd(root, "reset")).code).toBe(0);
    expect(await readdir(join(root, ".souk"))).not.toContain("storage");
    expect(await things()).toEqual([{ id: 2, name: "anew" }]);
  });

  test("start works without a seed, in memory", async () => {
    const stack = begin("--data", "memory", "--no-seed");
    await stack.ready();
    expect(stack.output.err).not.toContain("[souk] seed");
    stack.process.kill("SIGTERM");
    expect(await stack.exited).toBe(0);
  });
});
