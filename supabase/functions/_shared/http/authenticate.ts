import { z } from "@hono/zod-openapi";
import { PostgrestClient } from "@supabase/postgrest-js";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from "jose";
import { discardAnswer } from "./discard_answer.ts";
import type { DatabaseClient, Env, Membership } from "./env.ts";
import { environment } from "./environment.ts";
import { ApiError } from "./errors.ts";
import { COUNTED, functionsKey, isCounted } from "./request_counts.ts";
import { isVisit, MARKETPLACE, readVisit, tokenOf, VISITOR, visitorOf } from "./visits.ts";

/**
 * Admits active members of the token's tenant, and visitors where the route is open to them. Errors: UNAUTHORIZED,
 * TOKEN_EXPIRED, FORBIDDEN, VALIDATION_ERROR.
 */
export const authenticate = admit("members");

/** Admits every signed-in user, with or without a tenant. Errors: UNAUTHORIZED, TOKEN_EXPIRED. */
export const authenticateAccount = admit("accounts");

function admit(who: "members" | "accounts") {
  return createMiddleware<Env>(async (c, next) => {
    if (isVisit(c)) {
      c.set("visit", readVisit(c));
      c.set("db", databaseFor(c));
      return next();
    }
    await openAsCaller(c);
    const membership = who === "members" ? c.get("membership") : undefined;
    if (membership && !membership.pending) await refuseOthers(membership);
    await next();
    if (!membership?.pending) return;
    try {
      await refuseOthers(membership);
    } catch (refusal) {
      await discardAnswer(c);
      throw refusal;
    }
  });
}

/** Refuses callers who are not active members. Errors: FORBIDDEN. */
async function refuseOthers({ isMember }: Membership): Promise<void> {
  if (!(await isMember))
    throw new ApiError("FORBIDDEN", "You are not an active member of this tenant.");
}

/** Verifies the bearer token locally and opens the database as its user. */
async function openAsCaller(c: Context<Env>): Promise<void> {
  const token = tokenOf(c);
  if (!token) throw new ApiError("UNAUTHORIZED");
  const { sub } = await verify(token);
  const asCustomer = c.req.header(RIGHTS) === CUSTOMER && (await isCounted(c));
  c.set("caller", { id: sub as string, token, ...(asCustomer && { asCustomer }) });
  c.set("db", databaseFor(c));
}

/** The header of a request whose lists must not be promoted, with the value `none`. */
export const PROMOTION = "x-souk-promotion";

/**
 * The header of a request for a page that somebody else has written, with the value `customer`: the caller has the rights
 * of a customer only. The functions send it with their key.
 */
export const RIGHTS = "x-souk-rights";
export const CUSTOMER = "customer";

/** The database as the caller or visitor of a request: its lists are promoted unless the request says otherwise. */
export function databaseFor(c: Context<Env>, send: typeof fetch = fetch): DatabaseClient {
  const visitor = visitorOf(c);
  const further = {
    ...(visitor && { [VISITOR]: visitor }),
    ...(c.req.header(PROMOTION) === "none" && { [PROMOTION]: "none" }),
  };
  const visit = c.get("visit");
  if (visit) return databaseAsVisitor(visit.marketplace, c.get("signal"), send, further);
  const { token, asCustomer } = c.get("caller");
  const rights = asCustomer ? { ...further, [RIGHTS]: CUSTOMER } : further;
  return databaseAs(token, c.get("signal"), send, rights);
}

