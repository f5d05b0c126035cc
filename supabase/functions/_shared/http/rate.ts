import type { MiddlewareHandler } from "hono";
import { expectMembership, findSubject } from "./caller.ts";
import { discardAnswer } from "./discard_answer.ts";
import type { Env, Subject } from "./env.ts";
import {
  type Count,
  type Counted,
  countRequest,
  isCounted,
  refuseTooMany,
} from "./request_counts.ts";

/**
 * Limits requests per minute: users by their role, visitors by their IP address, IP addresses also where no token is
 * needed or the token is invalid. `open` holds the paths that need no token.
 */
export function rateLimit(open: ReadonlySet<string>): MiddlewareHandler<Env> {
  return async (c, next) => {
    const subject = await findSubject(c, open);
    if (!subject) return next();
    c.set("subject", subject);
    // `render` has counted the sources of a page.
    const cost = (await isCounted(c)) ? 0 : 1;
    const show = (count: Count) => {
      // Shared caches keep what a visitor reads.
      if (subject.kind !== "visitor") showCount(c.res.headers, count);
    };
    const judge = (count: Count) => {
      show(count);
      refuseTooMany(count, cost);
    };
    const minute = minuteOf(subject);
    const further: { count?: Count } = {};
    if (cost > 0) {
      if (minute.counted > minute.allowed) judge(rest(minute));
      c.set("countMore", async (requests) => {
        if (requests > 0) further.count = await countIn(minute, subject, requests);
      });
    }

    // A read has no effects, so it runs while it is counted, unless it may exceed the limit.
    const reads = c.req.method === "GET" || c.req.method === "HEAD";
    const ahead = reads && minute.counted + minute.pending < minute.allowed;
    if (ahead && subject.kind === "visitor" && minute.until > Date.now() && minute.minute) {
      // Its response shows no count.
      countIn(minute, subject, cost, false).catch(() => {
        // The next request waits for its count, and so for the reason of this failure.
        minute.minute = "";
      });
      return next();
    }
    const counting = countIn(minute, subject, cost);
    if (!ahead) judge(await counting);
    if (subject.kind === "user") expectMembership(c, counting, ahead);
    counting.catch(() => {});
    await next();
    const count = await counting;
    try {
      if (ahead) judge(count);
    } catch (refusal) {
      // Other instances used up the minute.
      await discardAnswer(c);
      throw refusal;
    }
    if (further.count) show(further.count);
  };
}

/** The current minute of a caller, as this instance knows it. */
interface Minute extends Count {
  /** End of the minute, in milliseconds since the epoch. */
  until: number;
  /** The cost of the requests whose count is pending. */
  pending: number;
}

/** The callers seen most recently, least recent first. */
const minutes = new Map<string, Minute>();
const MINUTES_AT_MOST = 5000;

/** Number of requests that an unknown caller may run before the first count. */
const UNKNOWN_ALLOWED = 10;

function minuteOf(subject: Subject): Minute {
  const key = JSON.stringify(subject);
  let minute = minutes.get(key);
  if (!minute) {
    const unknown = {
      minute: "",
      resets_in: 0,
      allowed: UNKNOWN_ALLOWED,
      counted: 0,
    };
    minute = { ...unknown, until: Number.POSITIVE_INFINITY, pending: 0 };
    minutes.set(key, minute);
    if (minutes.size > MINUTES_AT_MOST) minutes.delete(minutes.keys().next().value as string);
  }
  // A new minute starts at zero.
  if (minute.until <= Date.now()) minute.counted = 0;
  return minute;
}

async function countIn(
  minute: Minute,
  subject: Subject,
  cost: number,
  isUrgent = true,
): Promise<Counted> {
  minute.pending += cost;
  try {
    const count = await countRequest(subject, cost, isUrgent);
    // Responses may arrive out of order.
    if (count.minute !== minute.minute || count.counted > minute.counted) {
      Object.assign(minute, count, { until: Date.now() + count.resets_in * 1000 });
    }
    return count;
  } finally {
    minute.pending -= cost;
  }
}

/** The count of a used-up minute, with the seconds that remain now. */
function rest(minute: Minute): Count {
  return { ...minute, resets_in: Math.max(1, Math.ceil((minute.until - Date.now()) / 1000)) };
}

function showCount(headers: Headers, { allowed, counted, resets_in }: Count): void {
  headers.set("RateLimit-Limit", String(allowed));
  headers.set("RateLimit-Remaining", String(Math.max(allowed - counted, 0)));
  headers.set("RateLimit-Reset", String(resets_in));
}
