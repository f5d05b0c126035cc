import { randomInt, randomUUID } from "node:crypto";
import { isDatabaseError, type Queryable } from "../db/database.js";
import { issueAccessToken, type Method } from "./access-token.js";
import { milliseconds } from "./bodies.js";
import { type Auth, type Writing, write } from "./context.js";
import { Refusal } from "./refusals.js";
import type { AuthRequest } from "./request.js";
import { userJson } from "./user-json.js";
import { findUserById, isBanned, NO_INSTANCE, reloadUser, type User } from "./users.js";

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
const TOKEN = /^[a-z0-9]{12}$/;

function newRefreshToken(): string {
  return Array.from({ length: 12 }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
}

/** The body that `/token` and the other sign-in endpoints return. */
function sessionJson(
  access: { token: string; expiresIn: number; expiresAt: number },
  refreshToken: string,
  user: User,
) {
  return {
    access_token: access.token,
    token_type: "bearer",
    expires_in: access.expiresIn,
    expires_at: access.expiresAt,
    refresh_token: refreshToken,
    user: userJson(user),
  };
}

/** Opens a session for a user, in the caller's transaction. */
export async function openSession(
  w: Writing,
  userId: string,
  method: Method,
  request: AuthRequest,
) {
  const sessionId = randomUUID();
  const refreshToken = newRefreshToken();
  await w.query(
    `insert into auth.sessions (id, user_id, created_at, updated_at, aal, user_agent, ip)
     values ($1::uuid, $2::uuid, now(), now(), 'aal1', $3::text, $4::text::inet)`,
    [sessionId, userId, request.userAgent, request.ip],
  );
  await insertRefreshToken(w, refreshToken, userId, sessionId, null);
  await w.query(
    `insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
     values (gen_random_uuid(), $1::uuid, now(), now(), $2::text)`,
    [sessionId, method],
  );
  await w.query(
    "update auth.users set last_sign_in_at = now(), updated_at = now() where id = $1::uuid",
    [userId],
  );
  const user = await reloadUser(w, userId);
  const access = await issueAccessToken(w, user, sessionId, method, request);
  return sessionJson(access, refreshToken, user);
}

async function insertRefreshToken(
  q: Queryable,
  token: string,
  userId: string,
  sessionId: string,
  parent: string | null,
): Promise<void> {
  await q.query(
    `insert into auth.refresh_tokens (
       instance_id, token, user_id, session_id, parent, revoked, created_at, updated_at
     ) values ('${NO_INSTANCE}', $1::text, $2::text, $3::uuid, $4::text, false, now(), now())`,
    [token, userId, sessionId, parent],
  );
}

interface KnownToken {
  user_id: string;
  revoked: boolean;
  /** The token was used, longer ago than the reuse interval. */
  stale: boolean;
  session_id: string | null;
  /** The session has passed its end or the project's timebox. */
  over: boolean;
  /** The session was not refreshed for longer than the project allows. */
  idle: boolean;
}

const REFRESHED = `select t.user_id, t.revoked, s.id as session_id,
  clock_timestamp() > t.updated_at + make_interval(secs => $2::text::int) as stale,
  coalesce(s.not_after < now(), false)
    or ($3::text <> '0' and now() > s.created_at + make_interval(secs => $3::text::float8)) as over,
  $4::text <> '0' and now() > make_interval(secs => $4::text::float8)
    + coalesce(s.refreshed_at at time zone 'UTC', greatest(s.created_at, t.updated_at)) as idle
from auth.refresh_tokens t left join auth.sessions s on s.id = t.session_id
where t.token = $1::text`;

/** How long hosted Auth tries to lock a session. */
const LOCK_MS = 5000;
const LOCK_NOT_AVAILABLE = "55P03";
const TOO_MANY = "Too many concurrent token refresh requests on the same session or refresh token";

const refused = (code: string, why: string) =>
  new Refusal(400, code, `Invalid Refresh Token: ${why}`);

/**
 * Exchanges a refresh token for a new one. A used token is accepted within the reuse interval, and
 * when its successor was never used: the client lost the response, and gets the same successor.
 * Otherwise every token of the session is revoked.
 */
export async function refreshSession(auth: Auth, token: string, request: AuthRequest) {
  if (!TOKEN.test(token)) {
    throw new Refusal(400, "validation_failed", "Refresh token is not valid");
  }
  const { enable_refresh_token_rotation: rotates, refresh_token_reuse_interval: interval } =
    auth.config.auth;
  const { timebox, inactivity_timeout: inactivity } = auth.config.auth.sessions;
  const seconds = (duration: string) => String((milliseconds(duration) ?? 0) / 1000);

  const outcome = await write(auth, async (w) => {
    // The lock makes a second request with the same token wait and then see it used. It locks the
    // session, as signing out does, so that the two cannot deadlock.
    await w.query(`select set_config('lock_timeout', '${LOCK_MS}', true)`);
    await w
      .query(
        `select from auth.sessions
         where id = (select session_id from auth.refresh_tokens where token = $1::text) for update`,
        [token],
      )
      .catch((cause) => {
        if (!isDatabaseError(cause) || cause.code !== LOCK_NOT_AVAILABLE) throw cause;
        throw new Refusal(409, "conflict", TOO_MANY, { cause });
      });
    const [known] = await w.query<KnownToken>(REFRESHED, [
      token,
      String(interval),
      seconds(timebox),
      seconds(inactivity),
    ]);
    const user = known && (await findUserById(w, known.user_id));
    if (!known || !user) throw refused("refresh_token_not_found", "Refresh Token Not Found");
    const { session_id: sessionId } = known;
    if (isBanned(user)) throw refused("user_banned", "User Banned");
    if (!sessionId) throw refused("session_not_found", "No Valid Session Found");
    if (known.over) throw refused("session_expired", "Session Expired");
    if (known.idle) throw refused("session_expired", "Session Expired (Inactivity)");

    let successor: string | undefined;
    if (known.revoked) {
      const [active] = await w.query<{ token: string; parent: string | null }>(
        `select token, parent from auth.refresh_tokens
         where session_id = $1::uuid and not revoked order by id desc limit 1`,
        [sessionId],
      );
      if (active?.parent === token) successor = active.token;
      else if (known.stale) {
        if (rotates) {
          await w.query(
            `update auth.refresh_tokens set revoked = true, updated_at = now()
             where session_id = $1::uuid and not revoked`,
            [sessionId],
          );
        }
        // Returned, not thrown: the revocation must be committed.
        return "already used";
      }
    }
    if (successor === undefined) {
      successor = newRefreshToken();
      await w.query(
        "update auth.refresh_tokens set revoked = true, updated_at = now() where token = $1::text",
        [token],
      );
      await insertRefreshToken(w, successor, user.id, sessionId, token);
    }

    const access = await issueAccessToken(w, user, sessionId, "token_refresh", request);
    await w.query(
      `update auth.sessions
       set refreshed_at = now(), updated_at = now(), user_agent = $2::text, ip = $3::text::inet
       where id = $1::uuid`,
      [sessionId, request.userAgent, request.ip],
    );
    return sessionJson(access, successor, user);
  });

  if (outcome === "already used") {
    throw refused("refresh_token_already_used", "Already Used");
  }
  return outcome;
}

export type Scope = "global" | "local" | "others";

/**
 * Ends a user's sessions: all, the named one, or all but the named one. Also deletes their tokens.
 */
export async function endSessions(
  q: Queryable,
  userId: string,
  scope: Scope,
  sessionId: string | null,
): Promise<void> {
  const which = {
    global: "",
    local: "and id = $2::uuid",
    others: "and id <> $2::uuid",
  }[sessionId ? scope : "global"];
  await q.query(
    `delete from auth.sessions where user_id = $1::uuid ${which}`,
    which ? [userId, sessionId] : [userId],
  );
}
