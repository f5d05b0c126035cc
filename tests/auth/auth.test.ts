import { randomUUID } from "node:crypto";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { query } from "../database.js";
import { ownStack } from "../own-stack.js";
import {
  call,
  expectRefusal,
  listProduct,
  must,
  openTestTenant,
  orderFor,
  PASSWORD,
  type Person,
  persist,
  register,
  stackInUse,
  supabaseAs,
  supabaseAsService,
} from "../souk.js";

const someEmail = () => `${randomUUID()}@example.com`;

function signUp(fields: object) {
  return call("POST", "/auth/register", {
    body: { email: someEmail(), password: PASSWORD, ...fields },
  });
}

function logIn(email: string, password: string) {
  return call("POST", "/auth/login", { body: { email, password } });
}

function refresh(refresh_token: string) {
  return call("POST", "/auth/refresh", { body: { refresh_token } });
}

function claimsOf(token: string) {
  return JSON.parse(Buffer.from(token.split(".")[1] as string, "base64url").toString());
}

/** The form of every answer with a session. */
function sessionOf(user: object) {
  return {
    access_token: expect.any(String),
    refresh_token: expect.any(String),
    token_type: "bearer",
    expires_in: 3600,
    expires_at: expect.any(Number),
    user,
  };
}

async function membersOf(tenantId: string) {
  const { data } = await supabaseAsService()
    .from("members")
    .select("user_id, role, status, supplier_id")
    .eq("tenant_id", tenantId)
    .throwOnError();
  return data;
}

async function tenantsNamed(name: string) {
  const { data } = await supabaseAsService()
    .from("tenants")
    .select("id")
    .eq("name", name)
    .throwOnError();
  return data;
}

describe("registering", () => {
  it("with a tenant name opens the tenant, with the caller as its admin", async () => {
    const email = someEmail();
    const tenant_name = `Oasis ${randomUUID()}`;
    const made = await signUp({ email, name: "Zahra", tenant_name });
    expect(made.status).toBe(201);
    expect(made.body).toEqual(
      sessionOf({
        id: expect.any(String),
        email,
        is_anonymous: false,
        name: "Zahra",
        role: "admin",
        tenant_id: expect.any(String),
      }),
    );
    const in_an_hour = Date.now() / 1000 + 3600;
    expect(Math.abs(made.body.expires_at - in_an_hour)).toBeLessThan(60);
    const { user, access_token } = made.body;
    expect(await tenantsNamed(tenant_name)).toEqual([{ id: user.tenant_id }]);
    expect(await membersOf(user.tenant_id)).toEqual([
      { user_id: user.id, role: "admin", status: "active", supplier_id: null },
    ]);
    expect(await must("GET", "/auth/me", { as: access_token })).toEqual({
      user,
      tenant: { id: user.tenant_id, name: tenant_name },
      role: "admin",
      content_roles: [],
      supplier_id: null,
      supplier: null,
      customer_id: null,
    });
  });

  it("with a tenant id joins it as a customer, or as a supplier if requested", async () => {
    const { tenantId } = await register({ tenant_name: "Oasis" });
    for (const fields of [{}, { role: "customer" }]) {
      const { body } = await signUp({ tenant_id: tenantId, ...fields });
      expect(body.user).toMatchObject({ role: "customer", tenant_id: tenantId });
      expect(await must("GET", "/auth/me", { as: body.access_token })).toMatchObject({
        role: "customer",
        customer_id: expect.any(String),
        supplier_id: null,
      });
    }
    const { body } = await signUp({ tenant_id: tenantId, role: "supplier", name: "Dates & Co" });
    expect(body.user).toMatchObject({ role: "supplier", tenant_id: tenantId });
    const me = await must("GET", "/auth/me", { as: body.access_token });
    expect(me).toMatchObject({
      role: "supplier",
      supplier: { id: me.supplier_id, name: "Dates & Co", verified: false },
      customer_id: null,
    });
    const { data } = await supabaseAsService()
      .from("suppliers")
      .select("tenant_id, name, verified")
      .eq("id", me.supplier_id)
      .throwOnError();
    expect(data).toEqual([{ tenant_id: tenantId, name: "Dates & Co", verified: false }]);
  });

  it("needs exactly one of tenant_name and tenant_id", async () => {
    const { tenantId } = await register({ tenant_name: "Oasis" });
    for (const fields of [{}, { tenant_name: "Another", tenant_id: tenantId }]) {
      const answer = await signUp(fields);
      expectRefusal(answer, 422, "VALIDATION_ERROR", { field: "tenant_name" });
    }
    expect(await membersOf(tenantId)).toHaveLength(1);
  });

  it("with a password of more than 72 bytes is refused", async () => {
    for (const [password, status] of [
      ["é".repeat(36), 201],
      ["é".repeat(37), 422],
    ] as const) {
      const body = { email: someEmail(), password, tenant_name: "Oasis" };
      const answer = await call("POST", "/auth/register", { body });
      expect(answer.status).toBe(status);
      if (status === 422) {
        expect(answer.body.error.details).toMatchObject({ field: "password", value: null });
      }
    }
  });

  it("with an unknown tenant id is NOT_FOUND", async () => {
    const tenant_id = randomUUID();
    expectRefusal(await signUp({ tenant_id }), 404, "NOT_FOUND", {
      field: "tenant_id",
      value: tenant_id,
    });
  });

  it.each([
    ["a short password", { password: "1234567" }, "password", null],
    ["no password", { password: undefined }, "password", null],
    ["no email", { email: undefined }, "email", null],
    ["an incomplete email", { email: "somebody" }, "email", "somebody"],
    ["an empty tenant name", { tenant_name: "" }, "tenant_name", ""],
    ["a long tenant name", { tenant_name: "a".repeat(201) }, "tenant_name", "a".repeat(201)],
    ["a name that is a number", { name: 7 }, "name", 7],
  ])("with %s is refused", async (_, fields, field, value) => {
    const answer = await signUp({ tenant_name: "Oasis", ...fields });
    expectRefusal(answer, 422, "VALIDATION_ERROR", { field, value });
  });

  it.each(["admin", "client", "owner", "ADMIN"])("as %s is refused", async (role) => {
    const { tenantId } = await register({ tenant_name: "Oasis" });
    const answer = await signUp({ tenant_id: tenantId, role });
    expectRefusal(answer, 422, "VALIDATION_ERROR", { field: "role", value: role });
    expect(await membersOf(tenantId)).toHaveLength(1);
  });

  it("with an email that has an account is a CONFLICT, and does not change the account", async () => {
    const somebody = await register({ tenant_name: "Oasis" });
    for (const email of [somebody.email, somebody.email.toUpperCase()]) {
      const answer = await signUp({ email, tenant_name: "Mine now", password: "another password" });
      expectRefusal(answer, 409, "CONFLICT", { field: "email", value: email });
    }
    const { body } = await logIn(somebody.email, somebody.password);
    expect(body.user).toMatchObject({ id: somebody.id, tenant_id: somebody.tenantId });
  });

  it("twenty times at once with one email creates one account and one membership", async () => {
    const { tenantId } = await register({ tenant_name: "Oasis" });
    const email = someEmail();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => signUp({ email, tenant_id: tenantId, role: "supplier" })),
    );
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(1);
    for (const answer of answers) {
      if (answer.status !== 201) expectRefusal(answer, 409, "CONFLICT", { field: "email" });
    }
    const members = await membersOf(tenantId);
    expect(members).toHaveLength(2);
    expect(members?.filter(({ user_id }) => user_id === made[0]?.body.user.id)).toHaveLength(1);
    const { count } = await supabaseAsService()
      .from("suppliers")
      .select("id", { count: "exact", head: true })
      .eq("tenant_id", tenantId)
      .throwOnError();
    expect(count).toBe(1);
  });
});

