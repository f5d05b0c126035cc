import { afterAll, beforeAll, expect, test, vi } from "vitest";
import WebSocket from "ws";
import { until } from "../../../tests/eventually.js";
import { hearChanges, openStage, type Stage } from "./realtime-stage.js";

const schema = `
  create table public.members (name text primary key);
  insert into public.members values ('ann'), ('bob');
  create table public.notes (id int primary key, owner text not null, body text);
  alter table public.notes enable row level security;
  create policy "Owners read" on public.notes for select to authenticated
    using (owner = (select auth.jwt()) ->> 'sub');
  alter publication supabase_realtime add table public.notes;

  create policy "Members read their rooms" on realtime.messages for select to authenticated
    using (
      realtime.topic() like 'room-%' and extension in ('broadcast', 'presence')
      and exists (select from public.members m where m.name = (select auth.jwt()) ->> 'sub')
    );
  create policy "Ann writes" on realtime.messages for insert to authenticated
    with check (realtime.topic() like 'room-%' and (select auth.jwt()) ->> 'sub' = 'ann');
  create policy "Raises" on realtime.messages for select to authenticated
    using (1 / (length(realtime.topic()) - length('broken-topic')) > 1000);

  create function public.tell() returns trigger language plpgsql security definer set search_path = ''
  as $$
  begin
    perform realtime.broadcast_changes(
      'room-notes', tg_op, tg_op, tg_table_name, tg_table_schema, new, old
    );
    return null;
  end $$;
  create table public.tasks (id int primary key, body text);
  create trigger tell after insert or update or delete on public.tasks
    for each row execute function public.tell();
`;

let stage: Stage;
beforeAll(async () => {
  stage = await openStage(schema);
});
afterAll(async () => {
  await stage?.close();
});

const soon = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
const notes = { event: "*", schema: "public", table: "notes" };

/** Joins. Resolves when the client reports the subscription. */
async function joined(
  claims: Record<string, unknown> | undefined,
  topic: string,
  config: Record<string, unknown> = {},
) {
  const client = await stage.client(claims);
  const channel = client.channel(topic, { config } as never);
  // biome-ignore lint/suspicious/noExplicitAny: any broadcast payload.
  const messages: any[] = [];
  const statuses: string[] = [];
  const errors: string[] = [];
  channel.on("broadcast", { event: "*" }, (message) => messages.push(message));
  channel.subscribe((status, error) => {
    statuses.push(status);
    if (error) errors.push(error.message);
  });
  await until(() => statuses.length > 0, "the answer to the join");
  return { client, channel, messages, statuses, errors };
}

const handshake = (query: string, headers: Record<string, string> = {}) =>
  new Promise<number>((resolve, reject) => {
    const socket = new WebSocket(
      `${stage.url.replace("http", "ws")}/realtime/v1/websocket?${query}`,
      { headers },
    );
    socket.on("open", () => {
      socket.terminate();
      resolve(101);
    });
    socket.on("unexpected-response", (request, response) => {
      request.destroy();
      resolve(response.statusCode ?? 0);
    });
    socket.on("error", reject);
  });

test("the handshake requires a valid key, in the query or a header", async () => {
  const { anonKey } = stage.keys;
  expect(await handshake(`apikey=${anonKey}&vsn=2.0.0`)).toBe(101);
  expect(await handshake("vsn=1.0.0", { apikey: anonKey })).toBe(101);
  expect(await handshake("")).toBe(401);
  expect(await handshake("apikey=nonsense")).toBe(401);
  expect(await handshake(`apikey=${anonKey.slice(0, -2)}xx`)).toBe(401);
  expect(await handshake(`apikey=${await stage.token({ exp: soon(-5) })}`)).toBe(401);
  expect(await handshake(`apikey=${await stage.keys.sign({ role: "anon" })}`)).toBe(401);
});

