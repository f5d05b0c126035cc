import { createClient } from "@supabase/supabase-js";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import ws from "ws";
import type { Database } from "../src/db/database.js";
import { newAddress, openDatabase, PASSWORD, type Running, startAuth } from "./auth-fixture.js";
import { oneServer } from "./servers.js";

const CONFIRMING = `
[auth]
site_url = "http://localhost:3000"
additional_redirect_urls = ["https://*.example.com/**", "app://callback"]
enable_anonymous_sign_ins = true
[auth.email]
enable_confirmations = true
max_frequency = "1ms"
[local_smtp]
sender_name = "Souk"
`;

describe.each(oneServer)("mails on %s", (server) => {
  let db: Database;
  let auth: Running;

  beforeAll(async () => {
    db = await openDatabase(server);
    auth = await startAuth(db, CONFIRMING);
  });
  afterAll(async () => {
    await auth?.stop();
    await db?.close();
  });
  beforeEach(() => auth.mailbox.remove());

  const admin = () => auth.client(auth.keys.serviceRoleKey).auth.admin;
  function mailTo(email: string) {
    const mail = auth.mailbox.mails().find(({ to }) => to === email);
    if (!mail) throw new Error(`no mail to ${email}`);
    return mail;
  }
  /** Opens the link of a mail as a browser does. Resolves with the fragment of the redirect. */
  async function follow(link: string | null) {
    const answer = await fetch(link ?? "", { redirect: "manual" });
    expect(answer.status).toBe(303);
    const landed = new URL(answer.headers.get("location") ?? "");
    return { landed, params: Object.fromEntries(new URLSearchParams(landed.hash.slice(1))) };
  }
  async function confirmed() {
    const email = newAddress();
    await admin().createUser({ email, password: PASSWORD, email_confirm: true });
    const client = auth.client();
    const { data } = await client.auth.signInWithPassword({ email, password: PASSWORD });
    return { email, client, user: data.user };
  }

  test("a sign-up requires its mail", async () => {
    const email = newAddress();
    const client = auth.client();
    const { data, error } = await client.auth.signUp({
      email,
      password: PASSWORD,
      options: { emailRedirectTo: "https://shop.example.com/welcome" },
    });
    expect(error).toBeNull();
    expect(data.session).toBeNull();
    expect(data.user).toMatchObject({ email, confirmation_sent_at: expect.any(String) });
    const signIn = () => auth.client().auth.signInWithPassword({ email, password: PASSWORD });
    expect((await signIn()).error?.code).toBe("email_not_confirmed");

    const { landed, params } = await follow(mailTo(email).link);
    expect(landed.origin + landed.pathname).toBe("https://shop.example.com/welcome");
    expect(params).toMatchObject({ type: "signup", token_type: "bearer", expires_in: "3600" });
    const { data: who } = await auth.client().auth.getUser(params.access_token);
    expect(who.user).toMatchObject({ email, user_metadata: { email_verified: true } });
    expect((await signIn()).error).toBeNull();

    const again = await follow(mailTo(email).link);
    expect(again.params).toMatchObject({ error: "access_denied", error_code: "otp_expired" });
    const left = await db.query("select id from auth.one_time_tokens where relates_to = $1", [
      email,
    ]);
    expect(left).toEqual([]);
  });

  test("a sign-up, a recovery, a magic link and an invitation arrive at the mail port, and their links work", async () => {
    const follows = async (email: string) => {
      const found = await fetch(`${auth.mailpit}/api/v1/search?query=to:${email}`);
      const [{ ID, Subject }] = (await found.json()).messages;
      const { HTML, Text, From } = await (
        await fetch(`${auth.mailpit}/api/v1/message/${ID}`)
      ).json();
      expect(From).toEqual({ Name: "Souk", Address: "admin@email.com" });
      const link = /href="([^"]+)"/.exec(HTML)?.[1]?.replaceAll("&amp;", "&") ?? "";
      expect(link.startsWith(`${auth.url}/auth/v1/verify?`)).toBe(true);
      expect(Text).toContain(link);
      expect(Text).toMatch(/^\d{6}$/m);
      const { params } = await follow(link);
      const { data } = await auth.client().auth.getUser(params.access_token);
      return [Subject, data.user?.email];
    };
    const email = newAddress();
    const client = auth.client();
    await client.auth.signUp({ email, password: PASSWORD });
    expect(await follows(email)).toEqual(["Confirm your email address", email]);
    await client.auth.resetPasswordForEmail(email);
    expect(await follows(email)).toEqual(["Reset your password", email]);
    await client.auth.signInWithOtp({ email });
    expect(await follows(email)).toEqual(["Your sign-in link", email]);
    const invited = newAddress();
    await admin().inviteUserByEmail(invited);
    expect(await follows(invited)).toEqual(["You've been invited", invited]);
  });

  test("sign-up answers the same for a used and a new address", async () => {
    const { email, user } = await confirmed();
    const { data, error } = await auth.client().auth.signUp({ email, password: PASSWORD });
    expect(error).toBeNull();
    expect(data.user?.id).not.toBe(user?.id);
    expect(data.user).toMatchObject({ email, identities: [], role: "" });
    expect(auth.mailbox.mails()).toEqual([]);
  });

  test("a second sign-up before confirmation only sends another mail", async () => {
    const email = newAddress();
    const client = auth.client();
    const first = await client.auth.signUp({ email, password: PASSWORD });
    const second = await client.auth.signUp({ email, password: "another one" });
    expect(second.data.user?.id).toBe(first.data.user?.id);
    await follow(mailTo(email).link);
    const signIn = await client.auth.signInWithPassword({ email, password: PASSWORD });
    expect(signIn.error).toBeNull();
  });

  test("a code works in place of the link", async () => {
    const email = newAddress();
    await auth.client().auth.signUp({ email, password: PASSWORD });
    const { code } = mailTo(email);
    expect(code).toMatch(/^\d{6}$/);
    const verify = (token: string) => auth.client().auth.verifyOtp({ email, token, type: "email" });
    const wrong = await verify(code === "000000" ? "000001" : "000000");
    expect(wrong.error).toMatchObject({ status: 403, code: "otp_expired" });
    expect((await verify(code)).data.session?.user.email).toBe(email);
    expect((await verify(code)).error?.code).toBe("otp_expired");
  });

  test("an old mail has expired", async () => {
    const email = newAddress();
    await auth.client().auth.signUp({ email, password: PASSWORD });
    await db.query(
      "update auth.users set confirmation_sent_at = now() - interval '3601 s' where email = $1",
      [email],
    );
    expect((await follow(mailTo(email).link)).params.error_code).toBe("otp_expired");
  });

  test("recovery opens a session in which the password is changed", async () => {
    const { email } = await confirmed();
    const client = auth.client();
    await client.auth.resetPasswordForEmail(email, { redirectTo: "app://callback" });
    const { landed, params } = await follow(mailTo(email).link);
    expect(landed.protocol).toBe("app:");
    expect(params.type).toBe("recovery");
    await client.auth.setSession({
      access_token: params.access_token ?? "",
      refresh_token: params.refresh_token ?? "",
    });
    expect((await client.auth.updateUser({ password: "battery staple" })).error).toBeNull();
    const again = await client.auth.signInWithPassword({ email, password: "battery staple" });
    expect(again.error).toBeNull();
    expect((await client.auth.resetPasswordForEmail(newAddress())).error).toBeNull();
    expect(auth.mailbox.mails()).toHaveLength(1);
  });

  test("a magic link signs in, and signs up if requested", async () => {
    const { email } = await confirmed();
    await auth.client().auth.signInWithOtp({ email });
    expect((await follow(mailTo(email).link)).params.type).toBe("magiclink");
    const stranger = newAddress();
    const shut = await auth
      .client()
      .auth.signInWithOtp({ email: stranger, options: { shouldCreateUser: false } });
    expect(shut.error).toMatchObject({ status: 422, code: "otp_disabled" });
    await auth.client().auth.signInWithOtp({ email: stranger });
    const { code } = mailTo(stranger);
    const { data } = await auth
      .client()
      .auth.verifyOtp({ email: stranger, token: code, type: "email" });
    expect(data.user?.email_confirmed_at).toBeTruthy();
  });

  test("a mail is sent again, and the first one becomes invalid", async () => {
    const email = newAddress();
    const client = auth.client();
    await client.auth.signUp({ email, password: PASSWORD });
    const first = mailTo(email);
    expect((await client.auth.resend({ type: "signup", email })).error).toBeNull();
    const second = mailTo(email);
    expect(second).not.toBe(first);
    expect((await follow(first.link)).params.error_code).toBe("otp_expired");
    expect((await follow(second.link)).params.access_token).toBeTruthy();
  });

  test("an invitation creates a user who signs in by mail", async () => {
    const email = newAddress();
    const { data, error } = await admin().inviteUserByEmail(email, { data: { team: "blue" } });
    expect(error).toBeNull();
    expect(data.user).toMatchObject({
      invited_at: expect.any(String),
      user_metadata: { team: "blue" },
    });
    const { params } = await follow(mailTo(email).link);
    expect(params.type).toBe("invite");
    expect((await admin().inviteUserByEmail(email)).error?.code).toBe("email_exists");
  });

  test("a changed address is confirmed by the old and the new address", async () => {
    const { email, client, user } = await confirmed();
    const moved = newAddress();
    const { data, error } = await client.auth.updateUser({ email: moved });
    expect(error).toBeNull();
    expect(data.user).toMatchObject({ email, new_email: moved });
    expect((await follow(mailTo(moved).link)).params.message).toContain("other email");
    const { params } = await follow(mailTo(email).link);
    expect(params.type).toBe("email_change");
    const { data: found } = await admin().getUserById(user?.id ?? "");
    expect(found.user).toMatchObject({ email: moved, identities: [{ email: moved }] });
    const taken = await client.auth.updateUser({ email: (await confirmed()).email });
    expect(taken.error?.code).toBe("email_exists");
  });

  test.each([
    "signup",
    "magiclink",
    "recovery",
    "invite",
  ] as const)("generateLink returns a working %s link and sends no mail", async (type) => {
    const email = type === "signup" || type === "invite" ? newAddress() : (await confirmed()).email;
    const { data, error } = await admin().generateLink({
      type,
      email,
      password: PASSWORD,
    } as never);
    expect(error).toBeNull();
    expect(data.properties).toMatchObject({
      verification_type: type,
      redirect_to: "http://localhost:3000",
    });
    expect(auth.mailbox.mails()).toEqual([]);
    const { data: by } = await auth.client().auth.verifyOtp({
      type: "email",
      token_hash: data.properties?.hashed_token ?? "",
    });
    expect(by.user?.email).toBe(email);
  });

  test("an anonymous user signs in, and sets an address later", async () => {
    const client = auth.client();
    const { data, error } = await client.auth.signInAnonymously({ options: { data: { cart: 1 } } });
    expect(error).toBeNull();
    expect(data.user).toMatchObject({ is_anonymous: true, app_metadata: {}, identities: [] });
    const early = await client.auth.updateUser({ password: PASSWORD });
    expect(early.error?.code).toBe("validation_failed");
    const email = newAddress();
    await client.auth.updateUser({ email });
    await follow(mailTo(email).link);
    const { data: now } = await client.auth.getUser();
    expect(now.user).toMatchObject({ id: data.user?.id, email, is_anonymous: false });
  });

  test("a foreign redirect address is replaced by the site's", async () => {
    for (const redirectTo of [
      "http://evil.test:3000/",
      "https://evil.test/",
      "https://example.com.evil.test/",
      "javascript:x",
    ]) {
      const email = newAddress();
      await auth.client().auth.signUp({
        email,
        password: PASSWORD,
        options: { emailRedirectTo: redirectTo },
      });
      expect((await follow(mailTo(email).link)).landed.origin).toBe("http://localhost:3000");
    }
  });

  describe("in a PKCE flow", () => {
    /** A client that keeps its verifier, as a browser does. */
    function browser() {
      const kept = new Map<string, string>();
      return createClient(auth.url, auth.keys.anonKey, {
        realtime: { transport: ws as never },
        auth: {
          flowType: "pkce",
          autoRefreshToken: false,
          detectSessionInUrl: false,
          storage: {
            getItem: (key) => kept.get(key) ?? null,
            setItem: (key, value) => void kept.set(key, value),
            removeItem: (key) => void kept.delete(key),
          },
        },
      });
    }
    const codeOf = async (email: string) => {
      const { landed } = await follow(mailTo(email).link);
      expect(landed.hash).toBe("");
      return landed.searchParams.get("code") ?? "";
    };

    test("a mail redirects with a code that only the client that started the flow can use", async () => {
      const email = newAddress();
      const client = browser();
      expect((await client.auth.signUp({ email, password: PASSWORD })).error).toBeNull();
      const code = await codeOf(email);
      const thief = browser();
      await thief.auth.signInWithOtp({ email: newAddress() });
      const stolen = await thief.auth.exchangeCodeForSession(code);
      expect(stolen.error).toMatchObject({ status: 400, code: "bad_code_verifier" });
      const { data, error } = await client.auth.exchangeCodeForSession(code);
      expect(error).toBeNull();
      expect(data.user?.email).toBe(email);
      expect(decodeJwt(data.session?.access_token ?? "").amr).toMatchObject([
        { method: "email/signup" },
      ]);
      const again = await auth.http("/token?grant_type=pkce", {
        method: "POST",
        body: JSON.stringify({ auth_code: code, code_verifier: "x" }),
      });
      expect(again.status).toBe(404);
    });

    test("recovery and a typed code work as well", async () => {
      const { email } = await confirmed();
      const client = browser();
      await client.auth.resetPasswordForEmail(email);
      const { data } = await client.auth.exchangeCodeForSession(await codeOf(email));
      expect(data.user?.email).toBe(email);
      await client.auth.signInWithOtp({ email });
      const typed = await client.auth.verifyOtp({
        email,
        token: mailTo(email).code,
        type: "email",
      });
      expect(typed.error).toBeNull();
    });

    test("an unused code expires", async () => {
      const email = newAddress();
      const client = browser();
      await client.auth.signUp({ email, password: PASSWORD });
      const code = await codeOf(email);
      await db.query("update auth.flow_state set created_at = now() - interval '301 s'");
      const late = await client.auth.exchangeCodeForSession(code);
      expect(late.error?.code).toBe("flow_state_expired");
    });
  });

  test.each([
    "1m",
    "0s",
  ])("a mail before the minimum interval is refused (%s)", async (interval) => {
    // As on hosted projects, 0 is the default of a minute.
    const slow = await startAuth(db, CONFIRMING.replace("1ms", interval));
    try {
      const email = newAddress();
      await slow.client().auth.signUp({ email, password: PASSWORD });
      const again = await slow.client().auth.resend({ type: "signup", email });
      expect(again.error).toMatchObject({ status: 429, code: "over_email_send_rate_limit" });
    } finally {
      await slow.stop();
    }
  });

  test("reauthentication sends a code", async () => {
    const { email, client } = await confirmed();
    expect((await client.auth.reauthenticate()).error).toBeNull();
    expect(mailTo(email)).toMatchObject({ link: null, code: expect.stringMatching(/^\d{6}$/) });
  });
});
