import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { type Claims, TokenRefused } from "../keys.js";
import { type Auth, reader } from "./context.js";
import { Refusal } from "./refusals.js";
import { findUserById, isBanned, isUuid, type User } from "./users.js";

/** The user and session of a request's token. */
export interface Caller {
  user: User;
  /** Null if the token has no session_id claim. */
  sessionId: string | null;
}

export type CallerEnv = { Variables: { caller: Caller } };

const ADMINS = ["service_role", "supabase_admin"];

async function claimsOf(auth: Auth, c: Context): Promise<Claims> {
  const token = /^[Bb]earer (\S+)$/.exec(c.req.header("authorization") ?? "")?.[1];
  if (!token) {
    throw new Refusal(401, "no_authorization", "This endpoint requires a valid Bearer token");
  }
  try {
    return await auth.keys.verify(token);
  } catch (error) {
    if (!(error instanceof TokenRefused)) throw error;
    const reason =
      error.reason === "expired"
        ? "token has invalid claims: token is expired"
        : "token is malformed or forged";
    throw new Refusal(
      403,
      "bad_jwt",
      `invalid JWT: unable to parse or verify signature, ${reason}`,
    );
  }
}

/**
 * Admits only the administrative roles. If a hook gave a user such a role, their session must
 * exist.
 */
export const onlyAdmin = (auth: Auth) =>
  createMiddleware(async (c, next) => {
    const claims = await claimsOf(auth, c);
    if (claims.session_id) await callerOf(auth, claims);
    if (!ADMINS.includes(claims.role)) throw new Refusal(403, "not_admin", "User not allowed");
    await next();
  });

/** Admits only tokens whose user and session exist. */
export const onlyUser = (auth: Auth) =>
  createMiddleware<CallerEnv>(async (c, next) => {
    const caller = await callerOf(auth, await claimsOf(auth, c));
    if (isBanned(caller.user)) throw new Refusal(403, "user_banned", "User is banned");
    c.set("caller", caller);
    await next();
  });

async function callerOf(auth: Auth, claims: Claims): Promise<Caller> {
  const { sub, session_id: session } = claims;
  if (!sub) throw new Refusal(403, "bad_jwt", "invalid claim: missing sub claim");
  if (!isUuid(sub)) throw new Refusal(400, "bad_jwt", "invalid claim: sub claim must be a UUID");
  const user = await findUserById(reader(auth), sub);
  if (!user) {
    throw new Refusal(403, "user_not_found", "User from sub claim in JWT does not exist");
  }
  if (session === undefined || session === "") return { user, sessionId: null };
  if (typeof session !== "string" || !isUuid(session)) {
    throw new Refusal(403, "bad_jwt", "invalid claim: session_id claim must be a UUID");
  }
  const known = await reader(auth).query("select from auth.sessions where id = $1::uuid", [
    session,
  ]);
  if (known.length === 0) {
    throw new Refusal(
      403,
      "session_not_found",
      "Session from session_id claim in JWT does not exist",
    );
  }
  return { user, sessionId: session };
}
