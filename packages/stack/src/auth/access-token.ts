import { z } from "zod";
import type { Queryable } from "../db/database.js";
import { callHook, hookFunction } from "./hooks.js";
import { Refusal } from "./refusals.js";
import type { Auth } from "./surroundings.js";
import type { User } from "./users.js";

/** How somebody proved who they are; `token_refresh` is told to the hook alone. */
export type Method =
  | "password"
  | "otp"
  | "anonymous"
  | "email/signup"
  | "magiclink"
  | "recovery"
  | "email_change"
  | "token_refresh";

/** What hosted Auth insists on in a hook's claims. */
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

/** Signs the token of a session, after the custom access token hook has had its say. */
export async function issueAccessToken(
  auth: Auth,
  q: Queryable,
  user: User,
  sessionId: string,
  method: Method,
): Promise<{ token: string; expiresIn: number; expiresAt: number }> {
  const proofs = await q.query<{ method: string; timestamp: number }>(
    `select authentication_method as method, floor(extract(epoch from updated_at))::bigint as timestamp
     from auth.mfa_amr_claims where session_id = $1::uuid order by updated_at desc`,
    [sessionId],
  );
  const now = Math.floor(Date.now() / 1000);
  const expiresIn = auth.config.auth.jwt_expiry;
  const expiresAt = now + expiresIn;
  const claims = {
    iss: `${auth.url}/auth/v1`,
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
  const hook = hookFunction(auth.config, "custom_access_token");
  const signed = hook ? await claimsFromHook(q, hook, user, claims, method) : claims;
  return { token: await auth.keys.sign(signed), expiresIn, expiresAt };
}

async function claimsFromHook(
  q: Queryable,
  hook: string,
  user: User,
  claims: object,
  method: Method,
): Promise<Record<string, unknown>> {
  let answer: unknown;
  try {
    answer = await callHook(q, hook, { user_id: user.id, claims, authentication_method: method });
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    throw new Refusal(500, "unexpected_failure", "error generating jwt token", { cause });
  }
  const given = z.object({ claims: z.unknown() }).safeParse(answer);
  if (!given.success || given.data.claims === undefined) {
    throw new Refusal(500, null, "output claims field is missing");
  }
  const checked = claimsOfHook.safeParse(given.data.claims);
  if (!checked.success) {
    const wrong = checked.error.issues.map((i) => `- ${i.path.join(".")}: ${i.message}\n`);
    throw new Refusal(
      500,
      null,
      `output claims do not conform to the expected schema: \n${wrong.join("")}`,
    );
  }
  return checked.data;
}
