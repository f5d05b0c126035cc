import { randomUUID } from "node:crypto";
import { z } from "zod";
import { isDatabaseError } from "../db/database.js";
import { type Claims, type Keys, TokenRefused } from "../keys.js";
import type { Log } from "../log.js";
import type { Authorization, Permissions } from "./authorization.js";
import type { Changes, Listener } from "./changes.js";
import type { Connection } from "./connection.js";
import { SubscriptionRefused } from "./filters.js";
import { type Broadcast, type Frame, writeBroadcast } from "./frames.js";
import type { Member, Rooms } from "./rooms.js";
import { parseWish, type Wish } from "./subscriptions.js";
import { readToken } from "./tokens.js";

/** As hosted: a client may change its presence so often, then its channel is closed. */
const MOST_PRESENCE_CALLS = 5;
const PRESENCE_WINDOW_MS = 30_000;
/** How soon a subscription is tried again that the database could not take. */
const RESUBSCRIBE_MS = 5_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface ChannelSurroundings {
  keys: Keys;
  log: Log;
  rooms: Rooms;
  changes: Changes;
  authorization: Authorization;
}

/** A topic joined over a connection. */
export interface Channel {
  topic: string;
  joinRef: string | null;
  /** Sends what follows the answer to the join. */
  begin(): void;
  receive(frame: Frame, reply: Reply): Promise<void>;
  /** Leaves, and tells the client so. */
  close(): Promise<void>;
}

type Reply = (status: "ok" | "error", response: unknown) => void;

const flexible = z.union([z.boolean(), z.enum(["true", "false"]).transform((v) => v === "true")]);
const joinPayload = z.object({
  access_token: z.string().nullish().catch(null),
  user_token: z.string().nullish().catch(null),
  config: z
    .object({
      broadcast: z
        .object({ ack: flexible.catch(false), self: flexible.catch(false) })
        .catch({ ack: false, self: false }),
      presence: z
        .object({ key: z.coerce.string().catch(""), enabled: flexible.catch(false) })
        .catch({ key: "", enabled: false }),
      postgres_changes: z.array(z.unknown()).catch([]),
      private: flexible.catch(false),
    })
    .partial()
    .catch({}),
});

let lastBinding = 0;

