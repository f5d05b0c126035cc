import { randomUUID } from "node:crypto";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { query } from "../database.js";
import { eventually } from "../eventually.js";
import { ownStack } from "../own-stack.js";
import {
  ADDRESS,
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
  registerClient,
  SELLERS,
  supabaseAs,
  supabaseAsService,
} from "../souk.js";

function change(as: Person, { id }: { id: string }, body: object) {
  return persist("PATCH", `/api/members/${id}`, { as, body });
}

async function idsOf(as: Person, query = "") {
  const { members } = await must("GET", `/api/members${query}`, { as });
  return members.map((member: { user_id: string }) => member.user_id);
}

async function admit(operator: Person, role: string, fields: object = {}) {
  const email = `${randomUUID()}@example.com`;
  const { token } = await must("POST", "/auth/invitations", {
    as: operator,
    body: { email, role, ...fields },
  });
  const made = await must("POST", "/auth/register", {
    body: { email, password: PASSWORD, invitation: token },
  });
  const person: Person = {
    id: made.user.id,
    email,
    password: PASSWORD,
    token: made.access_token,
    refreshToken: made.refresh_token,
    tenantId: operator.tenantId,
  };
  return person;
}

async function activeAdmins(tenantId: string) {
  const { count } = await supabaseAsService()
    .from("members")
    .select("user_id", { count: "exact", head: true })
    .match({ tenant_id: tenantId, role: "admin", status: "active" })
    .throwOnError();
  return count;
}

