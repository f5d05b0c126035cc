import { beforeAll, expect, it } from "vitest";
import type { Newsroom } from "../content/writing.js";
import { png, TYPES } from "../media/files.js";
import { upload } from "../media/uploading.js";
import { call, must } from "../souk.js";
import {
  activate,
  at,
  contentOf,
  inputs,
  keyOf,
  make,
  makeComponent,
  openGuest,
  openNewsroom,
  type Row,
  rpc,
  saved,
} from "./making.js";

let shop: Newsroom;
beforeAll(async () => {
  shop = await openNewsroom();
});

const list = (body: object = {}) =>
  must("POST", "/api/products", { as: shop.supplier, body: { name: "Pot", price: 5, ...body } });

const translate = (template: Row, language: string, body: object) =>
  must("PUT", at(template, `/localizations/${language}`), { as: shop.operator, body });

const translation = (key: string, value: string) => ({ key, value });

it("returns everything that renders a page", async () => {
  const asset = await upload(shop.operator, png(4, 3), TYPES.png, { alt_text: "A pot" });
  const component = await makeComponent(shop.editor, {
    content: `<img src="{{ '${asset.id}' | asset_url }}" alt="">`,
  });
  const inner = await make(shop.operator, {
    content: {
      sections: [
        { blocks: [{ type: "component", content: { component_id: component.id, props: {} } }] },
      ],
    },
  });
  const grandparent = await make(shop.operator, { content: { styles: "h1 {}" } });
  const parent = await make(shop.operator, {
    content: { inheritance: { parent_id: grandparent.id } },
  });
  const product = await list();
  const grid = (query: object) => ({
    ...{ id: "grid", type: "widget" },
    content: { widget: "product_grid", ...query },
  });
  const template = await make(shop.operator, {
    type: "product",
    content: {
      inheritance: { parent_id: parent.id },
      sections: [
        {
          blocks: [
            { type: "include", content: { template_id: inner.id } },
            grid({ product_ids: [product.id] }),
          ],
        },
      ],
    },
  });
  await translate(grandparent, "de", {
    translations: [translation("a", "grandparent"), translation("b", "grandparent")],
    formatting: { date_format: "long" },
  });
  await translate(template, "de", {
    translations: [translation("a", "own")],
    custom_styles: "i {}",
  });
  await translate(template, "en", { translations: [translation("a", "English")] });
  const category = await must("POST", "/api/categories", {
    as: shop.operator,
    body: { name: "Pots" },
  });
  const found = await inputs(shop.customer, template.id, {
    ...{ language: "de-AT", product_id: product.id, category_id: category.id },
  });
  expect(found).toMatchObject({
    template: { id: template.id, type: "product", name: template.name, caching: null },
    ...{ version: 1, content: template.content, language: "de-AT", role: "customer" },
    parents: [
      { id: parent.id, version: 1 },
      { id: grandparent.id, content: { styles: "h1 {}" } },
    ],
    includes: { [inner.id]: { id: inner.id, version: 1, content: inner.content, parents: [] } },
    components: { [component.id]: component },
    marketplace: { id: shop.marketplace.id, currency: expect.any(String) },
    product,
    category,
    languages: ["de", "en"],
    assets: { [asset.id]: { alt: "A pot", width: 4, height: 3 } },
    products: { grid: [{ id: product.id }] },
  });
  expect(found.localizations).toMatchObject([
    {
      language: "de",
      translations: [translation("a", "own"), translation("b", "grandparent")],
      ...{ rtl_support: false, custom_styles: "i {}", formatting: { date_format: "long" } },
    },
    { language: "en", translations: [translation("a", "English")] },
  ]);
  expect(found.key).toBe(
    await keyOf(shop.customer, template.id, {
      ...{ language: "de-AT", product_id: product.id, category_id: category.id },
    }),
  );
  // The grid shows stock.
  const stock = { quantity: 3, operation: "add" };
  await must("PATCH", `/api/products/${product.id}/inventory`, { as: shop.supplier, body: stock });
  const later = await keyOf(shop.customer, template.id, { language: "de-AT" });
  await must("PATCH", `/api/products/${product.id}/inventory`, { as: shop.supplier, body: stock });
  expect(await keyOf(shop.customer, template.id, { language: "de-AT" })).not.toBe(later);
});

