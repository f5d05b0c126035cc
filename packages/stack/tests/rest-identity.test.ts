import { SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openShop, type Shop } from "./rest-shop.js";
import { oneServer } from "./servers.js";

const alice = "11111111-1111-4111-8111-111111111111";

describe.each(oneServer)("permissions in REST on %s", (server) => {
  let shop: Shop;
  const ask = async (
    path: string,
    headers: Record<string, string> = {},
    init: RequestInit = {},
  ) => {
    const response = await shop.ask(path, { ...init, headers });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text && JSON.parse(text) };
  };
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

  beforeAll(async () => {
    shop = await openShop(server);
  });
  afterAll(() => shop?.close());

  test("the request's role, claims, headers and settings reach the database", async () => {
    const token = await shop.keys.sign({ role: "rest_clerk", sub: alice, extra: { a: 1 } });
    const { body } = await ask("/rpc/who?", {
      ...bearer(token),
      "X-Agent": 'it\'s "me"',
      Cookie: "a=b; biscuit=plain",
    });
    expect(body).toEqual({
      role: "rest_clerk",
      sub: alice,
      claims: expect.objectContaining({ role: "rest_clerk", extra: { a: 1 } }),
      method: "GET",
      path: "/rpc/who",
      agent: 'it\'s "me"',
      cookie: "plain",
      timeout: "11s",
      path_of_schemas: '"public", "public", "extensions"',
    });
    expect((await ask("/rpc/who")).body).toMatchObject({
      role: "anon",
      sub: null,
      timeout: "3s",
    });
    // It has no setting of its own, so that of authenticator holds, as which PostgREST logs in.
    expect((await ask("/rpc/who", bearer(shop.keys.serviceRoleKey))).body).toMatchObject({
      role: "service_role",
      timeout: "8s",
    });
  });

  test("tokens that are foreign, invalid or expired are refused", async () => {
    const foreign = await new SignJWT({ role: "service_role" })
      .setProtectedHeader({ alg: "HS256" })
      .sign(new TextEncoder().encode("another-secret-with-at-least-32-characters"));
    const none = `${btoa('{"alg":"none"}')}.${btoa('{"role":"service_role"}')}.`.replaceAll(
      "=",
      "",
    );
    const old = await shop.keys.sign({ role: "authenticated", exp: 1000 });
    for (const [token, code, message] of [
      [foreign, "PGRST301", "No suitable key or wrong key type"],
      [none, "PGRST301", "Wrong or unsupported encoding algorithm"],
      ["nonsense", "PGRST301", "Expected 3 parts in JWT; got 1"],
      [old, "PGRST303", "JWT expired"],
    ] as const) {
      const { status, headers, body } = await ask("/products", bearer(token));
      expect([status, body.code, body.message]).toEqual([401, code, message]);
      expect(headers.get("www-authenticate")).toContain('error="invalid_token"');
    }
  });

  test("a role that is not granted to authenticator is refused", async () => {
    for (const [role, status, code] of [
      ["postgres", 403, "42501"],
      ["supabase_auth_admin", 403, "42501"],
      ["nobody", 401, "22023"],
    ] as const) {
      const { status: got, body } = await ask("/products", bearer(await shop.keys.sign({ role })));
      expect([got, body.code]).toEqual([status, code]);
    }
  });

  test("grants apply per column", async () => {
    const token = bearer(await shop.keys.sign({ role: "authenticated" }));
    expect((await ask("/secrets?select=id")).status).toBe(401);
    expect((await ask("/secrets?select=id", bearer(shop.keys.anonKey))).status).toBe(401);
    expect(await ask("/secrets", token)).toMatchObject({ status: 403, body: { code: "42501" } });
    expect((await ask("/secrets?select=id,hint", token)).body).toEqual([{ id: 1, hint: "bird" }]);
    for (const path of [
      "/secrets?select=id&code=eq.hunter2",
      "/secrets?select=id&order=code",
      "/secrets?select=id&or=(code.like.h*,id.eq.5)",
      "/secrets?select=x:code",
    ]) {
      expect((await ask(path, token)).status).toBe(403);
    }
    const write = await ask(
      "/secrets",
      { ...token, "Content-Type": "application/json" },
      { method: "POST", body: '{"id":2,"code":"x"}' },
    );
    expect(write.status).toBe(403);
  });

  test("row-level security decides which rows can be read and written", async () => {
    const a = await shop.client({ role: "authenticated", tenant: "a" });
    expect((await a.from("notes").select("body")).data).toEqual([{ body: "of a" }]);
    const other = await a.from("notes").insert({ tenant: "b", id: 9, body: "mine" });
    expect([other.status, other.error?.code]).toEqual([403, "42501"]);
    expect((await a.from("notes").update({ body: "x" }).eq("tenant", "b").select()).data).toEqual(
      [],
    );
    expect((await (await shop.client(null)).from("notes").select()).data).toEqual([]);
  });

  test("concurrent requests keep their own identities", async () => {
    const tenants = Array.from({ length: 20 }, (_, i) => `t${i}`);
    for (const tenant of tenants) {
      await shop.db.query("insert into public.notes values ($1, 1, $1)", [tenant]);
    }
    const tokens = await Promise.all(
      tenants.map((tenant) => shop.keys.sign({ role: "authenticated", tenant })),
    );
    const answers = await Promise.all(
      Array.from({ length: 400 }, async (_, i) => {
        const n = i % tenants.length;
        const { body } = await ask("/notes?select=tenant", bearer(tokens[n] ?? ""));
        return [tenants[n], body] as const;
      }),
    );
    for (const [tenant, body] of answers) expect(body).toEqual([{ tenant }]);
    const [after] = await shop.db.query<{ own: boolean; claims: string | null }>(
      "select current_user = session_user as own, current_setting('request.jwt.claims', true) as claims",
    );
    expect(after?.own).toBe(true);
    expect(after?.claims ?? "").toBe("");
  });
});
