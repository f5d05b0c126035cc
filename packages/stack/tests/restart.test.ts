import { existsSync, readdirSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { createClient, type RealtimeChannel } from "@supabase/supabase-js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import ws from "ws";
import {
  type Cluster,
  findServerPrograms,
  makeCluster,
  openRelay,
  type Relay,
  serverUrl,
} from "../../../tests/cluster.js";
import { eventually } from "../../../tests/eventually.js";
import { type Addresses, makeProject, type Running, removeProject, run } from "./project.js";

// A server that disconnects and comes back, in several ways, while the stack runs.

const programs = await findServerPrograms();

/** The connections: the pool's 20, the one that monitors the server, and a job's own. */
const MOST_CONNECTIONS = 25;
const STOPPED_MS = 2500;
const secondsSince = (begun: number) => (Date.now() - begun) / 1000;

const project = {
  "supabase/migrations/20260101000000_things.sql": `
    create table public.things (id int primary key);
    alter publication supabase_realtime add table public.things;
    create table public.ticks (at timestamptz default now());
    grant all on public.things to anon, authenticated, service_role;
    select cron.schedule('tick', '1 second', 'insert into public.ticks default values');`,
  "supabase/functions/hello/index.ts": `
    const url = Deno.env.get("SUPABASE_URL");
    const key = Deno.env.get("SUPABASE_ANON_KEY") ?? "";
    Deno.serve(async () => {
      const answer = await fetch(url + "/rest/v1/things?limit=1", { headers: { apikey: key } });
      return new Response(await answer.text(), { status: answer.status });
    });`,
  "supabase/config.toml": `
    [functions.hello]
    verify_jwt = false`,
};

describe.skipIf(!programs)("a server (its programs are needed, beside DATABASE_URL) that", () => {
  let root: string;
  let cluster: Cluster;
  let relay: Relay;
  let stack: Running;
  let at: Addresses;
  let channel: RealtimeChannel;
  const heard = new Set<number>();
  const statuses: string[] = [];
  let lastId = 0;

  const begin = async (url: string) => {
    const running = run(
      root,
      "start",
      "--port",
      "0",
      "--json",
      "--password-cost",
      "4",
      "--database-url",
      url,
    );
    return { running, at: await running.ready() };
  };

  beforeAll(async () => {
    root = await makeProject(project);
    cluster = await makeCluster(programs);
    relay = await openRelay(cluster.port);
    ({ running: stack, at } = await begin(relay.url));
    await signIn("signup");
    channel = await follow();
  });
  afterAll(async () => {
    await channel?.unsubscribe();
    stack?.process.kill("SIGKILL");
    await relay?.close();
    await cluster?.remove();
    await removeProject(root);
  });

  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = { apikey: at.anon_key, "content-type": "application/json", ...init.headers };
    const response = await fetch(at.url + path, { ...init, headers });
    const text = await response.text();
    return {
      status: response.status,
      retryAfter: response.headers.get("retry-after"),
      body: text && JSON.parse(text),
    };
  };
  const list = () => ask("/rest/v1/things?limit=1");
  const post = (path: string, body: object, headers = {}) =>
    ask(path, { method: "POST", body: JSON.stringify(body), headers });
  const add = (id: number) => post("/rest/v1/things", { id });
  const signIn = (how = "token?grant_type=password") =>
    post(`/auth/v1/${how}`, { email: "somebody@example.com", password: "secret-password" });

  async function follow() {
    const client = createClient(at.url, at.anon_key, {
      auth: { persistSession: false, autoRefreshToken: false },
      realtime: { transport: ws as never },
    });
    const made = client
      .channel("things")
      .on("postgres_changes", { event: "INSERT", schema: "public", table: "things" }, (change) =>
        heard.add(change.new.id),
      )
      .on("system", {}, ({ status }: { status: string }) => statuses.push(status));
    made.subscribe();
    await eventually(() => expect(statuses).toContain("ok"));
    return made;
  }

  const ticks = async () => {
    const [row] = await cluster.query<{ n: number }>("select count(*)::int as n from public.ticks");
    return row?.n ?? 0;
  };

  /** Checks that everything works again. */
  async function expectBack() {
    const before = await ticks();
    const added: number[] = [];
    await Promise.all([
      eventually(async () => expect((await list()).status).toBe(200)),
      eventually(async () => expect((await signIn()).status).toBe(200)),
      eventually(async () => expect((await ask("/functions/v1/hello")).status).toBe(200)),
      eventually(async () => expect(await ticks()).toBeGreaterThan(before)),
      eventually(async () => {
        // A row that is inserted before Realtime is back may arrive late, or never.
        const id = ++lastId;
        expect((await add(id)).status).toBe(201);
        added.push(id);
        expect(added.filter((one) => heard.has(one))).not.toEqual([]);
      }),
    ]);
    expect(relay.counts.open).toBeLessThanOrEqual(MOST_CONNECTIONS);
  }

  const filesOpen = () => {
    const folder = `/proc/${stack.process.pid}/fd`;
    return existsSync(folder) ? readdirSync(folder).length : 0;
  };

  test.each([
    "fast",
    "immediate",
  ] as const)("is stopped (%s): the stack detects it, and reconnects later", async (mode) => {
    const files = filesOpen();
    await cluster.stop(mode);
    // Services that detect it by themselves get the event as well.
    await eventually(async () => expect((await list()).body.code).toBe("PGRST000"));
    const { asked } = relay.counts;
    const begun = Date.now();
    while (Date.now() < begun + STOPPED_MS) {
      const [read, signed, answered] = await Promise.all([
        list(),
        signIn(),
        ask("/functions/v1/hello"),
      ]);
      expect(read).toMatchObject({
        status: 503,
        retryAfter: "1",
        body: { code: "PGRST000", message: "Database connection error. Retrying.", hint: null },
      });
      expect(signed).toMatchObject({
        status: 503,
        retryAfter: "1",
        body: { code: 503, error_code: "unexpected_failure" },
      });
      expect(answered).toMatchObject({ status: 503, body: { code: "PGRST000" } });
      await pause(20);
    }
    // Each delay is longer than the one before, up to a second.
    expect(relay.counts.asked - asked).toBeLessThan(8 + secondsSince(begun));
    expect(filesOpen()).toBeLessThan(files + 20);
    await cluster.start();
    await expectBack();
  });

  test("ends every connection: no requests are lost, and the stack reconnects at once", async () => {
    const acknowledged: number[] = [];
    const statuses = new Set<number>();
    let busy = true;
    const working = Array.from({ length: 10 }, async () => {
      while (busy) {
        const id = ++lastId;
        const { status } = await add(id);
        statuses.add(status);
        if (status === 201) acknowledged.push(id);
      }
    });
    for (let times = 0; times < 5; times++) {
      await pause(200);
      await cluster.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'",
      );
    }
    busy = false;
    await Promise.all(working);
    expect([...statuses].filter((status) => status !== 201 && status !== 503)).toEqual([]);
    await expectBack();
    const rows = await cluster.query<{ id: number }>("select id from public.things");
    const kept = new Set(rows.map(({ id }) => id));
    expect(acknowledged.length).toBeGreaterThan(10);
    expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
    expect(relay.counts.most).toBeLessThanOrEqual(MOST_CONNECTIONS);
  });

  test("announces the end of a connection and closes it later: it gets no more requests", async () => {
    relay.be("parting");
    // Each open connection brings one answer. A new one ends as soon as it is opened.
    const answers = await Promise.all(Array.from({ length: 60 }, list));
    relay.be("well");
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    for (const one of refused) expect(one).toMatchObject({ status: 503, retryAfter: "1" });
    await expectBack();
  });

  test("accepts connections and does not answer: the stack detects it, and reconnects later", async () => {
    relay.be("silent");
    // More requests than connections, so some of them wait.
    const answers = await Promise.all(Array.from({ length: 60 }, list));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
    const { asked } = relay.counts;
    const begun = Date.now();
    expect(await list()).toMatchObject({ status: 503, retryAfter: "1" });
    await cluster.query("insert into public.things values (-1)");
    // Meanwhile, attempts to connect are counted.
    await pause(2000);
    expect(relay.counts.asked - asked).toBeLessThan(3 + secondsSince(begun));
    expect(relay.counts.open).toBeLessThan(4);
    relay.be("well");
    await expectBack();
    // Changes that others made meanwhile arrive, too.
    await eventually(() => expect(heard).toContain(-1));
    // It is logged once each time, however many requests detected it.
    expect(stack.output.err.match(/the database is unavailable/g)?.length).toBeLessThan(10);
  });

  /** Sends SIGINT. The exit code is 0 if everything ended in time. */
  async function interrupt({ process, exited }: Running) {
    process.kill("SIGINT");
    return await exited;
  }

  test("does not answer: the stack can still stop", async () => {
    relay.be("silent");
    const asking = Promise.allSettled(Array.from({ length: 30 }, list));
    await pause(100);
    expect(await interrupt(stack)).toBe(0);
    await asking;
    relay.be("well");
    relay.forget();
  });

  test("was claimed by another stack meanwhile: the first stack stops", async () => {
    const one = await begin(relay.url);
    one.running.process.kill("SIGSTOP"); // As a suspended machine does.
    relay.forget();
    const other = await begin(serverUrl(cluster.port));
    one.running.process.kill("SIGCONT");
    expect(await one.running.exited).toBe(1);
    expect(one.running.output.err).toMatch(/was claimed by another start while it was unavailable/);

    await cluster.stop();
    await other.running.says(/the database is unavailable/);
    expect(await interrupt(other.running)).toBe(0);
  });
});
