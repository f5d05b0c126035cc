import type { Hono } from "hono";
import { type CallerEnv, onlyUser } from "./bearer.js";
import { Refusal } from "./refusals.js";
import type { Auth } from "./surroundings.js";

const here = "not in the local stack";

const refused = {
  oauth: [400, "validation_failed", `Unsupported provider: provider is not enabled (${here})`],
  linking: [404, "manual_linking_disabled", `Manual linking is disabled (${here})`],
  factors: [422, "mfa_totp_enroll_not_enabled", `MFA enroll is disabled for TOTP (${here})`],
  passkeys: [404, "passkey_disabled", `Passkeys are disabled (${here})`],
  saml: [404, "saml_provider_disabled", `SAML 2.0 is disabled (${here})`],
  server: [404, "feature_disabled", `OAuth server is disabled (${here})`],
} satisfies Record<string, [number, string, string]>;

const paths: Record<string, keyof typeof refused> = {
  "/authorize": "oauth",
  "/callback": "oauth",
  "/user/identities/*": "linking",
  "/factors/*": "factors",
  "/admin/users/:id/factors/*": "factors",
  "/passkeys/*": "passkeys",
  "/sso/*": "saml",
  "/admin/sso/*": "saml",
  "/oauth/*": "server",
  "/admin/oauth/*": "server",
};

/** Refuses what this stack lacks as a hosted project does that has it switched off. */
export function refuseElsewhere(app: Hono<CallerEnv>, auth: Auth): void {
  app.use("/user/identities/*", onlyUser(auth));
  app.use("/factors/*", onlyUser(auth));
  for (const [path, what] of Object.entries(paths)) {
    app.all(path, () => {
      throw new Refusal(...refused[what]);
    });
  }
}

/** Why `/token` does not honour a grant. */
export function refusedGrant(grant: string | undefined): Refusal {
  switch (grant) {
    case "id_token":
      return new Refusal(400, "provider_disabled", `Provider is not enabled (${here})`);
    case "web3":
      return new Refusal(422, "web3_provider_disabled", `Web3 provider is disabled (${here})`);
    default:
      return new Refusal(400, "invalid_credentials", "unsupported_grant_type");
  }
}
