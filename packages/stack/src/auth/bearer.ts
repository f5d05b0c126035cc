import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { type Claims, TokenRefused } from "../keys.js";
import { Refusal } from "./refusals.js";
import { type Auth, reader } from "./surroundings.js";
import { findUserById, isBanned, isUuid, type User } from "./users.js";

/** Whose token a request carries. */
export interface Caller {
  user: User;
  /** Null for a token that names none. */
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
    const reason = error.reason === "expired" ? "token is expired" : "token is malformed or forged";
    throw new Refusal(
      403,
      "bad_jwt",
      `invalid JWT: unable to parse or verify signature, ${reason}`,
    );
  }
}

/** Lets only the administrative roles pass. */
export const onlyAdmin = (auth: Auth) =>
  createMiddleware(async (c, next) => {
    const claims = await claimsOf(auth, c);
    if (!ADMINS.includes(claims.role)) throw new Refusal(403, "not_admin", "User not allowed");
    await next();
  });

/** Lets only a token pass whose user and session exist. */
export const onlyUser = (auth: Auth) =>
  createMiddleware<CallerEnv>(async (c, next) => {
    const claims = await claimsOf(auth, c);
    if (!claims.sub) throw new Refusal(403, "bad_jwt", "invalid claim: missing sub claim");
    if (!isUuid(claims.sub)) {
      throw new Refusal(400, "bad_jwt", "invalid claim: sub claim must be a UUID");
    }
    const user = await findUserById(reader(auth), claims.sub);
    if (!user) {
      throw new Refusal(403, "user_not_found", "User from sub claim in JWT does not exist");
    }
    const sessionId = await existingSession(auth, claims.session_id);
    if (isBanned(user)) throw new Refusal(403, "user_banned", "User is banned");
    c.set("caller", { user, sessionId });
    await next();
  });

async function existingSession(auth: Auth, claim: unknown): Promise<string | null> {
  if (claim === undefined || claim === "") return null;
  if (typeof claim !== "string" || !isUuid(claim)) {
    throw new Refusal(403, "bad_jwt", "invalid claim: session_id claim must be a UUID");
  }
  const sessions = await reader(auth).query("select id from auth.sessions where id = $1::uuid", [
    claim,
  ]);
  if (sessions.length === 0) {
    throw new Refusal(
      403,
      "session_not_found",
      "Session from session_id claim in JWT does not exist",
    );
  }
  return claim;
}