it("finds the template of a page type", async () => {
  expect(await inputs(shop.customer, "profile")).toMatchObject({
    ...{ template: { id: null, type: "profile" }, version: 0, content: null, parents: [] },
    ...{ includes: {}, components: {}, localizations: [], language: "en" },
  });
  const standard = await make(shop.operator, { type: "product", is_default: true });
  const own = await make(shop.operator, { type: "product" });
  const product = await list({ template_id: own.id });
  const other = await list();
  const shown = async (options: object) =>
    (await inputs(shop.customer, "product", options)).template.id;
  expect(await shown({ product_id: product.id })).toBe(own.id);
  expect(await shown({ product_id: other.id })).toBe(standard.id);
  expect(await shown({})).toBe(standard.id);
});

it("returns nothing that the caller may not see", async () => {
  const secret = { id: "secret", type: "static_content", content: "for admins" };
  const template = await make(shop.operator, {
    content: {
      sections: [
        {
          blocks: [
            { ...secret, permissions: { roles: ["admin"] } },
            {
              type: "conditional",
              content: {
                expression: { variable: "a", operator: "exists" },
                // biome-ignore lint/suspicious/noThenProperty: it is the name of the field.
                then: [{ ...secret, id: "deep", permissions: { roles: ["supplier"] } }],
              },
            },
          ],
        },
      ],
    },
  });
  const guest = await openGuest(shop.marketplace as never);
  for (const as of [shop.customer, guest]) {
    const found = await inputs(as, template.id);
    expect(JSON.stringify(found)).not.toContain("for admins");
    expect(found.content.sections[0].blocks[0]).toMatchObject({
      ...{ id: "secret", content: "", permissions: { roles: ["admin"] } },
    });
    expect(JSON.stringify((await call("GET", at(template), { as })).body)).not.toContain(
      "for admins",
    );
  }
  const supplied = JSON.stringify(await inputs(shop.supplier, template.id));
  expect(supplied.match(/for admins/g)).toHaveLength(1);
  const draft = await make(shop.editor);
  const hidden = await list({ status: "draft" });
  const refused = async (id: string, options: object = {}) =>
    (await rpc(shop.customer, "template_inputs", { id_or_type: id, options })).body.error.code;
  expect(await refused(draft.id)).toBe("NOT_FOUND");
  expect(await refused("homepage", { product_id: hidden.id })).toBe("NOT_FOUND");
  expect(await refused("homepage", { category_id: template.id })).toBe("NOT_FOUND");
  expect(await refused("homepage", { marketplace_id: template.id })).toBe("NOT_FOUND");
  expect(await refused("homepage", { unknown: 1 })).toBe("VALIDATION_ERROR");
  expect(await refused("nothing")).toBe("NOT_FOUND");
  const next = await saved(shop.operator, template, { content: contentOf("two") });
  expect(await refused(template.id, { version: next.version_number })).toBe("FORBIDDEN");
  expect((await inputs(shop.reviewer, template.id, { version: 2 })).content).toEqual(next.content);
  expect(await inputs(shop.operator, template.id)).toMatchObject({ version: 1 });
});

it("changes the key with each input", async () => {
  const component = await makeComponent(shop.editor);
  const parent = await make(shop.operator);
  const product = await list();
  const block = { type: "component", content: { component_id: component.id } };
  const template = await make(shop.operator, {
    content: { inheritance: { parent_id: parent.id }, sections: [{ blocks: [block] }] },
  });
  const options = { product_id: product.id, language: "de" };
  const keys = new Set<string>();
  const expectAnother = async (as = shop.customer, other: object = {}) => {
    const key = await keyOf(as, template.id, { ...options, ...other });
    expect(await keyOf(as, template.id, { ...options, ...other })).toBe(key);
    expect(keys).not.toContain(key);
    keys.add(key);
  };
  await expectAnother();
  await expectAnother(shop.operator);
  await expectAnother(shop.customer, { language: "fr" });
  await must("PUT", `/api/templates/components/${component.id}`, {
    as: shop.editor,
    body: { version_number: 1, content: "<i></i>" },
  });
  await expectAnother();
  await translate(parent, "de", { translations: [translation("a", "b")] });
  await expectAnother();
  await must("PUT", `/api/products/${product.id}`, { as: shop.supplier, body: { price: 6 } });
  await expectAnother();
  await saved(shop.operator, parent, { content: contentOf("new") });
  const before = await keyOf(shop.customer, template.id, options);
  expect(keys).toContain(before);
  await activate(shop.operator, parent, 2);
  await expectAnother();
  // Readers with the same rights share a page.
  const guest = await openGuest(shop.marketplace as never);
  expect(keys).toContain(await keyOf(guest, template.id, options));
});