describe("the tenant", () => {
  it("is visible to its members and can be renamed by its admins", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const client = await registerClient(tenantId);
    const tenant = await must("GET", "/api/tenant", { as: operator });
    expect(tenant).toEqual({
      id: tenantId,
      name: "Bazaar",
      time_zone: "UTC",
      settings: { sellers: SELLERS },
      mail_status: "new",
      mail_paused_at: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    for (const person of [supplier, customer, client]) {
      expect(await must("GET", "/api/tenant", { as: person })).toEqual(tenant);
      const refused = await call("PATCH", "/api/tenant", { as: person, body: { name: "Mine" } });
      expectRefusal(refused, 403, "FORBIDDEN");
      const direct = await supabaseAs(person)
        .from("tenants")
        .update({ name: "Mine" })
        .eq("id", tenantId);
      expect(direct.status).toBe(403);
    }
    const body = { name: "Grand TestTenant" };
    const renamed = await must("PATCH", "/api/tenant", { as: operator, body });
    expect(renamed).toEqual({ ...tenant, ...body, updated_at: expect.any(String) });
    for (const name of ["", "x".repeat(201), 7, null]) {
      const refused = await call("PATCH", "/api/tenant", { as: operator, body: { name } });
      expectRefusal(refused, 422, "VALIDATION_ERROR", { field: "name" });
    }
    expect(
      await must("PATCH", "/api/tenant", {
        as: operator,
        body: { time_zone: "Pacific/Auckland" },
      }),
    ).toEqual({
      ...renamed,
      time_zone: "Pacific/Auckland",
      updated_at: expect.any(String),
    });
    for (const time_zone of ["", "Atlantis/Poseidonis", "+02:00", "CEST", "x".repeat(101), null]) {
      const refused = await call("PATCH", "/api/tenant", { as: operator, body: { time_zone } });
      expectRefusal(refused, 422, "VALIDATION_ERROR", { field: "time_zone" });
      const direct = await supabaseAs(operator)
        .from("tenants")
        .update({ time_zone: time_zone as string })
        .eq("id", tenantId);
      expect(direct.status).toBeGreaterThanOrEqual(400);
    }
    for (const [time_zone, city] of [
      ["CET", "Europe/Brussels"],
      ["MET", "Europe/Brussels"],
      ["EET", "Europe/Athens"],
      ["WET", "Europe/Lisbon"],
      ["posix/Europe/Rome", "Europe/Berlin"],
    ]) {
      const refused = await call("PATCH", "/api/tenant", { as: operator, body: { time_zone } });
      expectRefusal(refused, 422, "VALIDATION_ERROR", { field: "time_zone" });
      expect(refused.body.error.message).toContain(`such as ${city},`);
    }
    const nothing = await call("PATCH", "/api/tenant", { as: operator, body: {} });
    expectRefusal(nothing, 422, "VALIDATION_ERROR");
    const unknown = { settings: { theme: {} } };
    const refused = await call("PATCH", "/api/tenant", { as: operator, body: unknown });
    expectRefusal(refused, 422, "VALIDATION_ERROR", { field: "settings.theme" });
    const direct = await supabaseAs(operator).from("tenants").update(unknown).eq("id", tenantId);
    expect(direct.error?.message).toBe("VALIDATION_ERROR");
    expect((await must("GET", "/auth/me", { as: customer })).tenant.name).toBe("Grand TestTenant");
  });

  it("is not changed by an admin who read an older state", async () => {
    const { operator, supplier } = await openTestTenant();
    const read = await call("GET", "/api/tenant", { as: operator });
    const { updated_at } = read.body;
    const tag = `"${updated_at}"`;
    expect(read.headers.get("etag")).toBe(tag);
    const patch = (body: object, headers?: Record<string, string>, as: Person = operator) =>
      call("PATCH", "/api/tenant", { as, body, headers });
    const changed = await patch({ name: "Herbs", updated_at });
    expect(changed.headers.get("etag")).toBe(`"${changed.body.updated_at}"`);
    const stale = { field: "updated_at", value: updated_at };
    for (const refused of [
      await patch({ time_zone: "Europe/Berlin", updated_at }),
      await patch({ time_zone: "Europe/Berlin" }, { "if-match": tag }),
    ]) {
      expectRefusal(refused, 409, "CONFLICT", stale);
    }
    const direct = await supabaseAs(operator).rpc("update_tenant", {
      changes: { time_zone: "Europe/Berlin", updated_at },
    });
    expect([direct.status, direct.error?.message]).toEqual([409, "CONFLICT"]);
    expect(JSON.parse(direct.error?.details ?? "{}")).toEqual(stale);
    expectRefusal(await patch({ name: "x" }, { "if-match": tag }, supplier), 403, "FORBIDDEN");
    expectRefusal(await patch({ updated_at: changed.body.updated_at }), 422, "VALIDATION_ERROR");
    const fresh = { "if-match": changed.headers.get("etag") as string };
    expect((await patch({ time_zone: "Europe/Berlin" }, fresh)).body).toMatchObject({
      name: "Herbs",
      time_zone: "Europe/Berlin",
    });
  });

  it("merges settings by field: null removes one, and the value of a field is replaced whole", async () => {
    const { operator } = await openTestTenant();
    const patch = async (settings: object) =>
      (await must("PATCH", "/api/tenant", { as: operator, body: { settings } })).settings;
    const content = { four_eyes: true, keep_versions: 5 };
    const ignore = { user_agents: ["Uptime"], visitors: ["anna", "ben"] };
    await patch({ content, analytics: { ignore }, media: { file_bytes: 1000 } });
    expect(
      await patch({
        content: { keep_versions: null },
        analytics: { ignore: { visitors: ["carl"] } },
        media: null,
      }),
    ).toEqual({
      content: { four_eyes: true },
      analytics: { ignore: { visitors: ["carl"] } },
      sellers: SELLERS,
    });
    const { data } = await supabaseAs(operator)
      .rpc("update_tenant", {
        changes: { settings: { analytics: { ignore: null }, content: { keep_versions: 7 } } },
      })
      .throwOnError();
    expect(data.settings).toEqual({
      content: { four_eyes: true, keep_versions: 7 },
      analytics: {},
      sellers: SELLERS,
    });
  });

  it("is refused to a former member", async () => {
    const { operator, customer } = await openTestTenant();
    await must("DELETE", `/api/members/${customer.id}`, { as: operator });
    for (const path of ["tenant", "members", "suppliers", "customers"]) {
      expectRefusal(await call("GET", `/api/${path}`, { as: customer }), 403, "FORBIDDEN");
    }
  });
});

describe("members", () => {
  it("are listed for admins and clients, with filters, and for themselves", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const client = await registerClient(tenantId);
    const { supplier_id } = await must("GET", "/auth/me", { as: supplier });
    const everybody = [operator, supplier, customer, client].map(({ id }) => id).sort();
    for (const person of [operator, client]) {
      expect((await idsOf(person)).sort()).toEqual(everybody);
    }
    expect(await idsOf(customer)).toEqual([customer.id]);
    expect(await idsOf(supplier)).toEqual([supplier.id]);
    await change(operator, customer, { status: "suspended" });
    for (const [query, people] of [
      ["?role=client", [client]],
      ["?status=suspended", [customer]],
      ["?role=supplier&status=active", [supplier]],
      ["?role=supplier&status=suspended", []],
      [`?supplier_id=${supplier_id}`, [supplier]],
      [`?email=${supplier.email.toUpperCase()}`, [supplier]],
    ] as const) {
      expect(await idsOf(operator, query)).toEqual(people.map(({ id }) => id));
    }
    const [first, second] = [
      await idsOf(operator, "?limit=2&page=1&sort=email&order=asc"),
      await idsOf(operator, "?limit=2&page=2&sort=email&order=asc"),
    ];
    expect([...first, ...second].sort()).toEqual(everybody);
    for (const query of ["?role=owner", "?status=gone", "?supplier_id=1", "?sort=supplier_id"]) {
      const refused = await call("GET", `/api/members${query}`, { as: operator });
      expectRefusal(refused, 422, "VALIDATION_ERROR", { field: query.slice(1).split("=")[0] });
    }
    expect(await must("GET", `/api/members/${supplier.id}`, { as: operator })).toEqual({
      user_id: supplier.id,
      tenant_id: tenantId,
      email: supplier.email,
      name: "Test Person",
      is_anonymous: false,
      role: "supplier",
      status: "active",
      supplier_id,
      content_roles: [],
      created_at: expect.any(String),
    });
    const hidden = await call("GET", `/api/members/${operator.id}`, { as: supplier });
    expectRefusal(hidden, 404, "NOT_FOUND");
  });

  it("get a new role immediately, with the records that the role needs", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const { supplier_id } = await must("GET", "/auth/me", { as: supplier });
    const product = await listProduct(supplier);

    const needs = await change(operator, customer, { role: "supplier" });
    expectRefusal(needs, 422, "VALIDATION_ERROR", { field: "supplier_id", value: null });
    const hired = await change(operator, customer, { role: "supplier", supplier_id });
    expect(hired.body).toMatchObject({ role: "supplier", supplier_id });
    expect((await call("GET", `/products/${product.id}`, { as: customer })).status).toBe(200);
    const fields = { name: "Mint", price: 1 };
    const listed = await must("POST", "/api/products", { as: customer, body: fields });
    expect(listed.supplier_id).toBe(supplier_id);

    const back = await change(operator, customer, { role: "customer" });
    expect(back.body).toMatchObject({ role: "customer", supplier_id: null });
    expectRefusal(
      await call("POST", "/api/products", { as: customer, body: fields }),
      403,
      "FORBIDDEN",
    );
    const mixed = await change(operator, customer, { role: "client", supplier_id });
    expectRefusal(mixed, 422, "VALIDATION_ERROR", { field: "supplier_id" });

    // A supplier who becomes a customer can order.
    expect((await change(operator, supplier, { role: "customer" })).status).toBe(200);
    const order = await must("POST", "/api/orders", { as: supplier, body: orderFor(product) });
    const { customer_id } = await must("GET", "/auth/me", { as: supplier });
    expect(order.customer_id).toBe(customer_id);

    // The same through supabase-js.
    const { data } = await supabaseAs(operator)
      .from("members")
      .update({ role: "client", content_roles: ["editor"] })
      .eq("user_id", customer.id)
      .select("role, content_roles")
      .single()
      .throwOnError();
    expect(data).toEqual({ role: "client", content_roles: ["editor"] });
    expect(await must("GET", "/auth/me", { as: customer })).toMatchObject(data);
    expect((await must("GET", "/api/tenant", { as: customer })).id).toBe(tenantId);
  });

  it("can be changed and removed only by admins of their tenant, with valid values", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const [client, foreign] = await Promise.all([registerClient(tenantId), openTestTenant()]);
    const theirs = await must("GET", "/auth/me", { as: foreign.supplier });
    for (const person of [supplier, customer, client]) {
      for (const answer of [
        await change(person, person, { role: "admin" }),
        await change(person, customer, { status: "suspended" }),
        await call("DELETE", `/api/members/${customer.id}`, { as: person }),
      ]) {
        expectRefusal(answer, 403, "FORBIDDEN");
      }
    }
    for (const id of [foreign.customer.id, randomUUID(), "me"]) {
      expectRefusal(await change(operator, { id }, { role: "admin" }), 404, "NOT_FOUND");
      expectRefusal(await call("DELETE", `/api/members/${id}`, { as: operator }), 404, "NOT_FOUND");
    }
    for (const [body, field] of [
      [{}, undefined],
      [{ role: "owner" }, "role"],
      [{ status: "gone" }, "status"],
      [{ content_roles: ["king"] }, "content_roles[0]"],
      [{ supplier_id: "x" }, "supplier_id"],
    ] as const) {
      const refused = await change(operator, customer, body);
      expectRefusal(refused, 422, "VALIDATION_ERROR");
      expect(refused.body.error.details.field).toBe(field);
    }
    const stolen = { role: "supplier", supplier_id: theirs.supplier_id };
    expectRefusal(await change(operator, customer, stolen), 404, "NOT_FOUND", {
      field: "supplier_id",
    });
    const db = supabaseAs(operator);
    const direct = await db
      .from("members")
      .update({ content_roles: ["king"] })
      .eq("user_id", customer.id);
    expect(direct.status).toBe(400);
    expect(await idsOf(foreign.operator, "?role=admin")).toEqual([foreign.operator.id]);
  });

  it("who are removed leave their orders, and have them again when they return", async () => {
    const { operator, supplier, customer } = await openTestTenant();
    const product = await listProduct(supplier);
    const order = await must("POST", "/api/orders", { as: customer, body: orderFor(product) });
    const path = `/api/members/${customer.id}`;
    expect((await call("DELETE", path, { as: operator })).status).toBe(204);
    expectRefusal(await call("DELETE", path, { as: operator }), 404, "NOT_FOUND");
    expectRefusal(await call("GET", `/orders/${order.id}`, { as: customer }), 403, "FORBIDDEN");
    expect((await must("GET", `/orders/${order.id}`, { as: operator })).id).toBe(order.id);

    const { token } = await must("POST", "/auth/invitations", {
      as: operator,
      body: { email: customer.email, role: "customer" },
    });
    await must("POST", "/auth/invitations/accept", { as: customer, body: { invitation: token } });
    expect((await must("GET", `/orders/${order.id}`, { as: customer })).id).toBe(order.id);
  });

  it("have the name and email of their account", async () => {
    const { operator, customer } = await openTestTenant();
    const supabase = supabaseAs();
    await supabase.auth.signInWithPassword(customer);
    await supabase.auth.updateUser({ data: { name: "Cleo" } });
    const email = `${randomUUID()}@example.com`;
    const { error } = await supabaseAsService().auth.admin.updateUserById(customer.id, {
      email,
      email_confirm: true,
    });
    expect(error).toBeNull();
    for (const path of [`/api/members?email=${email}`, `/api/customers?email=${email}`]) {
      const found = await must("GET", path, { as: operator });
      expect(found.total).toBe(1);
      expect([found.members, found.customers].flat().filter(Boolean)).toMatchObject([
        { user_id: customer.id, name: "Cleo", email },
      ]);
    }
    expect((await must("GET", "/auth/me", { as: customer })).user).toMatchObject({
      name: "Cleo",
      email,
    });
  });

  it("are deleted with their account, but their orders are kept", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const other = await register({ tenant_id: tenantId });
    const product = await listProduct(supplier);
    for (const [person, softly] of [
      [customer, false],
      [other, true],
    ] as const) {
      const order = await must("POST", "/api/orders", { as: person, body: orderFor(product) });
      const { error } = await supabaseAsService().auth.admin.deleteUser(person.id, softly);
      expect(error).toBeNull();
      const kept = await must("GET", `/api/customers/${order.customer_id}`, { as: operator });
      expect(kept).toMatchObject(
        softly ? { user_id: person.id, email: null, name: "" } : { user_id: null },
      );
      expect((await must("GET", `/orders/${order.id}`, { as: operator })).id).toBe(order.id);
    }
    expect((await idsOf(operator, "?role=customer")).includes(customer.id)).toBe(false);
  });
});

