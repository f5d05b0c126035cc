import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Context } from "hono";
import { addressOf } from "../http/address.ts";
import { askRender } from "../http/ask_render.ts";
import { PROMOTION, RIGHTS } from "../http/authenticate.ts";
import type { Env } from "../http/env.ts";
import { ApiError } from "../http/errors.ts";
import { createRequestTurns, queueOf, tenantOf, WAIT_MS } from "../http/large_answers.ts";
import { createMemory } from "../http/memory.ts";
import { COUNTED, functionsKey, isCounted } from "../http/request_counts.ts";
import { createRoutes } from "../http/routes.ts";
import type { Turns } from "../http/turns.ts";
import { MARKETPLACE, VISITOR } from "../http/visits.ts";
import { MERGE_KEY } from "./saving.ts";

// Work on whole documents: merging, comparing, writing HTML. The function `api` hands such requests over to the function
// `render`, which has the same routes. So a large document does not delay the API.

const RENDER = "/render";

const REFUSED = "for this tenant at once. Try again later.";

/** Merges and comparisons of a tenant at the same time, in this process. */
export const comparing = createRequestTurns(1, `Too many merges and comparisons ${REFUSED}`);
/** The same for answers as HTML. */
export const writingHtml = createRequestTurns(2, `Too many answers as HTML ${REFUSED}`);

const MEMORY_BYTES = 24 * 1024 * 1024;
/** Longest time that a conflict is kept, in seconds. */
const KEPT_S = 3600;

/**
 * Characters of a kept conflict that are answered in a millisecond. Whoever asks for a large one again and again would
 * otherwise keep the way to the callers busy.
 */
const CHARACTERS_A_MS = 10_000;

/** Conflicts of merges, by request and versions. The largest one has three documents. */
const conflicts = createMemory(MEMORY_BYTES, { largest: MEMORY_BYTES / 4 });

/** Whether this is the function `render`. */
export const isInRender = (c: Context<Env>): boolean => c.req.path.startsWith(`${RENDER}/`);

/** Largest record that is written as HTML without a turn, in bytes. It takes about a millisecond. */
const SMALL_BYTES = 50_000;

/**
 * A fetch for records that are to be presented in a format. If this is not the function `render`, it leaves out large ones that
 * are to be HTML, and `isLarge` is true: they are handed over.
 */
export function readFor(c: Context<Env>, format: "json" | "html") {
  const reading = { isLarge: false, send: fetch };
  if (format === "json" || isInRender(c)) return reading;
  reading.send = async (...request) => {
    const response = await fetch(...request);
    const whole = await response.arrayBuffer();
    reading.isLarge = response.ok && whole.byteLength > SMALL_BYTES;
    return reading.isLarge ? new Response(null, { status: 204 }) : new Response(whole, response);
  };
  return reading;
}

/** Hands a request over in turns, so that many do not delay other tenants. Errors: RATE_LIMITED. */
export async function handOverInTurns(
  c: Context<Env>,
  turns: Turns,
  handing: (c: Context<Env>) => Promise<Response> = handOver,
): Promise<Response> {
  // The token of a preview names no tenant.
  const queue = (await queueOf(c)) ?? addressOf(c.req.raw.headers);
  const end = await turns.begin(queue, WAIT_MS, c.req.raw.signal);
  try {
    return await handing(c);
  } finally {
    end();
  }
}

/** Sends a request as it is to the same route in the function `render`, and returns its answer unchanged. */
export async function handOver(c: Context<Env>): Promise<Response> {
  const answer = await askForAnswer(c);
  // As a whole: the records of a large list are counted by the end of its text.
  return passedOn(c, answer, await answer.arrayBuffer());
}

/**
 * The same for a merge. Its conflict is answered from memory as long as nobody has changed the documents. `keyNow` returns
 * their key, as the caller may see them.
 */
export async function handOverMerge(
  c: Context<Env>,
  keyNow: () => PromiseLike<{ data: { key: string } }>,
): Promise<Response> {
  const asked = await digestOf(c);
  if (conflicts.get(asked)) {
    const kept = conflicts.get(`${asked} ${(await keyNow()).data.key}`);
    if (kept) {
      await pause(kept.text.length / CHARACTERS_A_MS);
      return c.newResponse(kept.text, 409, { "Content-Type": "application/json" });
    }
  }
  const answer = await askForAnswer(c);
  const key = answer.headers.get(MERGE_KEY);
  if (key === null) return passedOn(c, answer, await answer.arrayBuffer());
  const text = await answer.text();
  // An entry for the request itself, so that a key is looked up only if a conflict was kept for it.
  conflicts.put(asked, "", KEPT_S);
  conflicts.put(`${asked} ${key}`, text, KEPT_S);
  return passedOn(c, answer, text);
}

async function digestOf(c: Context<Env>): Promise<string> {
  const { method, url } = c.req;
  const request = [await tenantOf(c), method, url, c.req.header("if-match"), await c.req.text()];
  return createHash("sha256").update(JSON.stringify(request)).digest("base64url");
}

/** The headers of a request on which its answer depends. */
const SENT = [
  "authorization",
  "apikey",
  "accept-language",
  "content-type",
  "if-match",
  "if-none-match",
  MARKETPLACE,
  VISITOR,
  PROMOTION,
];
const ANSWERED = ["content-type", "etag", "cache-control", "vary", "retry-after"];

async function askForAnswer(c: Context<Env>): Promise<Response> {
  const { pathname, search } = new URL(c.req.url);
  return askRender(c, pathname.replace(/^\/api/, "") + search, {
    method: c.req.method,
    headers: {
      ...picked(SENT, c.req.raw.headers),
      // Anybody can send this header, but only the functions are believed.
      ...((await isCounted(c)) && picked([RIGHTS], c.req.raw.headers)),
      [COUNTED]: await functionsKey(),
    },
    ...(c.get("body") && { body: await c.req.text() }),
  });
}

const passedOn = (c: Context<Env>, { status, headers }: Response, whole: ArrayBuffer | string) =>
  // 304 has no body, not even an empty one.
  c.newResponse(status === 304 ? null : whole, status as 200, picked(ANSWERED, headers));

function picked(names: readonly string[], headers: Headers): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}

/** The routes of content in the function `render`. Only the other functions can call them. */
export function inRender(content: ReturnType<typeof createRoutes>) {
  const routes = createRoutes();
  routes.use(async (c, next) => {
    if (!(await isCounted(c))) throw new ApiError("UNAUTHORIZED", "Call the function api.");
    await next();
  });
  routes.route("/", content);
  return routes;
}
