import { createHash } from "node:crypto";
import { isIP } from "node:net";
import type { z } from "@hono/zod-openapi";
import {
  type AuthError,
  GoTrueClient,
  isAuthSessionMissingError,
  type Session,
  type User,
} from "@supabase/auth-js";
import type { Context } from "hono";
import { decodeJwt } from "jose";
import { addressOf } from "../http/address.ts";
import { databaseAs, databaseAsService } from "../http/authenticate.ts";
import type { Caller, Env } from "../http/env.ts";
import { environment } from "../http/environment.ts";
import { ApiError, isAway, isHeld, wrongFields } from "../http/errors.ts";
import { limitFailures } from "../http/request_counts.ts";
import type { choice, registration, session } from "./schema.ts";

export type SessionAnswer = z.input<typeof session>;

/** The parts of a request that Supabase Auth needs. */
export interface AuthRequest {
  /** The caller's IP address, as `addressOf` returns it. */
  address: string;
  /** Aborts the calls of the request. */
  signal: AbortSignal;
}

export function authRequestOf(c: Context<Env>): AuthRequest {
  return { address: addressOf(c.req.raw.headers), signal: c.get("signal") };
}

/**
 * The headers of a call of Supabase Auth. It limits sign-ins, guests and changes of accounts by IP address. Without
 * `Sb-Forwarded-For`, which it accepts together with a secret key, it would count all callers as one.
 */
export function authHeaders({ address }: AuthRequest): Record<string, string> {
  const [apikey] = environment.secretKeys;
  return { apikey, ...(isIP(address) > 0 && { "sb-forwarded-for": address }) };
}

/** A Supabase Auth client that keeps no session. */
export function authClient(request: AuthRequest): GoTrueClient {
  const { signal } = request;
  return new GoTrueClient({
    url: `${environment.supabaseUrl}/auth/v1`,
    headers: authHeaders(request),
    autoRefreshToken: false,
    detectSessionInUrl: false,
    persistSession: false,
    fetch: (input, init) => fetch(input, { ...init, signal }),
  });
}

/** Creates an account. The database creates its membership in the same transaction. */
export async function register(
  { email, password, ...options }: z.output<typeof registration>,
  request: AuthRequest,
): Promise<SessionAnswer> {
  if ((options.tenant_name ?? options.tenant_id ?? options.invitation) === undefined) {
    throw wrongFields([
      {
        field: "tenant_name",
        message: "Send tenant_name to open a tenant, or tenant_id or invitation to join one.",
      },
    ]);
  }
  const signUp = () => authClient(request).signUp({ email, password, options: { data: options } });
  const first = await signUp();
  // Of two sign-ups with the same address at the same time, Supabase Auth answers one with 500. It finds the account when
  // it is asked again.
  const { data, error } = first.error?.status === 500 ? await signUp() : first;
  if (error) throw refusedRegistration(error, options);
  if (!data.user) throw new Error("Supabase Auth answered a sign-up without a user");
  return answer(data.user, data.session);
}

/** The domain of the accounts of API keys, which get no mail. */
const OF_KEYS = "@keys.invalid";

/**
 * Signs a person in. Errors: INVALID_CREDENTIALS, the same for an unknown e-mail and a wrong password; RATE_LIMITED after
 * ten failures in a minute.
 */
export async function logIn(
  email: string,
  password: string,
  request: AuthRequest,
): Promise<SessionAnswer> {
  const address = email.trim().toLowerCase();
  if (address.endsWith(OF_KEYS)) throw new ApiError("INVALID_CREDENTIALS");
  return signIn({ email, password }, address, request);
}

/**
 * Signs an API key in. Errors: INVALID_CREDENTIALS; RATE_LIMITED after ten failures in a minute from this IP address.
 * Others know the id of a key, and must not lock it out.
 */
export async function logInKey(
  clientId: string,
  secret: string,
  request: AuthRequest,
): Promise<SessionAnswer> {
  const credentials = { email: clientId + OF_KEYS, password: secret };
  return signIn(credentials, `${clientId} ${request.address}`, request);
}

