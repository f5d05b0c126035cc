import { randomUUID } from "node:crypto";
import { imageDimensionsFromData } from "image-dimensions";
import { beforeAll, describe, expect, it } from "vitest";
import { query } from "../database.js";
import {
  call,
  expectRefusal,
  listProduct,
  must,
  openTestTenant,
  type Person,
  register,
  stackInUse,
  supabaseAs,
  supabaseAsService,
  type TestTenant,
} from "../souk.js";
import { png, TYPES } from "./files.js";
import { type Asset, announce, announcementOf, complete, sendBytes, upload } from "./uploading.js";

let testTenant: TestTenant;
beforeAll(async () => {
  testTenant = await openTestTenant();
});

const bytes = png(3, 3);
const add = (fields: object, as = testTenant.supplier) => upload(as, bytes, TYPES.png, fields);
const list = async (query = "", as = testTenant.customer) =>
  (await must("GET", `/api/media${query}`, { as })).media as Asset[];

describe("the library", () => {
  it("separates files with the same name in NFC, and saves them under that name", async () => {
    const name = "Café.pdf".normalize("NFC");
    const names = [name, name.normalize("NFD")];
    const [composed, decomposed] = await Promise.all(
      names.map((filename, n) =>
        upload(testTenant.supplier, Buffer.from(`%PDF-1.7 ${n}\n%%EOF`), TYPES.pdf, { filename }),
      ),
    );
    expect([composed.filename, decomposed.filename]).toEqual([name, name]);
    for (const [n, { url, filename }] of [composed, decomposed].entries()) {
      const answer = await fetch(url);
      expect(answer.headers.get("content-disposition")).toContain(
        `filename*=UTF-8''${encodeURIComponent(filename)}`,
      );
      expect(await answer.text()).toContain(`%PDF-1.7 ${n}`);
    }
    for (const { id } of [composed, decomposed]) {
      await must("DELETE", `/api/media/${id}`, { as: testTenant.supplier });
    }
  });

  it("can be searched and filtered, with pages", async () => {
    const folder = await must("POST", "/api/media/folders", {
      as: testTenant.operator,
      body: { name: "Pots" },
    });
    const [pot, lamp, note] = [
      await add({ filename: "Pot_100%.png", tags: ["brass", "new"], folder_id: folder.id }),
      await add({ filename: "b.png", alt_text: "A lamp of BRASS" }),
      await upload(testTenant.supplier, Buffer.from("words"), TYPES.text, { filename: "c.txt" }),
    ];
    const product = await listProduct(testTenant.supplier, { images: [{ asset_id: lamp.id }] });
    for (const [query, found] of [
      ["", [note, lamp, pot]],
      ["?order=asc", [pot, lamp, note]],
      ["?search=brass", [lamp, pot]],
      ["?search=t_100%25", [pot]],
      ["?search=x_100%25", []],
      ["?type=document", [note]],
      ["?tag=brass", [pot]],
      [`?folder_id=${folder.id}`, [pot]],
      ["?unused=true", [note, pot]],
      ["?unused=false", [lamp]],
      ["?limit=1&page=2", [lamp]],
      ["?type=video", []],
    ] as const) {
      const ids = (await list(query)).map(({ id }) => id);
      expect({ query, ids }).toEqual({ query, ids: found.map(({ id }) => id) });
    }
    for (const query of ["?type=song", "?unused=maybe", "?sort=size", "?page=0"]) {
      const answer = await call("GET", `/api/media${query}`, { as: testTenant.customer });
      expectRefusal(answer, 422, "VALIDATION_ERROR");
    }
    expect(await must("GET", "/api/media?limit=2", { as: testTenant.customer })).toMatchObject({
      total: 3,
      page: 1,
      limit: 2,
    });
    await must("DELETE", `/api/products/${product.id}`, { as: testTenant.supplier });
    expect((await list("?unused=true")).map(({ id }) => id)).toContain(lamp.id);
  });

  it("changes texts, tags and focal point of an asset, and lists the records that use it", async () => {
    const asset = await add({});
    const changes = {
      alt_text: "",
      alt_texts: { fr: "Un pot", "pt-BR": "Um pote" },
      focal_point: { x: 0.25, y: 1 },
      tags: ["one", "two"],
    };
    const as = testTenant.supplier;
    const path = `/api/media/${asset.id}`;
    expect(await must("PATCH", path, { as, body: changes })).toMatchObject(changes);
    expect(await must("PATCH", path, { as, body: { focal_point: null } })).toMatchObject({
      ...changes,
      focal_point: null,
    });
    for (const [body, field] of [
      [{ focal_point: { x: 2, y: 0 } }, "focal_point.x"],
      [{ alt_text: "x".repeat(501) }, "alt_text"],
      [{ alt_texts: { "not a language": "x" } }, "alt_texts.not a language"],
      [{ tags: ["a", "a"] }, "tags"],
      [{ filename: "mine" }, "filename"],
      [{ private: true }, "private"],
    ] as const) {
      const answer = await call("PATCH", path, { as, body });
      expectRefusal(answer, 422, "VALIDATION_ERROR", { field });
    }
    const stranger = { folder_id: randomUUID() };
    expectRefusal(await call("PATCH", path, { as, body: stranger }), 404, "NOT_FOUND");

    const product = await listProduct(as, { images: [{ asset_id: asset.id }] });
    const uses = [{ type: "product", id: product.id }];
    expect((await must("GET", path, { as })).used_by).toEqual(uses);
    expect((await must("GET", path, { as: testTenant.customer })).used_by).toEqual([]);
    await must("PUT", `/api/products/${product.id}`, { as, body: { images: [] } });
    expect((await must("GET", path, { as })).used_by).toEqual([]);
    await must("DELETE", path, { as });
  });

  it("can be changed by content editors, and by suppliers for their own assets", async () => {
    const { customer, operator, supplier } = testTenant;
    const [theirs, its] = [await add({}), await add({}, operator)];
    const role = (content_roles: string[]) =>
      supabaseAsService()
        .from("members")
        .update({ content_roles })
        .eq("user_id", customer.id)
        .throwOnError();
    const rename = (as: typeof customer, { id }: Asset) =>
      call("PATCH", `/api/media/${id}`, { as, body: { alt_text: "x" } });
    expect((await rename(supplier, its)).status).toBe(403);
    await role(["reviewer"]);
    expect((await rename(customer, its)).status).toBe(403);
    await role(["editor"]);
    expect((await rename(customer, its)).status).toBe(200);
    expect((await rename(customer, theirs)).status).toBe(200);
    await add({}, customer);
    await must("POST", "/api/media/folders", { as: customer, body: { name: "Mine" } });
    await role([]);
  });
});

