import { isIP } from "node:net";
import type { Context, MiddlewareHandler } from "hono";
import { claimsOf, isForMembers } from "./authenticate.ts";
import type { Env } from "./env.ts";
import { ApiError } from "./errors.ts";
import { needsOf } from "./needs.ts";
import { type Count, countRequest, refuseTooMany, type Subject } from "./request_counts.ts";

/**
 * Holds every caller to its requests per minute: users by their role, addresses where no token is
 * needed or none is good. `open` are the addresses that need none. Who is counted as no member of its tenant
 * is refused at the routes that are for members.
 */
export function rateLimit(open: ReadonlySet<string>): MiddlewareHandler<Env> {
  return async (c, next) => {
    const subject = await subjectOf(c, open);
    if (!subject) return next();
    const judge = (count: Count) => {
      showCount(c.res.headers, count);
      refuseTooMany(count);
      if (subject.kind === "user" && !count.member && isForMembers(c)) {
        throw new ApiError("FORBIDDEN", "You are not a member of this tenant (any more).");
      }
    };
    const minute = minuteOf(subject);
    if (minute.counted > minute.allowed) judge(rest(minute));

    // Reading does no harm: it goes on while it is counted, unless it might be too much.
    const reads = c.req.method === "GET" || c.req.method === "HEAD";
    const ahead = reads && minute.counted + minute.underWay < minute.allowed;
    const counting = countIn(minute, subject);
    if (!ahead) judge(await counting);
    counting.catch(() => {});
    await next();
    if (!ahead) return;
    const count = await counting;
    try {
      judge(count);
    } catch (refusal) {
      // What was read is thrown away: the caller is no member, or others have counted meanwhile.
      await c.res.body?.cancel();
      c.res.headers.delete("content-length");
      throw refusal;
    }
  };
}

/** What this instance knows of a caller's minute. */
interface Minute extends Count {
  /** When it ends, in milliseconds. */
  until: number;
  /** How many requests are being counted. */
  underWay: number;
}

/** The callers seen last, the longest ago first. */
const minutes = new Map<string, Minute>();
const MINUTES_AT_MOST = 5000;

/** How many requests of a caller of whom nothing is known yet may run before they are counted. */
const UNKNOWN_MAY = 10;

function minuteOf(subject: Subject): Minute {
  const key = JSON.stringify(subject);
  let minute = minutes.get(key);
  if (!minute) {
    const unknown = { minute: "", resets_in: 0, allowed: UNKNOWN_MAY, counted: 0, member: false };
    minute = { ...unknown, until: Number.POSITIVE_INFINITY, underWay: 0 };
    minutes.set(key, minute);
    if (minutes.size > MINUTES_AT_MOST) minutes.delete(minutes.keys().next().value as string);
  }
  // A new minute has all that the last one had.
  if (minute.until <= Date.now()) minute.counted = 0;
  return minute;
}

async function countIn(minute: Minute, subject: Subject): Promise<Count> {
  minute.underWay += 1;
  try {
    const count = await countRequest(subject);
    // Answers may pass each other.
    if (count.minute !== minute.minute || count.counted > minute.counted) {
      Object.assign(minute, count, { until: Date.now() + count.resets_in * 1000 });
    }
    return count;
  } finally {
    minute.underWay -= 1;
  }
}

/** A minute that is used up, as it is now. */
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
    if (!c.req.path.startsWith("/auth/") && !needsOf(c).anonymous) return undefined;
  }
  return { kind: "address", id: addressOf(c.req.raw.headers) };
}

/**
 * Whence a request came. Hosted, Cloudflare sets CF-Connecting-IP, whatever the caller sent; the last
 * entry of X-Forwarded-For is what the nearest proxy saw, and those before it are hearsay. Of an IPv6
 * address the network (/64) counts, by its first address: its owner has all of it.
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