describe("logging in", () => {
  it("returns a session, as registering does", async () => {
    const { id, email, tenantId } = await register({ tenant_name: "Oasis" });
    const answer = await logIn(email.toUpperCase(), PASSWORD);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(
      sessionOf({
        id,
        email,
        name: "Test Person",
        role: "admin",
        tenant_id: tenantId,
        is_anonymous: false,
      }),
    );
    expect((await call("GET", "/auth/me", { as: answer.body.access_token })).status).toBe(200);
  });

  it("works with any metadata in the account", async () => {
    const somebody = await register({ tenant_name: "Oasis" });
    const supabase = supabaseAs();
    await supabase.auth.signInWithPassword(somebody);
    for (const name of [12345, { first: "Test" }, null]) {
      expect((await supabase.auth.updateUser({ data: { name } })).error).toBeNull();
      const answer = await logIn(somebody.email, PASSWORD);
      expect(answer.status).toBe(200);
      expect(answer.body.user.name).toBe("");
    }
  });

  it("is refused with the same answer for a wrong password and an unknown email", async () => {
    const { email } = await register({ tenant_name: "Oasis" });
    const answers = [
      await logIn(email, `${PASSWORD}!`),
      await logIn(someEmail(), PASSWORD),
      await logIn("no e-mail at all", PASSWORD),
    ];
    for (const answer of answers) {
      expectRefusal(answer, 401, "INVALID_CREDENTIALS");
      expect(answer.body).toEqual(answers[0]?.body);
    }
  });
});

