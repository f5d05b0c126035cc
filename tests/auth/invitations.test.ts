import { createHash, randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { query } from "../database.js";
import {
  call,
  expectRefusal,
  must,
  openTestTenant,
  PASSWORD,
  type Person,
  register,
  registerClient,
  supabaseAs,
  supabaseAsService,
} from "../souk.js";

const someEmail = () => `${randomUUID()}@example.com`;

function invite(as: Person, email: string, fields: object = {}) {
  return must("POST", "/auth/invitations", { as, body: { email, role: "admin", ...fields } });
}

function signUp(email: string, invitation: string, fields: object = {}) {
  return call("POST", "/auth/register", {
    body: { email, password: PASSWORD, name: "Guest", invitation, ...fields },
  });
}

function accept(as: Person, invitation: string) {
  return call("POST", "/auth/invitations/accept", { as, body: { invitation } });
}

/** Errors never repeat the token, not even to its sender. */
const ON_THE_TOKEN = { field: "invitation", value: null };

async function membersOf(tenantId: string) {
  const { data } = await supabaseAsService()
    .from("members")
    .select("user_id, role, supplier_id")
    .eq("tenant_id", tenantId)
    .throwOnError();
  return data ?? [];
}

async function expire(id: string) {
  await supabaseAsService()
    .from("invitations")
    .update({ expires_at: new Date(Date.now() - 1000).toISOString() })
    .eq("id", id)
    .throwOnError();
}

describe("an invitation", () => {
  it("is created by an admin, with a token that is shown once and not stored", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const email = someEmail();
    const made = await call("POST", "/auth/invitations", {
      as: operator,
      body: { email: email.toUpperCase(), role: "client" },
    });
    expect(made.status).toBe(201);
    const { token, ...invitation } = made.body;
    expect(token).toMatch(/^[0-9a-f]{64}$/);
    expect(invitation).toEqual({
      id: expect.any(String),
      tenant_id: operator.tenantId,
      email,
      role: "client",
      supplier_id: null,
      verified: false,
      status: "pending",
      invited_by: operator.id,
      expires_at: expect.any(String),
      accepted_at: null,
      accepted_by: null,
      created_at: expect.any(String),
    });
    const days = (Date.parse(invitation.expires_at) - Date.parse(invitation.created_at)) / 86_400e3;
    expect(days).toBe(7);
    expect(made.headers.get("location")).toBe(`/functions/v1/auth/invitations/${invitation.id}`);
    const one = await must("GET", `/auth/invitations/${invitation.id}`, { as: operator });
    expect(one).toEqual(invitation);
    const list = await must("GET", "/auth/invitations", { as: operator });
    expect(list).toEqual({ invitations: [invitation], total: 1, page: 1, limit: 100 });
    const { data } = await supabaseAsService().from("invitations").select("*").eq("id", one.id);
    expect(JSON.stringify(data)).not.toContain(token);
    expect(JSON.stringify(data)).not.toContain(createHash("sha256").update(token).digest("hex"));
  });

  it("is created once for an Idempotency-Key, which returns its token again without storing it", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const body = { email: someEmail(), role: "client" };
    const headers = { "idempotency-key": randomUUID() };
    const send = () => call("POST", "/auth/invitations", { as: operator, body, headers });
    const made = await send();
    expect(
      await query("select from private.idempotency_keys where outcome::text ~ $1", [
        made.body.token,
      ]),
    ).toEqual([]);
    const again = await send();
    expect(again.body).toEqual(made.body);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    const once = await supabaseAs(operator)
      .rpc("perform_once", {
        key: headers["idempotency-key"],
        operation: "create_invitation",
        arguments: body,
      })
      .throwOnError();
    expect(once.data).toEqual({ answer: { ...made.body }, replayed: true });

    // The key of another person does not return it, and after the withdrawal nothing is returned.
    const other = await register({ tenant_name: "Mirage" });
    const theirs = await call("POST", "/auth/invitations", { as: other, body, headers });
    expect(theirs.body.token).not.toBe(made.body.token);
    await must("DELETE", `/auth/invitations/${made.body.id}`, { as: operator });
    expect((await send()).body).toEqual({ ...made.body, token: null });
  });

  it.each([
    "customer",
    "supplier",
    "client",
    "admin",
  ])("registers its recipient as %s", async (role) => {
    const operator = await register({ tenant_name: "Oasis" });
    const email = someEmail();
    const { id, token } = await invite(operator, email, { role });
    const made = await signUp(email.toUpperCase(), token);
    expect(made.status).toBe(201);
    expect(made.body.user).toMatchObject({ email, role, tenant_id: operator.tenantId });
    const me = await must("GET", "/auth/me", { as: made.body.access_token });
    expect(me).toMatchObject({ role, tenant: { id: operator.tenantId, name: "Oasis" } });
    expect(me.customer_id !== null).toBe(role === "customer");
    if (role === "supplier") expect(me.supplier).toMatchObject({ name: "Guest", verified: true });
    else expect(me.supplier).toBeNull();
    expect(await must("GET", `/auth/invitations/${id}`, { as: operator })).toMatchObject({
      status: "accepted",
      accepted_by: made.body.user.id,
      accepted_at: expect.any(String),
    });
  });

  it("adds a member to the organisation of a supplier", async () => {
    const { operator, supplier, tenantId } = await openTestTenant();
    const { supplier_id } = await must("GET", "/auth/me", { as: supplier });
    const email = someEmail();
    const { token } = await invite(operator, email, { role: "supplier", supplier_id });
    const { body } = await signUp(email, token);
    const fields = { name: "Cumin", price: 1 };
    const product = await must("POST", "/api/products", { as: body.access_token, body: fields });
    expect(product.supplier_id).toBe(supplier_id);
    // The organisation's records belong to both members.
    expect((await call("GET", `/products/${product.id}`, { as: supplier })).status).toBe(200);
    const list = await must("GET", `/api/members?supplier_id=${supplier_id}`, { as: operator });
    expect(list.members.map((member: { user_id: string }) => member.user_id).sort()).toEqual(
      [supplier.id, body.user.id].sort(),
    );
    const { count } = await supabaseAsService()
      .from("suppliers")
      .select("id", { count: "exact", head: true })
      .eq("tenant_id", tenantId)
      .throwOnError();
    expect(count).toBe(1);
  });

  it("works through supabase.auth.signUp too", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const email = someEmail();
    const { token } = await invite(operator, email, { role: "client" });
    const direct = (invitation: string, address = email) =>
      supabaseAs().auth.signUp({
        email: address,
        password: PASSWORD,
        options: { data: { invitation } },
      });
    for (const [attempt, status] of [
      [direct("nonsense"), 404],
      [direct(token, someEmail()), 422],
    ] as const) {
      const { data, error } = await attempt;
      expect([data.user, error?.status]).toEqual([null, status]);
    }
    const { data, error } = await direct(token);
    expect(error).toBeNull();
    expect(await must("GET", "/auth/me", { as: data.session?.access_token })).toMatchObject({
      role: "client",
      tenant: { id: operator.tenantId },
    });
    const again = await direct(token, someEmail());
    expect(again.error?.status).toBe(422);
    expect(await membersOf(operator.tenantId)).toHaveLength(2);
  });

  it("is valid for one address, once, for seven days", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const email = someEmail();
    const { id, token } = await invite(operator, email);
    expectRefusal(await signUp(email, "0".repeat(64)), 404, "NOT_FOUND", ON_THE_TOKEN);
    expectRefusal(await signUp(someEmail(), token), 422, "VALIDATION_ERROR", ON_THE_TOKEN);

    await expire(id);
    expectRefusal(await signUp(email, token), 422, "VALIDATION_ERROR", ON_THE_TOKEN);
    const expired = await must("GET", "/auth/invitations?status=expired", { as: operator });
    expect(expired.invitations).toMatchObject([{ id, status: "expired" }]);
    expect(await membersOf(operator.tenantId)).toHaveLength(1);

    const fresh = await invite(operator, email);
    expect((await signUp(email, fresh.token)).status).toBe(201);
    expectRefusal(await signUp(someEmail(), fresh.token), 422, "VALIDATION_ERROR", ON_THE_TOKEN);
    expectRefusal(await signUp(email, fresh.token), 409, "CONFLICT", { field: "email" });
    expect(await membersOf(operator.tenantId)).toHaveLength(2);
  });

  it("replaces the previous one, and ends when it is withdrawn", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const email = someEmail();
    const first = await invite(operator, email, { role: "admin" });
    const second = await invite(operator, email, { role: "customer" });
    expectRefusal(await signUp(email, first.token), 404, "NOT_FOUND", ON_THE_TOKEN);
    const path = `/auth/invitations/${second.id}`;
    expect((await call("DELETE", path, { as: operator })).status).toBe(204);
    expectRefusal(await signUp(email, second.token), 404, "NOT_FOUND", ON_THE_TOKEN);
    expectRefusal(await call("DELETE", path, { as: operator }), 404, "NOT_FOUND");
    expectRefusal(await call("GET", path, { as: operator }), 404, "NOT_FOUND");
  });

  it("is refused together with a tenant's name or id", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const email = someEmail();
    const { token } = await invite(operator, email);
    for (const fields of [{ tenant_name: "Mine" }, { tenant_id: operator.tenantId }]) {
      const answer = await signUp(email, token, fields);
      expectRefusal(answer, 422, "VALIDATION_ERROR", { field: "tenant_name" });
      const { error } = await supabaseAs().auth.signUp({
        email,
        password: PASSWORD,
        options: { data: { invitation: token, ...fields } },
      });
      expect(error?.status).toBe(422);
    }
    expect(await membersOf(operator.tenantId)).toHaveLength(1);
  });

  it("is refused with the invalid field", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const [foreign, client] = await Promise.all([openTestTenant(), registerClient(tenantId)]);
    const theirs = await must("GET", "/auth/me", { as: foreign.supplier });
    const own = await must("GET", "/auth/me", { as: supplier });
    for (const [body, status, code, field] of [
      [{ role: "client" }, 422, "VALIDATION_ERROR", "email"],
      [{ email: "nobody", role: "client" }, 422, "VALIDATION_ERROR", "email"],
      [{ email: someEmail() }, 422, "VALIDATION_ERROR", "role"],
      [{ email: someEmail(), role: "owner" }, 422, "VALIDATION_ERROR", "role"],
      [
        { email: someEmail(), role: "client", supplier_id: own.supplier_id },
        422,
        "VALIDATION_ERROR",
        "supplier_id",
      ],
      [
        { email: someEmail(), role: "supplier", supplier_id: theirs.supplier_id },
        404,
        "NOT_FOUND",
        "supplier_id",
      ],
      [{ email: customer.email.toUpperCase(), role: "admin" }, 409, "CONFLICT", "email"],
    ] as const) {
      const answer = await call("POST", "/auth/invitations", { as: operator, body });
      expectRefusal(answer, status, code, { field });
    }
    await invite(operator, someEmail());
    const body = { email: someEmail(), role: "admin" };
    for (const person of [supplier, customer, client]) {
      expectRefusal(
        await call("POST", "/auth/invitations", { as: person, body }),
        403,
        "FORBIDDEN",
      );
      const db = supabaseAs(person);
      const attempts = await Promise.all([
        db.rpc("create_invitation", body),
        db.from("invitations").insert({ ...body, tenant_id: tenantId }),
        db.from("invitations").delete().eq("tenant_id", tenantId),
      ]);
      // A supplier withdraws those into its own organisation: here there are none.
      const withdrawn = person === supplier ? 204 : 403;
      expect(attempts.map(({ status }) => status)).toEqual([403, 403, withdrawn]);
    }
    const kept = await must("GET", "/auth/invitations", { as: operator });
    expect(kept.total).toBe(1);
    expect((await call("POST", "/auth/invitations", { body })).status).toBe(401);
  });

  it("is visible to admins and clients of its tenant, and can be withdrawn by admins", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const [stranger, client] = await Promise.all([
      register({ tenant_name: "Elsewhere" }),
      registerClient(tenantId),
    ]);
    const { id, token } = await invite(operator, someEmail());
    const path = `/auth/invitations/${id}`;
    expect((await must("GET", path, { as: client })).id).toBe(id);
    expectRefusal(await call("DELETE", path, { as: client }), 403, "FORBIDDEN");
    for (const person of [supplier, customer, stranger]) {
      const list = await must("GET", "/auth/invitations", { as: person });
      expect(list).toMatchObject({ invitations: [], total: 0 });
      expectRefusal(await call("GET", path, { as: person }), 404, "NOT_FOUND");
      const refused = await call("DELETE", path, { as: person });
      expect(refused.status).toBe(person === customer ? 403 : 404);
    }
    const { data } = await supabaseAs(operator).from("invitations").select("id").throwOnError();
    expect(data).toEqual([{ id }]);
    expect(JSON.stringify(data)).not.toContain(token);
  });

  it("is accepted once by concurrent requests", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const guest = await register({ tenant_name: "Guests" });
    const { token } = await invite(operator, guest.email, { role: "supplier" });
    const answers = await Promise.all(Array.from({ length: 8 }, () => accept(guest, token)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await membersOf(operator.tenantId)).toHaveLength(2);
  });

  it("ends when its recipient is removed", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const { tenantId } = operator;
    const email = someEmail();
    const { token } = await invite(operator, email, { role: "admin" });
    // Joins in another way, with the invitation still open.
    const joined = await must("POST", "/auth/register", {
      body: { email, password: PASSWORD, tenant_id: tenantId },
    });
    const guest = { ...operator, token: joined.access_token };
    expectRefusal(await accept(guest, token), 409, "CONFLICT");
    await must("DELETE", `/api/members/${joined.user.id}`, { as: operator });
    expectRefusal(await accept(guest, token), 404, "NOT_FOUND", ON_THE_TOKEN);
    expect(await membersOf(tenantId)).toHaveLength(1);
  });
});