test.each(["1.0.0", "2.0.0"])("protocol %s: heartbeat, join, leave", async (vsn) => {
  const client = await stage.raw(vsn);
  const v2 = vsn === "2.0.0";
  const send = (joinRef: string | null, ref: string, topic: string, event: string, payload = {}) =>
    client.send(
      v2
        ? [joinRef, ref, topic, event, payload]
        : { topic, event, payload, ref, join_ref: joinRef },
    );
  // biome-ignore lint/suspicious/noExplicitAny: any frame.
  const read = (frame: any) =>
    v2
      ? { ref: frame[1], topic: frame[2], event: frame[3], payload: frame[4] }
      : { ref: frame.ref, topic: frame.topic, event: frame.event, payload: frame.payload };
  const reply = async (ref: string, event = "phx_reply") =>
    read(await client.frame((f) => read(f).ref === ref && read(f).event === event)).payload;

  send(null, "1", "phoenix", "heartbeat");
  expect(await reply("1")).toEqual({ status: "ok", response: {} });
  send(null, "2", "realtime:r", "broadcast");
  expect(await reply("2")).toEqual({ status: "error", response: { reason: "unmatched topic" } });
  send("3", "3", "realtime:r", "phx_join", {
    config: { postgres_changes: [notes], presence: { enabled: true } },
  });
  const { status, response } = await reply("3");
  expect(status).toBe("ok");
  expect(response.postgres_changes).toEqual([{ ...notes, id: expect.any(Number) }]);
  const state = await client.frame((f) => read(f).event === "presence_state");
  expect(read(state).payload).toEqual({});
  const system = await client.frame((f) => read(f).event === "system");
  expect(read(system).payload).toEqual({
    extension: "postgres_changes",
    status: "ok",
    message: "Subscribed to PostgreSQL",
    channel: "r",
  });
  send("3", "4", "realtime:r", "phx_leave");
  expect(await reply("4")).toEqual({ status: "ok", response: {} });
  expect(await reply("3", "phx_close")).toEqual({});
});

test("a join with a bad token is refused, and so is one without a topic", async () => {
  const client = await stage.raw();
  const join = async (ref: string, topic: string, access_token?: string) => {
    client.send([ref, ref, topic, "phx_join", { config: {}, access_token }]);
    return (await client.frame((f) => f[1] === ref))[4];
  };
  const refused = (reason: string) => ({ status: "error", response: { reason } });
  expect(await join("1", "realtime:")).toEqual(
    refused("TopicNameRequired: You must provide a topic name"),
  );
  expect(await join("2", "realtime:x", "nonsense")).toEqual(
    refused("MalformedJWT: The token provided is not a valid JWT"),
  );
  expect(await join("3", "realtime:x", await stage.token({ exp: soon(-5) }))).toEqual(
    refused("InvalidJWTToken: Token has expired 5 seconds ago"),
  );
});

test("a refreshed token replaces the old one at once", async () => {
  const client = await stage.client({ sub: "ann" });
  const heard = await hearChanges(client, "refresh", notes);
  await stage.db.execute("insert into public.notes values (1, 'ann'), (2, 'bob')");
  await until(() => heard.events.length === 1);
  await client.realtime.setAuth(await stage.token({ sub: "bob" }));
  await until(() => heard.system.length === 2);
  await stage.db.execute("insert into public.notes values (3, 'ann'), (4, 'bob')");
  await until(() => heard.events.length === 2);
  expect(heard.events.map((e) => e.new.id)).toEqual([1, 4]);
});

test("an expired token ends its channel, and no other", async () => {
  const brief = await hearChanges(
    await stage.client({ sub: "ann", exp: soon(2) }),
    "expiring",
    notes,
  );
  const lasting = await hearChanges(await stage.client({ sub: "ann" }), "expiring", notes);
  await until(() => brief.statuses.includes("CLOSED"), "the end of the channel");
  expect(brief.system.at(-1)).toMatchObject({ extension: "system", status: "error" });
  expect(brief.system.at(-1)?.message).toMatch(/^Token has expired \d+ seconds ago$/);
  await stage.db.execute("insert into public.notes values (10, 'ann')");
  await until(() => lasting.events.length === 1);
  expect(brief.events).toEqual([]);
});

