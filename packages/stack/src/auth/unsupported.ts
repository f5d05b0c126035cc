import type { Hono } from "hono";
import { z } from "zod";
import { findForAdmin } from "./administration.js";
import { type CallerEnv, onlyUser } from "./bearer.js";
import { readBody, text } from "./bodies.js";
import type { Auth } from "./context.js";
import { notHere, Refusal } from "./refusals.js";

type Answer = [status: number, code: string, message: string];

const OAUTH: Answer = [400, "validation_failed", "Unsupported provider: provider is not enabled"];
const LINKING: Answer = [404, "manual_linking_disabled", "Manual linking is disabled"];
const FACTOR: Answer = [404, "mfa_factor_not_found", "Factor not found"];
const PASSKEYS: Answer = [404, "passkey_disabled", "Passkeys are disabled"];
const SAML: Answer = [404, "saml_provider_disabled", "SAML 2.0 is disabled"];
const SERVER: Answer = [404, "feature_disabled", "OAuth server is disabled"];

const paths: Record<string, Answer> = {
  "/authorize": OAUTH,
  "/callback": OAUTH,
  "/user/identities/*": LINKING,
  "/factors/:id/*": FACTOR,
  "/admin/users/:id/factors/:factor": FACTOR,
  "/passkeys/*": PASSKEYS,
  "/admin/users/:id/passkeys/*": PASSKEYS,
  "/sso/*": SAML,
  "/admin/sso/*": SAML,
  "/oauth/*": SERVER,
  "/user/oauth/*": SERVER,
  "/admin/oauth/*": SERVER,
};

/** The types of a second factor, as error codes and messages name them. */
const factors = new Map([
  ["totp", "TOTP"],
  ["phone", "Phone"],
  ["webauthn", "WebAuthn"],
]);

const grants = new Map<string, Answer>([
  ["id_token", [400, "provider_disabled", "Provider is not enabled"]],
  ["web3", [422, "web3_provider_disabled", "Web3 provider is disabled"]],
]);

/** Adds routes that refuse the features this stack lacks. */
export function refuseUnsupported(app: Hono<CallerEnv>, auth: Auth): void {
  for (const path of ["/user/identities/*", "/user/oauth/*", "/factors/*"]) {
    app.use(path, onlyUser(auth));
  }
  app.post("/factors", async (c) => {
    throw refuseFactor((await readBody(c, z.object({ factor_type: text }))).factor_type);
  });
  app.get("/admin/users/:id/factors", async (c) => {
    await findForAdmin(auth, c.req.param("id"));
    return c.json([]); // No user has a factor.
  });
  for (const [path, answer] of Object.entries(paths)) {
    app.all(path, () => {
      throw notHere(...answer);
    });
  }
}

function refuseFactor(kind: string): Refusal {
  const name = factors.get(kind);
  return name
    ? notHere(422, `mfa_${kind}_enroll_not_enabled`, `MFA enroll is disabled for ${name}`)
    : new Refusal(400, "validation_failed", "factor_type needs to be totp, phone, or webauthn");
}

/** Explains why `/token` refuses a grant type. */
export function refusedGrant(grant = ""): Refusal {
  const known = grants.get(grant);
  return known
    ? notHere(...known)
    : new Refusal(400, "invalid_credentials", "unsupported_grant_type");
}
