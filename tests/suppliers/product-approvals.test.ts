import { beforeAll, describe, expect, it } from "vitest";
import { query } from "../database.js";
import { eventually } from "../eventually.js";
import { png } from "../media/files.js";
import { type Asset, announcementOf, complete, sendBytes, upload } from "../media/uploading.js";
import {
  call,
  expectRefusal,
  listProduct,
  must,
  openTestTenant,
  type Person,
  registerClient,
  supabaseAs,
  type TestTenant,
} from "../souk.js";

const setReview = ({ operator }: TestTenant, product_review: string) =>
  must("PATCH", "/api/tenant", {
    as: operator,
    body: { settings: { sellers: { product_review } } },
  });

async function openShop(product_review: string): Promise<TestTenant & { supplierId: string }> {
  const tenant = await openTestTenant();
  await setReview(tenant, product_review);
  const { supplier_id } = await must("GET", "/auth/me", { as: tenant.supplier });
  return { ...tenant, supplierId: supplier_id };
}

const verify = (operator: Person, id: string) =>
  must("PATCH", `/api/suppliers/${id}`, { as: operator, body: { verified: true } });

const decide = (as: Person, id: string, what: "approve" | "reject", body: object = {}) =>
  call("POST", `/api/products/${id}/${what}`, { as, body });

const read = (as: Person, id: string) => call("GET", `/api/products/${id}`, { as });

const change = (as: Person, id: string, body: object) =>
  must("PUT", `/api/products/${id}`, { as, body });

const uploadPicture = (as: Person, size: number) => upload(as, png(size, size), "image/png");

const replacePicture = (as: Person, { id }: Asset) =>
  call("POST", `/api/media/${id}/replace`, { as, body: announcementOf(png(3, 3), "image/png") });