describe("an upload", () => {
  it("is announced, sent to Storage and completed, and then publicly readable", async () => {
    const bytes = png(800, 600);
    const announced = await announce(testTenant.supplier, bytes, TYPES.png, {
      filename: "pot.png",
      alt_text: "A pot",
      tags: ["brass"],
    });
    expect(announced).toMatchObject({ status: "uploading", url: null, size: bytes.length });
    expect((await sendBytes(announced, bytes)).status).toBe(200);
    const done = await complete(testTenant.supplier, announced);
    expect(done.body).toMatchObject({
      id: announced.id,
      status: "ready",
      type: "image",
      content_type: "image/png",
      dimensions: { width: 800, height: 600 },
      alt_text: "A pot",
      tags: ["brass"],
      used_by: [],
    });
    expect(done.body.variants.map(({ width }: { width: number }) => width)).toEqual([320, 640]);
    const shown = await fetch(done.body.url);
    expect(shown.headers.get("content-type")).toBe("image/png");
    expect(Buffer.from(await shown.arrayBuffer())).toEqual(bytes);
    expect((await complete(testTenant.supplier, announced)).body).toEqual(done.body);
    expect(
      await must("GET", `/api/media/${announced.id}`, { as: testTenant.customer }),
    ).toMatchObject({
      url: done.body.url,
    });
  });

  it("is shown by products, which follow its texts and prevent its deletion", async () => {
    const asset = await upload(testTenant.supplier, png(400, 300), TYPES.png, { alt_text: "One" });
    const product = await listProduct(testTenant.supplier, { images: [{ asset_id: asset.id }] });
    expect(product.images).toEqual([
      {
        asset_id: asset.id,
        url: asset.url,
        alt: "One",
        srcset: asset.srcset,
        width: 400,
        height: 300,
      },
    ]);
    await must("PATCH", `/api/media/${asset.id}`, {
      as: testTenant.supplier,
      body: { alt_text: "Two" },
    });
    const read = await must("GET", `/api/products/${product.id}`, { as: testTenant.customer });
    expect(read.images[0].alt).toBe("Two");
    const refused = await call("DELETE", `/api/media/${asset.id}`, { as: testTenant.supplier });
    expectRefusal(refused, 409, "CONFLICT", { used_by: [{ type: "product", id: product.id }] });
  });
});