describe("the last active admin", () => {
  it("cannot be removed, suspended or demoted, through any interface", async () => {
    const { operator, tenantId } = await openTestTenant();
    const second = await admit(operator, "admin");
    await must("PATCH", `/api/members/${second.id}`, {
      as: operator,
      body: { status: "suspended" },
    });
    for (const answer of [
      await change(operator, operator, { status: "suspended" }),
      await change(operator, operator, { role: "client" }),
      await call("DELETE", `/api/members/${operator.id}`, { as: operator }),
    ]) {
      expectRefusal(answer, 422, "LAST_ADMIN");
    }
    for (const db of [supabaseAs(operator), supabaseAsService()]) {
      for (const attempt of [
        db.from("members").update({ status: "suspended" }).eq("tenant_id", tenantId),
        db.from("members").update({ role: "customer" }).eq("user_id", operator.id),
        db.from("members").delete().eq("tenant_id", tenantId),
      ]) {
        const { status, error } = await attempt;
        expect([status, error?.message]).toEqual([422, "LAST_ADMIN"]);
      }
    }
    const account = await supabaseAsService().auth.admin.deleteUser(operator.id);
    expect(account.error?.status).toBe(500);
    expect(await activeAdmins(tenantId)).toBe(1);

    // When there is another one, it can be removed.
    await must("PATCH", `/api/members/${second.id}`, { as: operator, body: { status: "active" } });
    const gone = await call("DELETE", `/api/members/${operator.id}`, { as: operator });
    expect(gone.status).toBe(204);
    expect((await must("GET", "/auth/me", { as: second })).role).toBe("admin");
    await supabaseAsService().from("tenants").delete().eq("id", tenantId).throwOnError();
  });

  it("remains when all admins leave concurrently", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const admins = [
      operator,
      ...(await Promise.all(Array.from({ length: 5 }, () => admit(operator, "admin")))),
    ];
    const answers = await Promise.all(
      admins.map((admin, i) =>
        i % 2
          ? change(admin, admin, i % 3 ? { status: "suspended" } : { role: "client" })
          : persist("DELETE", `/api/members/${admin.id}`, { as: admin }),
      ),
    );
    const refused = answers.filter(({ status }) => status >= 300);
    for (const answer of refused) expectRefusal(answer, 422, "LAST_ADMIN");
    expect(refused).toHaveLength(1);
    expect(await activeAdmins(operator.tenantId)).toBe(1);
  });
});