describe("accepting an invitation with an existing account", () => {
  it("joins another tenant, and switching to that tenant gives access", async () => {
    const { operator, tenantId } = await openTestTenant();
    const guest = await register({ tenant_name: "Home" });
    const { token } = await invite(operator, guest.email, { role: "admin" });
    const answer = await accept(guest, token);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      id: tenantId,
      name: "Bazaar",
      role: "admin",
      status: "active",
      supplier_id: null,
      customer_id: null,
      current: false,
      created_at: expect.any(String),
    });
    // The token is still valid for its own tenant.
    expect((await must("GET", "/auth/me", { as: guest })).tenant.id).toBe(guest.tenantId);
    expect((await must("GET", "/api/marketplaces", { as: guest })).total).toBe(0);

    const there = await must("POST", "/auth/switch", {
      as: guest,
      body: { tenant_id: tenantId, refresh_token: guest.refreshToken },
    });
    expect((await must("GET", "/api/marketplaces", { as: there.access_token })).total).toBe(1);
  });

  it("works through supabase-js too", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const guest = await register({ tenant_name: "Home" });
    const { token } = await invite(operator, guest.email, { role: "customer" });
    const { data } = await supabaseAs(guest)
      .rpc("accept_invitation", { invitation: token })
      .throwOnError();
    expect(data).toMatchObject({ role: "customer", customer_id: expect.any(String) });
    const nobody = await supabaseAs().rpc("accept_invitation", { invitation: token });
    expect(nobody.status).toBe(401);
  });

  it("is refused to other people, twice, too late, and to members", async () => {
    const { operator, customer } = await openTestTenant();
    const guest = await register({ tenant_name: "Home" });
    const { id, token } = await invite(operator, guest.email);
    for (const somebody of [customer, operator]) {
      const refused = await accept(somebody, token);
      expectRefusal(refused, 422, "VALIDATION_ERROR", ON_THE_TOKEN);
    }
    expectRefusal(await accept(guest, "nonsense"), 404, "NOT_FOUND", ON_THE_TOKEN);
    expectRefusal(await accept(guest, ""), 422, "VALIDATION_ERROR", ON_THE_TOKEN);
    await expire(id);
    expectRefusal(await accept(guest, token), 422, "VALIDATION_ERROR", ON_THE_TOKEN);

    const fresh = await invite(operator, guest.email);
    expect((await accept(guest, fresh.token)).status).toBe(200);
    expectRefusal(await accept(guest, fresh.token), 422, "VALIDATION_ERROR", ON_THE_TOKEN);
    const again = await call("POST", "/auth/invitations", {
      as: operator,
      body: { email: guest.email, role: "client" },
    });
    expectRefusal(again, 409, "CONFLICT", { field: "email", value: guest.email });

    // A suspended member cannot return by an invitation.
    await must("PATCH", `/api/members/${guest.id}`, {
      as: operator,
      body: { status: "suspended" },
    });
    const refused = await call("POST", "/auth/invitations", {
      as: operator,
      body: { email: guest.email, role: "client" },
    });
    expectRefusal(refused, 409, "CONFLICT", { field: "email" });
  });
});

