import { createHmac } from "node:crypto";
import { exportJWK, exportSPKI, generateKeyPair } from "jose";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import WebSocket from "ws";
import { until } from "../../../tests/eventually.js";
import { createKeys } from "../src/keys.js";
import { hearChanges, openStage, type RawClient, type Stage } from "./realtime-stage.js";

const schema = `
  create table public.things (id int primary key, name text, code varchar, n numeric, ok bool, facts jsonb);
  create table public."odd "" name" (id int primary key, "odd "" column" text);
  alter table public."odd "" name" enable row level security;
  create policy "Mine" on public."odd "" name" for select to authenticated
    using ("odd "" column" = (select auth.jwt()) ->> 'sub');
  alter publication supabase_realtime add table public.things, public."odd "" name";

  create policy "Listeners" on realtime.messages for select to authenticated
    using (extension = 'broadcast' and (select auth.jwt()) ->> 'sub' in ('listener', 'both'));
  create policy "Watchers" on realtime.messages for select to authenticated
    using (extension = 'presence' and (select auth.jwt()) ->> 'sub' in ('watcher', 'both'));
  create policy "Writers" on realtime.messages for insert to authenticated
    with check ((select auth.jwt()) ->> 'sub' = 'both');
`;

let stage: Stage;
let pem: string;
beforeAll(async () => {
  const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), kid: "one", alg: "ES256" };
  stage = await openStage(schema, await createKeys([jwk]));
  pem = await exportSPKI(publicKey);
});
afterAll(async () => {
  await stage?.close();
});

/** Checks that the client is still served. */
async function alive(client: RawClient) {
  const ref = `alive-${Math.random()}`;
  client.send([null, ref, "phoenix", "heartbeat", {}]);
  expect((await client.frame((f) => f[1] === ref))[4]).toEqual({ status: "ok", response: {} });
}

const join = async (client: RawClient, topic: string, payload: unknown = { config: {} }) => {
  const ref = `join-${Math.random()}`;
  client.send([ref, ref, topic, "phx_join", payload]);
  return (await client.frame((f) => f[1] === ref && f[3] === "phx_reply"))[4];
};

const closing = (socket: WebSocket) =>
  new Promise<number>((resolve) => socket.once("close", resolve));

test("invalid frames are dropped, and the connection stays open", async () => {
  const client = await stage.raw();
  const other = await stage.raw();
  await join(other, "realtime:calm");
  const push = (...bytes: number[]) => Buffer.from(bytes);
  const garbage = [
    ...["x", "", "{}", "[]", "null", "7", '"a"', "[1,2,3]", "[null,null,7,8,9]", '[{},[],"a","b"]'],
    ...["[".repeat(100_000), `[null,null,"a","b",${"[".repeat(5000)}${"]".repeat(5000)}]`],
    ...[push(), push(3), push(3, 9, 9, 9, 9, 9, 1), push(0, 1, 2), push(4, 1, 1, 0, 1, 65, 66)],
    ...[push(255, 255, 255, 255, 255, 255, 255), push(3, 0, 0, 0, 0, 3, 1, 65, 66, 67)],
  ];
  for (const frame of garbage) client.socket.send(frame);
  await alive(client);
  const old = await stage.raw("1.0.0");
  for (const frame of ["[]", "null", '{"topic":1}', '{"topic":"a"}', push(3, 0, 0, 0, 0, 0, 1)]) {
    old.socket.send(frame);
  }
  old.send({ topic: "phoenix", event: "heartbeat", payload: {}, ref: "1" });
  await old.frame((f) => f.ref === "1");
  await alive(other);

  const closed = closing(client.socket);
  client.socket.send("x".repeat(5_000_001));
  expect(await closed).toBe(1009);
  await alive(other);
});