async function signIn(
  { email, password }: { email: string; password: string },
  tried: string,
  request: AuthRequest,
): Promise<SessionAnswer> {
  return limitFailures({ kind: "login", id: hashOf(tried) }, async () => {
    const { data, error } = await authClient(request).signInWithPassword({ email, password });
    if (error) throw refusedSignIn(error);
    return answer(data.user, data.session);
  });
}

/**
 * Exchanges a refresh token for a session. Errors: INVALID_CREDENTIALS; a token that was first used more than 10 seconds
 * ago also ends its session.
 */
export async function refreshSession(
  refresh_token: string,
  request: AuthRequest,
): Promise<SessionAnswer> {
  const next = await trade(refresh_token, request);
  await spend(refresh_token, next, request);
  return answer(next.user, next);
}

/** The successor of a refresh token's session. Supabase Auth returns it again until its own refresh token is used. */
async function trade(refresh_token: string, request: AuthRequest): Promise<Session> {
  const { data, error } = await authClient(request).refreshSession({ refresh_token });
  // Supabase Auth has revoked the session's tokens, but still accepts them within its reuse interval.
  if (error?.code === "refresh_token_already_used") {
    await databaseAsService(request.signal)
      .rpc("end_session_of_spent", { token_hash: hashOf(refresh_token) })
      .throwOnError();
  }
  if (error) throw refusedSignIn(error);
  if (!data.session) throw new Error("Supabase Auth answered a refresh without a session");
  return data.session;
}

/**
 * Supabase Auth returns a used token's successor again until that is used, in case the first response was lost. The second
 * request could be from a thief. So after 10 seconds the database ends the session for both.
 */
async function spend(refresh_token: string, next: Session, request: AuthRequest): Promise<void> {
  const { data: inTime } = await databaseAsService(request.signal)
    .rpc("spend_refresh_token", {
      token_hash: hashOf(refresh_token),
      session_id: sessionOf(next.access_token) ?? null,
    })
    .throwOnError();
  if (!inTime) throw new ApiError("INVALID_CREDENTIALS");
}

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");

/** Ends the session of a token, so that its refresh token is invalid. An ended session is no error. */
export async function logOut(token: string, request: AuthRequest): Promise<void> {
  const { error } = await authClient(request).admin.signOut(token, "local");
  if (!error || isAuthSessionMissingError(error)) return;
  if (!(error.status && [401, 403, 404].includes(error.status))) throw unexpected(error);
}

/**
 * Moves a session to another tenant, and exchanges its refresh token for one of that tenant. Without a refresh token the
 * response has no tokens, and the caller must refresh.
 * Errors: NOT_FOUND, INVALID_CREDENTIALS, VALIDATION_ERROR if the refresh token is of another session.
 */
export async function switchTenant(
  { tenant_id, refresh_token }: z.output<typeof choice>,
  caller: Caller,
  request: AuthRequest,
): Promise<SessionAnswer> {
  const db = databaseAs(caller.token, request.signal);
  const choose = () => db.rpc("switch_tenant", { tenant_id }).throwOnError();
  if (refresh_token !== undefined) {
    // The token is marked as spent only after all checks, so that it can be used again after a refusal.
    const next = await trade(refresh_token, request);
    if (sessionOf(next.access_token) !== sessionOf(caller.token)) {
      throw new ApiError(
        "VALIDATION_ERROR",
        "refresh_token must be of the same session as the access token.",
        [{ field: "refresh_token" }],
      );
    }
    await choose();
    await spend(refresh_token, next, request);
    return refreshSession(next.refresh_token, request);
  }
  const { data: chosen } = await choose();
  const { email, user_metadata, is_anonymous } = decodeJwt<
    Pick<User, "email" | "user_metadata" | "is_anonymous">
  >(caller.token);
  return {
    ...noSession,
    user: {
      id: caller.id,
      email: email || null,
      name: nameIn(user_metadata),
      role: chosen.role,
      tenant_id: chosen.id,
      is_anonymous: is_anonymous ?? false,
    },
  };
}