describe.skipIf(!process.env.DATABASE_URL)("two transactions that each suspend an admin", () => {
  it("wait for each other: the second one finds the last admin", async () => {
    const operator = await register({ tenant_name: "Oasis" });
    const second = await admit(operator, "admin");
    const suspend = "update public.members set status = 'suspended' where user_id = $1";
    const [one, other] = await Promise.all([connect(), connect()]);
    try {
      const [{ pid }] = (await other.query("select pg_backend_pid() as pid")).rows;
      await one.query("begin");
      await one.query(suspend, [operator.id]);
      const outcome = other.query(suspend, [second.id]).then(
        () => "suspended",
        ({ message }: Error) => message,
      );
      // It must wait, and not succeed.
      await eventually(async () => {
        const [waiting] = await query(
          "select 1 from pg_stat_activity where pid = $1 and (wait_event_type = 'Lock' or state = 'idle')",
          [pid],
        );
        expect(waiting).toBeDefined();
      });
      await one.query("commit");
      expect(await outcome).toBe("LAST_ADMIN");
    } finally {
      await Promise.all([one.end(), other.end()]);
    }
    expect(await activeAdmins(operator.tenantId)).toBe(1);
  });

  async function connect() {
    const client = new pg.Client({ connectionString: ownStack.db_url as string });
    await client.connect();
    return client;
  }
});