/** Joins as the frame asks, or says in hosted's words why not. `left` is called when the channel ends. */
export async function joinChannel(
  surroundings: ChannelSurroundings,
  connection: Connection,
  { topic, joinRef: join, ref, payload }: Frame,
  left: (channel: Channel) => void,
): Promise<{ refused: string } | { channel: Channel; response: unknown }> {
  const { keys, log, rooms, changes, authorization } = surroundings;
  const name = topic.replace(/^realtime:/, "");
  if (name === topic) return { refused: "unmatched topic" };
  if (name === "") return { refused: "TopicNameRequired: You must provide a topic name" };
  const asked = joinPayload.safeParse(payload ?? {}).data;
  const config = asked?.config ?? {};
  const isPrivate = config.private ?? false;
  const joinRef = join ?? ref;

  let token = tokenOf(asked?.user_token ?? asked?.access_token) ?? connection.apikey;
  let claims: Claims;
  let permissions: Permissions | null = null;
  try {
    claims = await readToken(keys, token);
    permissions = isPrivate ? await authorization.permissions(name, claims) : null;
  } catch (error) {
    if (!(error instanceof TokenRefused)) throw error;
    const code = error.reason === "expired" ? "InvalidJWTToken" : "MalformedJWT";
    return { refused: `${code}: ${error.message}` };
  }
  const unreadable = `You do not have permissions to read from this Channel topic: ${name}`;
  if (permissions && !mayRead(permissions)) return { refused: `Unauthorized: ${unreadable}` };

  const presenceKey = config.presence?.key || randomUUID();
  const wanted = (config.postgres_changes ?? []).filter((entry) => entry !== null);
  const bindings = wanted.map((entry) => ({ entry, id: ++lastBinding }));
  let open = true;
  let expiry: NodeJS.Timeout | undefined;
  let resubscribe: NodeJS.Timeout | undefined;
  const presenceCalls: number[] = [];
  let tracked: string | null = null;

  const push = (event: string, body: unknown) =>
    connection.send({ joinRef: null, ref: null, topic, event, payload: body });
  const system = (extension: string, status: "ok" | "error", message: string) =>
    push("system", { extension, status, message, channel: name });

  const listener: Listener = {
    claims: () => claims,
    hear: (ids, data) =>
      connection.sendJson(
        { joinRef: null, ref: null, topic, event: "postgres_changes" },
        `{"ids":${JSON.stringify(ids)},"data":${data}}`,
      ),
  };
  const member: Member = {
    readsBroadcast: () => permissions?.read.broadcast ?? true,
    readsPresence: () => permissions?.read.presence ?? true,
    hearBroadcast(broadcast) {
      const raw = writeBroadcast(connection.version, topic, broadcast);
      if (raw !== null) connection.sendRaw(raw);
    },
    hearPresence: push,
  };

  function watchExpiry() {
    clearTimeout(expiry);
    const left = (claims.exp ?? 0) * 1000 - Date.now();
    expiry = setTimeout(
      () => {
        if ((claims.exp ?? 0) * 1000 > Date.now()) return watchExpiry();
        const ago = Math.floor(Date.now() / 1000) - (claims.exp ?? 0);
        shutDown(`Token has expired ${ago} seconds ago`);
      },
      Math.min(Math.max(left, 0) + 1, LONGEST_TIMER_MS),
    );
  }

  async function subscribe(): Promise<void> {
    clearTimeout(resubscribe);
    if (!open || bindings.length === 0) return;
    try {
      const wishes = new Map<number, Wish>(bindings.map(({ entry, id }) => [id, parseWish(entry)]));
      await changes.subscribe(listener, wishes);
      if (open) system("postgres_changes", "ok", "Subscribed to PostgreSQL");
      else changes.unsubscribe(listener);
    } catch (error) {
      changes.unsubscribe(listener);
      if (!open) return;
      if (error instanceof SubscriptionRefused) {
        system("postgres_changes", "error", error.message);
      } else if (isDatabaseError(error)) {
        system("postgres_changes", "error", `ERROR ${error.code} ${error.message}`);
        resubscribe = setTimeout(subscribe, RESUBSCRIBE_MS);
      } else throw error;
    }
  }

  function end() {
    if (!open) return;
    open = false;
    clearTimeout(expiry);
    clearTimeout(resubscribe);
    changes.unsubscribe(listener);
    changes.release();
    rooms.leave(name, isPrivate, member);
    connection.send({ joinRef, ref: joinRef, topic, event: "phx_close", payload: {} });
    left(channel);
  }
  function shutDown(reason: string) {
    if (!open) return;
    system("system", "error", reason);
    end();
  }

  async function refreshToken(body: unknown) {
    const fresh = tokenOf((body as { access_token?: unknown } | null)?.access_token);
    if (fresh === null || fresh === token) return;
    try {
      const now = await readToken(keys, fresh);
      if (isPrivate) {
        const before = permissions;
        permissions = await authorization.permissions(name, now);
        if (!mayRead(permissions)) return shutDown(unreadable);
        if (before && lost(before, permissions)) {
          return shutDown(`You no longer have permission to read from this Channel topic: ${name}`);
        }
      }
      token = fresh;
      claims = now;
    } catch (error) {
      if (!(error instanceof TokenRefused)) throw error;
      return shutDown(error.message);
    }
    watchExpiry();
    await subscribe();
  }

  function broadcast(body: unknown, reply: Reply) {
    if (permissions && !permissions.write.broadcast) return;
    const message = broadcastOf(body);
    if (message) {
      rooms.broadcast(name, isPrivate, message, config.broadcast?.self ? undefined : member);
    }
    if (config.broadcast?.ack) reply("ok", {});
  }

  function presence(body: unknown, reply: Reply) {
    const now = Date.now();
    while (presenceCalls.length > 0 && now - (presenceCalls[0] ?? 0) > PRESENCE_WINDOW_MS) {
      presenceCalls.shift();
    }
    if (presenceCalls.push(now) > MOST_PRESENCE_CALLS) {
      return shutDown("Client presence rate limit exceeded");
    }
    const { event, payload: facts = {} } = (body ?? {}) as { event?: unknown; payload?: unknown };
    const action = String(event).toLowerCase();
    if (action === "untrack") {
      tracked = null;
      rooms.untrack(name, isPrivate, member);
      return reply("ok", {});
    }
    if (action !== "track" || (permissions && !permissions.write.presence)) {
      return reply("error", {});
    }
    if (typeof facts !== "object" || facts === null || Array.isArray(facts)) {
      return reply("error", { reason: "Presence track payload must be a map" });
    }
    const written = JSON.stringify(facts);
    if (written !== tracked) {
      tracked = written;
      rooms.track(name, isPrivate, member, presenceKey, facts as Record<string, unknown>);
    }
    reply("ok", {});
  }

  const channel: Channel = {
    topic,
    joinRef,
    begin() {
      rooms.enter(name, isPrivate, member);
      if (config.presence?.enabled && member.readsPresence()) {
        rooms.tellState(name, isPrivate, member);
      }
      watchExpiry();
      subscribe().catch((error) => log.error("a subscription failed", error));
    },
    async receive({ event, payload: body }, reply) {
      if (event === "broadcast") return broadcast(body, reply);
      if (event === "presence") return presence(body, reply);
      if (event === "access_token") return refreshToken(body);
    },
    close: async () => end(),
  };
  await changes.hold();
  const response = {
    postgres_changes: bindings.map(({ entry, id }) => ({ ...(entry as object), id })),
  };
  return { channel, response };
}

/** The new API keys are no JWTs: as hosted, a channel that brings one keeps the identity it has. */
function tokenOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" && !value.startsWith("sb_") ? value : null;
}

const mayRead = ({ read }: Permissions) => read.broadcast || read.presence;

const lost = (before: Permissions, now: Permissions) =>
  (before.read.broadcast && !now.read.broadcast) || (before.read.presence && !now.read.presence);

function broadcastOf(body: unknown): Broadcast | null {
  if (typeof body !== "object" || body === null) return null;
  if ("form" in body && "bytes" in body && Buffer.isBuffer(body.bytes)) return body as Broadcast;
  return { form: "map", payload: body as Record<string, unknown> };
}
