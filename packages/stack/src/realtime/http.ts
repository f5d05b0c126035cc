import type { Keys } from "../keys.js";
import type { Authorization, Identity } from "./authorization.js";
import { type Broadcast, MAX_PAYLOAD_BYTES } from "./frames.js";
import { isMap } from "./join.js";
import { type Rooms, roomOf } from "./rooms.js";
import { readToken, TokenUnfit } from "./tokens.js";

type Problems = Record<string, string[]>;

interface Message {
  id?: unknown;
  topic: string;
  event: string;
  payload: Record<string, unknown>;
  private?: boolean;
}

const TOO_LARGE = "Payload size exceeds tenant limit";
const single = /^\/api\/broadcast\/([^/]+)\/events\/([^/]+)$/;

/**
 * Serves the HTTP API: one or several broadcasts by POST. A private one requires permission to
 * write.
 */
export function createHttp(keys: Keys, rooms: Rooms, authorization: Authorization) {
  const mayWrite = async (topic: string, who: Identity) =>
    (await authorization.writable(topic, who)).has("broadcast");

  async function sendBatch(body: unknown, who: Identity): Promise<Response> {
    const messages = isMap(body) ? body.messages : undefined;
    if (messages === undefined || messages === null) return invalid({ messages: [BLANK] });
    if (!Array.isArray(messages) || !messages.every(isMap)) {
      return invalid({ messages: ["is invalid"] });
    }
    if (messages.length === 0) return invalid({ messages: [BLANK] });
    const problems = messages.map(problemsOf);
    if (problems.some((found) => Object.keys(found).length > 0)) {
      return Response.json({ errors: { messages: problems } }, { status: 422 });
    }
    const allowed = new Map<string, boolean>();
    for (const {
      id,
      topic,
      event,
      payload,
      private: isPrivate = false,
    } of messages as unknown as Message[]) {
      if (isPrivate && !allowed.has(topic)) allowed.set(topic, await mayWrite(topic, who));
      // Without permission the answer is the same, so that it reveals nothing.
      if (isPrivate && !allowed.get(topic)) continue;
      const meta = id ? { meta: { id } } : {};
      const message = { type: "broadcast", event, payload, ...meta };
      rooms.broadcast(roomOf(topic, isPrivate), { form: "map", payload: message });
    }
    return accepted();
  }

  async function sendOne(request: Request, who: Identity, topic: string, event: string) {
    const [type] = (request.headers.get("content-type") ?? "application/json").split(";");
    const isPrivate = new URL(request.url).searchParams.get("private") === "true";
    const body = Buffer.from(await request.arrayBuffer());
    let broadcast: Broadcast = { form: "user", event, encoding: "binary", bytes: body };
    if (type === "application/json") {
      const value = jsonOf(body.toString("utf8"));
      if (value === undefined) return badRequest();
      // Hosted's parser wraps other JSON values in an object, too.
      const bytes = isMap(value) ? body : Buffer.from(JSON.stringify({ _json: value }));
      broadcast = { form: "user", event, encoding: "json", bytes };
    } else if (type !== "application/octet-stream") {
      const error = "Unsupported Media Type. Use application/json or application/octet-stream";
      return Response.json({ error }, { status: 415 });
    }
    if (body.length > MAX_PAYLOAD_BYTES) return invalid({ payload: [TOO_LARGE] });
    if (isPrivate && !(await mayWrite(topic, who))) {
      return Response.json({ message: "Unauthorized" }, { status: 403 });
    }
    rooms.broadcast(roomOf(topic, isPrivate), broadcast);
    return accepted();
  }

  return async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const one = single.exec(pathname);
    if (request.method !== "POST" || (pathname !== "/api/broadcast" && !one)) {
      return Response.json("Not Found", { status: 404 });
    }
    const headers = Object.fromEntries(request.headers);
    const bearer = /^bearer (.+)$/i.exec(headers.authorization ?? "")?.[1];
    let who: Identity;
    try {
      who = { claims: await readToken(keys, bearer ?? headers.apikey ?? ""), headers };
    } catch (error) {
      if (!(error instanceof TokenUnfit)) throw error;
      return Response.json({ message: "Unauthorized" }, { status: 401 });
    }
    if (one) {
      const [topic, event] = one.slice(1).map(unescaped);
      return topic && event ? sendOne(request, who, topic, event) : badRequest();
    }
    const body = jsonOf(await request.text());
    return body === undefined ? badRequest() : sendBatch(body, who);
  };
}

const BLANK = "can't be blank";
const accepted = () => new Response(null, { status: 202 });
const badRequest = () => Response.json("Bad Request", { status: 400 });
const invalid = (errors: Problems) => Response.json({ errors }, { status: 422 });

/** Returns hosted's validation errors of a message in a batch, by field. */
function problemsOf(message: Record<string, unknown>): Problems {
  const problems: Problems = {};
  const check = (field: string, blank: boolean, valid: boolean) => {
    if (blank || !valid) problems[field] = [blank ? BLANK : "is invalid"];
  };
  const { topic, event, payload, private: isPrivate } = message;
  const isBlank = (value: unknown) =>
    value === undefined || value === null || (typeof value === "string" && value.trim() === "");
  check("topic", isBlank(topic), typeof topic === "string");
  check("event", isBlank(event), typeof event === "string");
  check("payload", isBlank(payload), isMap(payload));
  check("private", false, ["boolean", "undefined"].includes(typeof isPrivate));
  if (!problems.payload && JSON.stringify(payload).length > MAX_PAYLOAD_BYTES) {
    problems.payload = [TOO_LARGE];
  }
  return problems;
}

/** Parses JSON: `{}` for an empty body, undefined for invalid JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text || "{}");
  } catch {
    return undefined;
  }
}

function unescaped(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}