test("a join of any shape is answered, and an unknown event changes nothing", async () => {
  const client = await stage.raw();
  const odd = [null, 7, "x", [], {}, true, [1], ["a"], [null], { a: 1 }, -1, "'; drop table"];
  for (const value of odd) {
    for (const payload of [
      value,
      { config: value },
      { config: { broadcast: value, presence: {} } },
      { config: { broadcast: { replay: value }, private: true } },
      { config: { presence: value } },
      { config: { presence: { key: value, enabled: value } } },
      { config: { postgres_changes: value } },
      { config: { postgres_changes: [value] } },
      { config: { postgres_changes: [{ event: value, schema: value, table: value }] } },
      { config: { postgres_changes: [{ schema: "public", table: "things", filter: value }] } },
      { config: { postgres_changes: [{ schema: "public", table: "things", select: value }] } },
      { config: { private: value } },
      { access_token: value, config: {} },
    ]) {
      const { status, response } = await join(client, "realtime:odd", payload);
      expect([status, typeof (response.reason ?? "")]).toEqual([expect.any(String), "string"]);
    }
  }
  await join(client, "realtime:odd");
  for (const event of ["nonsense", "phx_error", "phx_close", "system", "postgres_changes"]) {
    for (const value of odd) client.send([null, "1", "realtime:odd", event, value]);
  }
  for (const event of ["broadcast", "access_token"]) {
    for (const value of odd) client.send([null, "1", "realtime:odd", event, value]);
  }
  for (const value of odd) {
    await join(client, "realtime:odd");
    client.send([null, "1", "realtime:odd", "presence", value]);
    client.send([null, "1", "realtime:odd", "presence", { event: value, payload: value }]);
    client.send([null, "1", "realtime:odd", "presence", { event: "track", payload: value }]);
  }
  await alive(client);
});

test("a client can have a hundred channels, and other clients have their own hundred", async () => {
  const sockets = await Promise.all(Array.from({ length: 10 }, () => stage.raw()));
  // A fast machine reaches the limit of joins in a second, and tries again.
  const joinLater = (client: RawClient, topic: string) =>
    until(async () => {
      const answer = await join(client, topic);
      return !/^ClientJoinRateLimitReached/.test(answer.response.reason) && answer;
    });
  await Promise.all(
    sockets.map(async (client, s) => {
      for (let i = 0; i < 100; i++) {
        expect((await joinLater(client, `realtime:many-${s}-${i}`)).status).toBe("ok");
      }
    }),
  );
  const first = sockets[0] as RawClient;
  expect(await joinLater(first, "realtime:one-more")).toEqual({
    status: "error",
    response: { reason: "ChannelRateLimitReached: Too many channels" },
  });
  // A repeated join does not count twice.
  expect((await joinLater(first, "realtime:many-0-7")).status).toBe("ok");
  for (const { socket } of sockets) socket.terminate();
});

test("all clients together join at most 500 channels in a second", async () => {
  const clients = await Promise.all(Array.from({ length: 6 }, () => stage.raw()));
  // A second in which nobody has joined yet.
  const now = Date.now();
  const clock = vi.spyOn(Date, "now").mockReturnValue(now + 1000);
  try {
    const answers = await Promise.all(
      Array.from({ length: 501 }, (_, i) =>
        join(clients[i % 6] as RawClient, `realtime:many-${i}`),
      ),
    );
    expect(answers.filter(({ status }) => status === "ok")).toHaveLength(500);
    expect(answers.find(({ status }) => status === "error").response.reason).toBe(
      "ClientJoinRateLimitReached: Too many joins per second",
    );
    clock.mockReturnValue(now + 2000);
    expect((await join(clients[0] as RawClient, "realtime:later")).status).toBe("ok");
  } finally {
    clock.mockRestore();
  }
  for (const { socket } of clients) socket.terminate();
});

test("many subscribers of many changes do not keep the database from others", async () => {
  await stage.db.execute(`
    create table public.crowded (id int primary key, name text);
    alter table public.crowded enable row level security;
    create policy "All" on public.crowded for select to authenticated using (length(name) > 0);
    alter publication supabase_realtime add table public.crowded;
  `);
  const subscribers = 40;
  const crowd = await Promise.all(
    Array.from({ length: subscribers }, async (_, i) => {
      const client = await stage.client({ sub: `reader-${i}` });
      return await hearChanges(client, "crowd", { event: "*", schema: "public", table: "crowded" });
    }),
  );
  await stage.db.query(
    "insert into public.crowded select i, 'Row ' || i from generate_series(1, 500) i",
  );
  let others = 0;
  while (crowd.some(({ events }) => events.length < 500)) {
    await stage.db.query("select 1");
    others += 1;
  }
  // Each of the 40 identities is checked in five statements, and between two of them one of ours passes.
  expect(others).toBeGreaterThan(2 * subscribers);
  await stage.quiet();
});

test("a client that sends faster than the service answers is slowed down, and gets all answers", async () => {
  const client = await stage.raw();
  const topic = "realtime:hasty";
  const access_token = await stage.token({ sub: "both" });
  const config = { private: true, broadcast: { ack: true } };
  client.send(["1", "1", topic, "phx_join", { access_token, config }]);
  const payload = { type: "broadcast", event: "x", payload: { text: "x".repeat(2_000_000) } };
  for (let i = 2; i < 22; i++) client.send(["1", String(i), topic, "broadcast", payload]);
  await client.frame((f) => f[1] === "21" && f[4].status === "ok");
  await alive(client);
});