describe("suppliers", () => {
  it("can be created and verified by admins, and renamed by themselves", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const client = await registerClient(tenantId);
    const made = await call("POST", "/api/suppliers", {
      as: operator,
      body: { name: "Atlas Crafts" },
    });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.any(String),
      tenant_id: tenantId,
      name: "Atlas Crafts",
      slug: "atlas-crafts",
      logo: null,
      description: "",
      verified: false,
      status: "active",
      marketplace_ids: null,
      legal: {},
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(made.headers.get("location")).toBe(`/functions/v1/api/suppliers/${made.body.id}`);
    const path = `/api/suppliers/${made.body.id}`;
    for (const person of [operator, supplier, customer, client]) {
      expect(await must("GET", path, { as: person })).toEqual(made.body);
      const list = await must("GET", "/api/suppliers?sort=name&order=asc", { as: person });
      expect([list.total, list.suppliers[0]]).toEqual([2, made.body]);
    }
    const verified = await must("PATCH", path, { as: operator, body: { verified: true } });
    expect(verified).toEqual({
      ...made.body,
      verified: true,
      updated_at: expect.any(String),
    });
    for (const [query, total] of [
      ["?verified=true", 1],
      ["?verified=false", 1],
    ] as const) {
      expect((await must("GET", `/api/suppliers${query}`, { as: operator })).total).toBe(total);
    }

    const { supplier_id } = await must("GET", "/auth/me", { as: supplier });
    const own = `/api/suppliers/${supplier_id}`;
    const renamed = await must("PATCH", own, { as: supplier, body: { name: "Dates & Co" } });
    expect(renamed).toMatchObject({ id: supplier_id, name: "Dates & Co", verified: false });
    for (const [person, at, body] of [
      [supplier, own, { verified: true }],
      [supplier, own, { name: "Dates", verified: true }],
      [supplier, path, { name: "Mine" }],
      [customer, path, { name: "Mine" }],
      [client, path, { verified: false }],
    ] as const) {
      expectRefusal(await call("PATCH", at, { as: person, body }), 403, "FORBIDDEN");
    }
    for (const person of [supplier, customer, client]) {
      const body = { name: "Mine" };
      expectRefusal(await call("POST", "/api/suppliers", { as: person, body }), 403, "FORBIDDEN");
      const { status } = await supabaseAs(person).rpc("create_supplier", body);
      expect(status).toBe(403);
    }
    const direct = await supabaseAs(supplier)
      .from("suppliers")
      .update({ verified: true })
      .eq("id", supplier_id);
    expect(direct.status).toBe(403);
    expect((await must("GET", own, { as: operator })).verified).toBe(false);
  });

  it("have a legal identity, which they and admins can change and every member can read", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const [client, rival] = await Promise.all([
      registerClient(tenantId),
      register({ tenant_id: tenantId, role: "supplier" }),
    ]);
    const { supplier_id } = await must("GET", "/auth/me", { as: supplier });
    const path = `/api/suppliers/${supplier_id}`;
    const table = (person: Person) => supabaseAs(person).from("suppliers");
    const legal = {
      ...{ name: "Dates & Co SARL", tax_id: "IF 4" },
      address: "7 Rue Talaa Kebira\n30110 Fez",
    };
    const changed = await must("PATCH", path, { as: supplier, body: { legal } });
    expect(changed).toMatchObject({ id: supplier_id, legal, verified: false });
    for (const person of [operator, client, rival, customer]) {
      expect((await must("GET", path, { as: person })).legal).toEqual(legal);
    }
    // A change replaces the whole object.
    const { tax_id } = legal;
    await must("PATCH", path, { as: operator, body: { legal: { tax_id } } });
    expect((await table(customer).select("legal").eq("id", supplier_id).single()).data).toEqual({
      legal: { tax_id },
    });
    for (const person of [client, rival, customer]) {
      const body = { legal: { name: "Mine" } };
      expectRefusal(await call("PATCH", path, { as: person, body }), 403, "FORBIDDEN");
      expect((await table(person).update(body).eq("id", supplier_id)).status).toBe(403);
    }
    const fields = { name: "Atlas Crafts", legal };
    expect((await must("POST", "/api/suppliers", { as: operator, body: fields })).legal).toEqual(
      legal,
    );

    for (const [wrong, field] of [
      [null, "legal"],
      [["Dates & Co"], "legal"],
      [{ vat: "DE1" }, "legal.vat"],
      [{ tax_id: 1 }, "legal.tax_id"],
      [{ tax_id: null }, "legal.tax_id"],
      [{ name: "" }, "legal.name"],
      [{ address: " \n" }, "legal.address"],
      [{ name: "x".repeat(201) }, "legal.name"],
      [{ address: "x".repeat(1001) }, "legal.address"],
      [{ tax_id: "x".repeat(51) }, "legal.tax_id"],
    ] as const) {
      const body = { legal: wrong };
      const refused = await call("PATCH", path, { as: supplier, body });
      expectRefusal(refused, 422, "VALIDATION_ERROR", { field });
      const direct = await table(supplier).update(body).eq("id", supplier_id);
      expect(direct).toMatchObject({ status: 422, error: { message: "VALIDATION_ERROR" } });
      expect(JSON.parse(direct.error?.details ?? "")).toMatchObject({ field });
    }
  });

  it("are not changed by somebody who read an older state", async () => {
    const { operator, supplier } = await openTestTenant();
    const { supplier_id } = await must("GET", "/auth/me", { as: supplier });
    const path = `/api/suppliers/${supplier_id}`;
    const read = await call("GET", path, { as: operator });
    const { updated_at } = read.body;
    const tag = `"${updated_at}"`;
    expect(read.headers.get("etag")).toBe(tag);
    const patch = (as: Person, body: object, headers?: Record<string, string>) =>
      call("PATCH", path, { as, body, headers });
    const renamed = await patch(supplier, { name: "Dates & Co", updated_at });
    expect(renamed.headers.get("etag")).toBe(`"${renamed.body.updated_at}"`);
    const stale = { field: "updated_at", value: updated_at };
    for (const refused of [
      await patch(operator, { verified: true, updated_at }),
      await patch(supplier, { legal: { name: "Dates" } }, { "if-match": tag }),
    ]) {
      expectRefusal(refused, 409, "CONFLICT", stale);
    }
    const direct = await supabaseAs(operator).rpc("update_supplier", {
      supplier_id,
      changes: { verified: true, updated_at },
    });
    expect([direct.status, direct.error?.message]).toEqual([409, "CONFLICT"]);
    expect(JSON.parse(direct.error?.details ?? "{}")).toEqual(stale);
    expect(await must("GET", path, { as: operator })).toEqual(renamed.body);
    const fresh = { "if-match": renamed.headers.get("etag") as string };
    expect((await patch(operator, { verified: true }, fresh)).body.verified).toBe(true);
    const unknown = await supabaseAs(operator).rpc("update_supplier", {
      supplier_id,
      changes: { tenant_id: supplier_id },
    });
    expect(unknown.error?.message).toBe("VALIDATION_ERROR");
  });

  it("are no longer verified after they rename themselves, but stay verified when an admin does", async () => {
    const { operator, supplier } = await openTestTenant();
    const { supplier_id } = await must("GET", "/auth/me", { as: supplier });
    const path = `/api/suppliers/${supplier_id}`;
    const change = (as: Person, body: object) => must("PATCH", path, { as, body });
    const { name } = await change(operator, { verified: true });
    expect(await change(supplier, { name })).toMatchObject({ name, verified: true });
    expect(await change(operator, { name: "Atlas" })).toMatchObject({ verified: true });
    expect(await change(supplier, { name: "Apple" })).toEqual(
      expect.objectContaining({ name: "Apple", verified: false }),
    );
    await change(operator, { verified: true });
    await supabaseAs(supplier)
      .from("suppliers")
      .update({ name: "Pear" })
      .eq("id", supplier_id)
      .throwOnError();
    expect(await must("GET", path, { as: operator })).toMatchObject({
      name: "Pear",
      verified: false,
    });
    await change(operator, { verified: true });
    expect((await change(supplier, { name: "Plum", verified: true })).verified).toBe(false);
  });

  it("are refused with the reason, and inaccessible to other tenants", async () => {
    const { operator } = await openTestTenant();
    const foreign = await openTestTenant();
    const { supplier_id } = await must("GET", "/auth/me", { as: foreign.supplier });
    for (const [body, field] of [
      [{}, "name"],
      [{ name: "" }, "name"],
      [{ name: "x".repeat(201) }, "name"],
      [{ name: "x", verified: "yes" }, "verified"],
    ] as const) {
      const refused = await call("POST", "/api/suppliers", { as: operator, body });
      expectRefusal(refused, 422, "VALIDATION_ERROR", { field });
    }
    for (const id of [supplier_id, randomUUID(), "x"]) {
      const path = `/api/suppliers/${id}`;
      expectRefusal(await call("GET", path, { as: operator }), 404, "NOT_FOUND");
      const refused = await call("PATCH", path, { as: operator, body: { name: "Mine" } });
      expectRefusal(refused, 404, "NOT_FOUND");
    }
  });
});