test("broadcasts reach the other members, and on request the sender, and are acknowledged on request", async () => {
  const one = await joined(undefined, "talk");
  const two = await joined(undefined, "talk", { broadcast: { self: true, ack: true } });
  const elsewhere = await joined(undefined, "other");
  expect(
    await two.channel.send({ type: "broadcast", event: "hi", payload: { n: 1, text: "ü€" } }),
  ).toBe("ok");
  await until(() => one.messages.length === 1 && two.messages.length === 1);
  expect(one.messages[0]).toEqual({
    type: "broadcast",
    event: "hi",
    payload: { n: 1, text: "ü€" },
  });
  const bytes = new Uint8Array([0, 255, 1, 2]);
  await one.channel.send({ type: "broadcast", event: "bytes", payload: bytes.buffer });
  await until(() => two.messages.length === 2);
  expect(new Uint8Array(two.messages[1].payload)).toEqual(bytes);
  expect(one.messages.length).toBe(1);
  expect(elsewhere.messages).toEqual([]);
});

test("text and binary broadcasts reach both protocols", async () => {
  const old = await stage.raw("1.0.0");
  const now = await stage.raw("2.0.0");
  old.send({ topic: "realtime:mix", event: "phx_join", payload: { config: {} }, ref: "1" });
  now.send(["1", "1", "realtime:mix", "phx_join", { config: {} }]);
  await old.frame((f) => f.event === "phx_reply");
  await now.frame((f) => f[3] === "phx_reply");

  const sent = { type: "broadcast", event: "from-old", payload: { a: 1 } };
  old.send({ topic: "realtime:mix", event: "broadcast", payload: sent, ref: "2" });
  expect(await now.frame((f) => f[3] === "broadcast")).toEqual([
    null,
    null,
    "realtime:mix",
    "broadcast",
    sent,
  ]);

  const push = (event: string, encoding: number, payload: Buffer) => {
    const parts = ["1", "2", "realtime:mix", event, ""].map((text) => Buffer.from(text));
    const sizes = parts.map((part) => part.length);
    return Buffer.concat([Buffer.from([3, ...sizes, encoding]), ...parts, payload]);
  };
  now.send(push("raw", 0, Buffer.from([1, 2])));
  now.send(push("from-now", 1, Buffer.from('{"b":12345678901234567890}')));
  const heard = await old.frame((f) => f.event === "broadcast");
  expect(heard.payload).toMatchObject({ type: "broadcast", event: "from-now" });

  const third = await stage.raw("2.0.0");
  third.send(["1", "1", "realtime:mix", "phx_join", { config: {} }]);
  await third.frame((f) => f[3] === "phx_reply");
  third.send(push("again", 0, Buffer.from([7])));
  const frame: Buffer = await now.frame((f) => Buffer.isBuffer(f));
  const topic = Buffer.from("realtime:mix");
  expect(frame).toEqual(
    Buffer.concat([
      Buffer.from([4, topic.length, 5, 0, 0]),
      topic,
      Buffer.from("again"),
      Buffer.from([7]),
    ]),
  );
});

test("broadcast by REST", async () => {
  const one = await joined(undefined, "rest");
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${stage.url}/realtime/v1/api/broadcast${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", apikey: stage.keys.anonKey, ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  const messages = [
    { topic: "rest", event: "a", payload: { n: 1 } },
    { topic: "rest", event: "b", payload: { n: 2 }, private: false },
    { topic: "rest", event: "c", payload: { n: 3 }, private: true },
  ];
  expect((await post("", { messages })).status).toBe(202);
  await until(() => one.messages.length === 2);
  expect(one.messages.map((m) => [m.event, m.payload])).toEqual([
    ["a", { n: 1 }],
    ["b", { n: 2 }],
  ]);
  const sender = (await stage.client()).channel("rest");
  expect(await sender.httpSend("d", { n: 4 })).toEqual({ success: true });
  await until(() => one.messages.length === 3);
  expect((await post("", { messages }, { apikey: "" })).status).toBe(401);
  expect((await post("", { messages }, { authorization: "Bearer x" })).status).toBe(401);
  const faulty = await post("", { messages: [messages[0], { topic: "", event: 1, payload: [] }] });
  expect(faulty.status).toBe(422);
  expect(await faulty.json()).toEqual({
    errors: {
      messages: [{}, { topic: ["can't be blank"], event: ["is invalid"], payload: ["is invalid"] }],
    },
  });
  expect((await post("", "{")).status).toBe(400);
  expect((await post("/nope", {})).status).toBe(404);
});

