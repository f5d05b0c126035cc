import { decodeJwt } from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../src/db/database.js";
import {
  configOf,
  newAddress,
  openDatabase,
  PASSWORD,
  type Running,
  startAuth,
} from "./auth-fixture.js";
import { oneServer } from "./servers.js";

describe.each(oneServer)("the switches of [auth] on %s", (server) => {
  let db: Database;
  const running: Running[] = [];

  beforeAll(async () => {
    db = await openDatabase(server);
  });
  afterEach(async () => {
    for (const auth of running.splice(0)) await auth.stop();
  });
  afterAll(() => db?.close());

  async function startWith(toml: string): Promise<Running> {
    const auth = await startAuth(db, toml);
    running.push(auth);
    return auth;
  }
  const post = async (auth: Running, path: string, body: object, headers = {}) => {
    const init = { method: "POST", body: JSON.stringify(body), headers };
    const answer = await auth.http(path, init);
    return { status: answer.status, body: await answer.json(), headers: answer.headers };
  };
  const refusal = async (auth: Running, path: string, body: object) => {
    const { status, body: answer } = await post(auth, path, body);
    return [status, answer.error_code];
  };
  const signUp = async (auth: Running, email = newAddress(), password = PASSWORD) =>
    (await post(auth, "/signup", { email, password })).body;

  test("enable_signup", async () => {
    const auth = await startWith("[auth]\nenable_signup = false\nenable_anonymous_sign_ins = true");
    const email = newAddress();
    const closed = [422, "signup_disabled"];
    expect(await refusal(auth, "/signup", { email, password: "x" })).toEqual(closed);
    expect(await refusal(auth, "/signup", {})).toEqual(closed);
    expect(await refusal(auth, "/otp", { email })).toEqual(closed);
    const admin = auth.client(auth.keys.serviceRoleKey).auth.admin;
    expect((await admin.createUser({ email, email_confirm: true })).error).toBeNull();
    expect((await post(auth, "/otp", { email })).status).toBe(200);
  });

  test("[auth.email] enable_signup", async () => {
    const auth = await startWith("[auth.email]\nenable_signup = false");
    const body = { email: newAddress(), password: PASSWORD };
    const code = "email_provider_disabled";
    expect(await refusal(auth, "/signup", body)).toEqual([400, code]);
    expect(await refusal(auth, "/token?grant_type=password", body)).toEqual([422, code]);
    expect(await refusal(auth, "/otp", body)).toEqual([422, code]);
    expect(await refusal(auth, "/recover", body)).toEqual([400, code]);
    expect(await refusal(auth, "/resend", { type: "signup", ...body })).toEqual([400, code]);
    expect((await (await auth.http("/settings")).json()).external.email).toBe(false);
  });

  test("enable_anonymous_sign_ins", async () => {
    const auth = await startWith("");
    expect(await refusal(auth, "/signup", {})).toEqual([422, "anonymous_provider_disabled"]);
  });

  test("minimum_password_length and password_requirements, with their reasons", async () => {
    const auth = await startWith(
      "[auth]\nminimum_password_length = 8\npassword_requirements = 'lower_upper_letters_digits_symbols'",
    );
    const weak = async (password: string, version?: string) => {
      const headers = version ? { "x-supabase-api-version": version } : {};
      return post(auth, "/signup", { email: newAddress(), password }, headers);
    };
    const both = await weak("ab");
    expect(both.status).toBe(422);
    expect(both.body).toMatchObject({
      code: 422,
      error_code: "weak_password",
      msg: expect.stringMatching(
        /^Password should be at least 8 characters\. Password should contain at least one character of each: abc.*, ABC.*, 0123456789, !@#/,
      ),
      weak_password: { reasons: ["length", "characters"] },
    });
    expect((await weak("ab", "2024-01-01")).body).toEqual({
      code: "weak_password",
      message: both.body.msg,
      weak_password: { reasons: ["length", "characters"] },
    });
    expect((await weak("abcdefg1")).body.weak_password.reasons).toEqual(["characters"]);
    expect((await weak("Abcdefg1")).body.weak_password.reasons).toEqual(["characters"]);
    expect((await weak("Abcdef1!")).status).toBe(200);
    // A user who signs up by mail has no password that could be weak.
    expect((await post(auth, "/otp", { email: newAddress() })).status).toBe(200);
  });

  test("a password that has become weak signs in, and the client gets a warning", async () => {
    const email = newAddress();
    await signUp(await startWith(""), email, "abcdef");
    const auth = await startWith("[auth]\npassword_requirements = 'letters_digits'");
    const { data, error } = await auth.client().auth.signInWithPassword({
      email,
      password: "abcdef",
    });
    expect(error).toBeNull();
    expect(data.weakPassword).toMatchObject({ reasons: ["characters"] });
  });

  test("[auth.sessions] timebox and inactivity_timeout", async () => {
    const auth = await startWith("[auth.sessions]\ntimebox = '24h'\ninactivity_timeout = '1h30m'");
    const refresh = async (token: string) =>
      post(auth, "/token?grant_type=refresh_token", { refresh_token: token });
    const age = (id: string, sessions: string) =>
      db.query(`update auth.sessions set ${sessions} where user_id = $1::uuid`, [id]);

    const idle = await signUp(auth);
    const fresh = await refresh(idle.refresh_token);
    expect(fresh.status).toBe(200);
    await age(idle.user.id, "refreshed_at = now() at time zone 'UTC' - interval '91 min'");
    expect((await refresh(fresh.body.refresh_token)).body).toMatchObject({
      error_code: "session_expired",
      msg: "Invalid Refresh Token: Session Expired (Inactivity)",
    });
    const old = await signUp(auth);
    await age(old.user.id, "created_at = now() - interval '25 h'");
    expect((await refresh(old.refresh_token)).body).toMatchObject({
      error_code: "session_expired",
      msg: "Invalid Refresh Token: Session Expired",
    });
  });

  test("jwt_expiry", async () => {
    const auth = await startWith("[auth]\njwt_expiry = 60");
    const { access_token, expires_in } = await signUp(auth);
    const { exp, iat } = decodeJwt(access_token);
    expect([expires_in, (exp ?? 0) - (iat ?? 0)]).toEqual([60, 60]);
  });

  test("refresh_token_reuse_interval and enable_refresh_token_rotation", async () => {
    const auth = await startWith(
      "[auth]\nrefresh_token_reuse_interval = 0\nenable_refresh_token_rotation = false",
    );
    const refresh = async (token: string) =>
      (await post(auth, "/token?grant_type=refresh_token", { refresh_token: token })).body;
    const { refresh_token: first } = await signUp(auth);
    const second = await refresh(first);
    const third = await refresh(second.refresh_token);
    expect((await refresh(first)).error_code).toBe("refresh_token_already_used");
    // Without rotation, the token family stays valid.
    expect((await refresh(third.refresh_token)).access_token).toBeTruthy();
  });

  test("otp_length, otp_expiry and max_frequency", async () => {
    const auth = await startWith(
      "[auth.email]\nenable_confirmations = true\notp_length = 8\notp_expiry = 60\nmax_frequency = '1m'",
    );
    const email = newAddress();
    await signUp(auth, email);
    const { code = "" } = auth.mailbox.mails()[0] ?? {};
    expect(code).toMatch(/^\d{8}$/);
    expect((await post(auth, "/resend", { type: "signup", email })).body).toMatchObject({
      code: 429,
      error_code: "over_email_send_rate_limit",
      msg: expect.stringMatching(
        /^For security purposes, you can only request this after \d+ seconds\.$/,
      ),
    });
    await db.query(
      "update auth.users set confirmation_sent_at = now() - interval '61 s' where email = $1",
      [email],
    );
    const proof = { type: "email", email, token: code };
    expect(await refusal(auth, "/verify", proof)).toEqual([403, "otp_expired"]);
    expect((await post(auth, "/resend", { type: "signup", email })).status).toBe(200);
  });

  test("secure_password_change requires a nonce, which is valid once", async () => {
    const auth = await startWith(
      "[auth.email]\nsecure_password_change = true\nmax_frequency = '1ms'",
    );
    const email = newAddress();
    const client = auth.client();
    await client.auth.signUp({ email, password: PASSWORD });
    expect((await client.auth.updateUser({ password: "battery staple" })).error).toBeNull();
    await db.query("update auth.sessions set created_at = now() - interval '25 h'");
    const change = (password: string, nonce?: string) =>
      client.auth.updateUser({ password, nonce });
    expect((await change("other horse")).error?.code).toBe("reauthentication_needed");
    await client.auth.reauthenticate();
    const { code: nonce } = auth.mailbox.mails()[0] ?? { code: "" };
    const wrong = nonce === "000000" ? "000001" : "000000";
    expect((await change("other horse", wrong)).error?.code).toBe("reauthentication_not_valid");
    expect((await change("battery staple", nonce)).error?.code).toBe("same_password");
    expect((await change("other horse", nonce)).error?.code).toBe("reauthentication_not_valid");
    await client.auth.reauthenticate();
    const { code: second } = auth.mailbox.mails()[0] ?? { code: "" };
    expect((await change("other horse", second)).error).toBeNull();
  });

  test("double_confirm_changes off: the new address alone confirms", async () => {
    const auth = await startWith(
      "[auth.email]\nenable_confirmations = true\ndouble_confirm_changes = false\nmax_frequency = '1ms'",
    );
    const admin = auth.client(auth.keys.serviceRoleKey).auth.admin;
    const [email, moved] = [newAddress(), newAddress()];
    await admin.createUser({ email, password: PASSWORD, email_confirm: true });
    const client = auth.client();
    await client.auth.signInWithPassword({ email, password: PASSWORD });
    await client.auth.updateUser({ email: moved });
    expect(auth.mailbox.mails().map(({ to }) => to)).toEqual([moved]);
    const { code = "" } = auth.mailbox.mails()[0] ?? {};
    const { data } = await client.auth.verifyOtp({
      email: moved,
      token: code,
      type: "email_change",
    });
    expect(data.user?.email).toBe(moved);
    const link = await admin.generateLink({
      type: "email_change_current",
      email: moved,
      newEmail: email,
    });
    expect(link.error).toMatchObject({ status: 400, code: "validation_failed" });
  });

  test("the API version decides the form of an error", async () => {
    const auth = await startWith("");
    const wrong = { email: newAddress(), password: PASSWORD };
    const ask = (version: string) =>
      post(auth, "/token?grant_type=password", wrong, { "x-supabase-api-version": version });
    for (const version of ["2024-01-01", "2026-08-07"]) {
      const { body, headers } = await ask(version);
      expect(body).toEqual({ code: "invalid_credentials", message: "Invalid login credentials" });
      expect(headers.get("x-supabase-api-version")).toBe("2024-01-01");
      expect(headers.get("x-sb-error-code")).toBe("invalid_credentials");
    }
    for (const version of ["2023-12-31", "soon", ""]) {
      const { body, headers } = await ask(version);
      expect(body).toEqual({
        code: 400,
        error_code: "invalid_credentials",
        msg: "Invalid login credentials",
      });
      expect(headers.get("x-supabase-api-version")).toBeNull();
    }
  });

  test("phone, second factors and providers are refused with the code of hosted Supabase and name where they work", async () => {
    const auth = await startWith("");
    const { access_token: token } = await signUp(auth);
    const phone = "+4915112345678";
    const password = PASSWORD;
    const cases: [string, object, number, string][] = [
      ["/signup", { phone, password }, 400, "phone_provider_disabled"],
      ["/otp", { phone }, 400, "phone_provider_disabled"],
      ["/resend", { type: "sms", phone }, 400, "phone_provider_disabled"],
      ["/token?grant_type=password", { phone, password }, 422, "phone_provider_disabled"],
      ["/token?grant_type=id_token", {}, 400, "provider_disabled"],
      ["/token?grant_type=web3", {}, 422, "web3_provider_disabled"],
      ["/authorize?provider=github", {}, 400, "validation_failed"],
      ["/factors", { factor_type: "totp" }, 422, "mfa_totp_enroll_not_enabled"],
      ["/factors", { factor_type: "phone" }, 422, "mfa_phone_enroll_not_enabled"],
      ["/factors", { factor_type: "webauthn" }, 422, "mfa_webauthn_enroll_not_enabled"],
      ["/factors/1/challenge", {}, 404, "mfa_factor_not_found"],
      ["/user/identities/authorize", {}, 404, "manual_linking_disabled"],
      ["/passkeys/authentication/options", {}, 404, "passkey_disabled"],
      ["/sso", {}, 404, "saml_provider_disabled"],
      ["/oauth/authorize", {}, 404, "feature_disabled"],
    ];
    for (const [path, body, status, code] of cases) {
      const answer = await post(auth, path, body, { authorization: `Bearer ${token}` });
      expect([path, answer.status, answer.body.error_code]).toEqual([path, status, code]);
      expect(answer.body.msg).toContain("not in the local stack: try it on a hosted project");
    }
    expect(await refusal(auth, "/signup", { email: newAddress(), phone, password })).toEqual([
      400,
      "validation_failed",
    ]);
  });

  test("names of properties of every JavaScript object are not types, grants or kinds", async () => {
    const auth = await startWith("");
    const { access_token: token } = await signUp(auth);
    for (const name of ["constructor", "__proto__", "toString"]) {
      const verified = await refusal(auth, "/verify", { type: name, token_hash: "x" });
      expect(verified).toEqual([400, "validation_failed"]);
      const granted = await refusal(auth, `/token?grant_type=${name}`, {});
      expect(granted).toEqual([400, "invalid_credentials"]);
      const headers = { authorization: `Bearer ${token}` };
      const { status } = await post(auth, "/factors", { factor_type: name }, headers);
      expect(status).toBe(400);
    }
  });

  test("an invalid configuration is refused at the start", async () => {
    await expect(startAuth(db, "[auth]\nsite_url = 'nowhere'")).rejects.toThrow("site_url");
    await expect(
      startAuth(db, "[auth.hook.custom_access_token]\nenabled = true\nuri = 'https://x'"),
    ).rejects.toThrow("not in the local stack");
    const warned = await startWith("[auth.hook.send_email]\nenabled = true\nuri = 'https://x'");
    expect(warned.lines.join()).toContain("[auth.hook.send_email] is enabled but never called");
    await expect(configOf("[auth.email]\nmax_frequency = 'soon'")).rejects.toThrow("max_frequency");
  });
});
