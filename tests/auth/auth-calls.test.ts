import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { auth } from "../../supabase/functions/_shared/auth/routes.ts";
import { functionsHere, type OnTheWay } from "../functions-here.js";
import {
  type Answer,
  expectRefusal,
  openGuest,
  openTestTenant,
  PASSWORD,
  type Person,
  register,
  stackInUse,
} from "../souk.js";

// The calls that /auth/* makes of Supabase Auth, and its answers that are rare.

/** /auth/* in this process, until the test ends, with `onTheWay` in front of Supabase Auth. */
function authHere(onTheWay: OnTheWay) {
  const app = functionsHere({ "/auth": auth }, "/auth/v1", onTheWay);
  return async (path: string, body: object, as?: Person): Promise<Answer> => {
    const answer = await app.request(path, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "cf-connecting-ip": "203.0.113.9",
        ...(as && { authorization: `Bearer ${as.token}` }),
      },
      body: JSON.stringify(body),
    });
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
  };
}

const refusal = (status: number, code: string, message: string) =>
  Response.json({ code, message, msg: message, error_code: code }, { status });

const newAccount = () => ({ email: `${randomUUID()}@example.com`, password: PASSWORD });

describe("Supabase Auth", () => {
  it("gets the caller's address, with a secret key, in every call that it counts", async () => {
    const { marketplace, tenantId } = await openTestTenant();
    const guest = await openGuest(marketplace);
    const somebody = await register({ tenant_id: tenantId });
    const calls: string[] = [];
    const callHere = authHere((asked, headers) => {
      const isServer = headers.get("apikey") === stackInUse().service_role_key;
      // The signing keys are read once in a while, for nobody.
      if (!asked.startsWith("GET")) {
        calls.push(`${asked} ${headers.get("sb-forwarded-for")} ${isServer}`);
      }
      return undefined;
    });
    const account = newAccount();
    await callHere("/auth/register", account, guest);
    await callHere("/auth/register", { ...newAccount(), tenant_id: tenantId });
    await callHere("/auth/guest", { marketplace: marketplace.id });
    await callHere("/auth/login", account);
    await callHere("/auth/refresh", { refresh_token: somebody.refreshToken });
    expect(calls).toEqual([
      "PUT /user 203.0.113.9 true",
      "POST /token?grant_type=password 203.0.113.9 true",
      "POST /signup 203.0.113.9 true",
      "POST /signup 203.0.113.9 true",
      "POST /token?grant_type=password 203.0.113.9 true",
      "POST /token?grant_type=refresh_token 203.0.113.9 true",
    ]);
  });

  it.each([
    { who: "somebody", asked: "POST /signup" },
    { who: "a guest", asked: "PUT /user" },
  ])("is asked again when $who loses the race for an address", async ({ asked }) => {
    const { operator, tenantId, marketplace } = await openTestTenant();
    const guest = asked === "PUT /user" ? await openGuest(marketplace) : undefined;
    let calls = 0;
    const callHere = authHere((call) => {
      if (call !== asked) return undefined;
      calls += 1;
      // As if the account was not there yet.
      return calls === 1 ? refusal(500, "unexpected_failure", "Database error") : undefined;
    });
    const body = { ...newAccount(), email: operator.email, ...(!guest && { tenant_id: tenantId }) };
    const answer = await callHere("/auth/register", body, guest);
    expectRefusal(answer, 409, "CONFLICT", { field: "email" });
    expect(calls).toBe(2);
  });

  it.each([
    { message: "Request rate limit reached", seconds: "60" },
    {
      message: "For security purposes, you can only request this after 41 seconds.",
      seconds: "42",
    },
  ])("is over its limits: RATE_LIMITED, for $seconds s", async ({ message, seconds }) => {
    const { tenantId } = await register({ tenant_name: "Oasis" });
    const callHere = authHere(() => refusal(429, "over_request_rate_limit", message));
    const answer = await callHere("/auth/register", { ...newAccount(), tenant_id: tenantId });
    expectRefusal(answer, 429, "RATE_LIMITED");
    expect(answer.headers.get("retry-after")).toBe(seconds);
  });

  it("cannot lock a session: CONFLICT, and the refresh token stays valid", async () => {
    const { refreshToken } = await register({ tenant_name: "Oasis" });
    let calls = 0;
    const callHere = authHere(() => {
      calls += 1;
      return calls === 1 ? refusal(409, "conflict", "Too many requests of the session") : undefined;
    });
    const refresh = () => callHere("/auth/refresh", { refresh_token: refreshToken });
    const answer = await refresh();
    expectRefusal(answer, 409, "CONFLICT");
    expect(answer.headers.get("retry-after")).toBe("1");
    expect((await refresh()).status).toBe(200);
  });
});
