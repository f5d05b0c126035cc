import { z } from "zod";
import type { Writing } from "./context.js";
import { callHook } from "./hooks.js";
import { Refusal } from "./refusals.js";
import type { AuthRequest } from "./request.js";
import type { User } from "./users.js";

/** The methods by which a user proved their identity. Only the hook sees `token_refresh`. */
export type Method =
  | "password"
  | "otp"
  | "anonymous"
  | "email/signup"
  | "magiclink"
  | "recovery"
  | "email_change"
  | "token_refresh";

/** Hosted Auth requires these fields in a hook's claims. */
const claimsOfHook = z.looseObject({
  aud: z.union([z.string(), z.array(z.unknown())]),
  exp: z.int(),
  iat: z.int(),
  sub: z.string(),
  email: z.string(),
  phone: z.string(),
  role: z.string(),
  aal: z.string(),
  session_id: z.string(),
  is_anonymous: z.unknown().refine((value) => value !== undefined, "is_anonymous is required"),
  iss: z.string().optional(),
  nbf: z.int().optional(),
  jti: z.string().optional(),
  app_metadata: z.record(z.string(), z.unknown()).optional(),
  user_metadata: z.record(z.string(), z.unknown()).optional(),
  amr: z.array(z.unknown()).optional(),
});

/**
 * Signs the access token of a session, with the claims as the custom access token hook returns
 * them.
 */
export async function issueAccessToken(
  w: Writing,
  user: User,
  sessionId: string,
  method: Method,
  request: AuthRequest,
): Promise<{ token: string; expiresIn: number; expiresAt: number }> {
  const proofs = await w.query<{ method: string; timestamp: number }>(
    `select authentication_method as method, floor(extract(epoch from updated_at))::bigint as timestamp
     from auth.mfa_amr_claims where session_id = $1::uuid order by updated_at desc`,
    [sessionId],
  );
  const now = Math.floor(Date.now() / 1000);
  const expiresIn = w.config.auth.jwt_expiry;
  const expiresAt = now + expiresIn;
  const claims = {
    iss: `${w.url}/auth/v1`,
    sub: user.id,
    aud: user.aud,
    exp: expiresAt,
    iat: now,
    email: user.email ?? "",
    phone: user.phone ?? "",
    app_metadata: user.raw_app_meta_data ?? {},
    user_metadata: user.raw_user_meta_data ?? {},
    role: user.role,
    aal: "aal1",
    amr: proofs.map(({ method, timestamp }) => ({ method, timestamp })),
    session_id: sessionId,
    is_anonymous: user.is_anonymous,
  };
  const event = { user_id: user.id, claims, authentication_method: method };
  const answer = await callHook(w, "custom_access_token", request.ip, event);
  const isOn = w.config.auth.hook.custom_access_token.enabled;
  const token = await w.keys.sign(isOn ? claimsIn(answer) : claims);
  return { token, expiresIn, expiresAt };
}

function claimsIn(answer: unknown): Record<string, unknown> {
  const claims = answer === null ? null : (answer as { claims?: unknown }).claims;
  if (claims === undefined) throw new Refusal(500, null, "output claims field is missing");
  const checked = claimsOfHook.safeParse(claims);
  if (checked.success) return checked.data;
  const wrong = checked.error.issues.map((i) => `- ${i.path.join(".")}: ${i.message}\n`);
  throw new Refusal(
    500,
    null,
    `output claims do not conform to the expected schema: \n${wrong.join("")}`,
  );
}