describe("customers", () => {
  it("without an account can be created by a shop's backend, which orders for them", async () => {
    const { operator, supplier, customer, tenantId } = await openTestTenant();
    const client = await registerClient(tenantId);
    const email = `${randomUUID()}@Example.com`;
    const made = await call("POST", "/api/customers", { as: client, body: { name: "Zoe", email } });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.any(String),
      tenant_id: tenantId,
      user_id: null,
      name: "Zoe",
      email: email.toLowerCase(),
      phone: null,
      is_guest: false,
      language: null,
      external_id: null,
      orders: 0,
      last_ordered_at: null,
      created_at: expect.any(String),
      erased_at: null,
    });
    const path = `/api/customers/${made.body.id}`;
    expect(made.headers.get("location")).toBe(`/functions/v1${path}`);
    const product = await listProduct(supplier);
    const order = await must("POST", "/api/orders", {
      as: client,
      body: { ...orderFor(product), customer_id: made.body.id, shipping_address: ADDRESS },
    });
    expect(order.customer_id).toBe(made.body.id);

    const ordered = { ...made.body, orders: 1, last_ordered_at: order.created_at };
    for (const person of [operator, client]) {
      expect(await must("GET", path, { as: person })).toEqual(ordered);
      const found = await must("GET", `/api/customers?email=${email}`, { as: person });
      expect(found).toEqual({ customers: [ordered], total: 1, page: 1, limit: 100 });
      const known = await must("GET", `/api/customers?user_id=${customer.id}`, { as: person });
      expect(known.customers).toMatchObject([{ user_id: customer.id, email: customer.email }]);
    }
    const own = await must("GET", "/api/customers", { as: customer });
    expect(own.customers).toMatchObject([{ user_id: customer.id }]);
    expect((await must("GET", "/api/customers", { as: supplier })).customers).toEqual([]);
    for (const person of [supplier, customer]) {
      expectRefusal(await call("GET", path, { as: person }), 404, "NOT_FOUND");
      const body = { name: "Mine" };
      expectRefusal(await call("POST", "/api/customers", { as: person, body }), 403, "FORBIDDEN");
      const direct = await supabaseAs(person).from("customers").insert(body);
      expect(direct.status).toBe(403);
    }
    for (const [body, field] of [
      [{}, "name"],
      [{ name: "" }, "name"],
      [{ name: "x", email: "nobody" }, "email"],
    ] as const) {
      const refused = await call("POST", "/api/customers", { as: client, body });
      expectRefusal(refused, 422, "VALIDATION_ERROR", { field });
    }
  });
});

