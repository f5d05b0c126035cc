import { type Claims, type Keys, TokenRefused } from "../keys.js";

/** The claims of a token that may join. Throws `TokenRefused` in hosted's words. */
export async function readToken(keys: Keys, token: string): Promise<Claims> {
  let claims: Claims;
  try {
    claims = await keys.verify(token);
  } catch (error) {
    if (!(error instanceof TokenRefused)) throw error;
    throw new TokenRefused(
      error.reason,
      error.reason === "expired" ? "Token has expired" : "The token provided is not a valid JWT",
    );
  }
  if (typeof claims.role !== "string" || typeof claims.exp !== "number") {
    throw new TokenRefused("invalid", "Fields `role` and `exp` are required in JWT");
  }
  return claims;
}
