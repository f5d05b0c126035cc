import { DatabaseAway } from "../db/away.js";
import type { Keys } from "../keys.js";
import type { Log } from "../log.js";
import type { Authorization, Extension } from "./authorization.js";
import type { Changes, Listener } from "./changes.js";
import { SubscriptionRefused } from "./filters.js";
import {
  type Broadcast,
  type Frame,
  MAX_PAYLOAD_BYTES,
  type Received,
  type Version,
  writeBroadcast,
} from "./frames.js";
import { isMap, JoinRefused, readJoin, tokenOf } from "./join.js";
import type { Messages, Replayed } from "./messages.js";
import { createPresence } from "./presence.js";
import { createQueue } from "./queue.js";
import { type Member, type Rooms, roomOf } from "./rooms.js";
import { parseSubscription } from "./subscriptions.js";
import { expiredAgo, readToken, TokenUnfit } from "./tokens.js";

/** Delay before a subscription that failed in the database is retried. */
const RESUBSCRIBE_MS = 5_000;
/** The same delay while the database is unavailable; an attempt is cheap then. */
const RECONNECT_MS = 500;
const MAX_TIMER_MS = 2 ** 31 - 1;

/** A websocket connection, which may have several channels. */
export interface Connection {
  version: Version;
  /** The API key of the handshake: the identity of channels without their own token. */
  apikey: string;
  /** The headers `x-…` of the handshake, for policies to read. */
  headers: Record<string, string>;
  send(frame: Frame): void;
  /** Sends a frame whose `payload` is JSON text already. */
  sendJson(frame: Omit<Frame, "payload">, payload: string): void;
  sendRaw(raw: string | Buffer): void;
}

export interface ChannelContext {
  keys: Keys;
  log: Log;
  rooms: Rooms;
  changes: Changes;
  authorization: Authorization;
  messages: Messages;
  /** Throws `JoinRefused` if there were too many joins. */
  countJoin(): void;
  /** Delay between the answer to a join and following the changes of tables, in ms. */
  delayMs: number;
}

/** A topic joined over a connection. */
export interface Channel {
  topic: string;
  joinRef: string | null;
  /** Sends the frames that follow the answer to the join. */
  begin(): void;
  receive(frame: Received, reply: Reply): Promise<void>;
  /** Leaves the topic and notifies the client. */
  close(): Promise<void>;
}

type Reply = (status: "ok" | "error", response: unknown) => void;

let lastBinding = 0;