describe("folders", () => {
  it("are a tree without cycles, with unique names and at most ten levels", async () => {
    const { operator, customer } = await openTestTenant();
    const make = (name: string, parent_id?: string) =>
      call("POST", "/api/media/folders", { as: operator, body: { name, parent_id } });
    const a = (await make("A")).body;
    const b = (await make("B", a.id)).body;
    const c = (await make("C", b.id)).body;
    expect(await must("GET", "/api/media/folders", { as: customer })).toMatchObject({
      folders: [{ id: a.id, children: [{ id: b.id, children: [{ id: c.id, children: [] }] }] }],
    });
    expectRefusal(await make("B", a.id), 409, "CONFLICT", { field: "name" });
    expectRefusal(await make("A"), 409, "CONFLICT", { field: "name" });
    const move = (id: string, parent_id: string | null) =>
      call("PATCH", `/api/media/folders/${id}`, { as: operator, body: { parent_id } });
    for (const inside of [a.id, b.id, c.id]) {
      expectRefusal(await move(a.id, inside), 422, "VALIDATION_ERROR", { field: "parent_id" });
    }
    expect((await move(c.id, null)).status).toBe(200);
    // Two folders that are moved into each other in parallel.
    const moved = await Promise.all([move(b.id, c.id), move(c.id, b.id)]);
    // The second move finds the cycle, or exceeds the lock timeout.
    expect(moved.map(({ status }) => status).sort()).toEqual([200, expect.toBeOneOf([409, 422])]);
    const remove = (id: string) => call("DELETE", `/api/media/folders/${id}`, { as: operator });
    expectRefusal(await remove(moved[0]?.status === 200 ? c.id : b.id), 409, "CONFLICT");
    expect((await remove(a.id)).status).toBe(moved[0]?.status === 200 ? 204 : 409);
    let deepest = (await make("deep")).body.id;
    for (let depth = 2; depth <= 10; depth += 1) deepest = (await make("d", deepest)).body.id;
    expectRefusal(await make("d", deepest), 422, "VALIDATION_ERROR", { field: "parent_id" });
  });

  it("can only be deleted when they are empty", async () => {
    const { operator, supplier } = testTenant;
    const folder = await must("POST", "/api/media/folders", {
      as: operator,
      body: { name: "Full" },
    });
    const path = `/api/media/folders/${folder.id}`;
    await add({ folder_id: folder.id });
    expectRefusal(await call("DELETE", path, { as: operator }), 409, "CONFLICT");
    expectRefusal(await call("DELETE", path, { as: supplier }), 403, "FORBIDDEN");
  });
});

