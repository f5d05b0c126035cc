import { createMiddleware } from "hono/factory";
import { isTooDeep, isTooDeepForTemplate, isTooDeepWithRichText } from "../values/depth.ts";
import { unkeptTexts } from "../values/texts.ts";
import type { Env } from "./env.ts";
import { environment } from "./environment.ts";
import { ApiError, notJson, wrongFields } from "./errors.ts";
import { createRequestSlots, queueOf, WAIT_MS } from "./large_answers.ts";
import { type Needs, needsOf } from "./needs.ts";

const MAX_BYTES = 1_048_576;

/** Maximum size of a refused body that is read to its end, in bytes. */
export const MAX_DISCARDED_BYTES = 16 * MAX_BYTES;

/** Size in bytes above which a body is large: parsing and checking 1 MB takes 30 ms, in which this process answers nobody else. */
const LARGE_BYTES = 100_000;

/** A tenant has one request of its customers and one of its other members with a large body at the same time, in this process. */
const largeBodies = createRequestSlots(
  1,
  "Too many large requests of this tenant at once. Send at most 100 kB, or try again later.",
);

/**
 * Refuses a body over 1 MB, and lets a tenant have one request with a large one at once. Reads it here, so that a
 * refused one is read to its end: see `readBody`.
 */
export const sizeLimit = createMiddleware<Env>(async (c, next) => {
  if (!c.req.raw.body || needsOf(c).streams) return next();
  const body = await readBody(c.req.raw.body);
  if (!body) throw new ApiError("PAYLOAD_TOO_LARGE");
  // At runtime Hono caches promises here; its types differ.
  c.req.bodyCache.arrayBuffer = Promise.resolve(body) as never;
  if (body.byteLength <= LARGE_BYTES) return next();
  const queue = await queueOf(c);
  // A request without one is refused later, or has the few requests of an address.
  if (queue === undefined) return next();
  const release = await largeBodies.begin(queue, WAIT_MS, c.req.raw.signal);
  try {
    await next();
  } finally {
    release();
  }
});

/**
 * Returns the bytes of a body, or undefined when they are over 1 MB. The rest of such a body is read and discarded:
 * Deno closes a connection with unread bytes, and the gateway that still sends them would answer 500 in place of the
 * refusal.
 */
export async function readBody(body: ReadableStream<Uint8Array>): Promise<ArrayBuffer | undefined> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.byteLength;
    if (bytes <= MAX_BYTES) parts.push(part as Uint8Array<ArrayBuffer>);
    if (bytes > MAX_DISCARDED_BYTES) break;
  }
  return bytes <= MAX_BYTES ? new Blob(parts).arrayBuffer() : undefined;
}

/** Responds with TIMEOUT after 30 seconds and aborts the database request. */
export const timeLimit = createMiddleware<Env>(async (c, next) => {
  const late = new AbortController();
  c.set("signal", late.signal);
  if (needsOf(c).streams) return next();
  await inTime(next(), () => {
    late.abort();
    return new ApiError("TIMEOUT");
  });
});

/** Returns the result of `work`, or throws the error that `late` makes when the timeout of a request passes. */
export async function inTime<T>(work: Promise<T>, late: () => ApiError): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), environment.requestTimeoutMs);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Parses the body once: a JSON object within the depth limit. The routes' schemas validate its fields. */
export const jsonBody = createMiddleware<Env>(async (c, next) => {
  if (["POST", "PUT", "PATCH"].includes(c.req.method) && !needsOf(c).streams) {
    const text = await c.req.text();
    const isJson = /^application\/json\s*(;|$)/i.test(c.req.header("content-type") ?? "");
    if (text !== "") {
      if (!isJson) throw notJson();
      const body = parseObject(text);
      if (depthCheckOf(needsOf(c))(body)) throw new ApiError("NESTING_TOO_DEEP");
      c.set("body", body);
    } else if (isJson) {
      // An empty body counts as an object without fields. (At runtime Hono caches promises here; its types differ.)
      c.req.bodyCache.text = Promise.resolve("{}") as never;
    }
  }
  await next();
});

/** Refuses texts that Postgres cannot store, in the query and in the body. */
export const keepableTexts = createMiddleware<Env>(async (c, next) => {
  const query = Object.entries(c.req.queries()).map(([name, values]) => [
    name,
    values.length > 1 ? values : values[0],
  ]);
  const unkept = unkeptTexts(Object.fromEntries(query));
  if (!needsOf(c).judgesItsTexts) unkept.push(...unkeptTexts(c.get("body")));
  if (unkept.length > 0) throw wrongFields(unkept);
  await next();
});

function parseObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ApiError("INVALID_JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ApiError("INVALID_JSON");
  }
  return value as Record<string, unknown>;
}

/** The depth check for the kind of body. */
function depthCheckOf({ holdsTemplate, holdsRichText }: Needs): (body: object) => boolean {
  if (holdsTemplate) return isTooDeepForTemplate;
  return holdsRichText ? isTooDeepWithRichText : isTooDeep;
}