test("presence: state, joins, changes and leaves", async () => {
  const states: Record<string, object>[] = [];
  const leaves: string[] = [];
  const first = (await stage.client()).channel("present", {
    config: { presence: { key: "first" } },
  });
  first
    .on("presence", { event: "sync" }, () => states.push({ ...first.presenceState() }))
    .on("presence", { event: "leave" }, ({ key }) => leaves.push(key));
  await new Promise<void>((resolve) => first.subscribe((s) => s === "SUBSCRIBED" && resolve()));
  expect(await first.track({ at: "home" })).toBe("ok");
  await until(() => states.at(-1)?.first);

  const client = await stage.client();
  const second = client.channel("present", { config: { presence: { key: "second" } } });
  let seen: Record<string, unknown> = {};
  second.on("presence", { event: "sync" }, () => {
    seen = second.presenceState();
  });
  await new Promise<void>((resolve) => second.subscribe((s) => s === "SUBSCRIBED" && resolve()));
  await second.track({ at: "work" });
  await until(() => seen.first && seen.second);
  expect(seen.first).toMatchObject([{ at: "home" }]);
  await until(() => states.at(-1)?.second);
  await second.track({ at: "sea" });
  await until(() => JSON.stringify(states.at(-1)?.second ?? "").includes("sea"));
  await first.untrack();
  await until(() => seen.first === undefined);
  leaves.length = 0;
  await client.realtime.disconnect();
  await until(() => leaves.includes("second"));
});

test("a changed presence names the previous one", async () => {
  const client = await stage.raw();
  const topic = "realtime:diffs";
  const track = (ref: string, payload: object) =>
    client.send(["1", ref, topic, "presence", { type: "presence", event: "track", payload }]);
  client.send(["1", "1", topic, "phx_join", { config: { presence: { key: "me" } } }]);
  track("2", { n: 1 });
  track("3", { n: 1 });
  track("4", { n: 2 });
  const diff = (n: number) =>
    client.frame((f) => f[3] === "presence_diff" && f[4].joins.me?.metas[0].n === n);
  const first = (await diff(1))[4];
  expect(first).toEqual({
    joins: { me: { metas: [{ n: 1, phx_ref: expect.any(String) }] } },
    leaves: {},
  });
  const { phx_ref } = first.joins.me.metas[0];
  expect((await diff(2))[4]).toEqual({
    joins: { me: { metas: [{ n: 2, phx_ref: expect.any(String), phx_ref_prev: phx_ref }] } },
    leaves: { me: { metas: [{ n: 1, phx_ref }] } },
  });
});

test("a client may change its presence only at a limited rate, as in hosted Supabase", async () => {
  const { channel, statuses } = await joined(undefined, "restless");
  for (let i = 0; i < 5; i++) expect(await channel.track({ i })).toBe("ok");
  void channel.track({ i: 5 });
  await until(() => statuses.includes("CLOSED"));
});

test("a private channel is open to users whom a policy lets read; others get the reason", async () => {
  const config = { private: true };
  const ann = await joined({ sub: "ann" }, "room-1", config);
  const bob = await joined({ sub: "bob" }, "room-1", config);
  const eve = await joined({ sub: "eve" }, "room-1", config);
  const anon = await joined(undefined, "room-1", config);
  const outside = await joined({ sub: "eve" }, "room-1");
  const broken = await joined({ sub: "ann" }, "broken-topic", config);
  expect([ann, bob].map((c) => c.statuses[0])).toEqual(["SUBSCRIBED", "SUBSCRIBED"]);
  const reason =
    "Unauthorized: You do not have permissions to read from this Channel topic: room-1";
  expect([eve.statuses[0], eve.errors[0]]).toEqual(["CHANNEL_ERROR", reason]);
  expect([anon.statuses[0], anon.errors[0]]).toEqual(["CHANNEL_ERROR", reason]);
  expect(broken.errors[0]).toContain("You do not have permissions to read");

  // Bob may read but not write: his messages reach nobody.
  await bob.channel.send({ type: "broadcast", event: "b", payload: {} });
  expect(await bob.channel.track({})).toBe("error");
  await ann.channel.send({ type: "broadcast", event: "a", payload: {} });
  await until(() => bob.messages.length === 1);
  expect(ann.messages).toEqual([]);
  expect([eve.messages, anon.messages, outside.messages]).toEqual([[], [], []]);

  await bob.client.realtime.setAuth(await stage.token({ sub: "eve" }));
  await until(() => bob.statuses.includes("CLOSED"), "the end of bob's channel");
  for (const { client } of [eve, anon, broken]) await client.removeAllChannels();
});

