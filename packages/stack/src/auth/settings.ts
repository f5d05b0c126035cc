import type { Config } from "../config.js";

const UNSUPPORTED = (
  "apple azure bitbucket discord facebook snapchat figma fly github gitlab google keycloak kakao " +
  "linkedin linkedin_oidc notion spotify slack slack_oidc workos twitch twitter phone zoom"
).split(" ");

/** The part of the configuration that clients may read. */
export function settings({ auth }: Config) {
  return {
    external: {
      anonymous_users: auth.enable_anonymous_sign_ins,
      email: auth.email.enable_signup,
      ...Object.fromEntries(UNSUPPORTED.map((provider) => [provider, false])),
    },
    disable_signup: !auth.enable_signup,
    mailer_autoconfirm: !auth.email.enable_confirmations,
    phone_autoconfirm: false,
    sms_provider: "",
    saml_enabled: false,
    saml_private_key_next_configured: false,
    passkeys_enabled: false,
  };
}
