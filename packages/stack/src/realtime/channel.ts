import { DatabaseAway } from "../db/away.js";
import type { Keys } from "../keys.js";
import type { Log } from "../log.js";
import type { Authorization, Extension } from "./authorization.js";
import type { Changes, Listener } from "./changes.js";
import { SubscriptionRefused } from "./filters.js";
import {
  type Broadcast,
  type Frame,
  LARGEST_PAYLOAD_BYTES,
  type Received,
  type Version,
  writeBroadcast,
} from "./frames.js";
import { isMap, JoinRefused, readJoin, tokenOf } from "./join.js";
import type { Messages, Replayed } from "./messages.js";
import { createPresence } from "./presence.js";
import { type Member, type Rooms, roomOf } from "./rooms.js";
import { parseWish } from "./subscriptions.js";
import { expiredAgo, readToken, TokenUnfit } from "./tokens.js";
import { createTurns } from "./turns.js";

/** How soon a subscription is tried again that the database could not take. */
const RESUBSCRIBE_MS = 5_000;
/** How soon where it is away: what asks it then costs nothing. */
const AWAY_MS = 500;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** One websocket and the channels joined over it. */
export interface Connection {
  version: Version;
  /** The key the connection was opened with: the identity of a channel that brings no token. */
  apikey: string;
  /** Those that a client may add to the handshake, for policies to read: `x-…`. */
  headers: Record<string, string>;
  send(frame: Frame): void;
  /** `payload` is JSON already. */
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
  /** By how much the changes of tables are followed later than the join is answered. */
  delayMs: number;
}

/** A topic joined over a connection. */
export interface Channel {
  topic: string;
  joinRef: string | null;
  /** Sends what follows the answer to the join. */
  begin(): void;
  receive(frame: Received, reply: Reply): Promise<void>;
  /** Leaves, and tells the client so. */
  close(): Promise<void>;
}

type Reply = (status: "ok" | "error", response: unknown) => void;

let lastBinding = 0;

/** Joins as the frame asks. `left` is called when the channel ends. Throws `JoinRefused`. */
export async function joinChannel(
  context: ChannelContext,
  connection: Connection,
  { topic, joinRef: join, ref, payload }: Frame,
  left: (channel: Channel) => void,
): Promise<{ channel: Channel; response: unknown }> {
  const { keys, log, rooms, changes, authorization, messages } = context;
  const name = topic.replace(/^realtime:/, "");
  if (name === topic) throw new JoinRefused("unmatched topic");
  if (name === "") throw new JoinRefused("TopicNameRequired: You must provide a topic name");
  const settings = readJoin(payload);
  const { isPrivate, presence: wanted } = settings;
  const joinRef = join ?? ref;
  const room = roomOf(name, isPrivate);
  const unreadable = `You do not have permissions to read from this Channel topic: ${name}`;

  let token = settings.token ?? connection.apikey;
  let claims = await readToken(keys, token).catch((error) => {
    if (!(error instanceof TokenUnfit)) throw error;
    throw new JoinRefused(`${error.code}: ${error.message}`);
  });
  const who = () => ({ claims, headers: connection.headers });
  // As hosted, presence is asked about only where a client means to use it.
  const extensions: Extension[] = ["broadcast", "presence"];
  const readable = async () =>
    authorization.readable(name, who(), wanted.enabled ? extensions : ["broadcast"]);
  let reads = isPrivate ? await readable() : new Set(extensions);
  /** What may be sent; set once the database was asked. */
  let writes: Set<Extension> | null = isPrivate ? null : reads;
  if (reads.size === 0) throw new JoinRefused(`Unauthorized: ${unreadable}`);
  const mayWrite = async (extension: Extension) => {
    writes ??= await authorization.writable(name, who());
    return writes.has(extension);
  };

  async function readReplay(): Promise<Replayed[]> {
    if (settings.replay === undefined) return [];
    const unable = (why: string) => new JoinRefused(`UnableToReplayMessages: ${why}`);
    if (!isPrivate) throw unable("Replay is not allowed for public channels");
    if (!reads.has("broadcast")) throw new JoinRefused(`Unauthorized: ${unreadable}`);
    if (!isMap(settings.replay)) return [];
    const { since, limit } = settings.replay;
    const found = await messages.since(name, since, limit ?? 25);
    if (!found) throw unable("Replay params are not valid");
    return found;
  }
  const replayed = await readReplay();
  const known = new Set(replayed.map(({ id }) => id));

  const bindings = settings.changes.map((entry) => ({ entry, id: ++lastBinding }));
  let open = true;
  let expiry: NodeJS.Timeout | undefined;
  let subscribing: NodeJS.Timeout | undefined;
  /** Whether the client was told that the database is away. */
  let told = false;
  const inTurn = createTurns();

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
      // A client that did not use presence before does from now on.
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
      Math.min(Math.max(left, 0) + 1, LONGEST_TIMER_MS),
    );
  }

  function subscribeIn(ms: number) {
    clearTimeout(subscribing);
    if (!open || bindings.length === 0) return;
    subscribing = setTimeout(() => {
      void inTurn(subscribe);
    }, ms);
  }
  async function subscribe() {
    try {
      const wishes = new Map(bindings.map(({ entry, id }) => [id, parseWish(entry)]));
      if (open) await changes.subscribe(listener, wishes);
      told = false;
      if (open) system("postgres_changes", "ok", "Subscribed to PostgreSQL");
      else changes.unsubscribe(listener);
    } catch (error) {
      if (open && error instanceof DatabaseAway) {
        // It keeps its old subscriptions until then, so that it misses nothing.
        if (!told) system("postgres_changes", "error", "Unable to connect to the project database");
        told = true;
        return subscribeIn(AWAY_MS);
      }
      changes.unsubscribe(listener);
      if (!open) return;
      if (error instanceof SubscriptionRefused) {
        return system("postgres_changes", "error", error.message);
      }
      log.error("changes cannot be followed for now", error);
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
      return shutDown(error.wording.refresh ?? error.message);
    }
    token = fresh;
    if (isPrivate) {
      const before = reads;
      // Until it is known what the new token allows, nothing is heard or sent by it.
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
    const { ack, self } = settings.broadcast;
    const fits = frame.bytes <= LARGEST_PAYLOAD_BYTES;
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
      if (settings.replicationReady) system("system", "ok", "Replication connection established");
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