const sessionOf = (token: string) => decodeJwt<{ session_id?: string }>(token).session_id;

/** The name in a user's metadata. Users can write any value into it. */
const nameIn = (metadata?: User["user_metadata"]): string =>
  typeof metadata?.name === "string" ? metadata.name : "";

const noSession = {
  access_token: null,
  refresh_token: null,
  token_type: "bearer",
  expires_in: null,
  expires_at: null,
} as const;

/** The response of every sign-in. `session` is null if the e-mail address must be confirmed first. */
export function answer(account: User, session: Session | null): SessionAnswer {
  const claims = session
    ? decodeJwt<{ tenant_id?: string; tenant_role?: string }>(session.access_token)
    : {};
  return {
    ...noSession,
    ...(session && {
      access_token: session.access_token,
      refresh_token: session.refresh_token,
      expires_in: session.expires_in,
      expires_at: session.expires_at ?? null,
    }),
    user: {
      id: account.id,
      email: account.email || null,
      name: nameIn(account.user_metadata),
      role: (claims.tenant_role as SessionAnswer["user"]["role"]) ?? null,
      tenant_id: claims.tenant_id ?? null,
      is_anonymous: account.is_anonymous ?? false,
    },
  };
}

export function refusedRegistration(
  error: AuthError,
  options: Pick<z.output<typeof registration>, "invitation" | "tenant_name">,
): ApiError {
  switch (error.code) {
    case "user_already_exists":
    case "email_exists":
      return new ApiError(
        "CONFLICT",
        "There is already an account with this e-mail. Log in instead.",
        [{ field: "email" }],
      );
    case "weak_password":
      return new ApiError("VALIDATION_ERROR", error.message, [{ field: "password", value: null }]);
    case "email_address_invalid":
    case "email_address_not_authorized":
    case "validation_failed":
      return new ApiError("VALIDATION_ERROR", error.message, [{ field: "email" }]);
    case "signup_disabled":
    case "email_provider_disabled":
      return new ApiError("FORBIDDEN", "This project does not allow registration.");
  }
  // The hook before_user_created refuses with these statuses. A hook of the operator refuses with 403.
  const field =
    (["invitation", "tenant_name"] as const).find((name) => options[name] !== undefined) ??
    "tenant_id";
  if (error.status === 403) return new ApiError("FORBIDDEN", error.message);
  if (error.status === 404) return new ApiError("NOT_FOUND", error.message, [{ field }]);
  if (error.status === 422) return new ApiError("VALIDATION_ERROR", error.message, [{ field }]);
  return unexpected(error);
}

function refusedSignIn(error: AuthError): ApiError {
  if (error.code === "email_not_confirmed") {
    return new ApiError("FORBIDDEN", "Confirm your e-mail address first.");
  }
  // Other requests use the same refresh token. It stays valid.
  if (error.status === 409) return isHeld("Another request uses this refresh token. Try again.");
  if (error.status && error.status >= 400 && error.status < 500 && error.status !== 429) {
    return new ApiError("INVALID_CREDENTIALS");
  }
  return unexpected(error);
}

/** Seconds to wait after a refusal of Supabase Auth that does not say how long: its limits refill within minutes. */
const WAIT_SECONDS = 60;

export function unexpected(error: AuthError): ApiError {
  if (error.status === 429) {
    // "For security purposes, you can only request this after 59 seconds.", rounded down.
    const [, seconds] = /after (\d+) seconds/.exec(error.message) ?? [];
    const wait = seconds === undefined ? WAIT_SECONDS : Number(seconds) + 1;
    return new ApiError("RATE_LIMITED", undefined, [], { "Retry-After": String(wait) });
  }
  if (error.status === 503 || error.status === 504) return isAway();
  throw error;
}
