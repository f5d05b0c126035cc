import { isIP } from "node:net";
import type { Context, MiddlewareHandler } from "hono";
import { claimsOf } from "./authenticate.ts";
import { discardAnswer } from "./discard_answer.ts";
import type { Env } from "./env.ts";
import { needsOf } from "./needs.ts";
import {
  type Count,
  countRequest,
  isCounted,
  refuseTooMany,
  type Subject,
} from "./request_counts.ts";
import { isVisit } from "./visits.ts";

/**
 * Limits requests per minute: users by their role, visitors by their IP address, IP addresses also where no token is
 * needed or the token is invalid. `open` holds the paths that need no token. The count also has the caller's membership, which `authenticate` checks.
 */
export function rateLimit(open: ReadonlySet<string>): MiddlewareHandler<Env> {
  return async (c, next) => {
    const subject = await subjectOf(c, open);
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
    const isMember = counting.then((count) => count.member);
    if (subject.kind === "user") c.set("membership", { isMember, pending: ahead });
    isMember.catch(() => {});
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
      member: false,
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
): Promise<Count> {
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

async function subjectOf(c: Context<Env>, open: ReadonlySet<string>): Promise<Subject | undefined> {
  if (!open.has(c.req.path)) {
    const claims = await claimsOf(c);
    if (claims?.sub) {
      const { sub, tenant_id = null } = claims as { sub: string; tenant_id?: string | null };
      return { kind: "user", user_id: sub, tenant_id };
    }
    if (isVisit(c)) {
      return (await isCounted(c))
        ? undefined
        : { kind: "visitor", id: addressOf(c.req.raw.headers) };
    }
    if (!c.req.path.startsWith("/auth/") && !needsOf(c).anonymous) return undefined;
  }
  const kind = needsOf(c).beginsVisits ? "visitor" : "address";
  return { kind, id: addressOf(c.req.raw.headers) };
}

/**
 * The IP address of a request. On the hosted platform Cloudflare sets CF-Connecting-IP, and callers cannot forge it. In
 * X-Forwarded-For only the last entry, which the nearest proxy wrote, can be trusted. An IPv6 address counts as its /64
 * network, because its owner has the whole network.
 */
export function addressOf(headers: Headers): string {
  const seen =
    headers.get("cf-connecting-ip") ?? headers.get("x-forwarded-for")?.split(",").at(-1) ?? "";
  const address = seen
    .trim()
    .toLowerCase()
    .replace(/^::ffff:(?=\d+\.)/, "");
  switch (isIP(address)) {
    case 4:
      return address;
    case 6:
      return `${networkOf(address)}::`;
    default:
      return "unknown";
  }
}

/** The first four groups of an IPv6 address, written out. */
function networkOf(address: string): string {
  const [head = "", tail] = address.split("%")[0]?.split("::") ?? [];
  const groups = (part: string) => (part === "" ? [] : part.split(":"));
  const written = groups(head);
  const missing = tail === undefined ? 0 : 8 - written.length - groups(tail).length;
  return [...written, ...Array(Math.max(missing, 0)).fill("0"), ...groups(tail ?? "")]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}
