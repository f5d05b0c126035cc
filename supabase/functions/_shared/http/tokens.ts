import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from "jose";
import type { Env } from "./env.ts";
import { environment } from "./environment.ts";
import { ApiError } from "./errors.ts";

/** The token of a request, unverified. A public key in its place, which supabase-js sends without a session, is none. */
export function tokenOf(c: Context<Env>): string | undefined {
  const token = /^Bearer\s+(\S+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
  return token !== undefined && environment.publicApiKeys.includes(token) ? undefined : token;
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