describe("a refresh token", () => {
  it("is exchanged for a new session", async () => {
    const somebody = await register({ tenant_name: "Oasis" });
    const answer = await refresh(somebody.refreshToken);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(
      sessionOf(expect.objectContaining({ id: somebody.id, tenant_id: somebody.tenantId })),
    );
    expect(answer.body.refresh_token).not.toBe(somebody.refreshToken);
    expect((await refresh(answer.body.refresh_token)).status).toBe(200);
  });

  it("that is unknown is refused", async () => {
    const { token: accessToken } = await register({ tenant_name: "Oasis" });
    for (const token of ["nonsense", randomUUID(), "a".repeat(12), accessToken, "a".repeat(5000)]) {
      expectRefusal(await refresh(token), 401, "INVALID_CREDENTIALS");
    }
  });

  /** Sets how long ago a token was first used, at /auth/refresh and by Supabase Auth. */
  async function usedFirst(token: string, ago: string) {
    await query(
      `with used as (
         update auth.refresh_tokens set updated_at = now() - $2::interval where token = $1 returning session_id
       )
       insert into private.spent_refresh_tokens (token_hash, session_id, spent_at)
       select encode(sha256(convert_to($1, 'utf8')), 'hex'), session_id, now() - $2::interval from used
       on conflict (token_hash) do update set spent_at = excluded.spent_at`,
      [token, ago],
    );
  }

  it("repeated within 10 s of its first use gets the same successor", async () => {
    const { refreshToken } = await register({ tenant_name: "Oasis" });
    const first = await refresh(refreshToken);
    await usedFirst(refreshToken, "-1 hour");
    const again = await refresh(refreshToken);
    expect(again.status).toBe(200);
    expect(again.body.refresh_token).toBe(first.body.refresh_token);
    expect((await refresh(again.body.refresh_token)).status).toBe(200);
  });

  it("repeated later ends the session for both, and no other session", async () => {
    const somebody = await register({ tenant_name: "Oasis" });
    const other = (await logIn(somebody.email, PASSWORD)).body.refresh_token;
    const second = (await refresh(somebody.refreshToken)).body.refresh_token;
    await usedFirst(somebody.refreshToken, "11 seconds");
    expectRefusal(await refresh(somebody.refreshToken), 401, "INVALID_CREDENTIALS");
    expectRefusal(await refresh(second), 401, "INVALID_CREDENTIALS");
    expect((await refresh(other)).status).toBe(200);
  });

  it("that is repeated does not extend the 10 s", async () => {
    const { refreshToken } = await register({ tenant_name: "Oasis" });
    await refresh(refreshToken);
    await usedFirst(refreshToken, "-1 hour");
    const { body } = await refresh(refreshToken);
    await usedFirst(refreshToken, "11 seconds");
    expectRefusal(await refresh(refreshToken), 401, "INVALID_CREDENTIALS");
    expectRefusal(await refresh(body.refresh_token), 401, "INVALID_CREDENTIALS");
  });

  it("of two generations ago is refused, and its family is revoked", async () => {
    const somebody = await register({ tenant_name: "Oasis" });
    const second = (await refresh(somebody.refreshToken)).body.refresh_token;
    const third = (await refresh(second)).body.refresh_token;
    await usedFirst(somebody.refreshToken, "11 seconds");
    expectRefusal(await refresh(somebody.refreshToken), 401, "INVALID_CREDENTIALS");
    expectRefusal(await refresh(third), 401, "INVALID_CREDENTIALS");
  });

  it.runIf(process.env.DATABASE_URL)(
    "stays valid when other requests hold its session for too long",
    async () => {
      const { token, refreshToken } = await register({ tenant_name: "Oasis" });
      const { session_id: held } = claimsOf(token);
      const holder = new pg.Client({ connectionString: stackInUse().db_url as string });
      await holder.connect();
      try {
        await holder.query("begin");
        await holder.query("select from auth.sessions where id = $1 for update", [held]);
        const answer = await refresh(refreshToken);
        expectRefusal(answer, 409, "CONFLICT");
        expect(answer.headers.get("retry-after")).toBe("1");
      } finally {
        await holder.end();
      }
      const next = await persist("POST", "/auth/refresh", {
        body: { refresh_token: refreshToken },
      });
      expect(next.status).toBe(200);
    },
  );

  it("keeps two tabs that refresh at the same time signed in", async () => {
    const { refreshToken } = await register({ tenant_name: "Oasis" });
    // The requests are within the 10 s, however long they take.
    await usedFirst(refreshToken, "-1 hour");
    const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(refreshToken)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const successors = new Set(answers.map(({ body }) => body.refresh_token));
    expect(successors.size).toBe(1);
    for (const { body } of answers) {
      expect((await call("GET", "/auth/me", { as: body.access_token })).status).toBe(200);
    }
    expect((await refresh([...successors][0])).status).toBe(200);
  });
});

describe("logging out", () => {
  it("revokes the session's refresh token, and no other session", async () => {
    const somebody = await register({ tenant_name: "Oasis" });
    const phone = (await logIn(somebody.email, PASSWORD)).body;
    const answer = await call("POST", "/auth/logout", { as: phone.access_token });
    expect(answer.status).toBe(204);
    expect(answer.body).toBe("");
    expectRefusal(await refresh(phone.refresh_token), 401, "INVALID_CREDENTIALS");
    expect((await refresh(somebody.refreshToken)).status).toBe(200);
  });

  it("twice is not an error", async () => {
    const { token } = await register({ tenant_name: "Oasis" });
    for (let i = 0; i < 2; i += 1) {
      expect((await call("POST", "/auth/logout", { as: token })).status).toBe(204);
    }
  });
});

