import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  call,
  expectRefusal,
  listProduct,
  marketplaceFields,
  must,
  openMarketplace,
  openTestTenant,
  type Person,
  supabaseAs,
} from "../souk.js";

const named = async (as: Person, name: string) => (await listProduct(as, { name })).slug;

const rename = (as: Person, { id }: { id: string }, slug: string | null) =>
  call("PUT", `/api/products/${id}`, { as, body: { slug } });

describe("the slug of a product", () => {
  it("is made from the name, in small letters, digits and hyphens", async () => {
    const { supplier } = await openTestTenant();
    const names: [string, string][] = [
      ["Brass lantern", "brass-lantern"],
      ["  Süße Crème – 100 % brûlée!  ", "susse-creme-100-brulee"],
      ["Ærø-Lampe №7", "aero-lampe-no7"],
      ["export", "product-export"],
      ["Top Sales", "product-top-sales"],
      ["00000000-0000-4000-8000-000000000001", "product-00000000-0000-4000-8000-000000000001"],
      ["a".repeat(200), "a".repeat(200)],
    ];
    for (const [name, slug] of names) expect.soft(await named(supplier, name), name).toBe(slug);
    for (const name of ["مصباح نحاسي", "真鍮のランタン", "🏮"]) {
      const made = await listProduct(supplier, { name });
      expect.soft(made.slug, name).toBe(`product-${made.id.slice(0, 8)}`);
    }
  });

  it("has a number if the name is taken in its marketplace, and is free in another one", async () => {
    const { operator, supplier, marketplace } = await openTestTenant();
    const second = await openMarketplace(operator, marketplaceFields());
    const list = (name: string, marketplace_id: string) =>
      listProduct(supplier, { name, marketplace_id });
    const slugs = [];
    for (const name of ["Lamp", "lamp", "LAMP!", "Lamp", "Lamp"]) {
      slugs.push((await list(name, marketplace.id)).slug);
    }
    expect(slugs).toEqual(["lamp", "lamp-2", "lamp-3", "lamp-4", "lamp-5"]);
    expect((await list("Lamp", second.id)).slug).toBe("lamp");
    const long = "a".repeat(200);
    await list(long, marketplace.id);
    expect((await list(long, marketplace.id)).slug).toBe(`${"a".repeat(190)}-2`);
    // Many at once, by one statement of supabase-js.
    const rows = Array.from({ length: 20 }, () => ({
      name: "Rug",
      price: 1,
      currency: "EUR",
      marketplace_id: marketplace.id,
    }));
    const { data } = await supabaseAs(supplier).from("products").insert(rows).select("slug");
    expect(new Set(data?.map(({ slug }) => slug)).size).toBe(20);
  });

  it("differs if products of one name are made at the same time", async () => {
    const { supplier } = await openTestTenant();
    const slugs = await Promise.all(Array.from({ length: 8 }, () => named(supplier, "Tea glass")));
    expect(slugs.sort()).toEqual([
      "tea-glass",
      ...Array.from({ length: 7 }, (_, i) => `tea-glass-${i + 2}`),
    ]);
  });

  it("goes to one of two products that choose it at the same time", async () => {
    const { supplier } = await openTestTenant();
    const products = await Promise.all(
      ["Lamp", "Rug", "Cup", "Tray"].map((name) => listProduct(supplier, { name })),
    );
    const answers = await Promise.all(products.map((product) => rename(supplier, product, "best")));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    const refused = answers.filter(({ status }) => status === 409);
    for (const answer of refused) expectRefusal(answer, 409, "CONFLICT", { field: "slug" });
  });

  it("has the next number after one that was chosen, up to a free one", async () => {
    const { supplier } = await openTestTenant();
    for (const slug of ["lamp", "lamp-2", "lamp-3", "lamp-5"])
      await listProduct(supplier, { slug });
    expect(await named(supplier, "Lamp")).toBe("lamp-4");
    expect(await named(supplier, "Lamp")).toBe("lamp-6");
  });

  it("can be chosen, and is checked, and keeps its product's name apart", async () => {
    const { supplier, customer } = await openTestTenant();
    const lamp = await listProduct(supplier, { name: "Lamp", slug: "my-lamp" });
    expect(lamp.slug).toBe("my-lamp");
    const renamed = await must("PUT", `/api/products/${lamp.id}`, {
      as: supplier,
      body: { name: "Old lamp" },
    });
    expect(renamed).toMatchObject({ name: "Old lamp", slug: "my-lamp" });
    const other = await listProduct(supplier, { name: "Rug" });
    for (const slug of ["", "Lamp", "a--b", "-a", "a_b", "lämp", "a".repeat(201), 7]) {
      const body = { name: "Cup", price: 1, slug };
      const made = await call("POST", "/api/products", { as: supplier, body });
      expectRefusal(made, 422, "VALIDATION_ERROR", { field: "slug", value: slug });
    }
    for (const slug of ["export", "import", "search", "top-sales", randomUUID()]) {
      expectRefusal(await rename(supplier, other, slug), 422, "VALIDATION_ERROR", {
        field: "slug",
      });
    }
    expectRefusal(await rename(supplier, other, "my-lamp"), 409, "CONFLICT", { field: "slug" });
    const direct = supabaseAs(supplier).from("products");
    const { error } = await direct.update({ slug: "My Lamp" }).eq("id", other.id);
    expect(error?.code).toBe("23514");
    // Also the last one, of a product that is discontinued.
    for (const slug of ["My Lamp", "a".repeat(5000), "export"]) {
      const last = await direct.update({ slug, status: "discontinued" }).eq("id", other.id);
      expect(last.error?.code).toBe("23514");
    }
    expect((await rename(customer, lamp, "mine")).status).toBe(403);
    const { data } = await direct.update({ slug: "wool-rug" }).eq("id", other.id).select("slug");
    expect(data).toEqual([{ slug: "wool-rug" }]);
    // Without one it is made anew.
    expect((await rename(supplier, other, null)).body.slug).toBe("rug");
    const again = await supabaseAs(supplier).rpc("update_product", {
      product_id: lamp.id,
      changes: { slug: null },
    });
    expect(again.data).toMatchObject({ slug: "old-lamp" });
  });
});