describe("a new product of a supplier that is not verified", () => {
  let shop: Awaited<ReturnType<typeof openShop>>;
  beforeAll(async () => {
    shop = await openShop("unverified");
  });

  it("is a draft that awaits a review, and buyers do not see it", async () => {
    const { supplier, customer, operator } = shop;
    const product = await listProduct(supplier);
    expect(product).toMatchObject({ status: "draft", review_status: "pending" });
    expectRefusal(await read(customer, product.id), 404, "NOT_FOUND");
    expect((await read(supplier, product.id)).body).toEqual(product);
    const waiting = await must("GET", "/api/product-approvals?status=pending", { as: operator });
    expect(waiting.product_approvals).toContainEqual({
      product_id: product.id,
      tenant_id: shop.tenantId,
      supplier_id: shop.supplierId,
      status: "pending",
      pending_changes: null,
      reason: null,
      requested_at: expect.any(String),
      decided_by: null,
      decided_at: null,
    });
  });

  it("is put up for sale by the approval, and can be taken down and put up again", async () => {
    const { supplier, customer, operator } = shop;
    const { id } = await listProduct(supplier);
    const approved = await decide(operator, id, "approve");
    expect(approved.status).toBe(200);
    expect(approved.body).toMatchObject({ status: "active", review_status: "approved" });
    const seen = await read(customer, id);
    expect(seen.status).toBe(200);
    expect(seen.body).not.toHaveProperty("review_status");
    await change(supplier, id, { status: "inactive" });
    expect(await change(supplier, id, { status: "active" })).toMatchObject({ status: "active" });
  });

  it("is rejected with a reason, and may be handed in again", async () => {
    const { supplier, operator } = shop;
    const { id } = await listProduct(supplier);
    const rejected = await decide(operator, id, "reject", { reason: "No picture." });
    expect(rejected.body).toMatchObject({
      status: "draft",
      review_status: "rejected",
      review_reason: "No picture.",
    });
    expect((await read(supplier, id)).body).toMatchObject({ review_reason: "No picture." });
    const again = await change(supplier, id, { status: "active" });
    expect(again).toMatchObject({ status: "draft", review_status: "pending" });
    expect(again).not.toHaveProperty("review_reason");
  });

  it("slips past the review on no path", async () => {
    const { supplier, operator, customer } = shop;
    const line = { name: "Imported", price: 5, quantity: 1 };
    const lines = ["active", "inactive"].map((status) => ({
      ...line,
      external_id: status,
      status,
    }));
    const imported = await must("POST", "/api/products/import", {
      as: supplier,
      headers: { "content-type": "application/x-ndjson" },
      body: lines.map((one) => JSON.stringify(one)).join("\n"),
    });
    expect(imported).toMatchObject({ imported: 2 });
    const db = supabaseAs(supplier);
    const fields = { name: "By PostgREST", price: 5, currency: "EUR", status: "active" };
    await db.from("products").insert(fields).throwOnError();
    const draft = await listProduct(supplier, { status: "draft" });
    expect(draft).not.toHaveProperty("review_status");
    const patched = await db
      .from("products")
      .update({ status: "active" })
      .eq("id", draft.id)
      .select("status")
      .single()
      .throwOnError();
    expect(patched.data.status).toBe("draft");
    await db.from("products").update({ status: "active" }).eq("status", "inactive").throwOnError();
    const key = await must("POST", "/api/api-keys", { as: supplier, body: { name: "Robot" } });
    const session = await must("POST", "/auth/token", {
      body: {
        grant_type: "client_credentials",
        client_id: key.client_id,
        client_secret: key.client_secret,
      },
    });
    await must("POST", "/api/products", {
      as: session.access_token,
      body: { name: "By a key", price: 5 },
    });
    const { products } = await must("GET", "/api/products?limit=100", { as: operator });
    const named = ["Imported", "By PostgREST", "By a key"];
    const hidden = products.filter(({ name }: { name: string }) => named.includes(name));
    expect(hidden).toHaveLength(4);
    for (const { status } of hidden) expect(["draft", "inactive"]).toContain(status);
    const shown = await must("GET", "/api/products?limit=100", { as: customer });
    const names = shown.products.map(({ name }: { name: string }) => name);
    expect(names).not.toEqual(expect.arrayContaining([expect.stringMatching(named.join("|"))]));
  });

  it("is free of review as the operator's own, or listed by an admin", async () => {
    const { operator, supplierId } = shop;
    expect(await listProduct(operator)).toMatchObject({ status: "active" });
    const theirs = await listProduct(operator, { supplier_id: supplierId });
    expect(theirs).toMatchObject({ status: "active" });
  });

  it("is approved when an admin puts it up for sale", async () => {
    const { supplier, operator } = shop;
    const { id } = await listProduct(supplier);
    const active = await change(operator, id, { status: "active" });
    expect(active).toMatchObject({ status: "active", review_status: "approved" });
    expectRefusal(await decide(operator, id, "approve"), 422, "INVALID_TRANSITION");
  });

  it("is decided by admins only, once, and as it was seen", async () => {
    const { supplier, operator, customer } = shop;
    const product = await listProduct(supplier);
    const client = await registerClient(shop.tenantId);
    for (const as of [client, supplier, customer]) {
      expectRefusal(await decide(as, product.id, "approve"), 403, "FORBIDDEN");
    }
    await change(supplier, product.id, { name: "Something else" });
    const { updated_at } = product;
    expectRefusal(await decide(operator, product.id, "approve", { updated_at }), 409, "CONFLICT");
    const answers = await Promise.all(
      ["approve", "reject", "approve"].map((what) =>
        decide(operator, product.id, what as "approve" | "reject"),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const { operator: foreigner } = await openTestTenant();
    expectRefusal(await decide(foreigner, product.id, "approve"), 404, "NOT_FOUND");
  });

  it("is released by the verification of its supplier, which leaves drafts alone", async () => {
    const { supplier, operator, supplierId } = await openShop("unverified");
    const waiting = await Promise.all([1, 2, 3].map(() => listProduct(supplier)));
    const draft = await listProduct(supplier, { status: "draft" });
    const gone = await listProduct(supplier);
    await must("DELETE", `/api/products/${gone.id}`, { as: supplier });
    await verify(operator, supplierId);
    for (const { id } of waiting) {
      const { body } = await read(supplier, id);
      expect(body).toMatchObject({ status: "active", review_status: "approved" });
    }
    expect((await read(supplier, draft.id)).body.status).toBe("draft");
    expect(await listProduct(supplier)).toMatchObject({ status: "active" });
  });
});

describe("products that wait in great number", () => {
  it("are released 200 at once, and the others by a job", async () => {
    const { operator, supplier, supplierId, tenantId, marketplace } = await openShop("unverified");
    await query(
      `with made as (
         insert into public.products (tenant_id, marketplace_id, supplier_id, name, price, currency, status)
         select $1, $2, $3, 'Bead ' || n, 1, 'EUR', 'draft' from generate_series(1, 205) n
         returning id
       )
       insert into public.product_approvals (product_id, tenant_id, supplier_id, status)
       select id, $1, $3, 'pending' from made`,
      [tenantId, marketplace.id, supplierId],
    );
    await verify(operator, supplierId);
    const active = async () =>
      (await must("GET", "/api/products?status=active&limit=1", { as: supplier })).total;
    expect(await active()).toBeGreaterThanOrEqual(200);
    await query("select private.release_waiting_products()");
    await eventually(async () => expect(await active()).toBe(205));
  });

  it("are released when the tenant reviews none any more", async () => {
    const shop = await openShop("all");
    const { id } = await listProduct(shop.supplier);
    await setReview(shop, "none");
    await query("select private.release_waiting_products()");
    expect((await read(shop.customer, id)).status).toBe(200);
  });
});

describe("where all products are reviewed", () => {
  let shop: Awaited<ReturnType<typeof openShop>>;
  beforeAll(async () => {
    shop = await openShop("all");
    await verify(shop.operator, shop.supplierId);
  });

  async function approvedProduct() {
    const { id } = await listProduct(shop.supplier);
    return (await decide(shop.operator, id, "approve")).body;
  }

  it("a new product of a verified supplier awaits a review, too", async () => {
    expect(await listProduct(shop.supplier)).toMatchObject({ review_status: "pending" });
  });

  it("a change of what was for sale before that waits, too", async () => {
    const { supplier, operator, supplierId } = await openShop("none");
    const { id } = await listProduct(supplier);
    await must("PATCH", "/api/tenant", {
      as: operator,
      body: { settings: { sellers: { product_review: "all" } } },
    });
    expect(await change(supplier, id, { name: "Gold" })).toMatchObject({
      ...{ name: "Saffron", status: "active", review_status: "pending" },
      pending_changes: { name: "Gold" },
    });
    // Nor does a pause of the seller open a way around the review.
    const other = await listProduct(operator, { supplier_id: supplierId });
    const pause = (status: string) =>
      must("PATCH", `/api/suppliers/${supplierId}`, { as: supplier, body: { status } });
    await pause("paused");
    await change(supplier, other.id, { name: "Gold" });
    await pause("active");
    expect((await read(supplier, other.id)).body).toMatchObject({
      ...{ name: "Saffron", status: "active" },
      pending_changes: { name: "Gold" },
    });
  });

  it("a change of what was approved waits, while buyers see the approved values", async () => {
    const { supplier, operator, customer } = shop;
    const { id } = await approvedProduct();
    const changes = { name: "Gold", description: "<b>Gold</b>" };
    const changed = await change(supplier, id, { ...changes, price: 20 });
    const pending_changes = {
      name: "Gold",
      description: "Gold",
      description_html: "<p><strong>Gold</strong></p>",
    };
    expect(changed).toMatchObject({
      ...{ name: "Saffron", price: 20, status: "active", review_status: "pending" },
      pending_changes: { name: "Gold", description: "Gold" },
    });
    expect(Object.keys(changed.pending_changes).sort()).toEqual(
      Object.keys(pending_changes).sort(),
    );
    const seen = (await read(customer, id)).body;
    expect(seen).toMatchObject({ name: "Saffron", price: 20 });
    expect(JSON.stringify(seen)).not.toContain("Gold");
    expect(seen).not.toHaveProperty("pending_changes");
    const { data } = await supabaseAs(customer).from("product_approvals").select();
    expect(data).toEqual([]);

    await change(supplier, id, { images: [{ url: "https://example.com/gold.jpg" }] });
    const approved = (await decide(operator, id, "approve")).body;
    expect(approved).toMatchObject({
      ...{ name: "Gold", status: "active", review_status: "approved" },
      images: [{ url: "https://example.com/gold.jpg" }],
    });
    expect(approved).not.toHaveProperty("pending_changes");
    expect((await read(customer, id)).body).toMatchObject({ name: "Gold" });
  });

  it("a rejected change is dropped, with a reason, and the product stays for sale", async () => {
    const { supplier, operator, customer } = shop;
    const { id } = await approvedProduct();
    await change(supplier, id, { name: "Gold" });
    const rejected = (await decide(operator, id, "reject", { reason: "Not gold." })).body;
    expect(rejected).toMatchObject({
      ...{ name: "Saffron", status: "active" },
      ...{ review_status: "approved", review_reason: "Not gold." },
    });
    expect(rejected).not.toHaveProperty("pending_changes");
    expect((await read(customer, id)).body.name).toBe("Saffron");
  });

  it("an admin's change applies at once", async () => {
    const { id } = await approvedProduct();
    expect(await change(shop.operator, id, { name: "Gold" })).toMatchObject({ name: "Gold" });
  });

  it("a picture that was approved, or waits, is not changed behind the review", async () => {
    const { supplier, operator } = shop;
    const [shown, waiting] = await Promise.all([1, 2].map((n) => uploadPicture(supplier, n)));
    const images = [{ asset_id: shown.id }];
    const { id } = await listProduct(supplier, { images });
    const announced = await replacePicture(supplier, shown);
    expect(announced.status).toBe(201);
    await decide(operator, id, "approve");
    await change(supplier, id, { images: [...images, { asset_id: waiting.id }] });
    const at = { field: "asset_id" };
    for (const asset of [shown, waiting]) {
      expectRefusal(await replacePicture(supplier, asset), 409, "CONFLICT", at);
      const body = { alt_text: "Gold" };
      const path = `/api/media/${asset.id}`;
      expectRefusal(await call("PATCH", path, { as: supplier, body }), 409, "CONFLICT", at);
    }
    // Announced before the review, it is not completed after it.
    await sendBytes(announced.body, png(3, 3));
    expectRefusal(await complete(supplier, shown), 409, "CONFLICT", at);
    await must("PATCH", `/api/media/${shown.id}`, { as: operator, body: { alt_text: "Crocus" } });
    await must("PATCH", `/api/media/${shown.id}`, { as: supplier, body: { tags: ["spice"] } });
  });

  it("a waiting change goes to the category and pictures that it names, checked as sent", async () => {
    const { supplier, operator } = shop;
    const { id } = await approvedProduct();
    const unknown = { images: [{ asset_id: crypto.randomUUID() }] };
    const refused = await call("PUT", `/api/products/${id}`, { as: supplier, body: unknown });
    expect(refused.status).toBeGreaterThanOrEqual(404);
    const category = await must("POST", "/api/categories", {
      as: operator,
      body: { name: "Spice" },
    });
    await change(supplier, id, { category_id: category.id });
    expect((await decide(operator, id, "approve")).body.category_id).toBe(category.id);
  });
});