describe("Supabase Auth itself", () => {
  it("gets the caller's address, and accepts it only from servers", async () => {
    const { email, token } = await register({ tenant_name: "Oasis" });
    const addressOfSession = async (token: string) => {
      const [session] = await query("select host(ip) as ip from auth.sessions where id = $1", [
        claimsOf(token).session_id,
      ]);
      return session?.ip;
    };
    const credentials = { email, password: PASSWORD };
    expect(await addressOfSession(token)).toBe("127.0.0.1");
    for (const [seen, expected] of [
      ["198.51.100.7", "198.51.100.7"],
      ["2001:db8:0:1::5", "2001:db8:0:1::"],
    ]) {
      const headers = { "cf-connecting-ip": seen as string };
      const { access_token } = await must("POST", "/auth/login", { body: credentials, headers });
      expect(await addressOfSession(access_token)).toBe(expected);
    }
    const { url, publishable_key } = stackInUse();
    const answer = await fetch(`${url}/auth/v1/token?grant_type=password`, {
      method: "POST",
      headers: { apikey: publishable_key, "sb-forwarded-for": "192.0.2.66" },
      body: JSON.stringify(credentials),
    });
    expect(await addressOfSession((await answer.json()).access_token)).toBe("127.0.0.1");
  });

  it("signs the same accounts in, with tokens that work everywhere", async () => {
    const somebody = await register({ tenant_name: "Oasis" });
    const supabase = supabaseAs();
    const { data, error } = await supabase.auth.signInWithPassword(somebody);
    expect(error).toBeNull();
    const { access_token, refresh_token } = data.session as NonNullable<typeof data.session>;
    const me = await must("GET", "/auth/me", { as: access_token });
    expect(me.user).toMatchObject({ id: somebody.id, tenant_id: somebody.tenantId });
    const { data: tenants } = await supabase.from("tenants").select("id").throwOnError();
    expect(tenants).toEqual([{ id: somebody.tenantId }]);
    const refreshed = await refresh(refresh_token);
    expect(refreshed.status).toBe(200);
    const { data: known } = await supabase.auth.getUser(refreshed.body.access_token);
    expect(known.user?.id).toBe(somebody.id);
  });

  it("also registers users with the tenant and role in the account's metadata", async () => {
    const { tenantId } = await register({ tenant_name: "Oasis" });
    const tenant_name = `Direct ${randomUUID()}`;
    for (const [metadata, role] of [
      [{ tenant_id: tenantId }, "customer"],
      [{ tenant_id: tenantId, role: "supplier" }, "supplier"],
      [{ tenant_name }, "admin"],
    ] as const) {
      const email = someEmail();
      const { data, error } = await supabaseAs().auth.signUp({
        email,
        password: PASSWORD,
        options: { data: metadata },
      });
      expect(error).toBeNull();
      const me = await must("GET", "/auth/me", { as: data.session?.access_token });
      expect(me.role).toBe(role);
      expect(me.tenant.id === tenantId).toBe(role !== "admin");
      expect((await logIn(email, PASSWORD)).body.user).toMatchObject({ id: data.user?.id, role });
    }
  });

  it("refuses what /auth/register refuses, and creates nothing then", async () => {
    const { tenantId } = await register({ tenant_name: "Oasis" });
    for (const [metadata, status] of [
      [{ tenant_id: randomUUID() }, 404],
      [{ tenant_id: "'; drop table members; --" }, 404],
      [{ tenant_id: tenantId, role: "admin" }, 422],
      [{ tenant_id: tenantId, role: "client" }, 422],
      [{ tenant_id: tenantId, role: ["admin"] }, 422],
      [{ tenant_id: tenantId, tenant_name: "Both" }, 422],
      [{ tenant_name: "" }, 422],
      [{ tenant_name: "x".repeat(201) }, 422],
    ] as const) {
      const email = someEmail();
      const { data, error } = await supabaseAs().auth.signUp({
        email,
        password: PASSWORD,
        options: { data: metadata },
      });
      expect(data.user).toBeNull();
      expect(error?.status).toBe(status);
      expectRefusal(await logIn(email, PASSWORD), 401, "INVALID_CREDENTIALS");
    }
    expect(await membersOf(tenantId)).toHaveLength(1);
  });

  it("adds tenant and role to the token's claims", async () => {
    const { supplier, tenantId } = await openTestTenant();
    expect(claimsOf(supplier.token)).toMatchObject({
      sub: supplier.id,
      aud: "authenticated",
      role: "authenticated",
      email: supplier.email,
      tenant_id: tenantId,
      tenant_role: "supplier",
    });
  });
});