test("a repeated join ends the previous channel of the topic", async () => {
  const client = await stage.raw();
  const topic = "realtime:twice";
  client.send(["1", "1", topic, "phx_join", { config: {} }]);
  client.send(["2", "2", topic, "phx_join", { config: { broadcast: { self: true } } }]);
  expect(await client.frame((f) => f[3] === "phx_close")).toEqual([
    "1",
    "1",
    topic,
    "phx_close",
    {},
  ]);
  // Messages to the first channel go to the second, except its leave.
  client.send(["1", "3", topic, "phx_leave", {}]);
  client.send(["1", "4", topic, "broadcast", { event: "late" }]);
  const heard = await client.frame((f) => f[3] === "broadcast");
  expect(heard).toEqual([null, null, topic, "broadcast", { event: "late" }]);
});

test("no name from a client is executed as SQL", async () => {
  const client = await stage.client({ sub: "x" });
  const evil = [
    `'; drop table public.things; --`,
    `"; drop table public.things; --`,
    `things" where true; drop table public.things; --`,
    `\\'; select pg_sleep(9); --`,
    `$1::text; drop table things`,
    `%`,
    `'||(select 1/0)||'`,
    `\u0000`,
    `id=eq.1`,
    `}'::int[]); drop table things; --`,
  ];
  const messages: string[] = [];
  const bindings = evil.flatMap((text) => [
    { event: text, schema: text, table: text },
    { event: "*", schema: "public", table: text },
    { event: "*", schema: text, table: "things" },
    ...["eq", "in", "match", text].flatMap((op) => [
      { event: "*", schema: "public", table: "things", filter: `name=${op}.${text}` },
      { event: "*", schema: "public", table: "things", filter: `n=${op}.(${text})` },
      { event: "*", schema: "public", table: "things", filter: `${text}=${op}.1` },
    ]),
    { event: "*", schema: "public", table: "things", select: [text] },
  ]);
  while (bindings.length > 0) {
    await Promise.all(
      bindings.splice(0, 90).map(async (binding, i) => {
        const { system, channel } = await hearChanges(client, `evil-${i}`, binding);
        messages.push(system[0]?.message ?? "");
        await client.removeChannel(channel);
      }),
    );
  }
  for (const message of messages) {
    expect(message).not.toMatch(/syntax error|unterminated|does not exist|permission denied/);
  }
  for (const topic of evil) {
    const hostile = await stage.raw();
    expect((await join(hostile, `realtime:${topic}`, { config: { private: true } })).status).toBe(
      "error",
    );
    expect((await join(hostile, `realtime:${topic}`)).status).toBe("ok");
    await alive(hostile);
  }
  expect(await stage.db.query("select count(*)::int as n from public.things")).toEqual([{ n: 0 }]);
});

test("a name can contain quotes", async () => {
  const heard = await hearChanges(await stage.client({ sub: "x" }), "quotes", {
    event: "*",
    schema: "public",
    table: 'odd " name',
    filter: 'odd " column=in.(x,y)',
  });
  expect(heard.system[0]?.message).toBe("Subscribed to PostgreSQL");
  await stage.db.execute(`insert into public."odd "" name" values (1, 'y'), (2, 'x')`);
  await until(() => heard.events.length === 1);
  expect(heard.events[0].new).toEqual({ id: 2, 'odd " column': "x" });
});

test("on a private topic, each client receives and sends only as its policies allow", async () => {
  const heard: Record<string, string[]> = {};
  const enter = async (sub: string) => {
    const client = await stage.raw();
    const access_token = await stage.token({ sub });
    const config = { private: true, presence: { enabled: true, key: sub } };
    const { status } = await join(client, "realtime:shared", { access_token, config });
    heard[sub] = [];
    client.socket.on("message", (raw, binary) => {
      if (!binary) heard[sub]?.push(JSON.parse(String(raw))[3]);
    });
    const say = (event: string, payload: object) =>
      client.send([null, "said", "realtime:shared", event, payload]);
    return { client, status, say };
  };
  const [both, listener, watcher, nobody] = await Promise.all(
    ["both", "listener", "watcher", "nobody"].map(enter),
  );
  expect([both, listener, watcher, nobody].map((one) => one?.status)).toEqual([
    ...["ok", "ok", "ok"],
    "error",
  ]);
  for (const one of [listener, watcher, nobody, both]) {
    one?.say("broadcast", { type: "broadcast", event: "hello", payload: {} });
    one?.say("presence", { type: "presence", event: "track", payload: {} });
    if (one) await alive(one.client);
  }
  await until(
    () => heard.listener?.includes("broadcast") && heard.watcher?.includes("presence_diff"),
  );
  const counted = (sub: string) =>
    ["broadcast", "presence_diff"].map(
      (event) => heard[sub]?.filter((name) => name === event).length,
    );
  expect(["both", "listener", "watcher", "nobody"].map(counted)).toEqual([
    [0, 1],
    [1, 0],
    [0, 1],
    [0, 0],
  ]);
});