describe("a product by its slug", () => {
  it("is the record, for members and visitors, over HTTP and supabase-js", async () => {
    const { operator, supplier, customer, marketplace } = await openTestTenant();
    const lamp = await listProduct(supplier, { name: "Brass lantern" });
    for (const as of [operator, supplier, customer]) {
      expect(await must("GET", "/api/products/brass-lantern", { as })).toEqual(
        await must("GET", `/api/products/${lamp.id}`, { as }),
      );
    }
    const db = supabaseAs(customer);
    const { data } = await db.rpc("get_product_by_slug", { slug: "brass-lantern" });
    expect(data).toMatchObject({ id: lamp.id, slug: "brass-lantern" });
    const rows = await db.from("product_details").select("id").eq("slug", "brass-lantern");
    expect(rows.data).toEqual([{ id: lamp.id }]);
    const [listed] = (await must("GET", "/api/products?search=brass", { as: customer })).products;
    expect(listed).toMatchObject({ id: lamp.id, slug: "brass-lantern" });
    const query = `marketplace_id=${marketplace.id}`;
    expect(await must("GET", `/api/products/brass-lantern?${query}`, { as: customer })).toEqual(
      await must("GET", `/api/products/${lamp.id}`, { as: customer }),
    );
  });

  it("is NOT_FOUND if there is none, or the caller does not see it", async () => {
    const { supplier, customer } = await openTestTenant();
    const elsewhere = await openTestTenant();
    const draft = await listProduct(supplier, { name: "Draft", status: "draft" });
    await listProduct(elsewhere.supplier, { name: "Their lamp" });
    for (const slug of [draft.slug, "their-lamp", "nothing", "Not a slug", "a--b"]) {
      const answer = await call("GET", `/api/products/${encodeURIComponent(slug)}`, {
        as: customer,
      });
      expectRefusal(answer, 404, "NOT_FOUND");
    }
    const { data } = await supabaseAs(customer).rpc("get_product_by_slug", { slug: draft.slug });
    expect(data).toBeNull();
    expect((await call("GET", `/api/products/${draft.slug}`, { as: supplier })).status).toBe(200);
  });

  it("needs the marketplace if several have the slug", async () => {
    const { operator, supplier, customer, marketplace } = await openTestTenant();
    const second = await openMarketplace(operator, marketplaceFields());
    const [here, there] = await Promise.all(
      [marketplace, second].map(({ id }) =>
        listProduct(supplier, { name: "Lamp", marketplace_id: id }),
      ),
    );
    const answer = await call("GET", "/api/products/lamp", { as: customer });
    expectRefusal(answer, 422, "VALIDATION_ERROR", { field: "marketplace_id" });
    for (const { id, marketplace_id } of [here, there]) {
      const path = `/api/products/lamp?marketplace_id=${marketplace_id}`;
      expect((await must("GET", path, { as: customer })).id).toBe(id);
    }
  });
});