describe("a membership", () => {
  it("that is suspended is refused at every endpoint of the tenant, and by every list of supabase-js", async () => {
    const { tenantId, operator } = await openTestTenant();
    const suspend = async () => {
      const member = await register({ tenant_id: tenantId });
      const body = { role: "admin", status: "suspended" };
      await must("PATCH", `/api/members/${member.id}`, { as: operator, body });
      return member;
    };
    // There are more endpoints than the rate limit of one member allows.
    const members = await Promise.all([suspend(), suspend(), suspend(), suspend(), suspend()]);
    let asked = 0;
    const next = () => members[asked++ % members.length] as Person;
    const document = await must("GET", "/api/openapi.json");
    const found: Record<string, number> = {};
    const addresses = Object.entries<object>(document.paths).flatMap(([address, item]) =>
      Object.keys(item).map((method) => ({ method, address })),
    );
    await Promise.all(
      addresses.map(async ({ method, address }) => {
        const path = address.replaceAll(/\{\w+\}/g, () => randomUUID());
        const body = ["get", "delete"].includes(method) ? undefined : {};
        const answer = await call(method.toUpperCase(), path, { as: next(), body });
        if (answer.status !== 403) found[`${method} ${address}`] = answer.status;
      }),
    );
    // Endpoints of the account, which do not depend on a tenant.
    expect(found).toEqual({
      "get /api/storefront": 422,
      "post /auth/guest": 422,
      "post /auth/register": 422,
      "post /auth/login": 422,
      "post /auth/refresh": 422,
      "post /auth/token": 400,
      "post /auth/logout": 204,
      "get /auth/tenants": 200,
      "post /auth/tenants": 422,
      "post /auth/switch": 422,
      "post /auth/invitations/accept": 422,
    });

    const lists = await query<{ name: string }>(
      `select p.proname as name
       from pg_proc p
       where p.pronamespace = 'public'::regnamespace
         and p.proname ~ '^(list|search|top|similar|export)_|_report$'
         and has_function_privilege('authenticated', p.oid, 'execute')`,
    );
    expect(lists.length).toBeGreaterThan(10);
    const piece = { type: "static_pages", id: "about-us" };
    const needed: Record<string, object> = {
      list_content: { type: piece.type },
      list_content_branches: piece,
      list_content_moves: piece,
      list_content_versions: piece,
      campaign_report: { campaign_id: randomUUID() },
      list_service_slots: { product_id: randomUUID() },
      list_product_files: { product_id: randomUUID() },
      list_licence_keys: { product_id: randomUUID() },
      list_placement_slots: { category_id: randomUUID() },
      list_return_requests: { order_id: randomUUID() },
      list_shipments: { order_id: randomUUID() },
      search_by_meaning: { query: "spices" },
      similar_products: { product_id: randomUUID() },
      list_template_localizations: { template_id: randomUUID() },
      list_template_versions: { template_id: randomUUID() },
    };
    const open: string[] = [];
    for (const { name } of lists) {
      const { error, status } = await supabaseAs(next()).rpc(name, needed[name] ?? {});
      const ofOneRecord =
        /"(product|campaign|template|order)_id"/.test(JSON.stringify(needed[name])) &&
        status === 404;
      if (ofOneRecord) continue;
      if (status !== 403 || error?.message !== "FORBIDDEN")
        open.push(`${name}: ${status} ${error?.message}`);
    }
    expect(open).toEqual([]);
  });

  it("that is suspended loses all access immediately, and regains it immediately", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const product = await listProduct(supplier);
    await must("POST", "/api/orders", { as: customer, body: orderFor(product) });

    const rowsSeen = async (person: Person) => {
      const tables = ["tenants", "members", "marketplaces", "products", "orders", "suppliers"];
      const seen = await Promise.all(
        tables.map((table) => supabaseAs(person).from(table).select("*").throwOnError()),
      );
      return seen.flatMap(({ data }) => data ?? []).length;
    };
    const setStatus = (person: Person, status: string) =>
      must("PATCH", `/api/members/${person.id}`, { as: operator, body: { status } });

    for (const person of [customer, supplier]) {
      expect(await rowsSeen(person)).toBeGreaterThan(0);
      await setStatus(person, "suspended");

      expect(await rowsSeen(person)).toBe(0);
      expectRefusal(await call("GET", "/auth/me", { as: person }), 403, "FORBIDDEN");
      const one = await call("GET", `/products/${product.id}`, { as: person });
      expectRefusal(one, 403, "FORBIDDEN");
      const order = await call("POST", "/api/orders", { as: person, body: orderFor(product) });
      expectRefusal(order, 403, "FORBIDDEN");
      const fields = { name: "x", price: 1, marketplace_id: product.marketplace_id };
      const listed = await call("POST", "/api/products", { as: person, body: fields });
      expectRefusal(listed, 403, "FORBIDDEN");
      const direct = await supabaseAs(person).from("products").insert(fields);
      expect(direct.status).toBe(403);

      // A new token does not help, because it has no tenant any more.
      const again = await logIn(person.email, PASSWORD);
      expect(again.body.user).toMatchObject({ role: null, tenant_id: null });
      expect(claimsOf(again.body.access_token)).not.toHaveProperty("tenant_id");
      expectRefusal(
        await call("GET", "/auth/me", { as: again.body.access_token }),
        403,
        "FORBIDDEN",
      );

      await setStatus(person, "active");
      expect((await call("GET", "/auth/me", { as: person })).status).toBe(200);
      expect(await rowsSeen(person)).toBeGreaterThan(0);
    }
  });

  it("that is removed loses all access immediately", async () => {
    const { operator, customer, tenantId } = await openTestTenant();
    const removed = await call("DELETE", `/api/members/${customer.id}`, { as: operator });
    expect(removed.status).toBe(204);
    expectRefusal(await call("GET", "/auth/me", { as: customer }), 403, "FORBIDDEN");
    const { data } = await supabaseAs(customer).from("tenants").select("id").eq("id", tenantId);
    expect(data).toEqual([]);
  });

  it("has its current role, whatever the token says", async () => {
    const { operator, customer, marketplace } = await openTestTenant();
    for (const [person, role] of [
      [customer, "admin"],
      [operator, "customer"],
    ] as const) {
      await must("PATCH", `/api/members/${person.id}`, { as: operator, body: { role } });
    }
    expect(claimsOf(operator.token).tenant_role).toBe("admin");
    const answer = await call("PUT", `/marketplaces/${marketplace.id}`, {
      as: operator,
      body: { name: "Still mine" },
    });
    expectRefusal(answer, 403, "FORBIDDEN");
  });
});