describe("images of products", () => {
  it("must be public, complete and the tenant's own", async () => {
    const neighbour = await openTestTenant();
    const [hidden, words, foreign] = [
      await add({ private: true }),
      await upload(testTenant.supplier, Buffer.from("words"), TYPES.text),
      await upload(neighbour.supplier, bytes, TYPES.png),
    ];
    const begun = await must("POST", "/api/media", {
      as: testTenant.supplier,
      body: announcementOf(bytes, TYPES.png),
    });
    await sendBytes(begun, bytes);
    for (const [asset_id, status, code] of [
      [hidden.id, 422, "VALIDATION_ERROR"],
      [words.id, 422, "VALIDATION_ERROR"],
      [begun.id, 422, "VALIDATION_ERROR"],
      [foreign.id, 404, "NOT_FOUND"],
      [randomUUID(), 404, "NOT_FOUND"],
    ] as const) {
      const body = {
        name: "x",
        price: 1,
        images: [{ url: "https://example.com/a.jpg" }, { asset_id }],
      };
      const answer = await call("POST", "/api/products", { as: testTenant.supplier, body });
      expectRefusal(answer, status, code, { field: "images[1].asset_id" });
    }
    const neither = { name: "x", price: 1, images: [{ alt: "nothing" }] };
    const answer = await call("POST", "/api/products", { as: testTenant.supplier, body: neither });
    expectRefusal(answer, 422, "VALIDATION_ERROR", { field: "images[0].url" });
  });

  it("must be of the product's supplier or of the operator, whoever names them", async () => {
    const { operator, supplier, tenantId } = testTenant;
    const rival = await register({ tenant_id: tenantId, role: "supplier" });
    const [theirs, its, own] = [await add({}, rival), await add({}, operator), await add({})];
    const product = await listProduct(supplier, {
      images: [{ asset_id: its.id }, { asset_id: own.id }],
    });
    const images = [{ asset_id: own.id }, { asset_id: theirs.id, alt: "Mine" }];
    const body = { name: "x", price: 1, images };
    const external_id = randomUUID();
    const line = JSON.stringify({ external_id, ...body });
    const headers = { "content-type": "application/x-ndjson" };
    const direct = supabaseAs(supplier);
    const path = `/api/products/${product.id}`;
    const field = "images[1].asset_id";
    for (const answer of [
      await call("POST", "/api/products", { as: supplier, body }),
      await call("PUT", path, { as: supplier, body: { images } }),
      // Not by the operator either, nor for its own product: the other supplier could not delete its image.
      await call("PUT", path, { as: operator, body: { images } }),
      await call("POST", "/api/products", {
        as: operator,
        body: { ...body, images: [{ asset_id: its.id }, images[1]] },
      }),
    ]) {
      expectRefusal(answer, 422, "VALIDATION_ERROR", { field, value: theirs.id });
    }
    for (const { error, status } of [
      await direct.rpc("create_product", body),
      await direct.rpc("update_product", { product_id: product.id, changes: { images } }),
      await direct.from("products").insert(body),
      await direct.from("products").update({ images }).eq("id", product.id),
    ]) {
      expect(status).toBe(422);
      expect(JSON.parse(error?.details ?? "")).toMatchObject({ field, value: theirs.id });
    }
    const imported = await call("POST", "/api/products/import", {
      as: supplier,
      body: line,
      headers,
    });
    expect(imported.body).toMatchObject({ failed: 1, errors: [{ field }] });
    expect((await must("GET", path, { as: supplier })).images).toMatchObject([
      { asset_id: its.id },
      { asset_id: own.id },
    ]);
    expect((await call("DELETE", `/api/media/${theirs.id}`, { as: rival })).status).toBe(204);
  });

  it("may be sent back unchanged, and still follow their asset", async () => {
    const asset = await add({ alt_text: "Before" });
    const as = testTenant.supplier;
    const product = await listProduct(as, { images: [{ asset_id: asset.id }] });
    const sent = await must("PUT", `/api/products/${product.id}`, {
      as,
      body: { name: "Another", images: product.images },
    });
    expect(sent.images).toEqual(product.images);
    await must("PATCH", `/api/media/${asset.id}`, { as, body: { alt_text: "After" } });
    const { images, updated_at } = await must("GET", `/api/products/${product.id}`, { as });
    expect(images[0].alt).toBe("After");
    expect(Date.parse(updated_at)).toBeGreaterThan(Date.parse(sent.updated_at));
  });

  it("are imported and exported by the id of their asset", async () => {
    const asset = await add({ alt_text: "A pot" });
    const external_id = randomUUID();
    const send = (line: object) =>
      must("POST", "/api/products/import", {
        as: testTenant.supplier,
        body: JSON.stringify({ external_id, ...line }),
        headers: { "content-type": "application/x-ndjson" },
      });
    const line = { name: "Pot", price: 1, images: [{ asset_id: asset.id }] };
    expect(await send(line)).toMatchObject({ imported: 1, failed: 0 });
    expect(await send(line)).toMatchObject({ unchanged: 1 });
    const answer = await fetch(`${stackInUse().functions_url}/api/products/export?format=ndjson`, {
      headers: { authorization: `Bearer ${testTenant.supplier.token}` },
    });
    const exported = await answer.text();
    const [own] = exported
      .split("\n")
      .filter(Boolean)
      .map((one) => JSON.parse(one))
      .filter((one) => one.external_id === external_id);
    expect(own.images).toEqual([{ asset_id: asset.id, alt: "A pot" }]);
    expect(await send({ images: own.images })).toMatchObject({ unchanged: 1 });
    expect(await send({ images: [{ asset_id: asset.id, alt: "Mine" }] })).toMatchObject({
      updated: 1,
    });
    expect(await send({ images: [{ asset_id: randomUUID() }] })).toMatchObject({ failed: 1 });
  });

  it("may show one asset in at most as many products as the maximum", async () => {
    const service = supabaseAsService();
    const cap = (value: number) =>
      service.rpc("set_cap", { name: "products_per_image", value }).throwOnError();
    const asset = await add({});
    await cap(2);
    try {
      const body = { name: "x", price: 1, images: [{ asset_id: asset.id }] };
      const made = [];
      for (let i = 0; i < 3; i += 1)
        made.push(await call("POST", "/api/products", { as: testTenant.supplier, body }));
      expect(made.map(({ status }) => status)).toEqual([201, 201, 422]);
      expectRefusal(made[2] as never, 422, "LIMIT_REACHED", { cap: "products_per_image" });
    } finally {
      await cap(1000);
    }
  });

  it("have no variants if Storage has no transformations", async () => {
    const asset = await upload(testTenant.supplier, png(400, 200), TYPES.png);
    const product = await listProduct(testTenant.supplier, { images: [{ asset_id: asset.id }] });
    expect(product.images[0].srcset).toContain("width=320&height=160 320w");
    // In a transaction that is rolled back, because other tests would see it.
    const raised = query<never>(`do $$
      begin
        perform public.set_image_transformations(false);
        raise exception '%', jsonb_build_object(
          'images', (select p.images from public.products p where p.id = '${product.id}'),
          'record', (select private.media_record(a) from public.media_assets a where a.id = '${asset.id}')
        );
      end
    $$`);
    const { images, record } = await raised.catch(({ message }) => JSON.parse(message));
    expect(images).toEqual([{ ...product.images[0], srcset: null }]);
    expect(record).toMatchObject({ url: asset.url, variants: [], srcset: null });
  });
});