/** The claims of a request's token; undefined if there is no valid token. */
export async function claimsOf(c: Context<Env>): Promise<JWTPayload | undefined> {
  const token = tokenOf(c);
  if (!token) return undefined;
  try {
    return await verify(token);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** PostgREST with a user's token: row-level security applies. */
export function databaseAs(
  token: string,
  signal: AbortSignal,
  send: typeof fetch = fetch,
  further: Record<string, string> = {},
): DatabaseClient {
  const headers = {
    apikey: environment.publishableKey,
    authorization: `Bearer ${token}`,
    ...further,
  };
  return openDatabase(headers, signal, async (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set(COUNTED, await functionsKey());
    return send(input, { ...init, headers });
  });
}

/** PostgREST as a visitor of a marketplace. */
export function databaseAsVisitor(
  marketplace: string,
  signal: AbortSignal,
  send: typeof fetch = fetch,
  further: Record<string, string> = {},
): DatabaseClient {
  const headers = { apikey: environment.publishableKey, [MARKETPLACE]: marketplace, ...further };
  return openDatabase(headers, signal, send);
}

/** PostgREST as `anon`, for callers that are not signed in. */
export function databaseAsAnon(signal: AbortSignal): DatabaseClient {
  return openDatabase({ apikey: environment.publishableKey }, signal, fetch);
}

/** PostgREST with the service key, which bypasses row-level security, for operations that no user may do. */
export function databaseAsService(signal: AbortSignal, send: typeof fetch = fetch): DatabaseClient {
  const [key] = environment.secretKeys;
  return openDatabase({ apikey: key, authorization: `Bearer ${key}` }, signal, send);
}

function openDatabase(
  headers: Record<string, string>,
  signal: AbortSignal,
  send: typeof fetch,
): DatabaseClient {
  return new PostgrestClient(`${environment.supabaseUrl}/rest/v1`, {
    headers,
    fetch: (input, init) => send(input, { ...init, signal }),
  });
}

/** Verified tokens, oldest first. Checking a signature costs more than everything else that a request does here. */
const verified = new Map<string, { claims: JWTPayload; until: number }>();
const VERIFIED_AT_MOST = 5000;
/** Time a verified token is trusted without a new check, in milliseconds: tokens of a withdrawn key end with it. */
const VERIFIED_FOR_MS = 60_000;

/** The claims of a user's access token. Throws UNAUTHORIZED, TOKEN_EXPIRED. */
export async function verify(token: string): Promise<JWTPayload> {
  const known = verified.get(token);
  if (known && Date.now() < known.until) return known.claims;
  verified.delete(token);
  const claims = await readClaims(token);
  const expiry = (claims.exp ?? 0) * 1000;
  verified.set(token, { claims, until: Math.min(expiry, Date.now() + VERIFIED_FOR_MS) });
  if (verified.size > VERIFIED_AT_MOST) verified.delete(verified.keys().next().value as string);
  return claims;
}

/** The claims that identify the user. Postgres looks up everything else by them. */
const names = z.object({ sub: z.guid(), tenant_id: z.guid().nullish() });

async function readClaims(token: string): Promise<JWTPayload> {
  // Only tokens of signed-in users have this audience; the project's own keys have none.
  const checks = { audience: "authenticated", requiredClaims: ["exp", "sub"] };
  try {
    const { payload } =
      decodeProtectedHeader(token).alg === "HS256"
        ? await jwtVerify(token, sharedSecret(), { ...checks, algorithms: ["HS256"] })
        : await jwtVerify(token, publicKey, { ...checks, algorithms: ["ES256", "RS256"] });
    if (!names.safeParse(payload).success) throw new ApiError("UNAUTHORIZED");
    return payload;
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw new ApiError("TOKEN_EXPIRED");
    if (isUnreachable(error)) throw error;
    if (error instanceof errors.JOSEError || error instanceof TypeError)
      throw new ApiError("UNAUTHORIZED");
    throw error;
  }
}

function sharedSecret(): Uint8Array {
  const secret = environment.jwtSecret;
  if (!secret) {
    throw new Error(
      "a token is signed with HS256, but JWT_SECRET is not set: set it to the project's JWT secret",
    );
  }
  return new TextEncoder().encode(secret);
}

let handedOver: JWTVerifyGetKey | undefined;
let published: JWTVerifyGetKey | undefined;

/** The project's public keys: those in the environment, else (for a newer key) those that Auth publishes. */
const publicKey: JWTVerifyGetKey = async (header, token) => {
  handedOver ??= createLocalJWKSet(environment.publicKeys);
  try {
    return await handedOver(header, token);
  } catch (error) {
    if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
  }
  published ??= createRemoteJWKSet(
    new URL(`${environment.supabaseUrl}/auth/v1/.well-known/jwks.json`),
  );
  return await published(header, token);
};

/** Whether the keys could not be read, which says nothing about the token. */
const isUnreachable = (error: unknown) =>
  error instanceof errors.JWKSTimeout ||
  error instanceof errors.JWKSInvalid ||
  (error instanceof errors.JOSEError && error.code === "ERR_JOSE_GENERIC");
