import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { query } from "../database.js";
import { exported, rowsOf, tryExport } from "../exports/exporting.js";
import {
  expectRefusal,
  listProduct,
  must,
  openTestTenant,
  orderFor,
  type Person,
  register,
  registerClient,
  supabaseAs,
  supabaseAsService,
  type TestTenant,
} from "../souk.js";

// Who changed what: written with the change, by names of fields and without their values.

let shop: TestTenant;
let other: TestTenant;
let client: Person;
let supplierId: string;

beforeAll(async () => {
  [shop, other] = await Promise.all([openTestTenant(), openTestTenant()]);
  client = await registerClient(shop.tenantId);
  ({ supplier_id: supplierId } = await must("GET", "/auth/me", { as: shop.supplier }));
});

interface Entry {
  id: string;
  created_at: string;
  actor: string;
  actor_id: string | null;
  supplier_id: string | null;
  operation: string;
  action: string;
  record_type: string;
  record_id: string;
  fields: string[];
  address: string | null;
}

/** The log of a tenant, oldest first. */
async function logOf(filter: Record<string, string>, as = shop.operator): Promise<Entry[]> {
  const search = new URLSearchParams({ limit: "1000", ...filter });
  const { entries } = await must("GET", `/api/audit-log?${search}`, { as });
  return entries.reverse();
}

/** The last change of a record. */
const lastOf = async (record: string, as?: Person) =>
  (await logOf({ record_id: record }, as)).at(-1);

const countOf = async (tenant = shop.tenantId): Promise<number> => {
  const [row] = await query<{ count: number }>(
    "select count(*)::integer as count from public.audit_log where tenant_id = $1",
    [tenant],
  );
  return row?.count ?? 0;
};

async function tokenOf(key: { client_id: string; client_secret: string }): Promise<string> {
  const body = { grant_type: "client_credentials", ...key };
  const { client_id, client_secret, grant_type } = body;
  const answer = await must("POST", "/auth/token", {
    body: { client_id, client_secret, grant_type },
  });
  return answer.access_token;
}

