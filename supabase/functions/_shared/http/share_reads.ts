import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { PROMOTION } from "./authenticate.ts";
import type { Env, Visit } from "./env.ts";
import { CHECKOUT, isVisit, MARKETPLACE, VISITOR } from "./visits.ts";

/** What a read of a visitor returned. */
interface Shared {
  visit: Visit;
  body: ArrayBuffer;
  headers: Record<string, string>;
}

/** A read that runs, and the one that begins after it, if a request waits for that. */
interface Reads {
  running: Promise<Shared | undefined>;
  next?: Promise<Shared | undefined>;
}

/** By what the response depends on. There is an entry only while a read runs. */
const reads = new Map<string, Reads>();

/**
 * Visitors who ask for the same address at the same time share a read. A request never gets the response of a read that
 * began before it, so a change is seen at once: requests that arrive while a read runs share the next one. Visitors with an
 * id share nothing, because their lists are promoted for them, nor do those with a checkout.
 */
export const shareReads = createMiddleware<Env>(async (c, next) => {
  const isOwn = c.req.header(VISITOR) || c.req.header(CHECKOUT);
  if (c.req.method !== "GET" || isOwn || !isVisit(c)) return next();
  const key = [MARKETPLACE, "accept-language", PROMOTION]
    .map((name) => c.req.header(name) ?? "")
    .concat(c.req.url)
    .join("\n");
  const read = async () => {
    await next();
    return shareable(c);
  };
  const earlier = reads.get(key);
  if (!earlier) {
    await run(key, read);
  } else if (!earlier.next) {
    const begin = () => run(key, read);
    earlier.next = earlier.running.then(begin, begin);
    await earlier.next;
  } else {
    const shared = await earlier.next.catch(() => undefined);
    // A failure may be that of one request, such as a timeout.
    if (!shared) return next();
    c.set("visit", shared.visit);
    c.res = c.body(shared.body, 200, shared.headers);
  }
});

async function run(
  key: string,
  read: () => Promise<Shared | undefined>,
): Promise<Shared | undefined> {
  const mine = { running: read() };
  reads.set(key, mine);
  try {
    return await mine.running;
  } finally {
    if (reads.get(key) === mine) reads.delete(key);
  }
}

/** What others may get of a response; undefined if the request failed. */
async function shareable(c: Context<Env>): Promise<Shared | undefined> {
  const visit = c.get("visit");
  if (c.res.status !== 200 || !visit) return undefined;
  const body = await c.res.arrayBuffer();
  const { "x-request-id": _own, ...headers } = Object.fromEntries(c.res.headers);
  c.res = new Response(body, c.res);
  return { visit, body, headers };
}