describe("a token", () => {
  it("of a member of two tenants gives access to one of them", async () => {
    const [ours, theirs] = await Promise.all([openTestTenant(), openTestTenant()]);
    await supabaseAsService()
      .from("members")
      .insert({ tenant_id: theirs.tenantId, user_id: ours.customer.id, role: "admin" })
      .throwOnError();
    const { email, password } = ours.customer;
    const { body } = await call("POST", "/auth/login", { body: { email, password } });
    for (const token of [ours.customer.token, body.access_token]) {
      const { tenant, role } = await must("GET", "/auth/me", { as: token });
      expect([tenant.id, role]).toEqual([ours.tenantId, "customer"]);
      const { marketplaces } = await must("GET", "/api/marketplaces", { as: token });
      expect(marketplaces).toEqual([ours.marketplace]);
    }
  });

  it("without a membership gives access to no tenant", async () => {
    const email = `${randomUUID()}@example.com`;
    const { data } = await supabaseAs().auth.signUp({ email, password: PASSWORD });
    const token = data.session?.access_token as string;
    expect((await call("GET", "/auth/me", { as: token })).status).toBe(403);
    expect((await must("GET", "/auth/tenants", { as: token })).tenants).toEqual([]);
    for (const list of ["marketplaces", "products", "orders", "members", "suppliers"]) {
      expectRefusal(await call("GET", `/api/${list}`, { as: token }), 403, "FORBIDDEN");
    }
  });
});