it("serves an image in several widths, as WebP", async () => {
  const asset = await upload(testTenant.supplier, png(700, 350), TYPES.png);
  expect(asset.variants.map(({ width, height }: Asset) => [width, height])).toEqual([
    [320, 160],
    [640, 320],
  ]);
  for (const { url } of asset.variants) {
    const answer = await fetch(url, { headers: { accept: "image/webp,*/*" } });
    expect(answer.headers.get("content-type")).toBe("image/webp");
  }
  const addresses = asset.variants.map(({ url, width }: Asset) => `${url} ${width}w`);
  expect(asset.srcset).toBe(addresses.join(", "));
});

it("has a picture of each product of the demo, with the bytes that the stack seeds, at the stack's address", async () => {
  const { access_token } = await must("POST", "/auth/login", {
    body: { email: "customer@demo.souk.test", password: "demo-password" },
  });
  const { media } = await must("GET", "/api/media?tag=demo", { as: access_token });
  expect(media).toHaveLength(5);
  // The tests' stack has another port than the one of the config.
  const { products } = await must("GET", "/api/products", { as: access_token });
  const { data } = await supabaseAs({ token: access_token } as Person)
    .from("products")
    .select("images")
    .throwOnError();
  for (const listed of [products, data]) {
    const urls = listed.flatMap(({ images }: Asset) => images.map(({ url }: Asset) => url));
    expect(urls.toSorted()).toEqual(media.map(({ url }: Asset) => url).toSorted());
  }
  for (const { url, size, dimensions } of media) {
    const answer = await fetch(url);
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(bytes).toHaveLength(size);
    expect(imageDimensionsFromData(bytes)).toMatchObject(dimensions);
  }
});
