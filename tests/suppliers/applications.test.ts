import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { query } from "../database.js";
import {
  type Answer,
  call,
  expectRefusal,
  must,
  openGuest,
  openTestTenant,
  PASSWORD,
  type Person,
  register,
  registerClient,
  supabaseAs,
  type TestTenant,
} from "../souk.js";

const someEmail = () => `${randomUUID()}@example.com`;

const application = (fields: object = {}) => ({
  name: "Atlas Crafts",
  email: someEmail(),
  country: "DE",
  ...fields,
});

const apply = (as: Person | { visits: string }, fields: object = {}): Promise<Answer> =>
  call("POST", "/api/supplier-applications", { as, body: application(fields) });

const decide = (as: Person, id: string, what: "approve" | "reject", body: object = {}) =>
  call("POST", `/api/supplier-applications/${id}/${what}`, { as, body });

const setSellers = (as: Person, sellers: object) =>
  must("PATCH", "/api/tenant", { as, body: { settings: { sellers } } });

const signUp = (fields: object) =>
  call("POST", "/auth/register", {
    body: { email: someEmail(), password: PASSWORD, name: "Salma", ...fields },
  });

let shop: TestTenant;
let visitor: { visits: string };

/** A tenant as it is opened: without settings for sellers. */
async function openNewTenant(): Promise<TestTenant> {
  const tenant = await openTestTenant();
  await must("PATCH", "/api/tenant", {
    as: tenant.operator,
    body: { settings: { sellers: null } },
  });
  return tenant;
}

beforeAll(async () => {
  shop = await openNewTenant();
  visitor = { visits: shop.marketplace.domain };
});

describe("a stranger who knows the tenant's id", () => {
  it.each([
    ["by default", null, "invitation only"],
    ["if suppliers are invited", { signup: "invitation" }, "invitation only"],
    ["if suppliers apply", { signup: "application" }, "apply to this tenant first"],
  ])("does not become a supplier %s", async (_, sellers, why) => {
    const { operator, tenantId } = await openTestTenant();
    await must("PATCH", "/api/tenant", { as: operator, body: { settings: { sellers } } });
    const refused = await signUp({ tenant_id: tenantId, role: "supplier" });
    expectRefusal(refused, 403, "FORBIDDEN");
    expect(refused.body.error.message).toContain(why);

    const elsewhere = await register({ tenant_name: "Oasis" });
    const joining = { tenant_id: tenantId, role: "supplier" };
    expectRefusal(
      await call("POST", "/auth/tenants", { as: elsewhere, body: joining }),
      403,
      "FORBIDDEN",
      { field: "role" },
    );
    const { error } = await supabaseAs().auth.signUp({
      email: someEmail(),
      password: PASSWORD,
      options: { data: joining },
    });
    expect(error?.status).toBe(403);
    const { error: joined } = await supabaseAs(elsewhere).rpc("join_tenant", joining);
    expect(joined?.message).toBe("FORBIDDEN");
    expect((await must("GET", "/api/suppliers", { as: operator })).total).toBe(1);
  });

  it("becomes an unverified supplier where sign-up is open", async () => {
    const { operator, tenantId } = await openTestTenant();
    await setSellers(operator, { signup: "open" });
    const made = await signUp({ tenant_id: tenantId, role: "supplier" });
    expect(made.status).toBe(201);
    const me = await must("GET", "/auth/me", { as: made.body.access_token });
    expect(me.supplier).toMatchObject({ name: "Salma", verified: false });
  });

  it.each([
    [{ signup: "everybody" }, "settings.sellers.signup"],
    [{ product_review: true }, "settings.sellers.product_review"],
    [{ sign_up: "open" }, "settings.sellers.sign_up"],
  ])("cannot profit from a mistake in the settings: %o", async (sellers, field) => {
    const changes = { settings: { sellers } };
    const refused = await call("PATCH", "/api/tenant", { as: shop.operator, body: changes });
    expectRefusal(refused, 422, "VALIDATION_ERROR", { field });
    const { error } = await supabaseAs(shop.operator).rpc("update_tenant", { changes });
    expect(JSON.parse(error?.details ?? "{}")).toMatchObject({ field });
  });
});

