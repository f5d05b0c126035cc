import pg from "pg";
import { beforeAll, describe, expect, it } from "vitest";
import { runJob } from "../clock.js";
import { query } from "../database.js";
import {
  call,
  expectRefusal,
  listProduct,
  must,
  openMarketplace,
  openTestTenant,
  orderFor,
  type Person,
  register,
  stackInUse,
  supabaseAs,
  type TestTenant,
} from "../souk.js";

// Where and whether a supplier sells, and what buyers read of it.

interface Shop extends TestTenant {
  supplierId: string;
}

async function openShop(): Promise<Shop> {
  const tenant = await openTestTenant();
  const { supplier_id } = await must("GET", "/auth/me", { as: tenant.supplier });
  return { ...tenant, supplierId: supplier_id };
}

const change = ({ supplierId }: Shop, as: Person, body: object) =>
  call("PATCH", `/api/suppliers/${supplierId}`, { as, body });

const place = (as: Person, product: object) =>
  call("POST", "/api/orders", { as, body: orderFor(product) });

const statusOf = async ({ operator }: Shop, { id }: { id: string }) =>
  (await must("GET", `/api/products/${id}`, { as: operator })).status;

const shown = async ({ customer }: Shop) =>
  (await must("GET", "/api/products?limit=100", { as: customer })).products.map(
    ({ id }: { id: string }) => id,
  );

describe.each([
  ["pauses itself", "paused", "supplier"],
  ["is suspended by an admin", "suspended", "operator"],
] as const)("a supplier who %s", (_, status, who) => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await openShop();
  });

  it("sells nothing, completes its orders, and sells again what it sold", async () => {
    const { supplier, operator, customer } = shop;
    const lamp = await listProduct(supplier);
    const given = await listProduct(supplier);
    const down = await listProduct(supplier);
    await must("PUT", `/api/products/${down.id}`, { as: supplier, body: { status: "inactive" } });
    const sold = await listProduct(supplier, { inventory: { quantity: 1 } });
    const order = await must("POST", "/api/orders", { as: customer, body: orderFor(sold) });
    const own = await listProduct(operator);

    expect((await change(shop, shop[who], { status })).body).toMatchObject({ status });
    expect(await shown(shop)).toEqual([own.id]);
    const visits = { visits: shop.marketplace.domain };
    const seen = await must("GET", "/api/products", { as: visits });
    expect(seen.products.map(({ id }: { id: string }) => id)).toEqual([own.id]);
    const refused = await place(customer, lamp);
    expectRefusal(refused, 404, "NOT_FOUND", { field: "items[0].product_id" });

    const late = await listProduct(supplier);
    expect(late.status).toBe("inactive");
    const put = { as: supplier, body: { status: "active" } };
    expect((await must("PUT", `/api/products/${lamp.id}`, put)).status).toBe("inactive");
    // Taken down meanwhile, it stays so.
    await must("PUT", `/api/products/${given.id}`, { as: supplier, body: { status: "inactive" } });
    // Stock that comes back puts nothing up for sale.
    await must("PATCH", `/api/products/${sold.id}/inventory`, {
      as: supplier,
      body: { operation: "add", quantity: 5 },
    });
    expect(await statusOf(shop, sold)).toBe("inactive");
    await must("PATCH", `/api/orders/${order.id}/status`, {
      as: supplier,
      body: { status: "shipped" },
    });

    await must("PATCH", `/api/suppliers/${shop.supplierId}`, {
      as: shop[who],
      body: { status: "active" },
    });
    for (const one of [lamp, late, sold]) expect(await statusOf(shop, one)).toBe("active");
    for (const one of [down, given]) expect(await statusOf(shop, one)).toBe("inactive");
    expect((await place(customer, lamp)).status).toBe(201);
  });
});