describe("an email address", () => {
  const FILTERED = [
    "/api/members",
    "/api/customers",
    "/auth/invitations",
    "/api/mails/suppressions",
  ];

  it("is checked by the rule of Supabase Auth everywhere", async () => {
    const { operator, tenantId } = await openTestTenant();
    for (const [local, domain, stored = domain] of [
      ["o'neil&sons", "example.com"],
      ["!#$%&'*+/=?^_`{|}~-", "example.com"],
      ["a", "xn--80a1acny.xn--p1ai"],
      ["B", "Почта.рф", "xn--80a1acny.xn--p1ai"],
      ["c", "bücher.example", "xn--bcher-kva.example"],
      ["d", "localhost"],
    ] as const) {
      const mark = randomUUID();
      const sent = (what: string) => `${local}${what}${mark}@${domain}`;
      const kept = (what: string) => `${local}${what}${mark}@${stored}`.toLowerCase();
      const body = { email: sent("r"), password: PASSWORD, tenant_id: tenantId };
      const joined = await call("POST", "/auth/register", { body });
      expect(joined.body.user?.email, sent("r")).toBe(kept("r"));
      const { email, password } = body;
      expect((await call("POST", "/auth/login", { body: { email, password } })).status).toBe(200);
      expect((await invite(operator, sent("i"))).email).toBe(kept("i"));
      const customer = { name: "Zoe", email: sent("c") };
      const made = await must("POST", "/api/customers", { as: operator, body: customer });
      expect(made.email).toBe(kept("c"));
      for (const [path, list, what] of [
        ["/api/members", "members", "r"],
        ["/api/customers", "customers", "c"],
        ["/auth/invitations", "invitations", "i"],
      ] as const) {
        const found = await must("GET", `${path}?email=${encodeURIComponent(sent(what))}`, {
          as: operator,
        });
        expect(found[list]).toMatchObject([{ email: kept(what) }]);
      }
      if (stored !== domain) continue;
      const { error } = await supabaseAs().auth.signUp({ email: sent("s"), password: PASSWORD });
      expect(error).toBeNull();
    }
  });

  it.each([
    "a b@example.com",
    "a@example.com ",
    "a@-example.com",
    "a@exa_mple.com",
    "a@b@example.com",
    "ä@example.com",
    "a@пример/x.рф",
    "@example.com",
    `a@${"b".repeat(64)}.com`,
  ])("is refused if it is invalid: %j", async (email) => {
    const { operator, tenantId } = await openTestTenant();
    for (const [path, as, fields] of [
      ["/auth/register", undefined, { password: PASSWORD, tenant_id: tenantId }],
      ["/auth/invitations", operator, { role: "admin" }],
      ["/api/customers", operator, { name: "Zoe" }],
    ] as const) {
      const answer = await call("POST", path, { as, body: { email, ...fields } });
      expectRefusal(answer, 422, "VALIDATION_ERROR", { field: "email" });
    }
    const { error } = await supabaseAs().auth.signUp({ email, password: PASSWORD });
    expect(error).not.toBeNull();
    for (const path of FILTERED) {
      // A plus sign that is not encoded is a space, too.
      const filter = email.includes(" ") ? email.replace(" ", "+") : encodeURIComponent(email);
      const answer = await call("GET", `${path}?email=${filter}`, { as: operator });
      expectRefusal(answer, 422, "VALIDATION_ERROR", { field: "email" });
    }
  });
});