describe("somebody who is a member of several tenants", () => {
  /** A member of two tenants: an admin at `home`, a customer at `away`. */
  async function openTwo() {
    const [somebody, away] = await Promise.all([
      register({ tenant_name: "Home" }),
      register({ tenant_name: "Away" }),
    ]);
    const { token } = await must("POST", "/auth/invitations", {
      as: away,
      body: { email: somebody.email, role: "customer" },
    });
    await must("POST", "/auth/invitations/accept", { as: somebody, body: { invitation: token } });
    return { somebody, away, home: somebody.tenantId };
  }

  const tenantOf = (token: string) => claimsOf(token).tenant_id;

  function switchTo(as: string, tenant_id: string, refresh_token?: string) {
    return call("POST", "/auth/switch", { as, body: { tenant_id, refresh_token } });
  }

  it("sees the tenants, the roles, and the tenant of the token", async () => {
    const { somebody, away, home } = await openTwo();
    const { tenants, ...page } = await must("GET", "/auth/tenants?sort=name&order=asc", {
      as: somebody,
    });
    const times = { created_at: expect.any(String) };
    expect(tenants).toEqual([
      {
        id: away.tenantId,
        name: "Away",
        role: "customer",
        status: "active",
        supplier_id: null,
        customer_id: expect.any(String),
        current: false,
        ...times,
      },
      {
        id: home,
        name: "Home",
        role: "admin",
        status: "active",
        supplier_id: null,
        customer_id: null,
        current: true,
        ...times,
      },
    ]);
    expect(page).toEqual({ total: 2, page: 1, limit: 100 });
    const second = await must("GET", "/auth/tenants?sort=name&order=asc&page=2&limit=1", {
      as: somebody,
    });
    expect(second).toMatchObject({ tenants: [{ id: home }], total: 2, page: 2, limit: 1 });
  });

  it("switches with a refresh token to a session of the other tenant, and back", async () => {
    const { somebody, away, home } = await openTwo();
    const there = await switchTo(somebody.token, away.tenantId, somebody.refreshToken);
    expect(there.status).toBe(200);
    expect(there.body).toEqual(
      sessionOf({
        id: somebody.id,
        email: somebody.email,
        name: "Test Person",
        role: "customer",
        tenant_id: away.tenantId,
        is_anonymous: false,
      }),
    );
    expect(claimsOf(there.body.access_token)).toMatchObject({
      tenant_id: away.tenantId,
      tenant_role: "customer",
    });
    const me = await must("GET", "/auth/me", { as: there.body.access_token });
    expect(me).toMatchObject({ tenant: { id: away.tenantId, name: "Away" }, role: "customer" });
    // The previous token is still valid for its own tenant.
    expect((await must("GET", "/auth/me", { as: somebody })).tenant.id).toBe(home);
    // A refresh keeps the new tenant.
    const stayed = await refresh(there.body.refresh_token);
    expect(tenantOf(stayed.body.access_token)).toBe(away.tenantId);
    const back = await switchTo(stayed.body.access_token, home, stayed.body.refresh_token);
    expect(back.body.user).toMatchObject({ role: "admin", tenant_id: home });
  });

  it("switches without a refresh token; the next refresh is of the other tenant", async () => {
    const { somebody, away } = await openTwo();
    const answer = await switchTo(somebody.token, away.tenantId);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      access_token: null,
      refresh_token: null,
      token_type: "bearer",
      expires_in: null,
      expires_at: null,
      user: {
        id: somebody.id,
        email: somebody.email,
        name: "Test Person",
        role: "customer",
        tenant_id: away.tenantId,
        is_anonymous: false,
      },
    });
    const next = await refresh(somebody.refreshToken);
    expect(tenantOf(next.body.access_token)).toBe(away.tenantId);
  });

  it("switches with supabase-js: an rpc, and refreshSession()", async () => {
    const { somebody, away } = await openTwo();
    const supabase = supabaseAs();
    await supabase.auth.signInWithPassword(somebody);
    const { data: chosen } = await supabase
      .rpc("switch_tenant", { tenant_id: away.tenantId })
      .throwOnError();
    expect(chosen).toMatchObject({ id: away.tenantId, role: "customer" });
    const { data } = await supabase.auth.refreshSession();
    expect(tenantOf(data.session?.access_token as string)).toBe(away.tenantId);
    const { data: tenants } = await supabase.from("tenants").select("name").throwOnError();
    expect(tenants).toEqual([{ name: "Away" }]);
    const { data: mine } = await supabase.rpc("my_tenants").order("name").throwOnError();
    expect(mine?.map((it: { name: string; current: boolean }) => [it.name, it.current])).toEqual([
      ["Away", true],
      ["Home", false],
    ]);
  });

  it("switches this session and the default of new sessions, but no other session", async () => {
    const { somebody, away, home } = await openTwo();
    const phone = (await logIn(somebody.email, PASSWORD)).body;
    expect(tenantOf(phone.access_token)).toBe(home);
    expect((await switchTo(phone.access_token, away.tenantId)).status).toBe(200);
    const [desk, moved] = [
      await refresh(somebody.refreshToken),
      await refresh(phone.refresh_token),
    ];
    expect(tenantOf(desk.body.access_token)).toBe(home);
    expect(tenantOf(moved.body.access_token)).toBe(away.tenantId);
    const tablet = (await logIn(somebody.email, PASSWORD)).body;
    expect(tenantOf(tablet.access_token)).toBe(away.tenantId);
  });

  it("falls back to another tenant when suspended, and returns when restored", async () => {
    const { somebody, away, home } = await openTwo();
    const there = (await switchTo(somebody.token, away.tenantId, somebody.refreshToken)).body;
    const setStatus = (status: string) =>
      must("PATCH", `/api/members/${somebody.id}`, { as: away, body: { status } });
    await setStatus("suspended");
    expectRefusal(await call("GET", "/auth/me", { as: there.access_token }), 403, "FORBIDDEN");
    expectRefusal(await switchTo(there.access_token, away.tenantId), 404, "NOT_FOUND");
    const fallen = (await refresh(there.refresh_token)).body;
    expect(tenantOf(fallen.access_token)).toBe(home);
    const { tenants } = await must("GET", "/auth/tenants", { as: fallen.access_token });
    expect(tenants).toMatchObject([{ name: "Away", status: "suspended" }, { name: "Home" }]);
    await setStatus("active");
    const returned = (await refresh(fallen.refresh_token)).body;
    expect(tenantOf(returned.access_token)).toBe(away.tenantId);
    await must("DELETE", `/api/members/${somebody.id}`, { as: away });
    const home_again = (await refresh(returned.refresh_token)).body;
    expect(tenantOf(home_again.access_token)).toBe(home);
  });

  it("opens or joins another tenant with the same account", async () => {
    const [somebody, shop] = await Promise.all([
      register({ tenant_name: "Home" }),
      register({ tenant_name: "Shop" }),
    ]);
    const join = (body: object) => call("POST", "/auth/tenants", { as: somebody, body });
    const opened = await join({ tenant_name: "Second" });
    expect(opened.status).toBe(201);
    expect(opened.body).toEqual({
      id: expect.any(String),
      name: "Second",
      role: "admin",
      status: "active",
      supplier_id: null,
      customer_id: null,
      current: false,
      created_at: expect.any(String),
    });
    expect(opened.headers.get("location")).toBe("/functions/v1/auth/tenants");
    const joined = await join({ tenant_id: shop.tenantId });
    expect(joined.body).toMatchObject({ name: "Shop", role: "customer" });
    expect(joined.body.customer_id).toEqual(expect.any(String));
    const { tenants } = await must("GET", "/auth/tenants", { as: somebody });
    expect(tenants.map(({ name }: { name: string }) => name).sort()).toEqual([
      "Home",
      "Second",
      "Shop",
    ]);
    const again = await supabaseAs(somebody).rpc("join_tenant", { tenant_id: opened.body.id });
    expect([again.status, again.error?.message]).toEqual([409, "CONFLICT"]);
    const stranger = await register({ tenant_name: "Elsewhere" });
    const supplies = await supabaseAs(stranger)
      .rpc("join_tenant", { tenant_id: shop.tenantId, role: "supplier" })
      .throwOnError();
    expect(supplies.data).toMatchObject({ role: "supplier", supplier_id: expect.any(String) });

    // A suspended member cannot return by joining.
    await must("PATCH", `/api/members/${somebody.id}`, { as: shop, body: { status: "suspended" } });
    expectRefusal(await join({ tenant_id: shop.tenantId, role: "supplier" }), 409, "CONFLICT");
    for (const [body, status, code, field] of [
      [{}, 422, "VALIDATION_ERROR", "tenant_name"],
      [{ tenant_name: "" }, 422, "VALIDATION_ERROR", "tenant_name"],
      [{ tenant_name: " \u00a0" }, 422, "VALIDATION_ERROR", "tenant_name"],
      [{ tenant_name: "x", tenant_id: shop.tenantId }, 422, "VALIDATION_ERROR", "tenant_name"],
      [{ tenant_id: shop.tenantId, role: "admin" }, 422, "VALIDATION_ERROR", "role"],
      [{ tenant_id: randomUUID() }, 404, "NOT_FOUND", "tenant_id"],
    ] as const) {
      expectRefusal(await join(body), status, code, { field });
    }
    for (const role of ["admin", "client"]) {
      const direct = await supabaseAs(stranger).rpc("join_tenant", {
        tenant_id: opened.body.id,
        role,
      });
      expect([direct.status, direct.error?.message]).toEqual([422, "VALIDATION_ERROR"]);
    }
    expect((await call("POST", "/auth/tenants", { body: { tenant_name: "x" } })).status).toBe(401);
    expect((await supabaseAs().rpc("open_tenant", { tenant_name: "x" })).status).toBe(401);
  });

  it("can switch to no foreign tenant, and not with another session's refresh token", async () => {
    const { somebody, away, home } = await openTwo();
    const stranger = await register({ tenant_name: "Elsewhere" });
    for (const tenant_id of [stranger.tenantId, randomUUID()]) {
      expectRefusal(await switchTo(somebody.token, tenant_id), 404, "NOT_FOUND", {
        field: "tenant_id",
        value: tenant_id,
      });
    }
    expectRefusal(await switchTo(somebody.token, "home"), 422, "VALIDATION_ERROR", {
      field: "tenant_id",
    });
    expectRefusal(
      await switchTo(somebody.token, away.tenantId, "nonsense"),
      401,
      "INVALID_CREDENTIALS",
    );
    expectRefusal(
      await switchTo(somebody.token, home, stranger.refreshToken),
      422,
      "VALIDATION_ERROR",
      { field: "refresh_token", value: null },
    );
    const other = (await logIn(somebody.email, PASSWORD)).body.refresh_token;
    expectRefusal(await switchTo(somebody.token, away.tenantId, other), 422, "VALIDATION_ERROR", {
      field: "refresh_token",
      value: null,
    });
    expectRefusal(
      await switchTo(somebody.token, stranger.tenantId, somebody.refreshToken),
      404,
      "NOT_FOUND",
    );
    // Refused switches have moved no session, and used no token.
    for (const token of [somebody.refreshToken, other]) {
      const next = await refresh(token);
      expect(next.status).toBe(200);
      expect(tenantOf(next.body.access_token)).toBe(home);
    }
    expect((await refresh(stranger.refreshToken)).status).toBe(200);
    const nobody = await call("POST", "/auth/switch", { body: { tenant_id: home } });
    expect(nobody.status).toBe(401);
    expect((await supabaseAs().rpc("switch_tenant", { tenant_id: home })).status).toBe(401);
  });
});

