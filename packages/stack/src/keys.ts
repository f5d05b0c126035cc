import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import {
  type CryptoKey,
  createLocalJWKSet,
  decodeProtectedHeader,
  errors,
  importJWK,
  type JWK,
  jwtVerify,
  SignJWT,
} from "jose";
import { z } from "zod";
import { type Config, ConfigError } from "./config.js";

/** The claims of a token of Supabase Auth; hooks may add others. */
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
  /** Keys that are not tokens; the gateway replaces them by the two tokens above. */
  publishableKey: string;
  secretKey: string;
  /** The signing keys with their private halves, for Supabase Auth itself. */
  privateKeys: readonly JWK[];
  /** The public signing keys; none if the secret signs. */
  jwks: { keys: JWK[] };
  sign(claims: Record<string, unknown>): Promise<string>;
  /** `leeway`: allowed clock difference in seconds, default 0. Throws `TokenRefused`. */
  verify(token: string, options?: { leeway?: number }): Promise<Claims>;
}

/** A token was refused: for its signature or format, or for its time. */
export class TokenRefused extends Error {
  constructor(
    readonly reason: "invalid" | "expired",
    message: string,
  ) {
    super(message);
    this.name = "TokenRefused";
  }
}

/** The public defaults of `supabase start`: secret, keys, and the expiry of its tokens in 2032. */
const LOCAL_SECRET = "super-secret-jwt-token-with-at-least-32-characters-long";
const PUBLISHABLE_KEY = "sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH";
const SECRET_KEY = "sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz";
const KEYS_EXPIRE = 1983812996;
const SIGNING_KEY: JWK = {
  kty: "EC",
  kid: "b81269f1-21d8-4f2e-b719-c2240a840d90",
  use: "sig",
  alg: "ES256",
  crv: "P-256",
  x: "M5Sjqn5zwC9Kl1zVfUUGvv9boQjCGd45G8sdopBExB4",
  y: "P6IXMvA2WYXSHSOMTBH2jsw_9rrzGy89FjPf6oOsIxQ",
  d: "dIhR8wywJlqlua4y_yMq2SLhlFXDZJBCvFrY1DCHyVU",
};
export const KEY_ISSUER = "supabase-demo";

/** Maximum number of cached tokens, the same as PostgREST's. */
const MAX_CACHED = 1000;

const algorithms = ["ES256", "RS256"];

/**
 * Creates the keys of the local stack. The first signing key (private JWK) signs, and all verify, by `kid`. The secret
 * also verifies HS256, as in a project until it is revoked, and signs if there are no signing keys. Without an
 * argument, all keys are the defaults of `supabase start`.
 */
export async function createKeys(given?: readonly JWK[]): Promise<Keys> {
  const signingKeys = given ?? [SIGNING_KEY];
  const secret = new TextEncoder().encode(LOCAL_SECRET);
  const jwks = { keys: signingKeys.map(publicHalf) };
  const findKey = createLocalJWKSet(jwks);
  // WebCrypto does not sign with a key whose key_ops also include verify.
  const privateHalves = signingKeys.map((key) => importJWK({ ...key, key_ops: ["sign"] }));
  const [signer = secret] = (await Promise.all(privateHalves)) as CryptoKey[];
  const [first] = signingKeys;
  const bySecret = { alg: "HS256", typ: "JWT" };
  const header = first ? { alg: first.alg as string, kid: first.kid, typ: "JWT" } : bySecret;

  const sign = (claims: Record<string, unknown>) =>
    new SignJWT(claims).setProtectedHeader(header).sign(signer);
  const roleKey = (role: string) => {
    const claims = { iss: KEY_ISSUER, role, exp: KEYS_EXPIRE };
    return given ? sign(claims) : new SignJWT(claims).setProtectedHeader(bySecret).sign(secret);
  };

  /** Tokens with a valid signature; their times are checked on every use. */
  const cached = new Map<string, Claims>();

  async function checkSignature(token: string): Promise<Claims> {
    // The key is chosen by the algorithm, so that no public key is used as a secret.
    const { alg } = decodeProtectedHeader(token);
    // Disables jose's time checks: `verify` checks the times with the caller's leeway.
    const timeless = { currentDate: new Date(0), clockTolerance: Number.MAX_SAFE_INTEGER };
    const { payload } =
      alg === "HS256"
        ? await jwtVerify(token, secret, { ...timeless, algorithms: ["HS256"] })
        : await jwtVerify(token, findKey, { ...timeless, algorithms });
    return Object.freeze(payload) as Claims;
  }

  return {
    jwtSecret: LOCAL_SECRET,
    anonKey: await roleKey("anon"),
    serviceRoleKey: await roleKey("service_role"),
    publishableKey: PUBLISHABLE_KEY,
    secretKey: SECRET_KEY,
    privateKeys: signingKeys,
    jwks,
    sign,
    async verify(token, { leeway = 0 } = {}) {
      let claims = cached.get(token);
      if (!claims) {
        try {
          claims = await checkSignature(token);
        } catch (error) {
          if (!(error instanceof errors.JOSEError || error instanceof TypeError)) throw error;
          throw new TokenRefused("invalid", error.message);
        }
        if (cached.size >= MAX_CACHED) cached.delete(cached.keys().next().value ?? "");
        cached.set(token, claims);
      }
      const now = Math.floor(Date.now() / 1000);
      const { exp, nbf } = claims as { exp?: number; nbf?: number };
      if (exp !== undefined && exp <= now - leeway)
        throw new TokenRefused("expired", "JWT expired");
      if (nbf !== undefined && nbf > now + leeway) {
        throw new TokenRefused("invalid", '"nbf" claim timestamp check failed');
      }
      return claims;
    },
  };
}

function publicHalf({ kty, kid, use, alg, n, e, crv, x, y }: JWK): JWK {
  const half = { kty, kid, use, alg, key_ops: ["verify"], n, e, crv, x, y };
  // JSON drops undefined members, which jose would treat as values.
  return JSON.parse(JSON.stringify(half));
}

const signingKey = z.looseObject({
  kty: z.enum(["EC", "RSA"]),
  kid: z.string().min(1),
  alg: z.enum(["ES256", "RS256"]),
  d: z.string(),
});

/**
 * Returns the project's keys: from `[auth] signing_keys_path`, or the defaults. Throws
 * `ConfigError`.
 */
export async function readKeys({ root, auth }: Config): Promise<Keys> {
  if (auth.signing_keys_path === "") return await createKeys();
  const path = resolve(root, "supabase", auth.signing_keys_path);
  try {
    const given = z
      .array(signingKey)
      .nonempty()
      .parse(JSON.parse(await readFile(path, "utf8")));
    return await createKeys(given);
  } catch {
    // The error's message may quote the file, and with it a private key.
    throw new ConfigError(
      `${path} is not a list of signing keys: \`supabase gen signing-key\` creates one, ` +
        "or leave [auth] signing_keys_path out",
    );
  }
}
