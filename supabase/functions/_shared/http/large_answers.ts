import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { discardAnswer } from "./discard_answer.ts";
import type { Env } from "./env.ts";
import { ApiError } from "./errors.ts";
import { needsOf } from "./needs.ts";
import { recordsAsked } from "./page.ts";
import { costOf } from "./request_counts.ts";
import { claimsOf } from "./tokens.ts";
import { createTurns, type Turns } from "./turns.ts";
import { isVisit, readVisit } from "./visits.ts";

/** Large answers of a tenant at the same time, in this process. */
const AT_ONCE = 2;
/** Longest time that a request waits for its turn, in milliseconds. */
export const WAIT_MS = 10_000;
/** Longest turn, in milliseconds: a statement of the database takes at most 8 seconds. */
const LONGEST_TURN_MS = 10_000;
/** Seconds in `Retry-After` for a request that got no turn. */
const RETRY_S = 2;

/** Turns of requests. `message` is for a request that gets none. */
export const createRequestTurns = (at_once: number, message: string): Turns =>
  createTurns(
    at_once,
    () => new ApiError("RATE_LIMITED", message, [], { "Retry-After": String(RETRY_S) }),
  );

const turns = createRequestTurns(
  AT_ONCE,
  "Too many large answers for this tenant at once. Ask for at most 100 records, or try again later.",
);

/**
 * Waits until the tenant of a request may have one more large answer: a list of more than 100 records, or a page of a
 * streamed export. Returns a function that ends its turn. Errors: RATE_LIMITED.
 */
export async function beginLargeAnswer(c: Context<Env>, wait_ms = WAIT_MS): Promise<() => void> {
  const queue = await queueOf(c);
  // A request without any of them is refused later.
  return queue === undefined ? () => {} : turns.begin(queue, wait_ms, c.req.raw.signal);
}

/** Whom a request belongs to: the tenant of a token, its user without one, or the marketplace of a visitor. */
export async function tenantOf(c: Context<Env>): Promise<string | undefined> {
  const { tenant_id, sub } = ((await claimsOf(c)) ?? {}) as {
    tenant_id?: string | null;
    sub?: string;
  };
  return tenant_id ?? sub ?? (isVisit(c) ? readVisit(c).marketplace : undefined);
}

/** What requests wait in: that of their tenant, in which its customers and its other members wait apart from each other. */
export async function queueOf(c: Context<Env>): Promise<string | undefined> {
  const tenant = await tenantOf(c);
  const { tenant_role } = ((await claimsOf(c)) ?? {}) as { tenant_role?: string | null };
  return tenant === undefined ? undefined : queueName(tenant, tenant_role);
}

/** The name of the queue of a role in a tenant. Everybody can become a customer, so they must not fill that of members. */
export const queueName = (tenant: string, role: string | null | undefined): string =>
  role === "customer" || role === "visitor" ? `${tenant} customers` : tenant;

/**
 * Lets a tenant have at most two large lists at once, until they are read, and counts each started 100 of their records as
 * a request. Errors: RATE_LIMITED.
 */
export const limitLargeAnswers = createMiddleware<Env>(async (c, next) => {
  const asked = recordsAsked(c);
  // A streamed export has a turn for each of its pages.
  if (costOf(asked) === 1 || needsOf(c).streams) return next();
  const endTurn = await beginLargeAnswer(c);
  // A reader that stops reading does not keep its turn.
  const late = setTimeout(endTurn, LONGEST_TURN_MS);
  const end = () => {
    clearTimeout(late);
    endTurn();
  };
  await next();
  const { body, ok } = c.res;
  if (!body || !ok) return end();
  try {
    const first = await firstOf(body);
    await c.get("countMore")?.(costOf(recordsIn(first, asked)) - 1);
    c.res = new Response(endingWith(first, body, end), c.res);
    // Nobody reads this one.
    if (c.req.method === "HEAD") c.res = new Response(await c.res.arrayBuffer(), c.res);
  } catch (error) {
    end();
    await discardAnswer(c);
    throw error;
  }
});

/** Takes the first part of a body. */
async function firstOf(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const reader = body.getReader();
  try {
    const { value = new Uint8Array() } = await reader.read();
    return value;
  } finally {
    reader.releaseLock();
  }
}

/** The number fields of a page, which Postgres writes before the records. */
const HEAD = /^\{"total" : (\d+), "page" : (\d+), "limit" : \d+, /;
/** The same, which this API writes behind them. */
const TAIL = /[\]}],"total":(\d+),"page":(\d+),"limit":\d+\}$/;
/** Number of bytes that have these fields. */
const EDGE_BYTES = 200;

/**
 * Number of records in a page of at most `limit`, by the first part of its text. Of a list without a total it is `limit`. The
 * text is not parsed, because that costs more than the rest of the request.
 */
function recordsIn(first: Uint8Array, limit: number): number {
  const decoder = new TextDecoder();
  const fields =
    HEAD.exec(decoder.decode(first.subarray(0, EDGE_BYTES))) ??
    TAIL.exec(decoder.decode(first.subarray(-EDGE_BYTES)));
  if (!fields) return limit;
  const [, total, page] = fields.map(Number) as [number, number, number];
  return Math.min(Math.max(total - (page - 1) * limit, 0), limit);
}

/** Passes on a body whose first part was read. Calls `end` when it is read or given up. */
function endingWith(
  first: Uint8Array,
  body: ReadableStream<Uint8Array>,
  end: () => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    start(stream) {
      stream.enqueue(first);
    },
    async pull(stream) {
      const { value, done } = await reader.read().catch((error) => {
        end();
        throw error;
      });
      if (!done) return stream.enqueue(value);
      end();
      stream.close();
    },
    async cancel(reason) {
      end();
      await reader.cancel(reason);
    },
  });
}
