/** Tests that do not pass, and the reason. They are named as `run.ts` prints them. */
interface Difference {
  reason: string;
  tests: string[];
}

const named = (prefix: string, tests: string[]) => tests.map((test) => `${prefix} > ${test}`);

/**
 * The known failures by suite. `run.ts` fails when a test in this list passes, or another test
 * fails.
 */
export const known: Record<string, Difference[]> = {
  "postgrest-js": [
    {
      reason: "plans are not served; hosted serves them only where a project asks for it",
      tests: named("transforms.test.ts", ["explain with json/text format", "explain with options"]),
    },
    {
      reason: "asks PostgREST 12 for a refusal; since 14 it is served",
      tests: ["v12/v12-compat.test.ts > select spread on many relation returns error in v12"],
    },
    { reason: "needs PostGIS", tests: ["transforms.test.ts > geojson"] },
  ],
  "auth-js": [
    {
      reason: "second factors: not in the local stack",
      tests: [
        "GoTrueApi.test.ts > GoTrueAdminApi > MFA Admin > mfa factor management: add, list and delete",
        ...named("GoTrueClient.test.ts > MFA", [
          'enroll({factorType: "totp"}) returns totp',
          "challenge should create MFA challenge",
          "verify should verify MFA challenge",
          "challengeAndVerify should handle MFA challenge and verification in one call",
          "unenroll should remove MFA factor",
          "getAuthenticatorAssuranceLevel should return current AAL",
        ]),
        ...named("GoTrueClient.test.ts > WebAuthn MFA", [
          "enroll WebAuthn should allow empty friendlyName",
          "enroll WebAuthn should create unverified factor",
          "unenroll WebAuthn should remove factor",
          "should enroll WebAuthn factor",
        ]),
      ],
    },
    {
      reason: "the project as an OAuth server: not in the local stack",
      tests: named("GoTrueApi.test.ts > GoTrueAdminApi > OAuth Admin", [
        "Core Lifecycle > oauth client lifecycle: create, get, update, delete",
        "Listing & Secret Regeneration > listClients() returns registered OAuth clients with pagination",
        "Listing & Secret Regeneration > regenerateClientSecret() generates new secret",
        "Error Handling > createClient() returns AuthError with invalid redirect_uris",
        "Edge Cases > updateClient() accepts partial updates",
        "Edge Cases > createClient() works with minimal required fields",
        "Edge Cases > createClient() accepts multiple redirect_uris",
      ]),
    },
    {
      reason: "no request is made: Vitest does not construct a mock that is an arrow function",
      tests: named("GoTrueClient.browser.test.ts > GoTrueClient BroadcastChannel", [
        "should handle multiple auth state change events",
      ]),
    },
  ],
  "functions-js": [
    {
      reason:
        "a wrong token: the relay of 2022 marked its refusal with a header that is no longer sent",
      tests: named("spec/hello.spec.ts > basic tests (hello function)", [
        "invoke hello with setAuth wrong key",
        "invoke hello: auth override by setAuth wrong key",
        "invoke hello with wrong auth header overridden in invoke",
      ]),
    },
  ],
  "supabase-js": [
    {
      reason: "the official CLI's gateway answers preflights itself, hosted's asks the function",
      tests: named("deno/cors-validation.test.ts > CORS Validation for Edge Functions", [
        "POST request - should prevent v2.93.0 incident (NEW headers accepted)",
      ]),
    },
  ],
};