describe("a former slug", () => {
  it("leads to the product, and tells where it is now", async () => {
    const { supplier, customer } = await openTestTenant();
    const lamp = await listProduct(supplier, { name: "Lamp" });
    await must("PUT", `/api/products/${lamp.id}`, { as: supplier, body: { slug: "lantern" } });
    const now = await must("GET", "/api/products/lantern", { as: customer });
    expect(now).toMatchObject({ id: lamp.id, slug: "lantern" });
    expect(now).not.toHaveProperty("moved_to");
    expect(await must("GET", "/api/products/lamp", { as: customer })).toEqual({
      ...now,
      moved_to: "lantern",
    });
    const { data } = await supabaseAs(customer).rpc("get_product_by_slug", { slug: "lamp" });
    expect(data).toMatchObject({ id: lamp.id, moved_to: "lantern" });
    // It may get it back.
    expect((await rename(supplier, lamp, "lamp")).body.slug).toBe("lamp");
    expect(await must("GET", "/api/products/lantern", { as: customer })).toMatchObject({
      moved_to: "lamp",
    });
  });

  it("is not given to another product while its own lives", async () => {
    const { supplier, customer } = await openTestTenant();
    const lamp = await listProduct(supplier, { name: "Lamp" });
    await rename(supplier, lamp, "lantern");
    const other = await listProduct(supplier, { name: "Lamp" });
    expect(other.slug).toBe("lamp-2");
    expectRefusal(await rename(supplier, other, "lamp"), 409, "CONFLICT", { field: "slug" });
    await must("DELETE", `/api/products/${lamp.id}`, { as: supplier });
    expect((await call("GET", "/api/products/lamp", { as: customer })).status).toBe(404);
    expect((await rename(supplier, other, "lamp")).body.slug).toBe("lamp");
    expect(await named(supplier, "Lantern")).toBe("lantern");
    // A discontinued one is not found by its slug.
    const status = "discontinued";
    await must("PUT", `/api/products/${other.id}`, { as: supplier, body: { status } });
    expect((await call("GET", "/api/products/lamp", { as: supplier })).status).toBe(404);
    expect(await named(supplier, "Lamp")).toBe("lamp");
  });

  it("is forgotten after 20 later ones", async () => {
    const { supplier } = await openTestTenant();
    const lamp = await listProduct(supplier, { name: "Lamp 0" });
    for (let i = 1; i <= 21; i += 1) await rename(supplier, lamp, `lamp-${i}`);
    const status = async (slug: string) =>
      (await call("GET", `/api/products/${slug}`, { as: supplier })).status;
    expect(await Promise.all(["lamp-0", "lamp-1", "lamp-20", "lamp-21"].map(status))).toEqual([
      404, 200, 200, 200,
    ]);
  });
});

describe("an import and an export", () => {
  it("carry the slug", async () => {
    const { supplier, marketplace } = await openTestTenant();
    const path = `/api/products/import?marketplace_id=${marketplace.id}`;
    const headers = { "content-type": "application/x-ndjson" };
    const send = (body: string) => must("POST", path, { as: supplier, body, headers });
    const line = (fields: object) => `${JSON.stringify({ name: "Lamp", price: 1, ...fields })}\n`;
    expect(
      await send(
        line({ external_id: "a" }) +
          line({ external_id: "b" }) +
          line({ external_id: "c", slug: "chosen" }) +
          line({ external_id: "d", slug: "chosen" }) +
          line({ external_id: "e", slug: "Not one" }),
      ),
    ).toMatchObject({
      imported: 3,
      failed: 2,
      errors: [
        { line: 4, code: "CONFLICT", field: "slug" },
        { line: 5, code: "VALIDATION_ERROR", field: "slug" },
      ],
    });
    expect(await send(line({ external_id: "a", slug: "first" }))).toMatchObject({ updated: 1 });
    expect(await send(line({ external_id: "a" }))).toMatchObject({ unchanged: 1 });
    const { products } = await must("GET", "/api/products", { as: supplier });
    const slugs = products.map(({ slug }: { slug: string }) => slug);
    expect(slugs.sort()).toEqual(["chosen", "first", "lamp-2"]);
    const exported = await must("GET", "/api/products/export?format=csv", { as: supplier });
    for (const slug of ["slug", ...slugs]) expect(exported).toMatch(new RegExp(`,${slug},`));
  });
});