describe("an entry", () => {
  it("says which fields of which record an admin changed, by which operation and from where", async () => {
    const { id } = shop.marketplace;
    const body = { name: "Dates and nuts", settings: { business: { guest_checkout: false } } };
    await must("PUT", `/api/marketplaces/${id}`, { as: shop.operator, body });
    expect(await lastOf(id)).toEqual({
      id: expect.any(String),
      created_at: expect.any(String),
      actor: "admin",
      actor_id: shop.operator.id,
      supplier_id: null,
      operation: "marketplaces.update",
      action: "changed",
      record_type: "marketplaces",
      record_id: id,
      fields: ["name", "settings.business"],
      address: "127.0.0.1",
    });
  });

  it("names the request of supabase-js by its method and path", async () => {
    const product = await listProduct(shop.supplier);
    await supabaseAs(shop.supplier)
      .from("products")
      .update({ price: 13, name: "Sumac" })
      .eq("id", product.id)
      .throwOnError();
    const [created, changed] = await logOf({ record_id: product.id, record_type: "products" });
    const actor = { actor: "supplier", actor_id: shop.supplier.id, supplier_id: supplierId };
    expect(created).toMatchObject({ ...actor, operation: "products.create", action: "created" });
    expect(created?.fields).toEqual([]);
    expect(changed).toMatchObject({ ...actor, operation: "PATCH /products", action: "changed" });
    // The lowest price of the variants and the slug follow; only the database sets the first.
    expect(changed?.fields).toEqual(expect.arrayContaining(["name", "price"]));
    expect(changed?.fields).not.toContain("lowest_price");
    expect(changed?.fields).not.toContain("updated_at");
  });

  it("of a client is there for an order that it places and cancels", async () => {
    const product = await listProduct(shop.supplier);
    const buyer = await must("POST", "/api/customers", { as: client, body: { name: "Buyer" } });
    const body = orderFor(product, 1, { customer_id: buyer.id });
    const order = await must("POST", "/api/orders", { as: client, body });
    await must("POST", `/api/orders/${order.id}/cancellations`, { as: client, body: {} });
    expect(await logOf({ record_id: order.id, record_type: "orders" })).toMatchObject([
      { actor: "client", actor_id: client.id, operation: "orders.place", action: "created" },
      { actor: "client", action: "changed", fields: expect.arrayContaining(["status"]) },
    ]);
  });

  it("of an API key has its id, and the organisation of a supplier's key", async () => {
    const product = await listProduct(shop.supplier);
    const key = await must("POST", "/api/api-keys", { as: shop.supplier, body: { name: "Stock" } });
    const as = await tokenOf(key);
    const body = { quantity: 3, operation: "add" };
    await must("PATCH", `/api/products/${product.id}/inventory`, { as, body });
    expect((await logOf({ record_id: product.id, record_type: "inventory" })).at(-1)).toMatchObject(
      {
        actor: "key",
        actor_id: key.id,
        supplier_id: supplierId,
        fields: ["quantity"],
      },
    );
    expect(await lastOf(key.id)).toMatchObject({ actor: "supplier", action: "created" });
  });

  it("of a service has no account", async () => {
    const service = supabaseAsService();
    await service.from("suppliers").update({ verified: true }).eq("id", supplierId).throwOnError();
    expect(await lastOf(supplierId)).toMatchObject({
      actor: "service",
      actor_id: null,
      operation: "PATCH /suppliers",
      fields: ["verified"],
    });
  });

  it("of a customer with a content role is an editor's", async () => {
    const editor = await register({ tenant_id: shop.tenantId });
    await must("PATCH", `/api/members/${editor.id}`, {
      as: shop.operator,
      body: { content_roles: ["editor"] },
    });
    expect(await lastOf(editor.id)).toMatchObject({ actor: "admin", fields: ["content_roles"] });
    const page = await must("POST", "/api/content/static_pages", {
      as: editor,
      body: { title: { en: "About us" } },
    });
    expect(await lastOf(page.id)).toMatchObject({ actor: "editor", actor_id: editor.id });
  });

  it("is there for an admin who leaves", async () => {
    const leaving = await register({ tenant_id: shop.tenantId });
    const path = `/api/members/${leaving.id}`;
    await must("PATCH", path, { as: shop.operator, body: { role: "admin" } });
    await must("DELETE", path, { as: leaving });
    expect(await lastOf(leaving.id)).toMatchObject({
      actor: "admin",
      actor_id: leaving.id,
      record_type: "members",
      action: "deleted",
    });
  });

  it("is there for an API key that is removed", async () => {
    const key = await must("POST", "/api/api-keys", { as: shop.supplier, body: { name: "Brief" } });
    await must("DELETE", `/api/api-keys/${key.id}`, { as: shop.supplier });
    expect(await lastOf(key.id)).toMatchObject({ actor: "supplier", action: "deleted" });
  });

  it("has the rotation of a secret", async () => {
    const { id } = await must("POST", "/api/webhooks", {
      as: shop.operator,
      body: { url: "https://example.com/hook", events: ["order.created"] },
    });
    await must("POST", `/api/webhooks/${id}/rotate-secret`, { as: shop.operator });
    expect(await lastOf(id)).toMatchObject({
      operation: "webhooks.rotateSecret",
      record_type: "webhook_secrets",
      fields: ["secret"],
    });
  });

  it("is one for each record of a statement that changes many", async () => {
    const lines = Array.from({ length: 50 }, (_, n) => `${randomUUID()},Spice ${n},5`);
    await must("POST", `/api/products/import?marketplace_id=${shop.marketplace.id}`, {
      as: shop.supplier,
      body: `external_id,name,price\n${lines.join("\n")}\n`,
      headers: { "content-type": "text/csv" },
    });
    const { data } = await supabaseAs(shop.supplier)
      .from("products")
      .select("id")
      .like("name", "Spice %")
      .throwOnError();
    const ids = data.map(({ id }) => id);
    expect(ids).toHaveLength(50);
    const created = await logOf({ operation: "products.import", record_type: "products" });
    expect(created.map(({ record_id }) => record_id).sort()).toEqual([...ids].sort());
    await supabaseAs(shop.operator)
      .from("products")
      .update({ status: "inactive" })
      .in("id", ids)
      .throwOnError();
    const changed = await logOf({ actor_id: shop.operator.id, record_type: "products" });
    expect(changed.map(({ fields }) => fields)).toEqual(Array(50).fill(["status"]));
  });
});

