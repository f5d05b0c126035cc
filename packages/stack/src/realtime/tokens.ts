import { decodeJwt, decodeProtectedHeader } from "jose";
import { type Claims, type Keys, TokenRefused } from "../keys.js";

export interface TokenClaims extends Claims {
  exp: number;
}

/** A token that Realtime does not accept. Its message follows the code in the refusal of a join. */
export class TokenUnfit extends Error {
  constructor(
    readonly code: "MalformedJWT" | "InvalidJWTToken" | "JwtSignatureError" | "JwtSignerError",
    message: string,
    /** Hosted's different messages at the handshake and at a refresh. */
    readonly elsewhere: { handshake?: string; refresh?: string } = {},
  ) {
    super(message);
    this.name = "TokenUnfit";
  }
}

/** Returns the claims of a valid token. Throws `TokenUnfit` with the messages of hosted. */
export async function readToken(keys: Keys, token: string): Promise<TokenClaims> {
  let claims: Claims;
  try {
    claims = await keys.verify(token);
  } catch (error) {
    if (!(error instanceof TokenRefused)) throw error;
    throw whyUnfit(keys, token, error.reason);
  }
  if (typeof claims.role !== "string" || typeof claims.exp !== "number") {
    throw new TokenUnfit("InvalidJWTToken", "Fields `role` and `exp` are required in JWT");
  }
  return claims as TokenClaims;
}

/** Hosted's message about an expired token. */
export const expiredAgo = (exp: number) =>
  `Token has expired ${Math.floor(Date.now() / 1000) - Math.floor(exp)} seconds ago`;

function whyUnfit(keys: Keys, token: string, reason: TokenRefused["reason"]): TokenUnfit {
  let header: ReturnType<typeof decodeProtectedHeader>;
  let exp: number | undefined;
  try {
    header = decodeProtectedHeader(token);
    exp = decodeJwt(token).exp;
  } catch {
    return new TokenUnfit("MalformedJWT", "The token provided is not a valid JWT");
  }
  if (reason === "expired") {
    return new TokenUnfit("InvalidJWTToken", expiredAgo(exp ?? 0), {
      handshake: "Token has expired",
    });
  }
  const { alg, kid } = header;
  if (alg?.startsWith("HS") || keys.jwks.keys.some((key) => key.kid === kid)) {
    return new TokenUnfit("JwtSignatureError", "Failed to validate JWT signature", {
      refresh: ":signature_error",
    });
  }
  const which = kid === undefined ? "" : ` for key ID (kid) ${JSON.stringify(kid)}`;
  return new TokenUnfit(
    "JwtSignerError",
    `Failed to generate JWT signer${which}, check your JWT secret or JWKS configuration`,
    kid === undefined ? { refresh: ":error_generating_signer" } : {},
  );
}
