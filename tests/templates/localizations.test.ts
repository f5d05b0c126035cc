import { beforeAll, expect, it } from "vitest";
import type { Newsroom } from "../content/writing.js";
import { call, expectRefusal, must } from "../souk.js";
import { at, make, openNewsroom, type Row, rpc } from "./making.js";

let shop: Newsroom;
beforeAll(async () => {
  shop = await openNewsroom();
});

const translations = [
  {
    ...{ key: "cart.items", value: "{{ count }} Artikel", context: "in the basket" },
    plural_forms: { one: "Ein Artikel", other: "{{ count }} Artikel" },
  },
];

const put = (as: Row, template: Row, language: string, body: object) =>
  call("PUT", at(template, `/localizations/${language}`), { as, body });

it("saves each language on top of the version that was read", async () => {
  const template = await make(shop.editor);
  const formatting = { date_format: "long", currency_format: "code" };
  const body = { translations, formatting };
  const made = await put(shop.editor, template, "de", body);
  expect(made).toMatchObject({
    status: 200,
    body: {
      ...{ base_template_id: template.id, language: "de", translations, formatting },
      ...{ rtl_support: false, custom_styles: null, version_number: 1 },
    },
  });
  // Another editor has saved before.
  expectRefusal(await put(shop.editor, template, "de", body), 409, "CONFLICT", {
    version_number: 1,
  });
  const styled = { version_number: 1, custom_styles: "h1 { hyphens: auto }" };
  const next = await put(shop.editor, template, "de", styled);
  expect(next.body).toMatchObject({ ...body, ...styled, version_number: 2 });
  expect((await put(shop.editor, template, "de", next.body)).body).toEqual(next.body);
  const arabic = await put(shop.editor, template, "ar-EG", { translations: [] });
  expect(arabic.body).toMatchObject({ rtl_support: true });
  // The alphabet decides, also where it is not the usual one of the language.
  const azerbaijani = await put(shop.editor, template, "az-Arab", { translations: [] });
  expect(azerbaijani.body).toMatchObject({ rtl_support: true });
  const { localizations } = await must("GET", at(template, "/localizations"), {
    as: shop.reviewer,
  });
  expect(localizations).toEqual([arabic.body, azerbaijani.body, next.body]);
  const one = at(template, "/localizations/de");
  expect(await must("GET", one, { as: shop.publisher })).toEqual(next.body);
  expectRefusal(
    await call("GET", at(template, "/localizations/fr"), { as: shop.editor }),
    404,
    "NOT_FOUND",
  );
});

it("refuses styles that a page could not show", async () => {
  const template = await make(shop.editor);
  for (const custom_styles of [
    "h1 { color: red }\n@import 'x.css';",
    "h1 { color: red }\np { background: url(https://far.example/a.png) }",
  ]) {
    const answer = await put(shop.editor, template, "de", { custom_styles });
    expectRefusal(answer, 422, "TEMPLATE_ERROR", { line: 2 });
  }
  const many = "i{}".repeat(10_001);
  expectRefusal(
    await put(shop.editor, template, "de", { custom_styles: many }),
    422,
    "TEMPLATE_LIMIT",
    { limit: "items" },
  );
});

it("is for members with a content role", async () => {
  const template = await make(shop.operator);
  await put(shop.operator, template, "de", { translations });
  for (const as of [shop.customer, shop.supplier, shop.publisher]) {
    expectRefusal(await put(as, template, "fr", { translations }), 403, "FORBIDDEN");
  }
  for (const path of ["/localizations", "/localizations/de"]) {
    expectRefusal(await call("GET", at(template, path), { as: shop.customer }), 403, "FORBIDDEN");
  }
  const args = { template_id: template.id, language: "fr", changes: { translations } };
  expect((await rpc(shop.customer, "save_template_localization", args)).body).toMatchObject({
    error: { code: "FORBIDDEN" },
  });
  expect((await rpc(shop.editor, "save_template_localization", args)).body).toMatchObject({
    version_number: 1,
  });
});

it("refuses invalid translations", async () => {
  const template = await make(shop.editor);
  const [first] = translations;
  const wrong: [object, string][] = [
    [{ translations: [{ key: "a b", value: "" }] }, "translations[0].key"],
    [{ translations: [first, first] }, "translations"],
    [
      { translations: [{ ...first, plural_forms: { one: "x" } }] },
      "translations[0].plural_forms.other",
    ],
    [{ formatting: { date_format: "tiny" } }, "formatting.date_format"],
  ];
  for (const [body, field] of wrong) {
    expectRefusal(await put(shop.editor, template, "de", body), 422, "VALIDATION_ERROR", { field });
    const args = { template_id: template.id, language: "de", changes: body };
    expect((await rpc(shop.editor, "save_template_localization", args)).status).toBe(422);
  }
  expect((await put(shop.editor, template, "not a language", {})).status).toBe(404);
});
