import { decodeProtectedHeader } from "jose";
import type { Keys } from "../keys.js";
import { refuse } from "./refusals.js";

/**
 * The gateway's check of a function with `verify_jwt`: null lets the request pass. A preflight carries
 * no token, so it passes, and the function answers it.
 */
export async function authorize(request: Request, keys: Keys): Promise<Response | null> {
  if (request.method === "OPTIONS") return null;
  const header = request.headers.get("authorization");
  if (!header) return refuse("UNAUTHORIZED_NO_AUTH_HEADER");
  const token = /^bearer +(\S+)$/i.exec(header)?.[1];
  if (!token) {
    return refuse("UNAUTHORIZED_INVALID_JWT_FORMAT", "Auth header is not 'Bearer {token}'");
  }
  let algorithm: string | undefined;
  try {
    algorithm = decodeProtectedHeader(token).alg;
  } catch {
    return refuse("UNAUTHORIZED_INVALID_JWT_FORMAT");
  }
  if (algorithm === "ES256" || algorithm === "RS256") return refuse("UNAUTHORIZED_ASYMMETRIC_JWT");
  if (algorithm !== "HS256") {
    return refuse(
      "UNAUTHORIZED_UNSUPPORTED_TOKEN_ALGORITHM",
      `Unsupported JWT algorithm ${algorithm}`,
    );
  }
  try {
    await keys.verify(token);
    return null;
  } catch {
    return refuse("UNAUTHORIZED_LEGACY_JWT");
  }
}
