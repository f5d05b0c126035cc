import { isIP } from "node:net";
import type { Context, MiddlewareHandler } from "hono";
import { claimsOf } from "./authenticate.ts";
import type { Door } from "./door.ts";
import { type Count, countRequest, refuseTooMany, type Subject } from "./request_counts.ts";

/**
 * Holds every caller to its requests per minute: users by their role, addresses where no token is
 * needed or none is good. `open` are the addresses that need none.
 */
export function rateLimit(open: ReadonlySet<string>): MiddlewareHandler<Door> {
  return async (c, next) => {
    const subject = await subjectOf(c, open);
    if (!subject) return next();
    const counting = countRequest(subject);
    if (c.req.method === "GET" || c.req.method === "HEAD") {
      // Reading does no harm: it goes on while it is counted, and is thrown away if it was too much.
      counting.catch(() => {});
      await next();
      const count = await counting;
      showCount(c.res.headers, count);
      if (count.counted > count.allowed) {
        await c.res.body?.cancel();
        c.res.headers.delete("content-length");
        refuseTooMany(count);
      }
    } else {
      const count = await counting;
      showCount(c.res.headers, count);
      refuseTooMany(count);
      await next();
    }
  };
}

function showCount(headers: Headers, { allowed, counted, resets_in }: Count): void {
  headers.set("RateLimit-Limit", String(allowed));
  headers.set("RateLimit-Remaining", String(Math.max(allowed - counted, 0)));
  headers.set("RateLimit-Reset", String(resets_in));
}

async function subjectOf(
  c: Context<Door>,
  open: ReadonlySet<string>,
): Promise<Subject | undefined> {
  if (!open.has(c.req.path)) {
    const claims = await claimsOf(c);
    if (claims?.sub) {
      const { sub, tenant_id = null } = claims as { sub: string; tenant_id?: string | null };
      return { kind: "user", user_id: sub, tenant_id };
    }
    if (!c.req.path.startsWith("/auth/")) return undefined;
  }
  return { kind: "address", id: addressOf(c.req.raw.headers) };
}

/**
 * Whence a request came. Hosted, Cloudflare sets CF-Connecting-IP, whatever the caller sent; the last
 * entry of X-Forwarded-For is what the nearest proxy saw, and those before it are hearsay. Of an IPv6
 * address the network counts: its owner has all of it.
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
      return `${networkOf(address)}::/64`;
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
