import type { Context, Next } from "hono";
import { addressOf } from "./address.ts";
import { discardAnswer } from "./discard_answer.ts";
import type { Env, Membership, Subject } from "./env.ts";
import { ApiError } from "./errors.ts";
import { needsOf } from "./needs.ts";
import { type Counted, isCounted } from "./request_counts.ts";
import { claimsOf } from "./tokens.ts";
import { isVisit } from "./visits.ts";

/**
 * The subject that a request counts with: the user of its token, else its IP address. `open` holds the paths that need no
 * token. Undefined if the request is not counted.
 */
export async function findSubject(
  c: Context<Env>,
  open: ReadonlySet<string>,
): Promise<Subject | undefined> {
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
 * Sets the membership of a request's caller. The statement that counts the request reads it, too: one statement for all
 * requests of a few milliseconds. `isPending`: whether the handler runs before the result is known.
 */
export function expectMembership(
  c: Context<Env>,
  counting: Promise<Counted>,
  isPending: boolean,
): void {
  const isMember = counting.then((counted) => counted.member);
  isMember.catch(() => {});
  c.set("membership", { isMember, isPending });
}

/**
 * Runs a handler for active members of the tenant only. A read runs while the membership is read, and its response is
 * discarded if the caller is no member. Errors: FORBIDDEN.
 */
export async function runForMembers(c: Context<Env>, next: Next): Promise<void> {
  const membership = c.get("membership");
  if (!membership) return next();
  if (!membership.isPending) {
    await refuseOthers(membership);
    return next();
  }
  await next();
  try {
    await refuseOthers(membership);
  } catch (refusal) {
    await discardAnswer(c);
    throw refusal;
  }
}

/** Refuses callers who are not active members. Errors: FORBIDDEN. */
async function refuseOthers({ isMember }: Membership): Promise<void> {
  if (!(await isMember))
    throw new ApiError("FORBIDDEN", "You are not an active member of this tenant.");
}