/** Joins a topic. `left` is called when the channel ends. Throws `JoinRefused`. */
export async function joinChannel(
  context: ChannelContext,
  connection: Connection,
  { topic, joinRef: join, ref, payload }: Frame,
  left: (channel: Channel) => void,
): Promise<{ channel: Channel; response: unknown }> {
  const { keys, log, rooms, changes, authorization, messages } = context;
  context.countJoin();
  const name = topic.replace(/^realtime:/, "");
  if (name === topic) throw new JoinRefused("unmatched topic");
  if (name === "") throw new JoinRefused("TopicNameRequired: You must provide a topic name");
  const asked = readJoin(payload);
  const { isPrivate, presence: wanted } = asked;
  const joinRef = join ?? ref;
  const room = roomOf(name, isPrivate);
  const unreadable = `You do not have permissions to read from this Channel topic: ${name}`;

  let token = asked.token ?? connection.apikey;
  let claims = await readToken(keys, token).catch((error) => {
    if (!(error instanceof TokenUnfit)) throw error;
    throw new JoinRefused(`${error.code}: ${error.message}`);
  });
  const who = () => ({ claims, headers: connection.headers });
  // Presence is checked only for clients that enable it, as hosted.
  const extensions: Extension[] = ["broadcast", "presence"];
  const readable = async () =>
    authorization.readable(name, who(), wanted.enabled ? extensions : ["broadcast"]);
  let reads = isPrivate ? await readable() : new Set(extensions);
  /** The extensions that may be sent; null until it was checked. */
  let writes: Set<Extension> | null = isPrivate ? null : reads;
  if (reads.size === 0) throw new JoinRefused(`Unauthorized: ${unreadable}`);
  const mayWrite = async (extension: Extension) => {
    writes ??= await authorization.writable(name, who());
    return writes.has(extension);
  };

  async function readReplay(): Promise<Replayed[]> {
    if (asked.replay === undefined) return [];
    const unable = (why: string) => new JoinRefused(`UnableToReplayMessages: ${why}`);
    if (!isPrivate) throw unable("Replay is not allowed for public channels");
    if (!reads.has("broadcast")) throw new JoinRefused(`Unauthorized: ${unreadable}`);
    if (!isMap(asked.replay)) return [];
    const { since, limit } = asked.replay;
    const found = await messages.since(name, since, limit ?? 25);
    if (!found) throw unable("Replay params are not valid");
    return found;
  }
  const replayed = await readReplay();
  const known = new Set(replayed.map(({ id }) => id));

  const bindings = asked.changes.map((entry) => ({ entry, id: ++lastBinding }));
  let open = true;
  let expiry: NodeJS.Timeout | undefined;
  let subscribing: NodeJS.Timeout | undefined;
  /** Whether the client was notified that the database is unavailable. */
  let reportedUnavailable = false;
  const enqueue = createQueue();

  const push = (event: string, body: unknown) =>
    connection.send({ joinRef, ref: null, topic, event, payload: body });
  const system = (extension: string, status: "ok" | "error", message: string) =>
    push("system", { extension, status, message, channel: name });

  const listener: Listener = {
    claims: () => claims,
    hear: (ids, data) =>
      connection.sendJson(
        { joinRef: null, ref: null, topic, event: "postgres_changes" },
        `{"ids":${JSON.stringify(ids)},"data":${data}}`,
      ),
    subscribeAnew: () => subscribeIn(0),
  };
  const member: Member = {
    readsBroadcast: () => reads.has("broadcast"),
    readsPresence: () => reads.has("presence"),
    hearBroadcast(broadcast) {
      if (broadcast.form === "user" && known.has(String(broadcast.meta?.id))) return;
      sendBroadcast(broadcast);
    },
    hearDiff: (diff) =>
      connection.send({ joinRef: null, ref: null, topic, event: "presence_diff", payload: diff }),
  };
  function sendBroadcast(broadcast: Broadcast, as: string | null = null) {
    const raw = writeBroadcast(connection.version, topic, broadcast, as);
    if (raw !== null) connection.sendRaw(raw);
  }
  const presence = createPresence(rooms, room, member, wanted.key, {
    async mayTrack() {
      if (!(await mayWrite("presence"))) return false;
      // A client that tracks without having enabled presence uses it from now on.
      if (isPrivate && !wanted.enabled) {
        wanted.enabled = true;
        reads = await readable();
      }
      return true;
    },
    shutDown,
  });

  function watchExpiry() {
    clearTimeout(expiry);
    const left = claims.exp * 1000 - Date.now();
    expiry = setTimeout(
      () => (claims.exp * 1000 > Date.now() ? watchExpiry() : shutDown(expiredAgo(claims.exp))),
      Math.min(Math.max(left, 0) + 1, MAX_TIMER_MS),
    );
  }

  function subscribeIn(ms: number) {
    clearTimeout(subscribing);
    if (!open || bindings.length === 0) return;
    subscribing = setTimeout(() => {
      void enqueue(subscribe);
    }, ms);
  }
  async function subscribe() {
    try {
      const requested = new Map(bindings.map(({ entry, id }) => [id, parseSubscription(entry)]));
      if (open) await changes.subscribe(listener, requested);
      reportedUnavailable = false;
      if (open) system("postgres_changes", "ok", "Subscribed to PostgreSQL");
      else changes.unsubscribe(listener);
    } catch (error) {
      if (open && error instanceof DatabaseAway) {
        // The previous subscription stays active, so that no change is missed.
        if (!reportedUnavailable)
          system("postgres_changes", "error", "Unable to connect to the project database");
        reportedUnavailable = true;
        return subscribeIn(RECONNECT_MS);
      }
      changes.unsubscribe(listener);
      if (!open) return;
      if (error instanceof SubscriptionRefused) {
        return system("postgres_changes", "error", error.message);
      }
      log.error("changes cannot be followed, retrying", error);
      system("postgres_changes", "error", "Too many database timeouts");
      subscribeIn(RESUBSCRIBE_MS);
    }
  }

  function end() {
    if (!open) return;
    open = false;
    clearTimeout(expiry);
    clearTimeout(subscribing);
    changes.unsubscribe(listener);
    changes.release();
    rooms.leave(room, member);
    connection.send({ joinRef, ref: joinRef, topic, event: "phx_close", payload: {} });
    left(channel);
  }
  function shutDown(reason: string) {
    if (!open) return;
    system("system", "error", reason);
    end();
  }

  async function refreshToken(body: unknown) {
    const fresh = tokenOf(isMap(body) ? body.access_token : null);
    if (fresh === null || fresh === token) return;
    try {
      claims = await readToken(keys, fresh);
    } catch (error) {
      if (!(error instanceof TokenUnfit)) throw error;
      return shutDown(error.elsewhere.refresh ?? error.message);
    }
    token = fresh;
    if (isPrivate) {
      const before = reads;
      // Until the new token's permissions are known, nothing is received or sent.
      reads = new Set();
      writes = null;
      reads = await readable();
      if (reads.size === 0) return shutDown(unreadable);
      if ([...before].some((extension) => !reads.has(extension))) {
        return shutDown(`You no longer have permission to read from this Channel topic: ${name}`);
      }
    }
    watchExpiry();
    subscribeIn(context.delayMs);
  }

  async function broadcast(frame: Received, reply: Reply) {
    if (!(await mayWrite("broadcast"))) return;
    const { ack, self } = asked.broadcast;
    const fits = frame.bytes <= MAX_PAYLOAD_BYTES;
    const message = broadcastOf(frame.payload);
    if (fits && message) rooms.broadcast(room, message, self ? undefined : member);
    if (ack) reply(fits ? "ok" : "error", fits ? {} : "payload_size_exceeded");
  }

  const channel: Channel = {
    topic,
    joinRef,
    begin() {
      rooms.enter(room, member);
      for (const { broadcast } of replayed) sendBroadcast(broadcast, joinRef);
      if (asked.replicationReady) system("system", "ok", "Replication connection established");
      if (wanted.enabled && member.readsPresence()) push("presence_state", rooms.present(room));
      watchExpiry();
      subscribeIn(context.delayMs);
    },
    async receive(frame, reply) {
      if (frame.event === "broadcast") return broadcast(frame, reply);
      if (frame.event === "presence") return presence.receive(frame, reply);
      if (frame.event === "access_token") {
        return refreshToken(frame.payload).catch((error) => {
          log.error("a token could not be refreshed", error);
          shutDown("Realtime was unable to connect to the project database");
        });
      }
    },
    close: async () => end(),
  };
  await changes.hold();
  const response = { postgres_changes: bindings.map(({ entry, id }) => ({ ...entry, id })) };
  return { channel, response };
}

function broadcastOf(body: unknown): Broadcast | null {
  if (!isMap(body)) return null;
  if ("form" in body && Buffer.isBuffer(body.bytes)) return body as unknown as Broadcast;
  return { form: "map", payload: body };
}