test("realtime.send is delivered after its commit, to members only", async () => {
  const ann = await joined({ sub: "ann" }, "room-2", { private: true });
  const outside = await joined({ sub: "eve" }, "room-2");
  await stage.db
    .execute("begin; select realtime.send('{\"n\": 0}', 'lost', 'room-2'); select 1 / 0; commit")
    .catch(() => stage.db.execute("rollback"));
  await stage.db.execute(`
    begin;
    select realtime.send('{"n": 1}', 'sql', 'room-2');
    select realtime.send('{"n": 2}', 'sql', 'room-2', false);
    commit`);
  await until(() => ann.messages.length > 0 && outside.messages.length > 0);
  expect(ann.messages.map((m) => [m.event, m.payload.n])).toEqual([["sql", 1]]);
  expect(ann.messages[0].payload.id).toBe(ann.messages[0].meta.id);
  expect(outside.messages.map((m) => m.payload.n)).toEqual([2]);
});

test("realtime.broadcast_changes sends a row's change on a topic", async () => {
  const ann = await joined({ sub: "ann" }, "room-notes", { private: true });
  await stage.db.execute("insert into public.tasks values (1, 'x')");
  await stage.db.execute("update public.tasks set body = 'y'");
  await stage.db.execute("delete from public.tasks");
  await until(() => ann.messages.length === 3);
  expect(ann.messages.map((m) => m.event)).toEqual(["INSERT", "UPDATE", "DELETE"]);
  expect(ann.messages[1].payload).toMatchObject({
    operation: "UPDATE",
    schema: "public",
    table: "tasks",
    record: { id: 1, body: "y" },
    old_record: { id: 1, body: "x" },
  });
});

test("a subscriber that never reads is disconnected, and delays no other", async () => {
  const deaf = await stage.raw();
  deaf.send(["1", "1", "realtime:flood", "phx_join", { config: {} }]);
  await deaf.frame((f) => f[3] === "phx_reply");
  deaf.socket.pause();
  const reader = await joined(undefined, "flood");
  const sender = await joined(undefined, "flood");
  const payload = { text: "x".repeat(1_000_000) };
  for (let i = 0; i < 40; i++) {
    await sender.channel.send({ type: "broadcast", event: "flood", payload });
    await until(() => reader.messages.length === i + 1, `message ${i}`);
  }
  expect(stage.warnings.filter((line) => line.includes("does not read")).length).toBe(1);
});