describe("the audit log", () => {
  it("has nothing of what a customer does", async () => {
    const product = await listProduct(shop.supplier);
    const before = await countOf();
    const order = await must("POST", "/api/orders", { as: shop.customer, body: orderFor(product) });
    await must("POST", `/api/orders/${order.id}/cancellations`, { as: shop.customer, body: {} });
    expect(await countOf()).toBe(before);
  });

  it("has no values", async () => {
    const secret = `secret-${randomUUID()}`;
    await must("POST", "/api/customers", {
      as: shop.operator,
      body: { name: secret, email: `${secret}@example.com` },
    });
    await must("PATCH", `/api/suppliers/${supplierId}`, {
      as: shop.operator,
      body: { name: secret, legal: { name: secret } },
    });
    expect((await lastOf(supplierId))?.fields).toEqual(expect.arrayContaining(["legal", "name"]));
    const found = await query("select from public.audit_log a where a::text like $1", [
      `%${secret}%`,
    ]);
    expect(found).toEqual([]);
  });

  it("has nothing of a change that is refused, and of one that changes nothing", async () => {
    const before = await countOf();
    const terms = [["cumin", "jeera"], ["one"]];
    const { error } = await supabaseAs(shop.operator)
      .from("search_synonyms")
      .insert(terms.map((each) => ({ terms: each })));
    expect(error).not.toBeNull();
    const { name } = await must("GET", "/api/tenant", { as: shop.operator });
    await must("PATCH", "/api/tenant", { as: shop.operator, body: { name } });
    expect(await countOf()).toBe(before);
  });

  it("is not deceived by the headers of a caller", async () => {
    const { id } = shop.marketplace;
    const headers = {
      "x-souk-operation": "forged",
      "x-souk-caller-address": "203.0.113.9",
      "x-souk-counted": "00",
    };
    const body = { description: randomUUID() };
    await must("PUT", `/api/marketplaces/${id}`, { as: shop.operator, body, headers });
    expect(await lastOf(id)).toMatchObject({
      operation: "marketplaces.update",
      address: "127.0.0.1",
    });
    let direct = supabaseAs(shop.operator)
      .from("marketplaces")
      .update({ description: randomUUID() })
      .eq("id", id);
    for (const [header, value] of Object.entries(headers)) direct = direct.setHeader(header, value);
    await direct.throwOnError();
    const entry = await lastOf(id);
    expect(entry?.operation).toBe("PATCH /marketplaces");
    expect(entry?.address).not.toBe("203.0.113.9");
  });

  it("is filtered by who, what and when, in pages", async () => {
    const folder = { name: `Pictures ${randomUUID()}` };
    const { id } = await must("POST", "/api/media/folders", { as: shop.operator, body: folder });
    await must("DELETE", `/api/media/folders/${id}`, { as: shop.operator });
    const of = { record_type: "media_folders", record_id: id };
    expect((await logOf(of)).map(({ action }) => action)).toEqual(["created", "deleted"]);
    const [deleted] = await logOf({ ...of, action: "deleted" });
    expect(deleted).toMatchObject({ actor: "admin", operation: "mediaFolders.remove" });
    expect(await logOf({ ...of, actor: "supplier" })).toEqual([]);
    expect(await logOf({ ...of, actor_id: shop.supplier.id })).toEqual([]);
    expect(await logOf({ ...of, operation: "mediaFolders.create" })).toHaveLength(1);
    const at = deleted?.created_at as string;
    expect(await logOf({ ...of, from: at })).toEqual([deleted]);
    expect(await logOf({ ...of, to: at })).toHaveLength(1);
    expect(await logOf({ ...of, from: at.slice(0, 10) })).toHaveLength(2);
    const search = new URLSearchParams({ ...of, limit: "1", page: "2" });
    const page = await must("GET", `/api/audit-log?${search}`, { as: shop.operator });
    expect(page).toMatchObject({ total: 2, page: 2, limit: 1, entries: [{ action: "created" }] });
  });

  it("is shown to admins of the tenant alone", async () => {
    expect(await countOf()).toBeGreaterThan(0);
    for (const as of [shop.supplier, client, shop.customer]) {
      expect(await must("GET", "/api/audit-log", { as })).toMatchObject({ total: 0, entries: [] });
      const { data } = await supabaseAs(as).from("audit_log").select("id").throwOnError();
      expect(data).toEqual([]);
    }
    const { data } = await supabaseAs(other.operator)
      .from("audit_log")
      .select("tenant_id")
      .throwOnError();
    expect(new Set(data.map(({ tenant_id }) => tenant_id))).toEqual(new Set([other.tenantId]));
  });

  it("is written by nobody, not even a service", async () => {
    const row = {
      tenant_id: shop.tenantId,
      actor: "admin",
      actor_id: shop.operator.id,
      operation: "x",
      action: "created",
      record_type: "x",
      record_id: "x",
    };
    for (const db of [supabaseAs(shop.operator), supabaseAsService()]) {
      const log = () => db.from("audit_log");
      const tried = await Promise.all([
        log().insert(row),
        log().update({ operation: "x" }).eq("tenant_id", shop.tenantId),
        log().delete().eq("tenant_id", shop.tenantId),
      ]);
      expect(tried.map(({ error }) => error?.code)).toEqual(Array(3).fill("42501"));
    }
  });

  it("is exported by admins", async () => {
    const rows = await rowsOf(await exported(shop.operator, { type: "audit_log" }));
    const { id } = shop.marketplace;
    expect(rows.filter(({ record_id }) => record_id === id).at(-1)).toMatchObject({
      actor: "admin",
      operation: "marketplaces.create",
      action: "created",
      fields: "[]",
    });
    expectRefusal(await tryExport(shop.supplier, { type: "audit_log" }), 403, "FORBIDDEN");
    expectRefusal(await tryExport(client, { type: "audit_log" }), 403, "FORBIDDEN");
    const filtered = { type: "audit_log", marketplace_id: id };
    expectRefusal(await tryExport(shop.operator, filtered), 422, "VALIDATION_ERROR");
  });

  it("is deleted after 400 days, in batches", async () => {
    const old = await openTestTenant();
    await query(
      "update public.audit_log set created_at = now() - interval '401 days' where tenant_id = $1",
      [old.tenantId],
    );
    const all = await countOf(old.tenantId);
    expect(all).toBeGreaterThan(1);
    const { name } = { name: randomUUID() };
    await must("PATCH", "/api/tenant", { as: old.operator, body: { name } });
    const run = async (batch: number) => {
      const [row] = await query<{ more: string | null }>(
        "select private.delete_old_audit_entries(keep => '400 days', batch => $1) as more",
        [batch],
      );
      return row?.more;
    };
    expect(await run(1)).toBe("more");
    expect(await countOf(old.tenantId)).toBe(all);
    expect(await run(1000)).toBeNull();
    expect(await countOf(old.tenantId)).toBe(1);
  });

  it("ends with its tenant, also if a service removes it", async () => {
    const gone = await openTestTenant();
    await listProduct(gone.supplier);
    expect(await countOf(gone.tenantId)).toBeGreaterThan(0);
    await supabaseAsService().from("tenants").delete().eq("id", gone.tenantId).throwOnError();
    expect(await countOf(gone.tenantId)).toBe(0);
  });
});
