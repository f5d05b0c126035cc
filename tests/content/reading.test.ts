import { beforeAll, describe, expect, it } from "vitest";
import { runJob } from "../clock.js";
import { query } from "../database.js";
import { png, TYPES } from "../media/files.js";
import { upload } from "../media/uploading.js";
import { placed } from "../orders/ordering.js";
import { openCategory, promote } from "../placement/promoting.js";
import {
  call,
  expectRefusal,
  listProduct,
  must,
  openGuest,
  openMarketplace,
  type Person,
  register,
  registerClient,
} from "../souk.js";
import { doc, linked, node, paragraph, text } from "./rich_texts.js";
import { elementsIn, faultsIn } from "./safe_html.js";
import {
  at,
  freeSlug,
  moved,
  type Newsroom,
  openNewsroom,
  type Piece,
  publish,
  published,
  read,
  rpc,
  save,
  saved,
  seen,
  together,
  words,
  write,
} from "./writing.js";

let room: Newsroom;
let readers: Record<string, Person>;
beforeAll(async () => {
  room = await openNewsroom();
  const [guest, client] = await Promise.all([
    openGuest(room.marketplace),
    registerClient(room.tenantId),
  ]);
  readers = { guest, client, customer: room.customer, supplier: room.supplier };
});

/** A new customer. The limit of customers is 100 requests a minute. */
const newCustomer = () => register({ tenant_id: room.tenantId });

const list = (as: Person, query = "") =>
  must("GET", `/api/content/static_pages?limit=1000${query}`, { as });

async function idleProduct(fields: object): Promise<Piece> {
  const { id } = await listProduct(room.supplier, fields);
  const body = { status: "inactive" };
  return must("PUT", `/api/products/${id}`, { as: room.supplier, body });
}

