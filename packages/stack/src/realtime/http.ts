import { z } from "zod";
import { type Claims, type Keys, TokenRefused } from "../keys.js";
import type { Authorization } from "./authorization.js";
import type { Broadcast } from "./frames.js";
import type { Rooms } from "./rooms.js";
import { readToken } from "./tokens.js";

const batch = z.object({
  messages: z.array(
    z.object({
      id: z.string().optional(),
      topic: z.string().min(1),
      event: z.string().min(1),
      payload: z.record(z.string(), z.unknown()),
      private: z.boolean().optional().default(false),
    }),
  ),
});

const single = /^\/api\/broadcast\/([^/]+)\/events\/([^/]+)$/;

/** Answers the REST side: broadcasts by POST, one or many. A private one is sent only by who may write. */
export function createHttp(keys: Keys, rooms: Rooms, authorization: Authorization) {
  async function send(
    claims: Claims,
    topic: string,
    isPrivate: boolean,
    broadcasts: Broadcast[],
  ): Promise<boolean> {
    if (isPrivate) {
      const permissions = await authorization.permissions(topic, claims);
      if (!permissions.write.broadcast) return false;
    }
    for (const broadcast of broadcasts) rooms.broadcast(topic, isPrivate, broadcast);
    return true;
  }

  async function sendBatch(request: Request, claims: Claims): Promise<Response> {
    const parsed = batch.safeParse(await jsonOf(request));
    if (!parsed.success) {
      const issues = parsed.error.issues.map(({ path, message }) => [path.join("."), [message]]);
      return Response.json({ errors: Object.fromEntries(issues) }, { status: 422 });
    }
    for (const { id, topic, event, payload, private: isPrivate } of parsed.data.messages) {
      // Whoever may not write on a topic learns nothing of it: the answer is the same.
      await send(claims, topic, isPrivate, [
        {
          form: "map",
          payload: { type: "broadcast", event, payload, ...(id ? { meta: { id } } : {}) },
        },
      ]);
    }
    return new Response(null, { status: 202 });
  }

  async function sendOne(request: Request, claims: Claims, topic: string, event: string) {
    const type = request.headers.get("content-type") ?? "";
    const isPrivate = new URL(request.url).searchParams.get("private") === "true";
    const bytes = Buffer.from(await request.arrayBuffer());
    let broadcast: Broadcast;
    if (type.startsWith("application/octet-stream")) {
      broadcast = { form: "user", event, encoding: "binary", bytes };
    } else if (type.startsWith("application/json")) {
      const payload = parsed(bytes.toString("utf8"));
      if (payload === undefined) {
        return Response.json({ errors: { payload: ["is invalid"] } }, { status: 422 });
      }
      broadcast = { form: "user", event, encoding: "json", bytes };
    } else {
      return Response.json({ message: "Unsupported Media Type" }, { status: 415 });
    }
    const sent = await send(claims, topic, isPrivate, [broadcast]);
    return sent ? new Response(null, { status: 202 }) : unauthorized();
  }

  return async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const one = single.exec(pathname);
    if (request.method !== "POST" || (pathname !== "/api/broadcast" && !one)) {
      return Response.json({ message: "Not found" }, { status: 404 });
    }
    const bearer = /^bearer (.+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
    let claims: Claims;
    try {
      claims = await readToken(keys, bearer ?? request.headers.get("apikey") ?? "");
    } catch (error) {
      if (error instanceof TokenRefused) return unauthorized();
      throw error;
    }
    const [topic, event] = (one?.slice(1) ?? []).map(decodeURIComponent);
    return topic !== undefined && event !== undefined
      ? sendOne(request, claims, topic, event)
      : sendBatch(request, claims);
  };
}

const unauthorized = () => Response.json({ message: "Unauthorized" }, { status: 401 });

const jsonOf = async (request: Request) => parsed(await request.text());

/** The value, or undefined where the text is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
