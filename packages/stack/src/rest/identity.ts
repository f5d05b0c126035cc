import { type Keys, TokenRefused } from "../keys.js";
import type { SchemaCache } from "./cache.js";
import { CacheMiss, tokenInvalid } from "./errors.js";

/** The role of requests without a token. */
export const ANONYMOUS = "anon";

/** Who asks: the role to become, and the claims that policies read. */
export interface Identity {
  role: string;
  claims: Record<string, unknown>;
}

const BEARER = "bearer ";

/** Reads the `Authorization` header. Throws PGRST301 (not valid) and PGRST303 (not valid now). */
export async function identify(keys: Keys, authorization: string | null): Promise<Identity> {
  if (authorization === null || !authorization.toLowerCase().startsWith(BEARER)) {
    return { role: ANONYMOUS, claims: { role: ANONYMOUS } };
  }
  const token = authorization.slice(BEARER.length).trim();
  if (token === "")
    throw tokenInvalid("Empty JWT is sent in Authorization header", null, "PGRST301");
  const parts = token.split(".").length;
  if (parts !== 3) {
    throw tokenInvalid(`Expected 3 parts in JWT; got ${parts}`, null, "PGRST301");
  }
  try {
    const claims = await keys.verify(token);
    const role = typeof claims.role === "string" && claims.role !== "" ? claims.role : ANONYMOUS;
    return { role, claims: { ...claims, role } };
  } catch (error) {
    if (!(error instanceof TokenRefused)) throw error;
    if (error.reason === "expired") throw tokenInvalid("JWT expired", null, "PGRST303");
    if (error.message.includes('"nbf"')) throw tokenInvalid("JWT not yet valid", null, "PGRST303");
    throw tokenInvalid(
      "No suitable key or wrong key type",
      "None of the keys was able to decode the JWT",
      "PGRST301",
    );
  }
}

/** The settings that come with the identity's role. Throws where the service may not become it. */
export function settingsOf(cache: SchemaCache, { role }: Identity): Record<string, string> {
  const settings = cache.roles.get(role);
  if (settings) return settings;
  if (settings === undefined) throw new CacheMiss(401, "22023", `role "${role}" does not exist`);
  // The stack's own connection could become any role; hosted, only those granted to authenticator.
  throw new CacheMiss(403, "42501", `permission denied to set role "${role}"`);
}