describe("a supplier", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await openShop();
  });

  it("does not end its suspension, nor suspend itself or others", async () => {
    const { supplier, operator } = shop;
    expectRefusal(await change(shop, supplier, { status: "suspended" }), 403, "FORBIDDEN");
    await change(shop, operator, { status: "suspended" });
    for (const status of ["active", "paused"]) {
      expectRefusal(await change(shop, supplier, { status }), 403, "FORBIDDEN");
    }
    const { error } = await supabaseAs(supplier)
      .from("suppliers")
      .update({ status: "active" })
      .eq("id", shop.supplierId);
    expect(error?.message).toBe("FORBIDDEN");
    await change(shop, operator, { status: "active" });
    const other = await register({ tenant_id: shop.tenantId, role: "supplier" });
    expectRefusal(await change(shop, other, { status: "paused" }), 403, "FORBIDDEN");
  });

  it("sells on the marketplaces that the admins allow", async () => {
    const { supplier, operator, marketplace } = shop;
    const second = await openMarketplace(operator);
    const here = await listProduct(supplier, { marketplace_id: marketplace.id });
    const there = await listProduct(supplier, { marketplace_id: second.id });
    const marketplace_ids = [second.id];
    expectRefusal(await change(shop, supplier, { marketplace_ids }), 403, "FORBIDDEN");
    const unknown = await change(shop, operator, { marketplace_ids: [crypto.randomUUID()] });
    expectRefusal(unknown, 404, "NOT_FOUND", { field: "marketplace_ids" });
    const allowed = await change(shop, operator, { marketplace_ids });
    expect(allowed.body).toMatchObject({ marketplace_ids });
    expect([await statusOf(shop, here), await statusOf(shop, there)]).toEqual([
      "inactive",
      "active",
    ]);
    await change(shop, operator, { marketplace_ids: null });
    expect(await statusOf(shop, here)).toBe("active");
  });

  it("sells nothing that it was adding at the moment of its suspension", async () => {
    const own = await openShop();
    const { supplierId, tenantId, marketplace, operator, customer } = own;
    const adding = new pg.Client({ connectionString: stackInUse().db_url as string });
    await adding.connect();
    try {
      await adding.query("begin");
      const { rows } = await adding.query(
        `insert into public.products (tenant_id, marketplace_id, supplier_id, name, price, currency)
         values ($1, $2, $3, 'Bead', 1, 'EUR') returning id`,
        [tenantId, marketplace.id, supplierId],
      );
      await change(own, operator, { status: "suspended" });
      await adding.query("commit");
      const bead = { id: rows[0].id, marketplace_id: marketplace.id, price: 1 };
      expectRefusal(await place(customer, bead), 404, "NOT_FOUND", {
        field: "items[0].product_id",
      });
      await runJob("settle-suppliers");
      expect(await statusOf(own, bead)).toBe("inactive");
    } finally {
      await adding.end();
    }
  });

  it("with many products is closed to orders at once, and to lists within minutes", async () => {
    const { supplierId, tenantId, marketplace, operator, customer } = await openShop();
    const own = { ...shop, supplierId, tenantId, operator, customer };
    const ids = await query<{ id: string }>(
      `insert into public.products (tenant_id, marketplace_id, supplier_id, name, price, currency)
       select $1, $2, $3, 'Bead ' || n, 1, 'EUR' from generate_series(1, 520) n returning id`,
      [tenantId, marketplace.id, supplierId],
    );
    expect((await change(own, operator, { status: "paused" })).body).toMatchObject({
      status: "paused",
    });
    const left = await query<{ id: string }>(
      "select id from public.products where tenant_id = $1 and status = 'active'",
      [tenantId],
    );
    expect(left).toHaveLength(ids.length - 500);
    const bead = { ...left[0], marketplace_id: marketplace.id, price: 1 };
    expectRefusal(await place(customer, bead), 404, "NOT_FOUND", {
      field: "items[0].product_id",
    });
    await runJob("settle-suppliers");
    expect((await must("GET", "/api/products?limit=1", { as: customer })).total).toBe(0);
    expect((await change(own, operator, { status: "active" })).body).toMatchObject({
      status: "active",
    });
    await runJob("settle-suppliers");
    expect((await must("GET", "/api/products?limit=1", { as: customer })).total).toBe(520);
  });
});

describe("the profile of a supplier", () => {
  it("has a slug, a description and the trader's identity, for everybody", async () => {
    const shop = await openShop();
    const { supplier, operator, customer, supplierId } = shop;
    await listProduct(supplier);
    const legal = {
      name: "Atlas Crafts GmbH",
      address: "2 Oak Street, Berlin",
      email: "legal@atlas.example",
      phone: "+49 30 1234567",
      register_number: "HRB 1234",
      tax_id: "DE1",
      self_certified: true,
    };
    const logo = "https://atlas.example/logo.png";
    const fields = { name: "Atlas Crafts", slug: "atlas", description: "Lanterns.", logo, legal };
    expect((await change(shop, supplier, fields)).body).toMatchObject(fields);
    for (const as of [customer, { visits: shop.marketplace.domain }]) {
      for (const id of [supplierId, "atlas"]) {
        expect(await must("GET", `/api/suppliers/${id}`, { as })).toMatchObject(fields);
      }
    }
    const second = await must("POST", "/api/suppliers", { as: operator, body: { name: "Atlas" } });
    expect(second.slug).toBe("atlas-2");
    const taken = await call("PATCH", `/api/suppliers/${second.id}`, {
      as: operator,
      body: { slug: "atlas" },
    });
    expectRefusal(taken, 409, "CONFLICT", { field: "slug" });
    const anew = { slug: null, name: "Rif Weavers" };
    expect((await change(shop, operator, anew)).body).toMatchObject({ slug: "rif-weavers" });
  });

  it.each([
    [{ legal: { email: "nobody" } }, "legal.email"],
    [{ logo: "javascript:alert(1)" }, "logo"],
    [{ legal: { self_certified: "yes" } }, "legal.self_certified"],
    [{ legal: { vat: "1" } }, "legal.vat"],
    [{ slug: "Not a slug" }, "slug"],
    [{ description: "x".repeat(5001) }, "description"],
    [{ status: "gone" }, "status"],
  ])("is checked: %o", async (fields, field) => {
    const shop = await openShop();
    expectRefusal(await change(shop, shop.operator, fields), 422, "VALIDATION_ERROR", { field });
  });

  it("stays out of an order's copy but for name, address and tax id", async () => {
    const shop = await openShop();
    const legal = { name: "Atlas GmbH", tax_id: "DE1", email: "legal@atlas.example" };
    await change(shop, shop.supplier, { legal });
    const product = await listProduct(shop.supplier);
    const order = await must("POST", "/api/orders", {
      as: shop.customer,
      body: orderFor(product),
    });
    expect(order.parts[0].legal).toEqual({ name: "Atlas GmbH", tax_id: "DE1" });
  });
});