describe("an application", () => {
  beforeAll(() => setSellers(shop.operator, { signup: "application" }));

  it("is sent by a visitor, a guest and a customer, and read by admins and clients", async () => {
    const email = someEmail();
    const legal = { name: "Atlas Crafts GmbH", address: "2 Oak Street", tax_id: "DE1" };
    const fields = { email: email.toUpperCase(), legal, message: "Lanterns." };
    const sent = await apply(visitor, fields);
    expect(sent.status).toBe(201);
    expect(sent.headers.get("location")).toBe(
      `/functions/v1/api/supplier-applications/${sent.body.id}`,
    );
    expect(sent.body).toEqual({
      id: expect.any(String),
      tenant_id: shop.tenantId,
      status: "pending",
      name: "Atlas Crafts",
      email,
      country: "DE",
      legal,
      message: "Lanterns.",
      user_id: null,
      supplier_id: null,
      reason: null,
      decided_by: null,
      decided_at: null,
      created_at: expect.any(String),
    });
    const guest = await openGuest(shop.marketplace);
    const theirs = (await apply(guest)).body;
    expect(theirs.user_id).toBe(guest.id);
    const read = await must("GET", "/api/supplier-applications", { as: guest });
    expect(read.supplier_applications).toEqual([theirs]);
    expect((await apply(shop.customer)).body.user_id).toBe(shop.customer.id);

    const client = await registerClient(shop.tenantId);
    for (const as of [shop.operator, client]) {
      const path = `/api/supplier-applications/${sent.body.id}`;
      expect(await must("GET", path, { as })).toEqual(sent.body);
      const found = await must("GET", `/api/supplier-applications?email=${email}`, { as });
      expect(found.supplier_applications).toEqual([sent.body]);
    }
  });

  it("is refused where suppliers are invited, and from those who sell already", async () => {
    const { marketplace, operator } = await openNewTenant();
    const here = { visits: marketplace.domain };
    expectRefusal(await apply(here), 403, "FORBIDDEN");
    await setSellers(operator, { signup: "application" });
    expect((await apply(here)).status).toBe(201);
    const client = await registerClient(shop.tenantId);
    for (const as of [client, shop.supplier]) expectRefusal(await apply(as), 403, "FORBIDDEN");
    // An admin enters one that came by letter.
    expect((await apply(shop.operator)).status).toBe(201);
    const nowhere = await call("POST", "/api/supplier-applications", { body: application() });
    expectRefusal(nowhere, 401, "UNAUTHORIZED");
  });

  it.each([
    [{ email: "nobody" }, "email"],
    [{ country: "XX" }, "country"],
    [{ name: " " }, "name"],
    [{ legal: { tax_number: "1" } }, "legal.tax_number"],
    [{ message: "x".repeat(5001) }, "message"],
  ])("names its faulty field: %o", async (fields, field) => {
    expectRefusal(await apply(visitor, fields), 422, "VALIDATION_ERROR", { field });
  });

  it("waits once for each address, also when it is sent many times at once", async () => {
    const email = someEmail();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        apply(visitor, { email: i % 2 ? email : email.toUpperCase() }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
    const conflict = answers.find(({ status }) => status === 409) as Answer;
    expectRefusal(conflict, 409, "CONFLICT", { field: "email" });

    const { body } = answers.find(({ status }) => status === 201) as Answer;
    const rejected = await decide(shop.operator, body.id, "reject", { reason: "No register." });
    expect(rejected.body).toMatchObject({
      status: "rejected",
      reason: "No register.",
      decided_by: shop.operator.id,
      decided_at: expect.any(String),
    });
    expect((await apply(visitor, { email })).status).toBe(201);
    expectRefusal(await decide(shop.operator, body.id, "approve"), 422, "INVALID_TRANSITION");
  });

  it("of a flood finds a full house, which other tenants do not feel", async () => {
    const full = await openTestTenant();
    await query(
      `insert into public.supplier_applications (tenant_id, name, email, country)
       select $1, 'Flood', n || '@flood.example.com', 'DE' from generate_series(1, 1000) n`,
      [full.tenantId],
    );
    const late = await apply({ visits: full.marketplace.domain });
    expectRefusal(late, 422, "LIMIT_REACHED", { cap: "supplier_applications_per_tenant" });
    expect((await apply(visitor)).status).toBe(201);
  });
});

describe("an approved application", () => {
  beforeAll(() => setSellers(shop.operator, { signup: "application" }));

  it("makes a supplier, who is verified when it accepts the invitation", async () => {
    const email = someEmail();
    const legal = { name: "Atlas Crafts GmbH" };
    const { body } = await apply(visitor, { email, legal });
    const approved = await decide(shop.operator, body.id, "approve", { reason: "Welcome." });
    expect(approved.status).toBe(200);
    const { supplier_id, invitation } = approved.body;
    expect(approved.body).toMatchObject({ status: "approved", reason: "Welcome." });
    expect(invitation).toMatchObject({ email, role: "supplier", supplier_id, verified: true });
    const supplier = () => must("GET", `/api/suppliers/${supplier_id}`, { as: shop.operator });
    expect(await supplier()).toMatchObject({ name: "Atlas Crafts", verified: false, legal });

    const joined = await signUp({ email, invitation: invitation.token });
    expect(joined.status).toBe(201);
    const me = await must("GET", "/auth/me", { as: joined.body.access_token });
    expect(me.supplier).toEqual({ id: supplier_id, name: "Atlas Crafts", verified: true });
    expect((await supplier()).verified).toBe(true);
  });

  it("is not stored with its token for an idempotency key", async () => {
    const { body } = await apply(visitor);
    const key = randomUUID();
    const { data } = await supabaseAs(shop.operator)
      .rpc("perform_once", {
        key,
        operation: "approve_supplier_application",
        arguments: { application_id: body.id },
      })
      .throwOnError();
    const { token } = data.answer.invitation;
    expect(token).toMatch(/^[0-9a-f]{64}$/);
    const kept = await query<{ outcome: string }>(
      "select outcome::text from private.idempotency_keys where key = $1",
      [key],
    );
    expect(kept).toHaveLength(1);
    expect(kept[0]?.outcome).not.toContain(token);
  });

  it("makes a customer with this address the supplier's member at once", async () => {
    const customer = await register({ tenant_id: shop.tenantId });
    const { body } = await apply(customer, { email: customer.email });
    const { body: approved } = await decide(shop.operator, body.id, "approve");
    expect(approved.invitation).toBeNull();
    const me = await must("GET", "/auth/me", { as: customer });
    expect(me).toMatchObject({
      role: "supplier",
      supplier: { id: approved.supplier_id, verified: true },
    });
  });

  it("does not turn somebody else's account into a supplier", async () => {
    const customer = await register({ tenant_id: shop.tenantId });
    const { body } = await apply(visitor, { email: customer.email });
    const suppliers = () => must("GET", "/api/suppliers", { as: shop.operator });
    const before = await suppliers();
    expectRefusal(await decide(shop.operator, body.id, "approve"), 409, "CONFLICT");
    expect((await suppliers()).total).toBe(before.total);
    expect((await must("GET", "/auth/me", { as: customer })).role).toBe("customer");
  });

  it("is decided once, by admins only", async () => {
    const { body } = await apply(visitor);
    const client = await registerClient(shop.tenantId);
    for (const as of [client, shop.supplier, shop.customer]) {
      expectRefusal(await decide(as, body.id, "approve"), 403, "FORBIDDEN");
    }
    const other = await openTestTenant();
    expectRefusal(await decide(other.operator, body.id, "approve"), 404, "NOT_FOUND");
    const answers = await Promise.all([
      decide(shop.operator, body.id, "approve"),
      decide(shop.operator, body.id, "reject"),
      decide(shop.operator, body.id, "approve"),
    ]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(2);
  });
});

describe("an invitation of a supplier", () => {
  const invite = (as: Person, fields: object = {}) =>
    call("POST", "/auth/invitations", {
      as,
      body: { email: someEmail(), role: "supplier", ...fields },
    });

  it.each([
    ["verifies the new organisation", {}, true],
    ["does not if it says so", { verified: false }, false],
  ])("by an admin %s", async (_, fields, verified) => {
    const { body } = await invite(shop.operator, fields);
    expect(body.verified).toBe(verified);
    const joined = await signUp({ email: body.email, invitation: body.token });
    const me = await must("GET", "/auth/me", { as: joined.body.access_token });
    expect(me.supplier.verified).toBe(verified);
  });

  it("by a supplier brings a colleague into its organisation, and verifies nothing", async () => {
    const { supplier } = shop;
    const { supplier_id } = await must("GET", "/auth/me", { as: supplier });
    const { body } = await invite(supplier);
    expect(body).toMatchObject({ supplier_id, verified: false, invited_by: supplier.id });
    expect(await must("GET", "/auth/invitations", { as: supplier })).toMatchObject({ total: 1 });
    const joined = await signUp({ email: body.email, invitation: body.token });
    const me = await must("GET", "/auth/me", { as: joined.body.access_token });
    expect(me.supplier).toMatchObject({ id: supplier_id, verified: false });

    const pending = await invite(supplier);
    await must("DELETE", `/auth/invitations/${pending.body.id}`, { as: supplier });
    const late = await signUp({ email: pending.body.email, invitation: pending.body.token });
    expectRefusal(late, 404, "NOT_FOUND");
  });

  it("by a supplier reaches no other organisation, role or invitation", async () => {
    const { operator, supplier } = shop;
    const other = await must("POST", "/api/suppliers", { as: operator, body: { name: "Other" } });
    for (const fields of [{ supplier_id: other.id }, { role: "admin" }, { verified: true }]) {
      expectRefusal(await invite(supplier, fields), 403, "FORBIDDEN");
    }
    const theirs = await invite(operator, { supplier_id: other.id });
    expectRefusal(await invite(supplier, { email: theirs.body.email }), 409, "CONFLICT");
    const withdrawn = await call("DELETE", `/auth/invitations/${theirs.body.id}`, { as: supplier });
    expectRefusal(withdrawn, 404, "NOT_FOUND");
    // It does not tell whether an address is a customer's.
    expect((await invite(supplier, { email: shop.customer.email })).status).toBe(201);
  });

  it("by a supplier is one of at most 20 that wait", async () => {
    const { operator, tenantId } = await openTestTenant();
    const supplier = await register({ tenant_id: tenantId, role: "supplier" });
    const { supplier_id } = await must("GET", "/auth/me", { as: supplier });
    await query(
      `insert into public.invitations (tenant_id, email, role, supplier_id)
       select $1, n || '@colleagues.example.com', 'supplier', $2 from generate_series(1, 20) n`,
      [tenantId, supplier_id],
    );
    expectRefusal(await invite(supplier), 422, "LIMIT_REACHED", {
      cap: "invitations_per_supplier",
    });
    expect((await invite(operator, { supplier_id })).status).toBe(201);
  });
});
