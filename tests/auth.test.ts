import { randomUUID } from "node:crypto";
import { describe, expect, inject, it } from "vitest";
import {
  type Answer,
  call,
  listProduct,
  must,
  openBazaar,
  orderFor,
  PASSWORD,
  type Person,
  register,
  supabaseAs,
  supabaseAsService,
} from "./souk.js";

const someEmail = () => `${randomUUID()}@example.com`;

function signUp(wish: object) {
  return call("POST", "/auth/register", {
    body: { email: someEmail(), password: PASSWORD, ...wish },
  });
}

function logIn(email: string, password: string) {
  return call("POST", "/auth/login", { body: { email, password } });
}

function refresh(refresh_token: string) {
  return call("POST", "/auth/refresh", { body: { refresh_token } });
}

function expectRefusal(answer: Answer, status: number, code: string, details?: object) {
  expect(answer.body).toMatchObject({ error: { code, ...(details && { details }) } });
  expect(answer.status).toBe(status);
}

function claimsOf(token: string) {
  return JSON.parse(Buffer.from(token.split(".")[1] as string, "base64url").toString());
}

/** What every answer with a session looks like. */
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
  it("with a tenant's name opens it, with the caller as its admin", async () => {
    const email = someEmail();
    const tenant_name = `Oasis ${randomUUID()}`;
    const made = await signUp({ email, name: "Zahra", tenant_name });
    expect(made.status).toBe(201);
    expect(made.body).toEqual(
      sessionOf({
        id: expect.any(String),
        email,
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
      supplier_id: null,
      customer_id: null,
    });
  });

  it("with a tenant's id joins it, as a customer unless one wishes to be a supplier", async () => {
    const { tenantId } = await register({ tenant_name: "Oasis" });
    for (const wish of [{}, { role: "customer" }]) {
      const { body } = await signUp({ tenant_id: tenantId, ...wish });
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
    expect(me).toMatchObject({ role: "supplier", customer_id: null });
    const { data } = await supabaseAsService()
      .from("suppliers")
      .select("tenant_id, name, verified")
      .eq("id", me.supplier_id)
      .throwOnError();
    expect(data).toEqual([{ tenant_id: tenantId, name: "Dates & Co", verified: false }]);
  });

  it("wants to know one tenant, no more and no fewer", async () => {
    const { tenantId } = await register({ tenant_name: "Oasis" });
    for (const wish of [{}, { tenant_name: "Another", tenant_id: tenantId }]) {
      const answer = await signUp(wish);
      expectRefusal(answer, 422, "VALIDATION_ERROR", { field: "tenant_name" });
    }
    expect(await membersOf(tenantId)).toHaveLength(1);
  });

  it("in a tenant that is not there is NOT_FOUND", async () => {
    const tenant_id = randomUUID();
    expectRefusal(await signUp({ tenant_id }), 404, "NOT_FOUND", {
      field: "tenant_id",
      value: tenant_id,
    });
  });

  it.each([
    ["a short password", { password: "1234567" }, "password", null],
    ["no password", { password: undefined }, "password", null],
    ["no e-mail", { email: undefined }, "email", null],
    ["half an e-mail", { email: "somebody" }, "email", "somebody"],
    ["an empty name of a tenant", { tenant_name: "" }, "tenant_name", ""],
    ["a long name of a tenant", { tenant_name: "a".repeat(201) }, "tenant_name", "a".repeat(201)],
    ["a name that is a number", { name: 7 }, "name", 7],
  ])("with %s is refused", async (_, wish, field, value) => {
    const answer = await signUp({ tenant_name: "Oasis", ...wish });
    expectRefusal(answer, 422, "VALIDATION_ERROR", { field, value });
  });

  it.each(["admin", "client", "owner", "ADMIN"])("as %s is refused", async (role) => {
    const { tenantId } = await register({ tenant_name: "Oasis" });
    const answer = await signUp({ tenant_id: tenantId, role });
    expectRefusal(answer, 422, "VALIDATION_ERROR", { field: "role", value: role });
    expect(await membersOf(tenantId)).toHaveLength(1);
  });

  it("with an e-mail that has an account is a CONFLICT, and changes nothing of it", async () => {
    const somebody = await register({ tenant_name: "Oasis" });
    for (const email of [somebody.email, somebody.email.toUpperCase()]) {
      const answer = await signUp({ email, tenant_name: "Mine now", password: "another password" });
      expectRefusal(answer, 409, "CONFLICT", { field: "email", value: email });
    }
    const { body } = await logIn(somebody.email, somebody.password);
    expect(body.user).toMatchObject({ id: somebody.id, tenant_id: somebody.tenantId });
  });

  it("twenty times at once with one e-mail makes one account and one membership", async () => {
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
  it("answers a session like registering does", async () => {
    const { id, email, tenantId } = await register({ tenant_name: "Oasis" });
    const answer = await logIn(email.toUpperCase(), PASSWORD);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(
      sessionOf({ id, email, name: "Test Person", role: "admin", tenant_id: tenantId }),
    );
    expect((await call("GET", "/auth/me", { as: answer.body.access_token })).status).toBe(200);
  });

  it("is refused alike for a wrong password and an unknown e-mail", async () => {
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
  it("is traded for a new session", async () => {
    const somebody = await register({ tenant_name: "Oasis" });
    const answer = await refresh(somebody.refreshToken);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(
      sessionOf(expect.objectContaining({ id: somebody.id, tenant_id: somebody.tenantId })),
    );
    expect(answer.body.refresh_token).not.toBe(somebody.refreshToken);
    expect((await refresh(answer.body.refresh_token)).status).toBe(200);
  });

  it("that is none of ours is refused", async () => {
    for (const token of ["nonsense", randomUUID(), "a".repeat(12)]) {
      expectRefusal(await refresh(token), 401, "INVALID_CREDENTIALS");
    }
  });

  it("works once: using it again ends the session for both, and no other session", async () => {
    const somebody = await register({ tenant_name: "Oasis" });
    const other = (await logIn(somebody.email, PASSWORD)).body.refresh_token;
    const second = (await refresh(somebody.refreshToken)).body.refresh_token;
    expectRefusal(await refresh(somebody.refreshToken), 401, "INVALID_CREDENTIALS");
    expectRefusal(await refresh(second), 401, "INVALID_CREDENTIALS");
    expect((await refresh(other)).status).toBe(200);
  });

  it("of two generations ago is refused as well, and its family revoked", async () => {
    const somebody = await register({ tenant_name: "Oasis" });
    const second = (await refresh(somebody.refreshToken)).body.refresh_token;
    const third = (await refresh(second)).body.refresh_token;
    expectRefusal(await refresh(somebody.refreshToken), 401, "INVALID_CREDENTIALS");
    expectRefusal(await refresh(third), 401, "INVALID_CREDENTIALS");
  });

  it("works once under concurrency, too", async () => {
    const { refreshToken } = await register({ tenant_name: "Oasis" });
    const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(refreshToken)));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    for (const answer of answers) {
      if (answer.status !== 200) expectRefusal(answer, 401, "INVALID_CREDENTIALS");
      else expectRefusal(await refresh(answer.body.refresh_token), 401, "INVALID_CREDENTIALS");
    }
  });
});

describe("logging out", () => {
  it("kills the session's refresh token, and no other session", async () => {
    const somebody = await register({ tenant_name: "Oasis" });
    const phone = (await logIn(somebody.email, PASSWORD)).body;
    const answer = await call("POST", "/auth/logout", { as: phone.access_token });
    expect(answer.status).toBe(204);
    expect(answer.body).toBe("");
    expectRefusal(await refresh(phone.refresh_token), 401, "INVALID_CREDENTIALS");
    expect((await refresh(somebody.refreshToken)).status).toBe(200);
  });

  it("twice is no error", async () => {
    const { token } = await register({ tenant_name: "Oasis" });
    for (let i = 0; i < 2; i += 1) {
      expect((await call("POST", "/auth/logout", { as: token })).status).toBe(204);
    }
  });
});

describe("Supabase Auth itself", () => {
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

  it("registers, too: what is wished for stands in the account's metadata", async () => {
    const { tenantId } = await register({ tenant_name: "Oasis" });
    const tenant_name = `Direct ${randomUUID()}`;
    for (const [wish, role] of [
      [{ tenant_id: tenantId }, "customer"],
      [{ tenant_id: tenantId, role: "supplier" }, "supplier"],
      [{ tenant_name }, "admin"],
    ] as const) {
      const email = someEmail();
      const { data, error } = await supabaseAs().auth.signUp({
        email,
        password: PASSWORD,
        options: { data: wish },
      });
      expect(error).toBeNull();
      const me = await must("GET", "/auth/me", { as: data.session?.access_token });
      expect(me.role).toBe(role);
      expect(me.tenant.id === tenantId).toBe(role !== "admin");
      expect((await logIn(email, PASSWORD)).body.user).toMatchObject({ id: data.user?.id, role });
    }
  });

  it("refuses what registering refuses, and makes nothing then", async () => {
    const { tenantId } = await register({ tenant_name: "Oasis" });
    for (const [wish, status] of [
      [{ tenant_id: randomUUID() }, 404],
      [{ tenant_id: "'; drop table members; --" }, 404],
      [{ tenant_id: tenantId, role: "admin" }, 422],
      [{ tenant_id: tenantId, role: "client" }, 422],
      [{ tenant_id: tenantId, role: ["admin"] }, 422],
    ] as const) {
      const email = someEmail();
      const { data, error } = await supabaseAs().auth.signUp({
        email,
        password: PASSWORD,
        options: { data: wish },
      });
      expect(data.user).toBeNull();
      expect(error?.status).toBe(status);
      expectRefusal(await logIn(email, PASSWORD), 401, "INVALID_CREDENTIALS");
    }
    expect(await membersOf(tenantId)).toHaveLength(1);
  });

  it("puts tenant and role into the token, beside what belongs to a user", async () => {
    const { supplier, tenantId } = await openBazaar();
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
  it("that is suspended loses everything at once, and has it back at once", async () => {
    const { operator, supplier, customer, tenantId } = await openBazaar();
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
      supabaseAs(operator)
        .from("members")
        .update({ status })
        .eq("user_id", person.id)
        .eq("tenant_id", tenantId)
        .select("status")
        .single()
        .throwOnError();

    for (const person of [customer, supplier]) {
      expect(await rowsSeen(person)).toBeGreaterThan(0);
      await setStatus(person, "suspended");

      expect(await rowsSeen(person)).toBe(0);
      expectRefusal(await call("GET", "/auth/me", { as: person }), 403, "FORBIDDEN");
      for (const path of ["/api/marketplaces", "/api/products", "/api/orders"]) {
        const answer = await call("GET", path, { as: person });
        expect([answer.status, answer.body.total]).toEqual([200, 0]);
      }
      const one = await call("GET", `/products/${product.id}`, { as: person });
      expectRefusal(one, 404, "NOT_FOUND");
      const order = await call("POST", "/api/orders", { as: person, body: orderFor(product) });
      expect([403, 404]).toContain(order.status);
      const wish = { name: "x", price: 1, marketplace_id: product.marketplace_id };
      const listed = await call("POST", "/api/products", { as: person, body: wish });
      expectRefusal(listed, 403, "FORBIDDEN");
      const direct = await supabaseAs(person).from("products").insert(wish);
      expect(direct.status).toBe(403);

      // A new token does not help: it has no tenant any more.
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

  it("that is removed loses everything at once", async () => {
    const { customer, tenantId } = await openBazaar();
    await supabaseAsService().from("members").delete().eq("user_id", customer.id).throwOnError();
    expectRefusal(await call("GET", "/auth/me", { as: customer }), 403, "FORBIDDEN");
    const { data } = await supabaseAs(customer).from("tenants").select("id").eq("id", tenantId);
    expect(data).toEqual([]);
  });

  it("has the role it has now, whatever the token says", async () => {
    const { operator, marketplace } = await openBazaar();
    await supabaseAsService()
      .from("members")
      .update({ role: "customer" })
      .eq("user_id", operator.id)
      .throwOnError();
    expect(claimsOf(operator.token).tenant_role).toBe("admin");
    const answer = await call("PUT", `/marketplaces/${marketplace.id}`, {
      as: operator,
      body: { name: "Still mine" },
    });
    expectRefusal(answer, 403, "FORBIDDEN");
  });
});

describe("nobody raises themselves", () => {
  it("by the account's own metadata", async () => {
    const { customer, tenantId } = await openBazaar();
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
      // @ts-expect-error: not for users to set; whoever speaks HTTP can send it all the same.
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

  it("by what they send along with a registration", async () => {
    const { tenantId } = await register({ tenant_name: "Oasis" });
    const { url, anon_key } = inject("stack");
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

  it("by rows of their own in members, tenants, suppliers or customers", async () => {
    const { operator, supplier, customer, tenantId } = await openBazaar();
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
          db.from("tenants").insert({ name: "Mine" }),
          db.from("tenants").update({ name: "Mine" }).eq("id", tenant_id),
          db.from("members").update({ role: "admin" }).eq("user_id", person.id),
          db.from("members").update({ tenant_id }).eq("user_id", person.id),
          db.from("members").delete().eq("tenant_id", tenant_id),
        ]);
        expect(written.map(({ status }) => status)).toEqual(written.map(() => 403));
      }
    }
    for (const person of [supplier, customer]) {
      const db = supabaseAs(person);
      const written = await Promise.all([
        db.from("members").update({ status: "active" }).eq("user_id", person.id),
        db.from("suppliers").update({ verified: true }).eq("id", supplier_id),
      ]);
      expect(written.map(({ status }) => status)).toEqual([403, 403]);
    }
    expect(await membersOf(victim.tenantId)).toHaveLength(1);
    expect((await membersOf(tenantId))?.map(({ role }) => role).sort()).toEqual([
      "admin",
      "customer",
      "supplier",
    ]);
  });
});