describe("events", () => {
  async function eventsOf(operator: Person) {
    const { data } = await supabaseAs(operator)
      .from("events")
      .select("name, payload")
      .like("name", "user.%")
      .order("created_at")
      .throwOnError();
    return data?.map(({ name, payload }) => ({ event: name, ...payload.data.user }));
  }

  it("report a registration, and that it confirmed the address", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const events = await eventsOf(operator);
    for (const [person, role] of [
      [operator, "admin"],
      [supplier, "supplier"],
      [customer, "customer"],
    ] as const) {
      const user = { id: person.id, email: person.email, name: "Test Person", role };
      expect(events?.filter(({ id }) => id === person.id)).toEqual([
        { event: "user.registered", ...user, email_verified: false },
        { event: "user.verified", ...user, email_verified: true },
      ]);
    }
    expect(events).toHaveLength(6);
  });

  it("report an address that is confirmed later, once, in every tenant of the user", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const email = someEmail();
    const admin = supabaseAsService().auth.admin;
    const { data } = await admin.createUser({
      email,
      password: PASSWORD,
      user_metadata: { tenant_id: operator.tenantId, name: "Late" },
    });
    const id = data.user?.id as string;
    const of = async () =>
      (await eventsOf(operator))?.filter((user) => user.id === id).map(({ event }) => event);
    expect(await of()).toEqual(["user.registered"]);
    for (let i = 0; i < 2; i += 1) {
      expect((await admin.updateUserById(id, { email_confirm: true })).error).toBeNull();
    }
    expect(await of()).toEqual(["user.registered", "user.verified"]);
  });

  it("report a member that joins with an existing account", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const guest = await register({ tenant_name: "Home" });
    const { token } = await must("POST", "/auth/invitations", {
      as: operator,
      body: { email: guest.email, role: "client" },
    });
    await must("POST", "/auth/invitations/accept", { as: guest, body: { invitation: token } });
    const events = (await eventsOf(operator))?.filter(({ id }) => id === guest.id);
    expect(events).toMatchObject([
      { event: "user.registered", email: guest.email, role: "client", email_verified: true },
    ]);
  });
});

