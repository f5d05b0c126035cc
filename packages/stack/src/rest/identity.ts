import { decodeProtectedHeader } from "jose";
import { type Claims, type Keys, TokenRefused } from "../keys.js";
import type { SchemaCache } from "./cache.js";
import { CacheMiss, RestError } from "./errors.js";

/** The role of requests without a token. */
export const ANONYMOUS = "anon";

/** The role of a request, and the claims for policies, as JSON. */
export interface Identity {
  role: string;
  claims: string;
}

const anonymous: Identity = { role: ANONYMOUS, claims: JSON.stringify({ role: ANONYMOUS }) };

/** The identities by claims: `keys` returns the same object for the same token. */
const known = new WeakMap<Claims, Identity>();

/** Allowed difference of clocks in seconds. */
const LEEWAY = 30;

/** Reads the `Authorization` header. Throws PGRST301 (not valid) and PGRST303 (not valid now). */
export async function identify(keys: Keys, authorization: string | null): Promise<Identity> {
  const bearer = /^bearer(?:\s+(.*))?$/i.exec(authorization ?? "");
  if (!bearer) return anonymous;
  const token = bearer[1] ?? "";
  if (token === "") throw notDecoded("Empty JWT is sent in Authorization header");
  const parts = token.split(".").length;
  if (parts !== 3) throw notDecoded(`Expected 3 parts in JWT; got ${parts}`);
  const claims = await decode(keys, token);
  checkTimes(claims);
  let identity = known.get(claims);
  if (!identity) {
    const named: unknown = claims.role === undefined ? ANONYMOUS : claims.role;
    const role = typeof named === "string" ? named : JSON.stringify(named);
    identity = { role, claims: JSON.stringify({ ...claims, role }) };
    known.set(claims, identity);
  }
  return identity;
}

async function decode(keys: Keys, token: string): Promise<Claims> {
  try {
    // Disables the time checks of the keys: `checkTimes` does them, with the messages of PostgREST.
    return await keys.verify(token, { leeway: Number.POSITIVE_INFINITY });
  } catch (error) {
    if (!(error instanceof TokenRefused)) throw error;
    throw undecodable(token, error.message);
  }
}

function undecodable(token: string, reason: string): RestError {
  const [, odd] = /^"(exp|nbf|iat)" claim must be a number$/.exec(reason) ?? [];
  if (odd) return notNow(`The JWT '${odd}' claim must be a number`);
  let algorithm: string | undefined;
  try {
    algorithm = decodeProtectedHeader(token).alg;
  } catch {
    return notDecoded("JWT cryptographic operation failed");
  }
  if (algorithm === "none") {
    return notDecoded(
      "Wrong or unsupported encoding algorithm",
      "JWT is unsecured but expected 'alg' was not 'none'",
    );
  }
  return notDecoded(
    "No suitable key or wrong key type",
    reason.startsWith("no applicable key")
      ? "No suitable key was found to decode the JWT"
      : "None of the keys was able to decode the JWT",
  );
}

function checkTimes({ exp, nbf, iat, aud }: Claims & { nbf?: number; iat?: number }): void {
  const now = Math.floor(Date.now() / 1000);
  if (exp !== undefined && exp < now - LEEWAY) throw notNow("JWT expired");
  if (nbf !== undefined && nbf > now + LEEWAY) throw notNow("JWT not yet valid");
  if (iat !== undefined && iat > now + LEEWAY) throw notNow("JWT issued at future");
  const audience: unknown[] = [aud ?? []].flat();
  if (!audience.every((each) => typeof each === "string")) {
    throw notNow("The JWT 'aud' claim must be a string or an array of strings");
  }
}

const notDecoded = (message: string, details: string | null = null) =>
  tokenInvalid("PGRST301", message, details);
const notNow = (message: string) => tokenInvalid("PGRST303", message, null);

const tokenInvalid = (code: string, message: string, details: string | null) =>
  new RestError(401, code, message, details, null, {
    "WWW-Authenticate": `Bearer error="invalid_token", error_description=${JSON.stringify(message)}`,
  });

/** Returns the settings of the identity's role. Throws if the service must not use the role. */
export function settingsOf(cache: SchemaCache, { role }: Identity): Record<string, string> {
  const settings = cache.roles.get(role);
  if (settings) return settings;
  if (settings === undefined) throw new CacheMiss(401, "22023", `role "${role}" does not exist`);
  // The stack connects as superuser, which could use any role. Hosted allows those granted to
  // authenticator.
  throw new CacheMiss(403, "42501", `permission denied to set role "${role}"`);
}
