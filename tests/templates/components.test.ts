import { beforeAll, expect, it } from "vitest";
import type { Newsroom } from "../content/writing.js";
import { png, TYPES } from "../media/files.js";
import { upload } from "../media/uploading.js";
import { call, expectRefusal, must, supabaseAs } from "../souk.js";
import { make, makeComponent, openNewsroom, type Row, rpc } from "./making.js";

let shop: Newsroom;
beforeAll(async () => {
  shop = await openNewsroom();
});

const at = ({ id }: Row) => `/api/templates/components/${id}`;

it("lets editors create, read, save and delete components", async () => {
  const body = {
    ...{ name: "Card", category: "ecommerce", content: "<h2>{{ title }}</h2>" },
    props: [{ name: "title", type: "string", required: true }],
    styles: ".card { color: teal }",
    variants: [{ name: "wide", props: { title: "Wide" }, styles: ".card { width: 100% }" }],
    responsive: [{ breakpoint: "mobile", visibility: { hide_on: ["mobile"] } }],
  };
  const answer = await call("POST", "/api/templates/components", { as: shop.editor, body });
  expect(answer).toMatchObject({ status: 201, body: { ...body, version_number: 1 } });
  const made = answer.body;
  expect(answer.headers.get("location")).toBe(`/functions/v1${at(made)}`);
  expect(await must("GET", at(made), { as: shop.reviewer })).toEqual(made);
  const put = (as: Row, changes: object) => call("PUT", at(made), { as, body: changes });
  const next = await put(shop.editor, { version_number: 1, name: "Tile" });
  expect(next.body).toMatchObject({ name: "Tile", version_number: 2, styles: body.styles });
  expectRefusal(await put(shop.editor, { version_number: 1, name: "Mine" }), 409, "CONFLICT", {
    version_number: 2,
  });
  expect((await put(shop.editor, next.body)).body).toEqual(next.body);
  for (const as of [shop.customer, shop.supplier, shop.publisher]) {
    expectRefusal(await put(as, { version_number: 2, name: "Mine" }), 403, "FORBIDDEN");
  }
  expectRefusal(await call("GET", at(made), { as: shop.customer }), 404, "NOT_FOUND");
  await must("DELETE", at(made), { as: shop.editor });
  expectRefusal(await call("GET", at(made), { as: shop.editor }), 404, "NOT_FOUND");
});

it("filters the list by category and part of the name", async () => {
  const banner = await makeComponent(shop.editor, { name: "100% Banner_one", category: "media" });
  await makeComponent(shop.editor, { name: "100 Banners", category: "media" });
  const list = (query: string, as = shop.operator) =>
    must("GET", `/api/templates/components?${query}`, { as });
  expect(await list("search=100%25%20banner_")).toMatchObject({
    total: 1,
    components: [{ id: banner.id }],
  });
  expect((await list("category=media&sort=name&order=asc")).components).toMatchObject([
    { name: "100 Banners" },
    { name: "100% Banner_one" },
  ]);
  expect((await list("", shop.customer)).total).toBe(0);
});

it("refuses invalid components, through HTTP and supabase-js", async () => {
  const wrong: [object, string][] = [
    [{ props: [{ name: "Title", type: "string" }] }, "props[0].name"],
    [{ props: [{ name: "a", type: "number", default_value: "x" }] }, "props[0].default_value"],
    [{ variants: [{ name: "a" }, { name: "a" }] }, "variants"],
    [{ responsive: [{ breakpoint: "watch" }] }, "responsive[0].breakpoint"],
    [{ category: "other" }, "category"],
    [{ name: " " }, "name"],
  ];
  for (const [change, field] of wrong) {
    const body = { name: "A", category: "form", content: "", ...change };
    const answer = await call("POST", "/api/templates/components", { as: shop.editor, body });
    expectRefusal(answer, 422, "VALIDATION_ERROR", { field });
    const { status } = await rpc(shop.editor, "create_template_component", body);
    expect(status).toBeGreaterThanOrEqual(400);
  }
  const large = { name: "A", category: "form", content: "x".repeat(99_999) };
  const args = { ...large, styles: "x".repeat(50_000) };
  expect((await rpc(shop.editor, "create_template_component", args)).body).toMatchObject({
    error: { code: "LIMIT_REACHED" },
  });
  const { error } = await supabaseAs(shop.operator)
    .from("template_components")
    .insert({ ...large, content: "" });
  expect(error?.code).toBe("42501");
});

it("prevents that assets of components and templates are deleted", async () => {
  const asset = await upload(shop.operator, png(4, 3), TYPES.png, { alt_text: "A pot" });
  const remove = () => call("DELETE", `/api/media/${asset.id}`, { as: shop.operator });
  const content = `<img src="{{ '${asset.id}' | asset_url }}" alt="">`;
  const component = await makeComponent(shop.editor, { content });
  const variables = [{ name: "logo", type: "image", default_value: { asset_id: asset.id } }];
  const template = await make(shop.operator, { content: { variables } });
  const used = await remove();
  expectRefusal(used, 409, "CONFLICT");
  expect(used.body.error.details.used_by).toEqual(
    expect.arrayContaining([
      { type: "component", id: component.id },
      { type: "template", id: template.id },
    ]),
  );
  await must("DELETE", at(component), { as: shop.editor });
  await must("DELETE", `/api/templates/${template.id}`, { as: shop.operator });
  expect((await remove()).status).toBe(204);
});