describe("published content", () => {
  it("is visible to the right readers", async () => {
    const { operator, reviewer } = room;
    for (const [fields, may] of [
      [{}, ["guest", "client", "customer", "supplier"]],
      [{ visibility: "members" }, ["client", "customer", "supplier"]],
      [{ visibility: "roles", visible_to: ["supplier"] }, ["supplier"]],
      [{ visibility: "roles", visible_to: ["client", "supplier"] }, ["client", "supplier"]],
      [{ visibility: "roles", visible_to: ["admin"] }, []],
    ] as const) {
      const piece = await publish(operator, fields);
      await together(Object.entries(readers), async ([name, reader]) => {
        const sees = (may as readonly string[]).includes(name);
        for (const id of [piece.id, piece.slug]) {
          const answer = await read(reader, { ...piece, id });
          expect([fields, name, answer.status]).toEqual([fields, name, sees ? 200 : 404]);
        }
        const { content, total } = await list(reader);
        expect(content).toHaveLength(total);
        expect([fields, name, content.some(({ id }: Piece) => id === piece.id)]).toEqual([
          fields,
          name,
          sees,
        ]);
      });
      expect((await seen(reviewer, piece)).is_draft).toBe(true);
      expect((await read(undefined, piece)).status).toBe(401);
    }
  });

  it("shows a block and its assets only to the roles of the block", async () => {
    const { operator, editor } = room;
    const [open, hidden] = [
      await upload(operator, png(2, 2), TYPES.png),
      await upload(operator, png(3, 2), TYPES.png, { alt_text: "a secret" }),
    ];
    const image = (id: string, asset_id: string, roles?: string[]) => ({
      id,
      type: "image",
      content: { asset_id },
      permissions: roles ? { roles } : {},
    });
    const target = await publish(operator);
    const piece = await publish(operator, {
      blocks: [
        image("all", open.id),
        image("some", hidden.id, ["supplier", "client"]),
        {
          id: "linked",
          type: "text",
          content: { text: linked({ ref: { type: "static_pages", id: target.slug } }) },
          permissions: { roles: ["supplier"] },
        },
      ],
    });
    for (const [reader, blocks] of [
      [readers.guest, ["all"]],
      [readers.customer, ["all"]],
      [readers.client, ["all", "some"]],
      [readers.supplier, ["all", "some", "linked"]],
      [editor, ["all", "some", "linked"]],
    ] as const) {
      const answer = await seen(reader, piece);
      expect(answer.blocks.map(({ id }: Piece) => id)).toEqual(blocks);
      const assets = Object.keys(answer.assets).toSorted();
      expect(assets).toEqual((blocks.length > 1 ? [open.id, hidden.id] : [open.id]).toSorted());
      const ofList = (await list(reader as Person)).content.find(
        ({ id }: Piece) => id === piece.id,
      );
      expect(ofList.blocks.map(({ id }: Piece) => id)).toEqual(blocks);
    }
  });

  it("is found in lists by a part of its slug or title, with pages", async () => {
    const { operator, customer, editor } = room;
    const mark = freeSlug();
    const pages: Piece[] = [];
    for (const title of ["Ünique 100%", "Unique_2", "unique three"]) {
      pages.push(await publish(operator, { title: { en: `${title} ${mark}` } }));
    }
    for (const person of [customer, editor]) {
      const found = async (query: string) =>
        (await list(person, query)).content.map(({ id }: Piece) =>
          pages.findIndex((one) => one.id === id),
        );
      expect(await found(`&search=${mark}`)).toEqual([2, 1, 0]);
      expect(await found(`&search=${mark}&order=asc`)).toEqual([0, 1, 2]);
      expect(await found(`&search=${encodeURIComponent(`100% ${mark}`)}`)).toEqual([0]);
      expect(await found(`&search=${encodeURIComponent(`E_2 ${mark}`)}`)).toEqual([1]);
      expect(await found(`&search=${encodeURIComponent(`q_e ${mark}`)}`)).toEqual([]);
      expect(await found(`&search=${pages[1].slug.toUpperCase()}`)).toEqual([1]);
      expect(
        await must("GET", `/api/content/static_pages?search=${mark}&limit=1&page=2`, {
          as: person,
        }),
      ).toMatchObject({
        total: 3,
        page: 2,
        limit: 1,
        content: [{ id: pages[1].id }],
      });
    }
    const draft = await write(editor, { title: { en: mark } });
    expect((await list(editor, `&search=${mark}&status=draft`)).content).toMatchObject([
      { id: draft.id },
    ]);
    expect((await list(customer, `&search=${mark}&status=draft`)).total).toBe(0);
    expect((await list(customer, `&search=${mark}&status=published`)).total).toBe(3);
    expectRefusal(await call("GET", "/api/content/none", { as: customer }), 404, "NOT_FOUND");
  });

  it("gets 304 until it changes, per reader and language", async () => {
    const { operator, customer } = room;
    const piece = await publish(operator, { content: words("one") });
    const first = await read(customer, piece);
    const etag = first.headers.get("etag") as string;
    expect(first.headers.get("cache-control")).toBe("private, no-cache");
    expect(first.headers.get("vary")).toMatch(/authorization.*accept-language/i);
    const again = (query = "") =>
      call("GET", at(piece, query), { as: customer, headers: { "if-none-match": etag } });
    expect(await again()).toMatchObject({ status: 304, body: "" });
    expect((await again("?format=html")).status).toBe(200);
    await saved(operator, piece, { content: words("two") });
    expect((await again()).status).toBe(304);
    await published(operator, piece);
    expect(await again()).toMatchObject({ status: 200, body: { content: words("two") } });
  });

  it("as HTML has the same headers, however large it is", async () => {
    const { operator, customer } = room;
    const long = "x".repeat(1000);
    const [small, large] = [
      await publish(operator, { content: words("one") }),
      await publish(operator, { content: doc(...Array(60).fill(paragraph(text(long)))) }),
    ];
    const htmls = [[small, "<p>one</p>"] as const, [large, `<p>${long}</p>`.repeat(60)] as const];
    const { token } = await must("POST", at(large, "/preview"), { as: operator, body: {} });
    for (const [piece, html] of htmls) {
      const [reader, editor] = [
        await read(customer, piece, "?format=html"),
        await read(operator, piece, "?format=html"),
      ];
      expect([reader.body.content, editor.body.content]).toEqual([html, html]);
      expect(reader.headers.get("cache-control")).toBe("private, no-cache");
      expect(editor.headers.get("cache-control")).toBe("private, no-cache, no-transform");
      expect(reader.headers.get("vary")).toMatch(/authorization.*accept-language/i);
      expect(editor.headers.get("etag")).toBe(`"${piece.version_number}"`);
      const etag = reader.headers.get("etag") as string;
      expect(etag).toMatch(/^W\//);
      const headers = { "if-none-match": etag };
      const unchanged = await call("GET", at(piece, "?format=html"), { as: customer, headers });
      expect(unchanged).toMatchObject({ status: 304, body: "" });
      const query = `?format=html&search=${piece.slug}`;
      const list = await must("GET", `/api/content/static_pages${query}`, { as: customer });
      expect(list).toMatchObject({ total: 1, page: 1, content: [{ content: html }] });
    }
    const previewed = await call("GET", at(large, `?format=html&preview=${token}`));
    expect(previewed.body.content).toBe(htmls[1]?.[1]);
    expect(previewed.headers.get("cache-control")).toBe("private, no-store");
  });
});

describe("a slug", () => {
  it("that was published before leads to the current one, until other content takes it", async () => {
    const { operator } = room;
    const customer = await newCustomer();
    const [first, second, third] = [freeSlug(), freeSlug(), freeSlug()];
    const piece = await publish(operator, { slug: first });
    const under = (slug: string) => call("GET", at({ id: slug }), { as: customer });
    const rename = async (slug: string) => {
      await saved(operator, await seen(operator, piece), { slug });
      await published(operator, piece);
    };
    await rename(second);
    await rename(third);
    for (const slug of [first, second]) {
      expect((await under(slug)).body).toMatchObject({
        id: piece.id,
        slug: third,
        moved_to: third,
      });
    }
    expect((await under(third)).body).toMatchObject({ moved_to: null });
    expect((await seen(customer, piece)).moved_to).toBeNull();
    const taker = await publish(operator, { slug: first });
    expect((await under(first)).body).toMatchObject({ id: taker.id, moved_to: null });
    expect((await under(second)).body).toMatchObject({ id: piece.id });
    // It takes its former slug again.
    await rename(second);
    expect((await under(second)).body).toMatchObject({ id: piece.id, moved_to: null });
    expect((await under(third)).body).toMatchObject({ moved_to: second });
    await moved(operator, piece, "unpublish");
    expect((await under(third)).status).toBe(404);
  });

  it("in several marketplaces needs marketplace_id, unless only one is visible", async () => {
    const { operator, customer, marketplace } = room;
    const other = await openMarketplace(operator);
    const [slug, drafted] = [freeSlug(), freeSlug()];
    const here = await publish(operator, { slug, marketplace_id: marketplace.id });
    const there = await publish(operator, { slug, marketplace_id: other.id });
    for (const person of [customer, operator]) {
      const answer = await call("GET", at({ id: slug }), { as: person });
      expectRefusal(answer, 422, "VALIDATION_ERROR", { field: "marketplace_id" });
      for (const piece of [here, there]) {
        const query = `?marketplace_id=${piece.marketplace_id}`;
        expect(await must("GET", at({ id: slug }, query), { as: person })).toMatchObject({
          id: piece.id,
        });
      }
    }
    const out = await publish(operator, { slug: drafted, marketplace_id: marketplace.id });
    await write(operator, { slug: drafted, marketplace_id: other.id });
    expect(await must("GET", at({ id: drafted }), { as: customer })).toMatchObject({ id: out.id });
    const body = { title: { en: "x" } };
    expectRefusal(
      await call("POST", "/api/content/static_pages", { as: operator, body }),
      422,
      "VALIDATION_ERROR",
      {
        field: "marketplace_id",
      },
    );
    // A link leads to content of its own marketplace.
    const linking = await publish(operator, {
      marketplace_id: other.id,
      content: linked({ ref: { type: "static_pages", id: slug } }),
    });
    expect((await seen(customer, linking, "?format=html")).content).toContain(
      `href="/static_pages/${slug}"`,
    );
  });
});

describe("links", () => {
  it("to published records have an address, others are removed", async () => {
    const { operator, supplier, marketplace } = room;
    const customer = await newCustomer();
    const fields = { marketplace_id: marketplace.id };
    const [out, draft, hidden] = [
      await publish(operator, fields),
      await write(operator, fields),
      await publish(operator, { ...fields, visibility: "roles", visible_to: ["supplier"] }),
    ];
    const [good, idle] = [await listProduct(supplier, fields), await idleProduct(fields)];
    const category = await must("POST", "/api/categories", {
      as: operator,
      body: { name: "Links" },
    });
    const stories = {
      product: await publish(operator, { type: "products", subject_id: good.id }),
      idle: await publish(operator, { type: "products", subject_id: idle.id }),
      category: await publish(operator, {
        ...fields,
        type: "categories",
        subject_id: category.id,
      }),
    };
    const links: [string, string, string | null][] = [
      ["static_pages", out.slug, `/static_pages/${out.slug}`],
      ["static_pages", out.id, `/static_pages/${out.slug}`],
      ["static_pages", draft.slug, null],
      ["static_pages", draft.id, null],
      ["static_pages", hidden.slug, null],
      // What is written about a product or a category is shown at its address.
      ["products", good.id, `/products/${good.slug}`],
      ["products", stories.product.id, `/products/${good.slug}`],
      ["products", stories.product.slug, `/products/${good.slug}`],
      ["products", idle.id, null],
      ["products", stories.idle.slug, null],
      ["products", "no-such-story", null],
      ["categories", category.id, `/categories/${category.id}`],
      ["categories", stories.category.slug, `/categories/${category.id}`],
      ["recipes", "tea", null],
    ];
    const piece = await publish(operator, {
      ...fields,
      content: doc(
        ...links.map(([type, id]) =>
          paragraph(text(`${type} ${id}`, { type: "link", attrs: { ref: { type, id } } })),
        ),
      ),
    });
    const html = (await seen(customer, piece, "?format=html")).content;
    expect(faultsIn(html)).toEqual([]);
    expect(elementsIn(html, "a").map(({ href }) => href)).toEqual(
      links.flatMap(([, , href]) => (href ? [href] : [])),
    );
    const { content } = await seen(customer, piece);
    expect(
      content.content.map((one: Piece) => one.content[0].marks?.[0]?.attrs.href ?? null),
    ).toEqual(links.map(([, , href]) => href));
    // Editors get the text as they wrote it.
    expect((await seen(operator, piece)).content).toEqual(piece.content);
    expect((await seen(supplier, piece, "?format=html")).content).toContain(
      `/static_pages/${hidden.slug}`,
    );
    await moved(operator, out, "unpublish");
    expect((await seen(customer, piece, "?format=html")).content).not.toContain(
      `/static_pages/${out.slug}`,
    );
  });
});

describe("assets", () => {
  it("have address, size and alternative text in the reader's language", async () => {
    const { operator, customer, marketplace } = room;
    const asset = await upload(operator, png(700, 350), TYPES.png, { alt_text: "A pot" });
    await must("PATCH", `/api/media/${asset.id}`, {
      as: operator,
      body: { alt_texts: { fr: "Un pot" }, focal_point: { x: 0.5, y: 0.25 } },
    });
    const piece = await publish(operator, {
      marketplace_id: marketplace.id,
      content: doc(node("image", { asset_id: asset.id })),
      blocks: [{ type: "image", content: { asset_id: asset.id } }],
    });
    const { assets, content } = await seen(customer, piece, "?format=html");
    expect(assets).toEqual({
      [asset.id]: {
        url: asset.url,
        type: "image",
        alt: "A pot",
        width: 700,
        height: 350,
        srcset: asset.srcset,
        focal_point: { x: 0.5, y: 0.25 },
      },
    });
    expect(elementsIn(content, "img")).toMatchObject([
      {
        src: asset.url,
        srcset: asset.srcset,
        alt: "A pot",
        width: "700",
        height: "350",
        loading: "lazy",
      },
    ]);
    expect(faultsIn(content)).toEqual([]);
    const french = await seen(operator, piece, "?language=fr-CA");
    expect(french.assets[asset.id].alt).toBe("Un pot");
  });

  it("cannot be deleted while a draft or the published version shows them", async () => {
    const { operator, editor, marketplace } = room;
    const one = await upload(editor, png(2, 2), TYPES.png);
    const other = await upload(editor, png(2, 3), TYPES.png);
    const remove = (asset: Piece) => call("DELETE", `/api/media/${asset.id}`, { as: editor });
    const shows = ({ id }: Piece) => ({ content: doc(node("image", { asset_id: id })) });
    let piece = await write(editor, { ...shows(one), marketplace_id: marketplace.id });
    const used = async (asset: Piece) =>
      (await must("GET", `/api/media/${asset.id}`, { as: editor })).used_by;
    const uses = [{ type: "content", id: piece.id }];
    expect(await used(one)).toEqual(uses);
    expectRefusal(await remove(one), 409, "CONFLICT", { used_by: uses });
    piece = await published(operator, piece);
    piece = await saved(editor, piece, shows(other));
    expect([await used(one), await used(other)]).toEqual([uses, uses]);
    // A branch still shows it.
    await must("POST", at(piece, "/branches"), {
      as: editor,
      body: { name: "old", from_version: 1 },
    });
    await published(operator, piece);
    expectRefusal(await remove(one), 409, "CONFLICT");
    await must("DELETE", at(piece, "/branches/old"), { as: editor });
    expect(await used(one)).toEqual([]);
    expect((await remove(one)).status).toBe(204);
    // A rollback to a version that names it works, and reports it as missing.
    const back = await must("POST", at(piece, "/rollback"), {
      as: editor,
      body: { version_number: 1 },
    });
    expect(back).toMatchObject({ missing: ["content"], assets: {}, version_number: 3 });
    await moved(operator, piece, "unpublish");
    await call("DELETE", at(piece), { as: operator });
  });

  it("of another supplier are refused in content about a supplier's product", async () => {
    const { operator, editor, supplier, tenantId } = room;
    const rival = await register({ tenant_id: tenantId, role: "supplier" });
    const [theirs, its, own] = await Promise.all(
      [rival, operator, supplier].map((as, n) => upload(as, png(2, 3 + n), TYPES.png)),
    );
    const block = (id: string, asset: Piece) => ({
      id,
      type: "image",
      content: { asset_id: asset.id },
    });
    const marketplace_id = room.marketplace.id;
    const product = await listProduct(supplier, { marketplace_id });
    const fields = { type: "products", subject_id: product.id };
    const blocks = [block("a", its), block("b", own), block("c", theirs)];
    const path = "/api/content/products";
    const refused = { field: "blocks.c", value: theirs.id };
    for (const as of [supplier, editor]) {
      const body = { title: { en: "x" }, subject_id: fields.subject_id, blocks };
      expectRefusal(await call("POST", path, { as, body }), 422, "VALIDATION_ERROR", refused);
    }
    const piece = await write(supplier, { ...fields, blocks: blocks.slice(0, 2) });
    const { type, id } = piece;
    for (const as of [supplier, editor]) {
      expectRefusal(await save(as, piece, { blocks }), 422, "VALIDATION_ERROR", refused);
      const args = { type, id, version_number: 1, changes: { blocks } };
      expectRefusal(await rpc(as, "save_content", args), 422, "VALIDATION_ERROR", refused);
    }
    const de = { blocks: [{ id: "a", content: { asset_id: theirs.id } }] };
    expectRefusal(
      await call("PUT", at(piece, "/localizations/de"), {
        as: supplier,
        body: { version_number: 1, ...de },
      }),
      422,
      "VALIDATION_ERROR",
      { field: "localizations.de.blocks" },
    );
    // A merge by the database can send any document.
    await must("POST", at(piece, "/branches"), { as: supplier, body: { name: "next" } });
    await saved(supplier, piece, { layout: "a" }, "?branch=next");
    const merge = { type, id, from: "next", into: "main", from_version: 2, into_version: 1 };
    const { document } =
      (await rpc(supplier, "branches_to_merge", { type, id, from: "next", into: "main" })).body
        ?.theirs ?? {};
    const evil = { ...document, blocks };
    const answer = await rpc(supplier, "merge_content", { ...merge, document: evil });
    expectRefusal(answer, 422, "VALIDATION_ERROR", refused);
    // Pages of the operator may show all.
    const page = await write(editor, { marketplace_id, blocks });
    const remove = () => call("DELETE", `/api/media/${theirs.id}`, { as: rival });
    expectRefusal(await remove(), 409, "CONFLICT", { used_by: [{ type: "content", id: page.id }] });
    await call("DELETE", at(page), { as: editor });
    expect((await remove()).status).toBe(204);
  });

  it("that are private, missing or of another tenant are refused, with the path", async () => {
    const { operator, marketplace } = room;
    const hidden = await upload(operator, png(2, 2), TYPES.png, { private: true });
    const stranger = await openNewsroom();
    const foreign = await upload(stranger.operator, png(2, 2), TYPES.png);
    const product = await listProduct(stranger.supplier);
    for (const [fields, field] of [
      [{ content: doc(node("image", { asset_id: hidden.id })) }, "content"],
      [{ blocks: [{ id: "a", type: "image", content: { asset_id: foreign.id } }] }, "blocks.a"],
      [
        { blocks: [{ id: "a", type: "product_grid", content: { product_ids: [product.id] } }] },
        "blocks.a",
      ],
      [
        { localizations: { de: { content: doc(node("image", { asset_id: foreign.id })) } } },
        "localizations.de.content",
      ],
    ] as const) {
      const body = {
        title: { en: "x" },
        slug: freeSlug(),
        marketplace_id: marketplace.id,
        ...fields,
      };
      const answer = await call("POST", "/api/content/static_pages", { as: operator, body });
      expectRefusal(answer, 422, "VALIDATION_ERROR", { field });
    }
    // Settings are free-form, so these keys have no meaning there.
    const settings = { asset_id: "none", product_ids: "none", ref: 5 };
    await write(operator, {
      marketplace_id: marketplace.id,
      blocks: [{ type: "banner", content: {}, settings }],
    });
  });
});

describe("product grids", () => {
  it("show live products, as in the caller's product lists", async () => {
    const { operator, customer, supplier, marketplace } = room;
    const fields = { marketplace_id: marketplace.id };
    const mark = freeSlug();
    const [one, two, idle, out] = [
      await listProduct(supplier, { ...fields, name: `${mark} one`, price: 10 }),
      await listProduct(supplier, { ...fields, name: `${mark} two`, price: 20 }),
      await idleProduct({ ...fields, name: `${mark} idle` }),
      await listProduct(supplier, { ...fields, name: `${mark} out`, inventory: { quantity: 1 } }),
    ];
    await placed(customer, out);
    const gone = await listProduct(supplier, { ...fields, name: `${mark} gone` });
    const grid = (id: string, content: object) => ({ id, type: "product_grid", content });
    const piece = await publish(operator, {
      ...fields,
      blocks: [
        grid("chosen", { product_ids: [two, idle, out, gone, one].map(({ id }) => id) }),
        grid("dear", { query: { search: mark, price_min: 15, limit: 5 } }),
        grid("cheapest", { query: { search: mark, sort: "price", order: "asc", limit: 1 } }),
        grid("none", { query: { brand: "nobody's" } }),
      ],
    });
    await must("DELETE", `/api/products/${gone.id}`, { as: supplier });
    const plain = await seen(customer, piece);
    expect(plain.blocks.every((block: Piece) => !("products" in block))).toBe(true);
    const { blocks } = await seen(customer, piece, "?resolve=true");
    const ids = Object.fromEntries(
      blocks.map(({ id, products }: Piece) => [id, products.map((product: Piece) => product.id)]),
    );
    expect(ids).toEqual({ chosen: [two.id, one.id], dear: [two.id], cheapest: [one.id], none: [] });
    const { products } = await must("GET", `/api/products?search=${mark}&price_min=15`, {
      as: customer,
    });
    expect(blocks[1].products).toEqual(products);
    // Promoted products come first, and are marked.
    const category = await openCategory(room);
    await listProduct(supplier, { ...fields, category_id: category.id, name: "plain" });
    const { product } = await promote(room, category, {}, fields);
    const shelf = await publish(operator, {
      ...fields,
      blocks: [grid("shelf", { query: { category: category.id } })],
    });
    const [first, second] = (await seen(customer, shelf, "?resolve=true")).blocks[0].products;
    expect(first).toMatchObject({ id: product.id, promotion: { position: 1 } });
    expect(second).toMatchObject({ name: "plain", promotion: null });
    // Editors get the same products.
    const draft = await seen(operator, piece, "?resolve=true");
    expect(draft.blocks[0].products.map(({ id }: Piece) => id)).toEqual([two.id, one.id]);
  });
});

// Lists return totals from sums of changes. The sums must equal the real counts.
it("totals agree with the lists after moves, changes of visibility and deletions", async () => {
  const room = await openNewsroom();
  const other = await openMarketplace(room.operator);
  const guest = await openGuest(room.marketplace);
  const total = async (as: Person, query = "") =>
    (await must("GET", `/api/content/static_pages?limit=1${query}`, { as })).total;
  const listed = async (as: Person, query = "") =>
    (await must("GET", `/api/content/static_pages?limit=1000${query}`, { as })).content.length;
  /** Every list has as many records as its total. */
  const agree = async () => {
    for (const as of [room.editor, room.customer, guest]) {
      for (const filter of [
        "",
        `&marketplace_id=${room.marketplace.id}`,
        `&marketplace_id=${other.id}`,
      ]) {
        expect(await total(as, filter), filter).toBe(await listed(as, filter));
      }
    }
    for (const status of ["draft", "in_review", "published", "archived"]) {
      expect(await total(room.editor, `&status=${status}`)).toBe(
        await listed(room.editor, `&status=${status}`),
      );
    }
  };

  const place = { marketplace_id: room.marketplace.id };
  const shown = await publish(room.chief, place);
  await publish(room.chief, { ...place, visibility: "members" });
  await publish(room.chief, { ...place, visibility: "roles", visible_to: ["supplier"] });
  const draft = await write(room.editor, { marketplace_id: other.id });
  await agree();
  expect(await total(room.editor)).toBe(4);
  expect([await total(guest), await total(room.customer), await total(room.supplier)]).toEqual([
    1, 2, 3,
  ]);

  await moved(room.editor, draft, "submit");
  const hidden = await saved(room.editor, shown, { visibility: "members" });
  await published(room.chief, hidden);
  await agree();
  expect(await total(guest)).toBe(0);

  // The job replaces many rows by one with the same sum.
  const rows = async () => {
    const counted = "select 1 from private.content_counts where tenant_id = $1";
    return (await query(counted, [room.tenantId])).length;
  };
  await query(
    `insert into private.content_counts (tenant_id, type, marketplace_id, status, pieces)
     select $1, 'static_pages', $2, 'draft', change
     from generate_series(1, 30), unnest(array[1, -1]) as change`,
    [room.tenantId, other.id],
  );
  const before = await rows();
  await runJob("gather-content-counts");
  expect(await rows()).toBeLessThan(before);
  await agree();

  await must("DELETE", `/api/content/static_pages/${hidden.id}`, { as: room.chief });
  await must("DELETE", `/api/content/static_pages/${draft.id}`, { as: room.chief });
  await agree();
  expect(await total(room.editor)).toBe(3);

  // A tenant is removed with all its content in one statement.
  await query("delete from public.tenants where id = $1", [room.tenantId]);
  expect(await rows()).toBe(0);
});