describe("nobody can raise their own role", () => {
  it("by the account's own metadata", async () => {
    const { customer, tenantId } = await openTestTenant();
    const victim = await register({ tenant_name: "Victim" });
    const before = await must("GET", "/auth/me", { as: customer });
    const supabase = supabaseAs();
    await supabase.auth.signInWithPassword(customer);
    const claim = {
      role: "admin",
      tenant_id: victim.tenantId,
      tenant_role: "admin",
      tenant_name: "Another one",
    };
    const refused = await supabase.auth.updateUser({
      // @ts-expect-error: users may not set it, but can send it over HTTP.
      app_metadata: { ...claim, provider: "me" },
    });
    expect(refused.error?.status).toBe(403);
    const changed = await supabase.auth.updateUser({
      data: claim,
      // @ts-expect-error: as above.
      role: "service_role",
    });
    expect(changed.error).toBeNull();
    expect(changed.data.user?.app_metadata).toEqual({ provider: "email", providers: ["email"] });
    const { data } = await supabase.auth.refreshSession();
    const token = data.session?.access_token as string;
    expect(claimsOf(token)).toMatchObject({
      role: "authenticated",
      tenant_id: tenantId,
      tenant_role: "customer",
      app_metadata: { provider: "email", providers: ["email"] },
    });
    const after = await must("GET", "/auth/me", { as: token });
    expect({ ...after, user: { ...after.user, name: "" } }).toEqual({
      ...before,
      user: { ...before.user, name: "" },
    });
    expect(await membersOf(victim.tenantId)).toHaveLength(1);
  });

  it("by extra fields in a registration", async () => {
    const { tenantId } = await register({ tenant_name: "Oasis" });
    const { url, anon_key } = ownStack;
    const claim = { role: "admin", tenant_id: tenantId, tenant_role: "admin" };
    const response = await fetch(`${url}/auth/v1/signup`, {
      method: "POST",
      headers: { apikey: anon_key, "content-type": "application/json" },
      body: JSON.stringify({
        email: someEmail(),
        password: PASSWORD,
        data: { tenant_id: tenantId, tenant_role: "admin" },
        app_metadata: claim,
        raw_app_meta_data: claim,
        role: "service_role",
        is_super_admin: true,
      }),
    });
    expect(response.status).toBe(200);
    const { access_token, user } = (await response.json()) as {
      access_token: string;
      user: object;
    };
    expect(user).toMatchObject({
      role: "authenticated",
      app_metadata: { provider: "email", providers: ["email"] },
    });
    expect(claimsOf(access_token)).toMatchObject({
      role: "authenticated",
      tenant_role: "customer",
    });
  });

  it("by inserting or changing rows in members, tenants, suppliers or customers", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const victim = await register({ tenant_name: "Victim" });
    const { supplier_id } = await must("GET", "/auth/me", { as: supplier });
    for (const person of [operator, supplier, customer]) {
      const db = supabaseAs(person);
      for (const tenant_id of [tenantId, victim.tenantId]) {
        const written = await Promise.all([
          db.from("members").insert({ tenant_id, user_id: person.id, role: "admin" }),
          db.from("members").upsert({ tenant_id, user_id: person.id, role: "admin" }),
          db.from("suppliers").insert({ tenant_id, name: "Mine" }),
          db.from("customers").insert({ tenant_id, user_id: person.id }),
          db.from("invitations").insert({ tenant_id, email: person.email, role: "admin" }),
          db.from("invitations").update({ role: "admin" }).eq("tenant_id", tenant_id),
          db.from("tenants").insert({ name: "Mine" }),
          db.from("tenants").delete().eq("id", tenant_id),
          db.from("members").update({ tenant_id }).eq("user_id", person.id),
          db.from("members").update({ email: "me@example.com" }).eq("user_id", person.id),
        ]);
        expect(written.map(({ status }) => status)).toEqual(written.map(() => 403));
      }
    }
    for (const person of [supplier, customer]) {
      const db = supabaseAs(person);
      const written = await Promise.all([
        db.from("tenants").update({ name: "Mine" }).eq("id", tenantId),
        db.from("members").update({ role: "admin" }).eq("user_id", person.id),
        db.from("members").delete().eq("tenant_id", tenantId),
        db.from("members").update({ status: "active" }).eq("user_id", person.id),
        db.from("suppliers").update({ verified: true }).eq("id", supplier_id),
      ]);
      expect(written.map(({ status }) => status)).toEqual(written.map(() => 403));
    }
    // An admin has no rights outside their own tenant.
    const elsewhere = await Promise.all([
      supabaseAs(operator)
        .from("tenants")
        .update({ name: "Mine" })
        .eq("id", victim.tenantId)
        .select(),
      supabaseAs(operator).from("members").delete().eq("tenant_id", victim.tenantId).select(),
    ]);
    expect(elsewhere.map(({ data }) => data)).toEqual([[], []]);
    expect(await membersOf(victim.tenantId)).toHaveLength(1);
    expect((await membersOf(tenantId))?.map(({ role }) => role).sort()).toEqual([
      "admin",
      "customer",
      "supplier",
    ]);
  });
});
