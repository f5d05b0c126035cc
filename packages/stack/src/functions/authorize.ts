import type { IncomingHttpHeaders } from "node:http";
import { decodeProtectedHeader } from "jose";
import type { Keys } from "../keys.js";
import { type RefusalCode, refuse } from "./refusals.js";

/** The refusal of a token with an invalid signature, by its algorithm. */
const unverified = new Map<string | undefined, RefusalCode>([
  ["HS256", "UNAUTHORIZED_LEGACY_JWT"],
  ["ES256", "UNAUTHORIZED_ASYMMETRIC_JWT"],
  ["RS256", "UNAUTHORIZED_ASYMMETRIC_JWT"],
]);

/**
 * The platform's check for a function with `verify_jwt`; null lets the request pass. A preflight
 * request carries no token, so it passes and the function answers it. As hosted, a publishable or
 * secret key is accepted in either header.
 */
export async function authorize(
  method: string,
  headers: IncomingHttpHeaders,
  keys: Keys,
): Promise<Response | null> {
  if (method === "OPTIONS") return null;
  const isKey = (text: unknown) => text === keys.publishableKey || text === keys.secretKey;
  const header = headers.authorization;
  if (!header) return isKey(headers.apikey) ? null : refuse("UNAUTHORIZED_NO_AUTH_HEADER");
  const token = /^bearer +(\S+)$/i.exec(header)?.[1];
  if (!token) {
    return refuse("UNAUTHORIZED_INVALID_JWT_FORMAT", "Auth header is not 'Bearer {token}'");
  }
  if (isKey(token)) return null;
  let algorithm: string | undefined;
  try {
    algorithm = decodeProtectedHeader(token).alg;
  } catch {
    return refuse("UNAUTHORIZED_INVALID_JWT_FORMAT");
  }
  const refusal = unverified.get(algorithm);
  if (!refusal) {
    return refuse(
      "UNAUTHORIZED_UNSUPPORTED_TOKEN_ALGORITHM",
      `Unsupported JWT algorithm ${algorithm}`,
    );
  }
  try {
    await keys.verify(token);
    return null;
  } catch {
    return refuse(refusal);
  }
}