test("messages of a private topic are sent again to a client that requests it at the join", async () => {
  const client = await stage.raw();
  await stage.db.execute(`
    select realtime.send('{"n": 0}', 'replayed', 'room-again', false);
    select realtime.send('{"n": 0}', 'replayed', 'room-other');
    select realtime.send(jsonb_build_object('n', n), 'replayed', 'room-again') from generate_series(1, 3) n;
    select realtime.send_binary('\\x0102', 'bytes', 'room-again');
    update realtime.messages set inserted_at = now() - interval '1 hour' where payload ->> 'n' = '1';
    update realtime.messages set inserted_at = now() - interval '1 s' where payload ->> 'n' = '2'`);
  const access_token = await stage.token({ sub: "ann" });
  const join = async (ref: string, replay: unknown, config: object = { private: true }) => {
    const topic = "realtime:room-again";
    client.send([
      ref,
      ref,
      topic,
      "phx_join",
      { access_token, config: { broadcast: { replay }, ...config } },
    ]);
    return (await client.frame((f) => f[1] === ref && f[3] === "phx_reply"))[4].response.reason;
  };
  expect(await join("1", { since: 0 }, {})).toBe(
    "UnableToReplayMessages: Replay is not allowed for public channels",
  );
  for (const replay of [{}, { since: "x" }, { since: 0, limit: "x" }, { since: 9e15 }]) {
    expect(await join(JSON.stringify(replay), replay)).toBe(
      "UnableToReplayMessages: Replay params are not valid",
    );
  }
  const numbers: number[] = [];
  client.socket.on("message", (raw, binary) => {
    const frame = binary ? null : JSON.parse(String(raw));
    if (frame?.[3] === "broadcast") numbers.push(frame[4].payload.n);
  });
  expect(await join("all", { since: 0, limit: 25 })).toBeUndefined();
  const bytes: Buffer = await client.frame((f) => Buffer.isBuffer(f));
  expect(bytes.subarray(-2)).toEqual(Buffer.from([1, 2]));
  expect(String(bytes)).toMatch(/room-againbytes\{"replayed":true,"id":"[-0-9a-f]+"\}/);
  await until(() => numbers.length === 3);
  expect(numbers).toEqual([1, 2, 3]);
  const first = await client.frame((f) => f[3] === "broadcast");
  expect(first).toEqual([
    "all",
    null,
    "realtime:room-again",
    "broadcast",
    {
      type: "broadcast",
      event: "replayed",
      payload: { n: 1, id: expect.any(String) },
      meta: { replayed: true, id: first[4].payload.id },
    },
  ]);
  await join("recent", { since: Date.now() - 60_000 });
  await until(() => numbers.length === 5);
  expect(numbers.slice(3)).toEqual([2, 3]);
});

test("write permission is checked at each first message, so a new policy applies", async () => {
  const client = await stage.raw();
  const topic = "realtime:room-late";
  const config = { private: true, broadcast: { ack: true } };
  client.send([
    "1",
    "1",
    topic,
    "phx_join",
    { access_token: await stage.token({ sub: "bob" }), config },
  ]);
  await client.frame((f) => f[1] === "1");
  await stage.db.execute(`
    create policy "Bob, of late" on realtime.messages for insert to authenticated
      with check (realtime.topic() = 'room-late' and (select auth.jwt()) ->> 'sub' = 'bob')`);
  client.send(["1", "2", topic, "broadcast", { type: "broadcast", event: "x", payload: {} }]);
  expect((await client.frame((f) => f[1] === "2"))[4]).toEqual({ status: "ok", response: {} });
  await stage.db.execute(`drop policy "Bob, of late" on realtime.messages`);
});

test("policies read the headers of the handshake that begin with x-", async () => {
  await stage.db.execute(`
    create policy "By header" on realtime.messages for select to anon
      using (current_setting('request.headers')::json ->> 'x-room' = realtime.topic())`);
  const socket = new WebSocket(
    `${stage.url.replace("http", "ws")}/realtime/v1/websocket?apikey=${stage.keys.anonKey}&vsn=2.0.0`,
    { headers: { "x-room": "mine" } },
  );
  const replies: unknown[] = [];
  socket.on("message", (raw) => replies.push(JSON.parse(String(raw))[4].status));
  await new Promise((resolve) => socket.once("open", resolve));
  for (const name of ["mine", "yours"]) {
    const frame = ["1", "1", `realtime:${name}`, "phx_join", { config: { private: true } }];
    socket.send(JSON.stringify(frame));
  }
  await until(() => replies.length === 2);
  expect(replies).toEqual(["ok", "error"]);
  socket.terminate();
  await stage.db.execute(`drop policy "By header" on realtime.messages`);
});

