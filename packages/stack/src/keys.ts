import { errors, jwtVerify, SignJWT } from "jose";

/** The claims of a token as Supabase Auth writes them; hooks may add others. */
export interface Claims extends Record<string, unknown> {
  role: string;
  sub?: string;
  exp?: number;
  aud?: string | string[];
}

export interface Keys {
  jwtSecret: string;
  /** Long-lived tokens of the roles `anon` and `service_role`. */
  anonKey: string;
  serviceRoleKey: string;
  sign(claims: Record<string, unknown>): Promise<string>;
  /** Throws `TokenRefused`. */
  verify(token: string): Promise<Claims>;
}

/** Why a token was refused: its signature or form, or its time. */
export class TokenRefused extends Error {
  constructor(
    readonly reason: "invalid" | "expired",
    message: string,
  ) {
    super(message);
    this.name = "TokenRefused";
  }
}

const LOCAL_SECRET = "super-secret-jwt-token-with-at-least-32-characters-long";
/** Local keys never expire in practice: the same day in 2032 that the CLI's own keys carry. */
const KEYS_EXPIRE = 1983812996;

/** The keys of the local stack. With the default secret they are the well-known demo keys of `supabase start`. */
export async function createKeys(jwtSecret = LOCAL_SECRET): Promise<Keys> {
  const secret = new TextEncoder().encode(jwtSecret);
  const sign = (claims: Record<string, unknown>) =>
    new SignJWT(claims).setProtectedHeader({ alg: "HS256", typ: "JWT" }).sign(secret);
  const roleKey = (role: string) => sign({ iss: "supabase-demo", role, exp: KEYS_EXPIRE });

  return {
    jwtSecret,
    anonKey: await roleKey("anon"),
    serviceRoleKey: await roleKey("service_role"),
    sign,
    async verify(token) {
      try {
        const { payload } = await jwtVerify(token, secret, { algorithms: ["HS256"] });
        return payload as Claims;
      } catch (error) {
        if (error instanceof errors.JWTExpired) throw new TokenRefused("expired", "JWT expired");
        throw new TokenRefused("invalid", error instanceof Error ? error.message : String(error));
      }
    },
  };
}
