import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../src/db/database.js";
import { newAddress, openDatabase, PASSWORD, type Running, startAuth } from "./auth-fixture.js";
import { oneServer } from "./servers.js";

describe.each(oneServer)("auth on %s", (server) => {
  let db: Database;
  let auth: Running;

  beforeAll(async () => {
    db = await openDatabase(server);
    auth = await startAuth(db, "[auth]\nsite_url = 'http://127.0.0.1:3000'");
  });
  afterAll(async () => {
    await auth?.stop();
    await db?.close();
  });

  async function signedUp() {
    const client = auth.client();
    const email = newAddress();
    const { data, error } = await client.auth.signUp({ email, password: PASSWORD });
    expect(error).toBeNull();
    if (!data.session || !data.user) throw new Error("no session");
    return { client, email, user: data.user, session: data.session };
  }
  const refresh = (token: string) =>
    auth.http("/token?grant_type=refresh_token", {
      method: "POST",
      body: JSON.stringify({ refresh_token: token }),
    });
  const users = (email: string) => db.query("select id from auth.users where email = $1", [email]);

  describe("sign-up", () => {
    test("returns a session with the claims of hosted Supabase", async () => {
      const client = auth.client();
      const email = newAddress();
      const { data, error } = await client.auth.signUp({
        email: email.toUpperCase(),
        password: PASSWORD,
        options: { data: { name: "Ada" } },
      });
      expect(error).toBeNull();
      expect(data.user).toMatchObject({
        email,
        aud: "authenticated",
        role: "authenticated",
        phone: "",
        is_anonymous: false,
        app_metadata: { provider: "email", providers: ["email"] },
        user_metadata: { name: "Ada", email, email_verified: true, sub: data.user?.id },
        identities: [{ provider: "email", id: data.user?.id, email }],
      });
      expect(data.user).not.toHaveProperty("encrypted_password");
      const claims = decodeJwt(data.session?.access_token ?? "");
      expect(claims).toEqual({
        iss: `${auth.url}/auth/v1`,
        sub: data.user?.id,
        aud: "authenticated",
        exp: (claims.iat ?? 0) + 3600,
        iat: expect.any(Number),
        email,
        phone: "",
        app_metadata: { provider: "email", providers: ["email"] },
        user_metadata: data.user?.user_metadata,
        role: "authenticated",
        aal: "aal1",
        amr: [{ method: "password", timestamp: expect.any(Number) }],
        session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        is_anonymous: false,
      });
      expect(data.session?.expires_in).toBe(3600);
    });

    test("refuses a used address, and a weak, missing or overlong password", async () => {
      const { email } = await signedUp();
      const attempt = (address: string, password: string) =>
        auth.client().auth.signUp({ email: address, password });
      expect((await attempt(email, PASSWORD)).error).toMatchObject({
        status: 422,
        code: "user_already_exists",
      });
      expect((await attempt(newAddress(), "short")).error).toMatchObject({
        status: 422,
        code: "weak_password",
        reasons: ["length"],
      });
      expect((await attempt(newAddress(), "")).error).toMatchObject({ code: "validation_failed" });
      expect((await attempt(newAddress(), "ü".repeat(37))).error).toMatchObject({
        code: "validation_failed",
      });
      expect((await attempt("nobody", PASSWORD)).error).toMatchObject({
        status: 400,
        code: "validation_failed",
      });
    });

    test("accepts one of 20 at the same address", async () => {
      const email = newAddress();
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => auth.client().auth.signUp({ email, password: PASSWORD })),
      );
      const refused = answers.filter(({ error }) => error);
      expect(refused).toHaveLength(19);
      // One that does not find the account yet, and cannot create it, gets 500, as on hosted projects.
      for (const { error } of refused) expect([422, 500]).toContain(error?.status);
      const { error } = await auth.client().auth.signUp({ email, password: PASSWORD });
      expect(error?.code).toBe("user_already_exists");
      expect(await users(email)).toHaveLength(1);
    });
  });

  describe("sign-in", () => {
    test("accepts the right password whatever the case of the address", async () => {
      const { email, user } = await signedUp();
      const { data, error } = await auth
        .client()
        .auth.signInWithPassword({ email: email.toUpperCase(), password: PASSWORD });
      expect(error).toBeNull();
      expect(data.user?.id).toBe(user.id);
    });

    test("answers a wrong password and an unknown address alike", async () => {
      const { email } = await signedUp();
      const attempt = async (address: string) => {
        const answer = await auth.http("/token?grant_type=password", {
          method: "POST",
          body: JSON.stringify({ email: address, password: "wrong horse" }),
        });
        return { status: answer.status, body: await answer.json() };
      };
      const expected = {
        status: 400,
        body: { code: 400, error_code: "invalid_credentials", msg: "Invalid login credentials" },
      };
      expect(await attempt(email)).toEqual(expected);
      expect(await attempt(newAddress())).toEqual(expected);
    });

    test("accepts users seeded with pgcrypto", async () => {
      const email = newAddress();
      await db.query(
        `with seeded as (
           insert into auth.users (
             instance_id, id, aud, role, email, encrypted_password, email_confirmed_at,
             raw_app_meta_data, raw_user_meta_data, created_at, updated_at,
             confirmation_token, email_change, email_change_token_new, recovery_token
           ) values (
             '00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated',
             'authenticated', $1, extensions.crypt('seeded', extensions.gen_salt('bf')), now(),
             '{"provider": "email", "providers": ["email"]}', '{}', now(), now(), '', '', '', ''
           ) returning id, email
         )
         insert into auth.identities (
           id, user_id, identity_data, provider, provider_id, last_sign_in_at, created_at, updated_at
         ) select gen_random_uuid(), id, jsonb_build_object('sub', id, 'email', email), 'email', id,
             now(), now(), now() from seeded`,
        [email],
      );
      const { data, error } = await auth
        .client()
        .auth.signInWithPassword({ email, password: "seeded" });
      expect(error).toBeNull();
      expect(data.user?.identities).toHaveLength(1);
    });

    test("fails as hosted Supabase on a seed that leaves tokens null, and names them", async () => {
      const email = newAddress();
      await db.query(
        `insert into auth.users (instance_id, id, aud, role, email, encrypted_password,
           email_confirmed_at, created_at, updated_at)
         values ('00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated',
           'authenticated', $1, extensions.crypt('seeded', extensions.gen_salt('bf')), now(),
           now(), now())`,
        [email],
      );
      const answer = await auth.http("/token?grant_type=password", {
        method: "POST",
        body: JSON.stringify({ email, password: "seeded" }),
      });
      expect(answer.status).toBe(500);
      expect((await answer.json()).msg).toBe("Database error querying schema");
      expect(auth.lines.at(-1)).toContain("null in confirmation_token, recovery_token");
    });
  });

  describe("refresh", () => {
    test("rotates, and keeps the session", async () => {
      const { client, session } = await signedUp();
      const { data, error } = await client.auth.refreshSession();
      expect(error).toBeNull();
      expect(data.session?.refresh_token).not.toBe(session.refresh_token);
      const [before, after] = [session, data.session].map((s) => decodeJwt(s?.access_token ?? ""));
      expect(after?.session_id).toBe(before?.session_id);
      expect(after?.amr).toEqual(before?.amr);
    });

    test("gives two parallel requests with one token the same successor", async () => {
      const { session } = await signedUp();
      const answers = await Promise.all([
        refresh(session.refresh_token),
        refresh(session.refresh_token),
      ]);
      expect(answers.map((answer) => answer.status)).toEqual([200, 200]);
      const [one, two] = await Promise.all(answers.map((answer) => answer.json()));
      expect(one.refresh_token).toBe(two.refresh_token);
    });

    test("accepts a used token within the interval; after it, revokes the family", async () => {
      const { session } = await signedUp();
      const next = async (token: string): Promise<string> => {
        const answer = await refresh(token);
        expect(answer.status).toBe(200);
        return (await answer.json()).refresh_token;
      };
      const age = (token: string) =>
        db.query(
          "update auth.refresh_tokens set updated_at = now() - interval '11 s' where token = $1",
          [token],
        );
      const first = session.refresh_token;
      const second = await next(first);
      await age(first);
      // Its successor was never used, so the answer was lost, however long ago.
      expect(await next(first)).toBe(second);
      const third = await next(second);
      const fourth = await next(second);
      expect(fourth).toBe(third);
      await age(first);

      const reused = await refresh(first);
      expect(reused.status).toBe(400);
      expect(await reused.json()).toMatchObject({ error_code: "refresh_token_already_used" });
      const alive = await db.query(
        "select token from auth.refresh_tokens where user_id = $1 and not revoked",
        [session.user.id],
      );
      expect(alive).toEqual([]);
      await age(third);
      expect((await refresh(third)).status).toBe(400);
    });

    test("accepts a token with newer successors while the interval lasts", async () => {
      const { session } = await signedUp();
      const next = async (token: string) => (await (await refresh(token)).json()).refresh_token;
      await next(await next(session.refresh_token));
      expect((await refresh(session.refresh_token)).status).toBe(200);
    });

    test.each([
      ["abcdefghijkl", "refresh_token_not_found"],
      ["", "validation_failed"],
      ["x", "validation_failed"],
      ["null\u0000null", "validation_failed"],
      ["abcdefghijklm", "validation_failed"],
    ])("refuses an unknown token %j", async (token, code) => {
      const answer = await refresh(token);
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ error_code: code });
    });
  });

  describe("sign-out", () => {
    async function threeSessions() {
      const { client, email } = await signedUp();
      const others = await Promise.all(
        [1, 2].map(async () => {
          const other = auth.client();
          await other.auth.signInWithPassword({ email, password: PASSWORD });
          return other;
        }),
      );
      return [client, ...others] as const;
    }
    type Clients = Awaited<ReturnType<typeof threeSessions>>;
    const tokens = (clients: Clients) =>
      Promise.all(
        clients.map(async (client) => (await client.auth.getSession()).data.session?.access_token),
      );
    const statuses = (bearers: (string | undefined)[]) =>
      Promise.all(
        bearers.map(
          async (bearer) =>
            (await auth.http("/user", { headers: { authorization: `Bearer ${bearer}` } })).status,
        ),
      );

    test.each([
      ["local", [403, 200, 200]],
      ["others", [200, 403, 403]],
      ["global", [403, 403, 403]],
    ] as const)("%s ends the expected sessions", async (scope, expected) => {
      const clients = await threeSessions();
      const bearers = await tokens(clients);
      expect((await clients[0].auth.signOut({ scope })).error).toBeNull();
      expect(await statuses(bearers)).toEqual(expected);
    });

    test("removes the session and the refresh token", async () => {
      const { client, session } = await signedUp();
      await client.auth.signOut();
      const bearer = { headers: { authorization: `Bearer ${session.access_token}` } };
      const user = await auth.http("/user", bearer);
      expect(user.status).toBe(403);
      expect(await user.json()).toMatchObject({ error_code: "session_not_found" });
      expect(await (await refresh(session.refresh_token)).json()).toMatchObject({
        error_code: "refresh_token_not_found",
      });
    });

    test("requires a known scope and answers 204", async () => {
      const { session } = await signedUp();
      const post = (scope: string) =>
        auth.http(`/logout?scope=${scope}`, {
          method: "POST",
          headers: { authorization: `Bearer ${session.access_token}` },
        });
      expect((await post("everywhere")).status).toBe(400);
      expect((await post("global")).status).toBe(204);
    });
  });

  describe("the bearer token", () => {
    test("is refused with the messages of hosted Supabase", async () => {
      const { session } = await signedUp();
      const claims = decodeJwt(session.access_token);
      const cases: [string, number, string][] = [
        ["", 401, "no_authorization"],
        ["Bearer nonsense", 403, "bad_jwt"],
        [`Bearer ${session.access_token.slice(0, -4)}AAAA`, 403, "bad_jwt"],
        [`Bearer ${await auth.keys.sign({ ...claims, exp: 1 })}`, 403, "bad_jwt"],
        [`Bearer ${auth.keys.anonKey}`, 403, "bad_jwt"],
        [
          `Bearer ${await auth.keys.sign({ ...claims, sub: crypto.randomUUID() })}`,
          403,
          "user_not_found",
        ],
        [
          `Bearer ${await auth.keys.sign({ ...claims, session_id: crypto.randomUUID() })}`,
          403,
          "session_not_found",
        ],
      ];
      for (const [authorization, status, code] of cases) {
        const answer = await auth.http("/user", {
          headers: authorization ? { authorization } : {},
        });
        expect([answer.status, (await answer.json()).error_code]).toEqual([status, code]);
      }
    });
  });

  describe("the user's own account", () => {
    test("is read and changed", async () => {
      const { client, user } = await signedUp();
      expect((await client.auth.getUser()).data.user?.id).toBe(user.id);
      await client.auth.updateUser({ data: { name: "Ada", gone: 1 } });
      const { data } = await client.auth.updateUser({ data: { gone: null, deep: { nil: null } } });
      expect(data.user?.user_metadata).toMatchObject({ name: "Ada", deep: { nil: null } });
      expect(data.user?.user_metadata).not.toHaveProperty("gone");
    });

    test("a new password ends the other sessions and must differ from the old one", async () => {
      const { client, email } = await signedUp();
      const other = auth.client();
      await other.auth.signInWithPassword({ email, password: PASSWORD });
      expect((await client.auth.updateUser({ password: PASSWORD })).error?.code).toBe(
        "same_password",
      );
      expect((await client.auth.updateUser({ password: "battery staple" })).error).toBeNull();
      expect((await client.auth.getUser()).error).toBeNull();
      expect((await other.auth.getUser()).error).not.toBeNull();
      const again = await auth
        .client()
        .auth.signInWithPassword({ email, password: "battery staple" });
      expect(again.error).toBeNull();
    });

    test("app_metadata cannot be changed by the user", async () => {
      const { session } = await signedUp();
      const answer = await auth.http("/user", {
        method: "PUT",
        headers: { authorization: `Bearer ${session.access_token}` },
        body: JSON.stringify({ app_metadata: { role: "admin" } }),
      });
      expect(answer.status).toBe(403);
    });
  });

  describe("the administrator", () => {
    const admin = () => auth.client(auth.keys.serviceRoleKey).auth.admin;

    test("creates, finds, lists, changes and deletes users", async () => {
      const email = newAddress();
      const created = await admin().createUser({
        email,
        password: PASSWORD,
        email_confirm: true,
        user_metadata: { name: "Ada" },
        app_metadata: { tier: "gold" },
      });
      expect(created.error).toBeNull();
      const id = created.data.user?.id ?? "";
      expect(created.data.user).toMatchObject({
        user_metadata: { name: "Ada", email_verified: true },
        app_metadata: { provider: "email", providers: ["email"], tier: "gold" },
      });
      expect((await admin().createUser({ email })).error?.code).toBe("email_exists");
      expect((await admin().getUserById(id)).data.user?.email).toBe(email);
      const list = await admin().listUsers({ page: 1, perPage: 1 });
      expect(list.data.users[0]?.id).toBe(id);
      expect(list.data).toMatchObject({ nextPage: 2, total: expect.any(Number) });

      const moved = newAddress();
      const changed = await admin().updateUserById(id, {
        email: moved,
        password: "battery staple",
        app_metadata: { tier: null },
        ban_duration: "1h30m",
      });
      expect(changed.data.user).toMatchObject({ email: moved, banned_until: expect.any(String) });
      expect(changed.data.user?.app_metadata).not.toHaveProperty("tier");
      const signIn = () =>
        auth.client().auth.signInWithPassword({ email: moved, password: "battery staple" });
      expect((await signIn()).error?.code).toBe("user_banned");
      await admin().updateUserById(id, { ban_duration: "none" });
      expect((await signIn()).error).toBeNull();

      expect((await admin().deleteUser(id)).error).toBeNull();
      expect((await admin().getUserById(id)).error).toMatchObject({
        status: 404,
        code: "user_not_found",
      });
    });

    test("deletes users softly", async () => {
      const { email, user, client } = await signedUp();
      expect((await admin().deleteUser(user.id, true)).error).toBeNull();
      const [row] = await db.query("select email, deleted_at from auth.users where id = $1", [
        user.id,
      ]);
      expect(row).toMatchObject({ deleted_at: expect.any(String) });
      expect(row?.email).not.toContain("example.com");
      expect((await client.auth.getUser()).error).not.toBeNull();
      expect((await auth.client().auth.signUp({ email, password: PASSWORD })).error).toBeNull();
    });

    test("requires the service role", async () => {
      const { session } = await signedUp();
      const ask = async (authorization?: string) => {
        const answer = await auth.http("/admin/users", {
          headers: authorization ? { authorization } : {},
        });
        return [answer.status, (await answer.json()).error_code];
      };
      expect(await ask()).toEqual([401, "no_authorization"]);
      expect(await ask(`Bearer ${auth.keys.anonKey}`)).toEqual([403, "not_admin"]);
      expect(await ask(`Bearer ${session.access_token}`)).toEqual([403, "not_admin"]);
    });
  });

  describe("the tables", () => {
    test.each(["anon", "authenticated", "service_role"])("are closed to %s", async (role) => {
      for (const table of [
        "users",
        "identities",
        "sessions",
        "refresh_tokens",
        "one_time_tokens",
      ]) {
        await expect(db.run({ role }, `select * from auth.${table}`)).rejects.toMatchObject({
          code: "42501",
        });
      }
    });
  });

  test("public endpoints need no token, and unsupported endpoints answer with an error", async () => {
    expect(await (await auth.http("/health")).json()).toMatchObject({ name: "GoTrue" });
    expect(await (await auth.http("/.well-known/jwks.json")).json()).toEqual({ keys: [] });
    expect(await (await auth.http("/settings")).json()).toMatchObject({
      external: { email: true, phone: false, anonymous_users: false },
      disable_signup: false,
      mailer_autoconfirm: true,
    });
    const refused = async (path: string, method = "GET") => {
      const answer = await auth.http(path, { method });
      const body = await answer.json();
      expect(body.msg).toContain("not in the local stack");
      return [answer.status, body.error_code];
    };
    expect(await refused("/authorize?provider=github")).toEqual([400, "validation_failed"]);
    expect(await refused("/sso", "POST")).toEqual([404, "saml_provider_disabled"]);
    expect(await refused("/passkeys")).toEqual([404, "passkey_disabled"]);
    expect((await auth.http("/factors", { method: "POST" })).status).toBe(401);
    expect((await auth.http("/nowhere")).status).toBe(404);
  });

  test.each([
    "",
    "{",
    "[]",
    '"x"',
    '{"email": 5}',
  ])("a body of %j is refused as bad_json", async (body) => {
    const answer = await auth.http("/signup", { method: "POST", body });
    expect(answer.status).toBe(400);
    expect((await answer.json()).error_code).toBe("bad_json");
  });

  test("a body of null is one without fields", async () => {
    const answer = await auth.http("/signup", { method: "POST", body: "null" });
    expect([answer.status, (await answer.json()).error_code]).toEqual([
      422,
      "anonymous_provider_disabled",
    ]);
  });
});