test("a payload over 3,000 KB is refused, and a sender that asked for a reply gets the error", async () => {
  const client = await stage.raw();
  const topic = "realtime:heavy";
  const text = "x".repeat(3_001_000);
  client.send(["1", "1", topic, "phx_join", { config: { broadcast: { ack: true, self: true } } }]);
  client.send(["1", "2", topic, "broadcast", { type: "broadcast", event: "x", payload: { text } }]);
  expect((await client.frame((f) => f[1] === "2"))[4]).toEqual({
    status: "error",
    response: "payload_size_exceeded",
  });
  client.send(["1", "3", topic, "presence", { event: "track", payload: { text } }]);
  const reply = await client.frame((f) => f[3] === "system");
  expect(reply[4].message).toBe("Track message size exceeded");
  const rest = await fetch(`${stage.url}/realtime/v1/api/broadcast/heavy/events/x`, {
    method: "POST",
    headers: { "content-type": "application/json", apikey: stage.keys.anonKey },
    body: JSON.stringify({ text }),
  });
  expect([rest.status, await rest.json()]).toEqual([
    422,
    { errors: { payload: ["Payload size exceeds tenant limit"] } },
  ]);
});

test("one broadcast by REST: JSON, bytes, and invalid bodies", async () => {
  const one = await joined(undefined, "single");
  const post = (path: string, type: string | null, body: BodyInit, claims?: object) =>
    fetch(`${stage.url}/realtime/v1/api/broadcast/${path}`, {
      method: "POST",
      headers: { apikey: stage.keys.anonKey, ...(type ? { "content-type": type } : {}), ...claims },
      body,
    });
  expect((await post("single/events/a", "application/json; charset=utf-8", '{"n":1}')).status).toBe(
    202,
  );
  expect((await post("single/events/b%2Fc", "application/json", "[1]")).status).toBe(202);
  const bytes = await post("single/events/d", "application/octet-stream", Buffer.from([0, 255]));
  expect(bytes.status).toBe(202);
  await until(() => one.messages.length === 3);
  expect(one.messages.slice(0, 2).map((m) => [m.event, m.payload])).toEqual([
    ["a", { n: 1 }],
    ["b/c", { _json: [1] }],
  ]);
  expect(new Uint8Array(one.messages[2].payload)).toEqual(new Uint8Array([0, 255]));
  const answerOf = async (answer: Promise<Response>) => {
    const response = await answer;
    return [response.status, await response.json()];
  };
  expect(await answerOf(post("single/events/a", "text/plain", "x"))).toEqual([
    415,
    { error: "Unsupported Media Type. Use application/json or application/octet-stream" },
  ]);
  expect((await answerOf(post("single/events/a", "application/json", "{")))[0]).toBe(400);
  expect((await answerOf(post("single/events/%zz", "application/json", "{}")))[0]).toBe(400);
  expect(await answerOf(post("room-1/events/a?private=true", "application/json", "{}"))).toEqual([
    403,
    { message: "Unauthorized" },
  ]);
  const ann = { authorization: `Bearer ${await stage.token({ sub: "ann" })}` };
  expect((await post("room-1/events/a?private=true", "application/json", "{}", ann)).status).toBe(
    202,
  );
});

test("changes begin some time after the join, as in hosted Supabase", async () => {
  // A busy machine may take longer than the delay to write the first row. Then a longer delay decides.
  for (let delay = 300; ; delay *= 3) {
    vi.stubEnv("SOUK_REALTIME_DELAY_MS", `${delay}`);
    try {
      await stage.restart();
      const client = await stage.client({ sub: "ann" });
      const heard: number[] = [];
      let ready = false;
      const channel = client
        .channel("delayed")
        .on(
          "postgres_changes" as never,
          notes as never,
          ({ new: { id } }: { new: { id: number } }) => {
            heard.push(id);
          },
        )
        .on("system", {}, () => {
          ready = true;
        });
      await new Promise<void>((resolve) =>
        channel.subscribe((s) => s === "SUBSCRIBED" && resolve()),
      );
      await stage.db.execute("insert into public.notes values (50, 'ann')");
      const inTime = !ready;
      await until(() => ready);
      await stage.db.execute("insert into public.notes values (51, 'ann')");
      await until(() => heard.includes(51));
      if (inTime) return expect(heard).toEqual([51]);
      await stage.db.execute("delete from public.notes where id in (50, 51)");
    } finally {
      vi.unstubAllEnvs();
      await stage.restart();
    }
  }
});
