import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { query } from "../database.js";
import {
  call,
  expectRefusal,
  listProduct,
  must,
  openTestTenant,
  orderFor,
  register,
  supabaseAsService,
  type TestTenant,
} from "../souk.js";
import { TYPES } from "./files.js";
import { announcementOf, complete, sendBytes, upload } from "./uploading.js";

// Files of digital goods that are assets of the media library.

let testTenant: TestTenant;
beforeAll(async () => {
  testTenant = await openTestTenant();
});

const book = Buffer.from("%PDF-1.7 a book\n%%EOF");
const sell = (overrides: object = {}) =>
  listProduct(testTenant.supplier, {
    name: "Atlas",
    kind: "digital",
    inventory: { quantity: 0 },
    ...overrides,
  });
// biome-ignore lint/suspicious/noExplicitAny: a record as the API answers it.
const addFile = (product: any, body: object, as = testTenant.supplier) =>
  call("POST", `/api/products/${product.id}/files`, { as, body: { name: "atlas.pdf", ...body } });
const add = (overrides: object = {}, as = testTenant.supplier) =>
  upload(as, book, TYPES.pdf, { private: true, ...overrides });

describe("a file that is an asset", () => {
  it("can be downloaded by its buyers, its supplier and admins with signed URLs", async () => {
    const { supplier, operator, customer, tenantId } = testTenant;
    const [product, asset] = [await sell(), await add()];
    const added = await addFile(product, { asset_id: asset.id });
    expect(added.body).toMatchObject({ name: "atlas.pdf", asset_id: asset.id });
    const fetched = async (url: string) => {
      const answer = await fetch(url);
      expect(answer.headers.get("content-disposition")).toContain("atlas.pdf");
      return Buffer.from(await answer.arrayBuffer());
    };
    expect(await fetched(added.body.url)).toEqual(book);
    for (const as of [supplier, operator]) {
      const { files } = await must("GET", `/api/products/${product.id}/files`, { as });
      expect(await fetched(files[0].url)).toEqual(book);
    }

    const order = await must("POST", "/api/orders", { as: customer, body: orderFor(product) });
    const path = `/api/orders/${order.id}/downloads`;
    expect((await must("GET", path, { as: customer })).files).toEqual([]);
    await must("POST", `/api/orders/${order.id}/payments`, {
      as: operator,
      body: { status: "paid", amount: order.total_amount, reference: randomUUID() },
    });
    const { files } = await must("GET", path, { as: customer });
    expect(files).toHaveLength(1);
    expect(await fetched(files[0].url)).toEqual(book);
    expect(files[0].url).toContain("/object/sign/documents/");
    expect((await fetch(files[0].url.replace(/token=[^&]+/, "token=x"))).ok).toBe(false);
    const another = await register({ tenant_id: tenantId });
    expectRefusal(await call("GET", path, { as: another }), 404, "NOT_FOUND");
    // The buyer gets the file, but does not see the asset.
    expectRefusal(await call("GET", `/api/media/${asset.id}`, { as: customer }), 404, "NOT_FOUND");

    const second = Buffer.from("%PDF-1.7 the second edition\n%%EOF");
    const replacing = await must("POST", `/api/media/${asset.id}/replace`, {
      as: supplier,
      body: announcementOf(second, TYPES.pdf),
    });
    await sendBytes(replacing, second);
    await complete(supplier, asset);
    const [renewed] = (await must("GET", path, { as: customer })).files;
    expect(await fetched(renewed.url)).toEqual(second);
  });

  it("has no URL when its bytes are missing, and there may be a thousand", async () => {
    const { supplier, operator, customer, tenantId } = testTenant;
    const [product, kept, lost] = [await sell(), await add(), await add()];
    await addFile(product, { asset_id: kept.id });
    await addFile(product, { asset_id: lost.id });
    const [stored] = await query<{ path: string }>(
      "select path from public.media_assets where id = $1",
      [lost.id],
    );
    await supabaseAsService()
      .storage.from("documents")
      .remove([String(stored?.path)]);
    const order = await must("POST", "/api/orders", { as: customer, body: orderFor(product) });
    await must("POST", `/api/orders/${order.id}/payments`, {
      as: operator,
      body: { status: "paid", amount: order.total_amount, reference: randomUUID() },
    });
    const downloads = async () =>
      (await must("GET", `/api/orders/${order.id}/downloads`, { as: customer })).files;
    expect(await downloads()).toEqual([
      expect.objectContaining({ url: expect.stringContaining("/object/sign/documents/") }),
      expect.objectContaining({ url: null }),
    ]);
    const { files } = await must("GET", `/api/products/${product.id}/files`, { as: supplier });
    expect(files).toMatchObject([{ asset_id: kept.id }, { asset_id: lost.id, url: null }]);

    await query(
      `insert into public.product_files (tenant_id, product_id, name, asset_id)
       select $1, $2, 'part ' || n, $3 from generate_series(1, 1001) n`,
      [tenantId, product.id, kept.id],
    );
    const all = await downloads();
    expect(all).toHaveLength(1003);
    expect(await (await fetch(all.at(-1).url)).text()).toBe(book.toString());
  });

  it("cannot be deleted while its product is for sale", async () => {
    const [product, asset] = [await sell(), await add()];
    const { id } = (await addFile(product, { asset_id: asset.id })).body;
    const remove = () => call("DELETE", `/api/media/${asset.id}`, { as: testTenant.supplier });
    expectRefusal(await remove(), 409, "CONFLICT", { used_by: [{ type: "file", id }] });
    await must("DELETE", `/api/products/${product.id}/files/${id}`, { as: testTenant.supplier });
    expect((await remove()).status).toBe(204);

    const [another, its] = [await sell(), await add()];
    await addFile(another, { asset_id: its.id });
    await must("DELETE", `/api/products/${another.id}`, { as: testTenant.supplier });
    expect((await call("DELETE", `/api/media/${its.id}`, { as: testTenant.supplier })).status).toBe(
      204,
    );
  });

  it("must be private, complete and the supplier's own", async () => {
    const product = await sell();
    const { operator, supplier } = testTenant;
    const rival = await register({ tenant_id: testTenant.tenantId, role: "supplier" });
    const neighbour = await openTestTenant();
    for (const [asset_id, status, code] of [
      [(await add({ private: false })).id, 422, "VALIDATION_ERROR"],
      [(await add({}, rival)).id, 404, "NOT_FOUND"],
      [(await add({}, operator)).id, 404, "NOT_FOUND"],
      [(await upload(neighbour.supplier, book, TYPES.pdf, { private: true })).id, 404, "NOT_FOUND"],
      [randomUUID(), 404, "NOT_FOUND"],
    ] as const) {
      const refused = await addFile(product, { asset_id });
      expectRefusal(refused, status, code, { field: "asset_id" });
    }
    // The operator may change all assets, but the rival could not delete this one.
    const theirs = { asset_id: (await add({}, rival)).id };
    expectRefusal(await addFile(product, theirs, operator), 422, "VALIDATION_ERROR", {
      field: "asset_id",
    });
    expect((await call("DELETE", `/api/media/${theirs.asset_id}`, { as: rival })).status).toBe(204);
    expect(
      (await addFile(product, { asset_id: (await add({}, operator)).id }, operator)).status,
    ).toBe(201);
    expect((await addFile(product, { asset_id: (await add()).id }, operator)).status).toBe(201);
    const both = { asset_id: (await add()).id, url: "https://example.com/a.pdf" };
    for (const body of [both, {}]) {
      expectRefusal(await addFile(product, body, supplier), 422, "VALIDATION_ERROR", {
        field: "url",
      });
    }
  });
});