test("a token signed by another key is refused, and tokens are not logged", async () => {
  const soon = Math.floor(Date.now() / 1000) + 3600;
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const forge = (header: object, secret?: string) => {
    const text = `${part(header)}.${part({ role: "service_role", sub: "both", exp: soon })}`;
    const made =
      secret === undefined ? "" : createHmac("sha256", secret).update(text).digest("base64url");
    return `${text}.${made}`;
  };
  const signer = "Failed to generate JWT signer";
  const forged: [string, string][] = [
    [forge({ alg: "none" }), signer],
    [forge({ alg: "None", kid: "one" }), "Failed to validate JWT signature"],
    [forge({ alg: "HS256", kid: "one" }, pem), "Failed to validate JWT signature"],
    [forge({ alg: "HS256" }, "another secret"), "Failed to validate JWT signature"],
    [forge({ alg: "ES256", kid: "two" }, pem), `${signer} for key ID (kid) "two"`],
    [forge({ alg: "ES256", kid: "one" }, pem), "Failed to validate JWT signature"],
    ["a.b.c", "The token provided is not a valid JWT"],
    [await stage.keys.sign({ role: "anon" }), "Fields `role` and `exp` are required in JWT"],
    [await stage.token({ exp: 1 }), "Token has expired"],
  ];
  const address = `${stage.url.replace("http", "ws")}/realtime/v1/websocket?vsn=2.0.0&apikey=`;
  for (const [token, reason] of forged) {
    const answer = await new Promise<string>((resolve) => {
      const socket = new WebSocket(address + encodeURIComponent(token));
      socket.on("unexpected-response", async (_, response) => {
        resolve(`${response.statusCode} ${Buffer.concat(await response.toArray())}`);
      });
      socket.on("error", () => {});
      socket.on("open", () => resolve("open"));
    });
    expect(answer).toContain(`401 ${JSON.stringify({ error: reason }).slice(0, -2)}`);

    const client = await stage.raw();
    const refused = await join(client, "realtime:forged", { access_token: token, config: {} });
    expect(refused.response.reason).toMatch(/^(MalformedJWT|InvalidJWTToken|Jwt\w+Error): /);
    expect(refused.response.reason).toContain(reason);

    const ref = String(Math.random());
    client.send([ref, ref, "realtime:forged", "phx_join", { config: {} }]);
    client.send([ref, "1", "realtime:forged", "access_token", { access_token: token }]);
    const reply = await client.frame((f) => f[3] === "system");
    expect(reply[4]).toMatchObject({ extension: "system", status: "error", channel: "forged" });
    await client.frame((f) => f[3] === "phx_close" && f[0] === ref);
  }
  const rest = await fetch(`${stage.url}/realtime/v1/api/broadcast`, {
    method: "POST",
    headers: { authorization: `Bearer ${forged[2]?.[0]}`, "content-type": "application/json" },
    body: "{}",
  });
  expect([rest.status, await rest.json()]).toEqual([401, { message: "Unauthorized" }]);
  const log = stage.warnings.join("\n");
  for (const token of [...forged.map(([token]) => token), stage.keys.anonKey]) {
    expect(log).not.toContain(token);
  }
});

test("a client that sends nothing for a minute is disconnected", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  let later = 0;
  const now = vi
    .spyOn(Date, "now")
    .mockImplementation(() => performance.timeOrigin + performance.now() + later);
  try {
    await stage.restart();
    const silent = await stage.raw();
    const talking = await stage.raw();
    const closed = closing(silent.socket);
    later = 59_000;
    await alive(talking);
    vi.advanceTimersByTime(10_000);
    await alive(talking);
    later = 61_000;
    await alive(talking);
    vi.advanceTimersByTime(10_000);
    await closed;
    await alive(talking);
  } finally {
    now.mockRestore();
    vi.useRealTimers();
    await stage.restart();
  }
});
