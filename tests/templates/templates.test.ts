import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import type { Newsroom } from "../content/writing.js";
import { call, expectRefusal, must } from "../souk.js";
import {
  activate,
  at,
  contentOf,
  including,
  inheriting,
  make,
  makeComponent,
  openGuest,
  openNewsroom,
  type Row,
  read,
  rpc,
  save,
  saved,
} from "./making.js";

let shop: Newsroom;
beforeAll(async () => {
  shop = await openNewsroom();
});

describe("a template", () => {
  it("is created with all fields, and active if its author may activate", async () => {
    const body = {
      name: "Home",
      type: "homepage",
      content: {
        sections: [
          {
            name: "Top",
            blocks: [
              { type: "static_content", content: "<p>Hello</p>" },
              {
                type: "conditional",
                content: {
                  expression: { variable: "product.price", operator: "less_than", value: 20 },
                  // biome-ignore lint/suspicious/noThenProperty: it is the name of the field.
                  then: [{ type: "dynamic_content", content: "{{ headline }}" }],
                },
              },
            ],
          },
        ],
        variables: [{ name: "headline", type: "string", default_value: "Welcome" }],
      },
      caching: { strategy: "memory", duration: 60 },
    };
    const answer = await call("POST", "/api/templates", { as: shop.operator, body });
    expect(answer.status).toBe(201);
    const made = answer.body;
    expect(answer.headers.get("location")).toBe(`/functions/v1${at(made)}`);
    expect(answer.headers.get("etag")).toBe('"1"');
    expect(made).toMatchObject({
      ...{ tenant_id: shop.tenantId, marketplace_id: null, name: "Home", type: "homepage" },
      ...{ is_default: false, version: 1, version_number: 1, active_version: 1 },
      caching: body.caching,
      content: {
        ...{ layout: "default", bindings: [] },
        sections: [
          {
            ...{ id: expect.any(String), order: 0 },
            blocks: [
              { id: expect.any(String), required: false, settings: {}, permissions: {} },
              // biome-ignore lint/suspicious/noThenProperty: it is the name of the field.
              { content: { then: [{ id: expect.any(String), content: "{{ headline }}" }] } },
            ],
          },
        ],
      },
    });
    expect((await read(shop.customer, made)).body).toEqual(made);
    // A template of an editor is not active.
    const draft = await make(shop.editor);
    expect(draft.active_version).toBeNull();
    expectRefusal(await read(shop.customer, draft), 404, "NOT_FOUND");
    expect((await read(shop.reviewer, draft)).body).toEqual(draft);
    for (const as of [shop.customer, shop.supplier, shop.reviewer, shop.publisher]) {
      const refused = await call("POST", "/api/templates", { as, body });
      expectRefusal(refused, 403, "FORBIDDEN");
    }
  });

  it("is saved on top of the version that was read, and shown once activated", async () => {
    const made = await make(shop.operator);
    const content = contentOf("<p>Again</p>");
    const next = await saved(shop.editor, made, { content });
    expect(next).toMatchObject({ version: 2, version_number: 2, active_version: 1 });
    expect((await read(shop.customer, made)).body).toMatchObject({ version: 1, version_number: 1 });
    const stale = await save(shop.editor, made, { name: "Mine" });
    expectRefusal(stale, 409, "CONFLICT", { field: "version_number", version_number: 2 });
    expectRefusal(
      await call("PUT", at(made), { as: shop.editor, body: { name: "A" } }),
      422,
      "VALIDATION_ERROR",
    );
    const matched = await call("PUT", at(made), {
      as: shop.editor,
      body: { name: "Other" },
      headers: { "if-match": '"2"' },
    });
    expect(matched.body).toMatchObject({ version_number: 3, name: "Other" });
    // Saving the unchanged record makes no version.
    expect(await saved(shop.editor, matched.body, matched.body)).toEqual(matched.body);
    expectRefusal(
      await save(shop.editor, matched.body, { type: "product" }),
      422,
      "VALIDATION_ERROR",
    );
    expectRefusal(await save(shop.customer, matched.body, { name: "Mine" }), 403, "FORBIDDEN");
    expectRefusal(await activate(shop.editor, made, 3), 403, "FORBIDDEN");
    expect((await activate(shop.publisher, made, 3)).body).toMatchObject({ active_version: 3 });
    expect((await read(shop.customer, made)).body.content.sections[0].blocks[0].content).toBe(
      "<p>Again</p>",
    );
  });

  it("is listed to members with a content role; to others once it is active", async () => {
    const mark = `Listed ${randomUUID()}`;
    const shown = await make(shop.operator, { name: `${mark} shown`, type: "profile" });
    const draft = await make(shop.editor, { name: `${mark} draft`, type: "profile" });
    const list = (as: Row, query = "") =>
      must("GET", `/api/templates?search=${encodeURIComponent(mark)}${query}`, { as });
    const ids = ({ templates }: Row) => templates.map(({ id }: Row) => id);
    expect(ids(await list(shop.reviewer))).toEqual([draft.id, shown.id]);
    expect(await list(shop.customer)).toMatchObject({ total: 1, templates: [shown] });
    expect(ids(await list(shop.operator, "&order=asc&limit=1&page=2"))).toEqual([draft.id]);
    expect((await list(shop.operator, "&type=product")).total).toBe(0);
    const guest = await openGuest(shop.marketplace as never);
    expect(ids(await list(guest))).toEqual([shown.id]);
    expect((await rpc(shop.customer, "list_templates", { search: mark })).body.total).toBe(1);
  });

  it("of a page type is the marketplace's default, the tenant's, or the built-in one", async () => {
    const of = (as: Row, query = "") => must("GET", `/api/templates/checkout${query}`, { as });
    const here = `?marketplace_id=${shop.marketplace.id}`;
    expect(await of(shop.customer)).toMatchObject({
      ...{ id: null, type: "checkout", version: 0, content: { sections: expect.any(Array) } },
    });
    const fields = { type: "checkout", is_default: true };
    const all = await make(shop.operator, fields);
    expect(await of(shop.customer, here)).toMatchObject({ id: all.id });
    const own = await make(shop.operator, { ...fields, marketplace_id: shop.marketplace.id });
    expect(await of(shop.customer, here)).toMatchObject({ id: own.id });
    // An inactive template with is_default becomes the default once it is activated.
    const draft = await make(shop.editor, { ...fields, marketplace_id: shop.marketplace.id });
    expect(await of(shop.customer, here)).toMatchObject({ id: own.id });
    await activate(shop.publisher, draft, 1);
    expect(await of(shop.customer, here)).toMatchObject({ id: draft.id });
    expect((await read(shop.operator, own)).body).toMatchObject({ is_default: false });
    const { body: now } = await read(shop.operator, own);
    expectRefusal(await save(shop.editor, now, { is_default: true }), 403, "FORBIDDEN");
    const again = await saved(shop.operator, now, { is_default: true });
    expect(again).toMatchObject({ version_number: 2, active_version: 2 });
    expect(await of(shop.customer, here)).toMatchObject({ id: own.id });
    expectRefusal(
      await call("GET", "/api/templates/nothing", { as: shop.customer }),
      404,
      "NOT_FOUND",
    );
  });

  it("refuses invalid content, and names the field", async () => {
    const block = { type: "static_content", content: "" };
    let nested: Row = block;
    for (let depth = 0; depth < 8; depth += 1) {
      nested = {
        type: "conditional",
        // biome-ignore lint/suspicious/noThenProperty: it is the name of the field.
        content: { expression: { variable: "a", operator: "exists" }, then: [nested] },
      };
    }
    const sections = (...blocks: Row[]) => ({ sections: [{ blocks }] });
    const wrong: [Row, string][] = [
      [{ unknown: 1 }, "content.unknown"],
      [{ layout: "round" }, "content.layout"],
      [{ sections: Array(26).fill({}) }, "content.sections"],
      [sections(...Array(51).fill(block)), "content.sections[0].blocks"],
      [sections({ ...block, id: "a" }, { ...block, id: "a" }), "content.sections"],
      [
        sections({ ...block, settings: { element: "iframe" } }),
        "content.sections[0].blocks[0].settings.element",
      ],
      [
        sections({ ...block, permissions: { roles: ["king"] } }),
        "content.sections[0].blocks[0].permissions.roles[0]",
      ],
      [{ variables: [{ name: "A", type: "string" }] }, "content.variables[0].name"],
      [{ bindings: Array(11).fill({}) }, "content.bindings"],
      [
        { bindings: [{ variable: "a", source: { type: "api", endpoint: "https://x" } }] },
        "content.bindings[0].source.endpoint",
      ],
    ];
    for (const [content, field] of wrong) {
      const input = { name: "Wrong", type: "homepage", content };
      const answer = await call("POST", "/api/templates", { as: shop.operator, body: input });
      expect([field, answer.status]).toEqual([field, 422]);
      // supabase-js is refused in the same way.
      const { status } = await rpc(shop.operator, "create_template", input);
      expect([field, status]).toEqual([field, 422]);
      expect(
        answer.body.error.details.errors?.map((e: Row) => e.field) ?? [
          answer.body.error.details.field,
        ],
      ).toContain(field);
    }
    // All invalid variables are named.
    const variables = [
      { name: "a", type: "number", default_value: "x" },
      { name: "b", type: "boolean" },
      { name: "c", type: "string", default_value: "long", validation: { max_length: 2 } },
    ];
    const several = { name: "Wrong", type: "homepage", content: { variables } };
    for (const answer of [
      await call("POST", "/api/templates", { as: shop.operator, body: several }),
      await rpc(shop.operator, "create_template", several),
    ]) {
      expectRefusal(answer, 422, "VALIDATION_ERROR", {
        errors: [
          { field: "content.variables[0].default_value", value: "x" },
          { field: "content.variables[2].default_value", value: "long" },
        ],
      });
    }
    const deep = { name: "Deep", type: "homepage", content: sections(nested) };
    expectRefusal(
      await call("POST", "/api/templates", { as: shop.operator, body: deep }),
      422,
      "VALIDATION_ERROR",
    );
    const right = { ...deep, content: sections(nested.content.then[0]) };
    expect((await call("POST", "/api/templates", { as: shop.operator, body: right })).status).toBe(
      201,
    );
    const half = { ...block, content: "x".repeat(150_000) };
    const large = { ...deep, content: sections({ ...half, id: "a" }, { ...half, id: "b" }) };
    const refused = await call("POST", "/api/templates", { as: shop.operator, body: large });
    expectRefusal(refused, 422, "LIMIT_REACHED", { cap: "template_bytes" });
  });

  it("is checked in NFC, in which > and U+0338 are one character", async () => {
    const text = "<p>\u0338 x</p>";
    const refused = async (path: string, body: object) => {
      const answer = await call("POST", path, { as: shop.operator, body });
      expectRefusal(answer, 422, "TEMPLATE_ERROR");
    };
    await refused("/api/templates", { name: "A page", type: "homepage", content: contentOf(text) });
    await refused("/api/templates/components", {
      name: "Part",
      category: "content",
      content: text,
    });
  });
});

/** Filters with arguments of a wrong number or type. */
const WRONG_ARGUMENTS = [
  "{{ 5 | plus }}",
  "{{ 5 | plus: }}",
  "{{ 5 | plus: 1, 2 }}",
  "{{ 5 | plus: 'abc' }}",
  "{{ 5 | minus: nil }}",
  "{{ 5 | times: true }}",
  "{{ 5 | divided_by }}",
  "{{ 5 | divided_by: 'none' }}",
  "{{ 5 | divided_by: 2, 3 }}",
  "{{ 5 | abs: 1 }}",
  "{{ 5 | round: 'two' }}",
  "{{ 'a' | append }}",
  "{{ 'a' | append: 'b', 'c' }}",
  "{{ 'a' | upcase: 'b' }}",
  "{{ 'a' | replace: 'a' }}",
  "{{ 'a' | split }}",
  "{{ 'a' | truncate: 'long' }}",
  "{{ 'a' | slice }}",
  "{{ list | join: ', ', 'and' }}",
  "{{ list | where }}",
  "{{ list | concat: 'b' }}",
  "{{ list | sum: true }}",
  "{{ list | size: 1 }}",
  "{{ 5 | money: 5 }}",
  "{{ 5 | money: 'EUR', 'USD' }}",
  "{{ 5 | money: 'euros' }}",
  "{{ 5 | number: 2 }}",
  "{{ list | date: 5 }}",
  "{{ list | date: 'soon' }}",
  "{{ list | date: '%Y %Q' }}",
  "{{ 'x' | t: 5 }}",
  "{{ 'x' | t: counted: 5 }}",
  "{{ 'x' | t: count: 'many' }}",
  "{{ 'x' | asset_url: 640 }}",
  "{{ 'x' | srcset: width: 640 }}",
  "{{ 'x' | default }}",
  "{{ 'x' | default: 'y', allow_false: 1 }}",
  "{% assign x = 5 | plus %}",
  "{% if 5 %}{% echo 5 | plus %}{% endif %}",
  "{% cycle 'a', 5 | plus %}",
  "{% for x in list limit: 'two' %}{% endfor %}",
  "{% for x in list limit: %}{% endfor %}",
  "{% for x in list first: 2 %}{% endfor %}",
  "{% for x in list | reverse %}{% endfor %}",
];

describe("an argument of a filter or a loop", () => {
  it.each(WRONG_ARGUMENTS)("of a wrong number or type is refused: %s", async (text) => {
    const body = { name: "A page", type: "homepage", content: contentOf(`<p>\n  ${text}</p>`) };
    const answer = await call("POST", "/api/templates", { as: shop.operator, body });
    const column = text.includes("%}{% ") ? expect.any(Number) : text.indexOf("| ") + 5;
    const place = { section: "top", block: "words", line: 2, column };
    expectRefusal(answer, 422, "TEMPLATE_ERROR", place);
  });

  it.each([
    "{{ 5, 6 }}",
    "{{ x | money ) }}",
    "{% assign x = 5, 6 %}",
    "{% echo 5, 6 %}",
    "{% if x, y %}{% endif %}",
    "{% if x %}{% elsif x, y %}{% endif %}",
    "{% unless x, y %}{% endunless %}",
    "{% case x, y %}{% when 1 %}{% endcase %}",
    "{% cycle 'a', 'b' ) %}",
  ])("is not followed by something that would be ignored: %s", async (text) => {
    const body = { name: "A page", type: "homepage", content: contentOf(`<p>${text}</p>`) };
    const answer = await call("POST", "/api/templates", { as: shop.operator, body });
    expectRefusal(answer, 422, "TEMPLATE_ERROR", { section: "top", block: "words", line: 1 });
  });

  it("is checked in formulas, transformations, addresses, props and components, too", async () => {
    const refused = async (path: string, body: object) => {
      const answer = await call("POST", path, { as: shop.operator, body });
      expectRefusal(answer, 422, "TEMPLATE_ERROR");
    };
    for (const binding of [
      { source: { type: "computed", formula: "5 | plus" } },
      { source: { type: "api", endpoint: "/api/products?page={{ 5 | plus }}" } },
      { source: { type: "static", value: 1 }, transformation: "plus: 'abc'" },
    ]) {
      const content = { sections: [], bindings: [{ variable: "x", ...binding }] };
      await refused("/api/templates", { name: "A page", type: "homepage", content });
    }
    const content = "{{ 5 | plus: 1, 2 }}";
    const component = { name: "Card", category: "content" };
    await refused("/api/templates/components", { ...component, content });
    const { id } = await makeComponent(shop.operator);
    const block = { type: "component", content: { component_id: id, props: { title: content } } };
    const sections = [{ blocks: [block] }];
    await refused("/api/templates", { name: "A page", type: "homepage", content: { sections } });
  });

  it("of the right number and type is accepted, also a numeric text and a variable", async () => {
    await make(shop.operator, {
      content: contentOf(
        `{{ 5 | plus: "1" | minus: x | times: 2.5 | divided_by: x, true | round: 2 | round }}
         {{ 'a' | append: 5 | truncate | truncate: 5 | truncate: 5, '…' | slice: 0 | split: ',' | join }}
         {{ list | where: 'a' | where: 'a', nil | sum: 'b' | default: nil, allow_false: true }}
         {{ list | concat: (1..3) | sort | sort: 'a' | find: 'a', false | money: x.currency | money }}
         {% for x in list limit: '3', offset: continue reversed %}{% endfor %}
         {% for x in (1..9) reversed limit: x offset: 2 %}{% endfor %}{{ 'x' | t: count: x }}{{ x | asset_url: width: 640 }}{{ x | date: 'short' }}{{ x | date: x }}`,
      ),
    });
  });
});

describe("a reference of a template", () => {
  it("must exist", async () => {
    const missing = randomUUID();
    for (const reference of [inheriting({ id: missing }), including({ id: missing })]) {
      const body = { name: "A", type: "homepage", ...reference };
      const answer = await call("POST", "/api/templates", { as: shop.operator, body });
      expectRefusal(answer, 422, "VALIDATION_ERROR", { value: missing });
    }
    const component = { type: "component", content: { component_id: missing } };
    const body = { name: "A", type: "homepage", content: { sections: [{ blocks: [component] }] } };
    const answer = await call("POST", "/api/templates", { as: shop.operator, body });
    expectRefusal(answer, 422, "VALIDATION_ERROR", {
      field: "content.sections[0].blocks[0].content.component_id",
    });
  });

  it("makes no circle, at most 5 parents and 10 nested includes", async () => {
    const [a, b] = [await make(shop.operator), await make(shop.operator)];
    expectRefusal(await save(shop.operator, a, inheriting(a)), 422, "VALIDATION_ERROR");
    const c = await make(shop.operator, including(a));
    const d = await make(shop.operator, inheriting(c));
    expectRefusal(await save(shop.operator, a, including(d)), 422, "VALIDATION_ERROR");
    expectRefusal(await save(shop.operator, a, inheriting(d)), 422, "VALIDATION_ERROR");
    let parent = b;
    for (let i = 0; i < 5; i += 1) parent = await make(shop.operator, inheriting(parent));
    const sixth = { name: "A", type: "homepage", ...inheriting(parent) };
    expectRefusal(
      await call("POST", "/api/templates", { as: shop.operator, body: sixth }),
      422,
      "VALIDATION_ERROR",
    );
    // A child of the template would have six parents.
    expectRefusal(
      await save(shop.operator, b, inheriting(await make(shop.operator))),
      422,
      "VALIDATION_ERROR",
    );
    let inner = await make(shop.operator);
    for (let i = 0; i < 10; i += 1) inner = await make(shop.operator, including(inner));
    const eleventh = { name: "A", type: "homepage", ...including(inner) };
    const limit = { field: "content.sections", limit: "depth", maximum: 10 };
    expectRefusal(
      await call("POST", "/api/templates", { as: shop.operator, body: eleventh }),
      422,
      "TEMPLATE_LIMIT",
      limit,
    );
    const outside = await make(shop.operator);
    const pulled = await save(shop.operator, outside, including(inner));
    expectRefusal(pulled, 422, "TEMPLATE_LIMIT", limit);
    expectRefusal(
      await rpc(shop.operator, "create_template", eleventh),
      422,
      "TEMPLATE_LIMIT",
      limit,
    );
  });

  it("makes no circle by two concurrent saves", async () => {
    const [a, b] = [await make(shop.operator), await make(shop.operator)];
    const answers = await Promise.all([
      save(shop.operator, a, including(b)),
      save(shop.operator, b, including(a)),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
  });

  it("cannot be deleted", async () => {
    const component = await makeComponent(shop.editor);
    const [a, b] = [await make(shop.operator), await make(shop.operator)];
    const block = { type: "component", content: { component_id: component.id } };
    const child = await make(shop.operator, {
      content: {
        inheritance: { parent_id: a.id, extensions: [{ blocks: [block] }] },
        sections: [{ blocks: [{ type: "include", content: { template_id: b.id } }] }],
      },
    });
    const used_by = [{ type: "template", id: child.id }];
    const remove = (path: string) => call("DELETE", path, { as: shop.operator });
    const paths = [at(a), at(b), `/api/templates/components/${component.id}`];
    for (const path of paths) expectRefusal(await remove(path), 409, "CONFLICT", { used_by });
    // The active version still refers to them.
    const bare = await saved(shop.operator, child, { content: contentOf("") });
    for (const path of paths) expect((await remove(path)).status).toBe(409);
    await activate(shop.operator, child, bare.version_number);
    for (const path of paths) expect((await remove(path)).status).toBe(204);
    // A version with deleted references cannot be activated.
    expectRefusal(await activate(shop.operator, child, 1), 409, "CONFLICT");
  });

  it("must be active before the template is", async () => {
    const draft = await make(shop.editor);
    const child = await make(shop.operator, inheriting(draft));
    expect(child.active_version).toBeNull();
    expectRefusal(await activate(shop.operator, child, 1), 409, "CONFLICT");
    await activate(shop.operator, draft, 1);
    expect((await activate(shop.operator, child, 1)).status).toBe(200);
  });

  it("must be for the same marketplace, or for all", async () => {
    const own = await make(shop.operator, { marketplace_id: shop.marketplace.id });
    const body = { name: "A", type: "homepage", ...including(own) };
    expectRefusal(
      await call("POST", "/api/templates", { as: shop.operator, body }),
      422,
      "VALIDATION_ERROR",
    );
    expect(
      (await make(shop.operator, { ...including(own), marketplace_id: shop.marketplace.id })).id,
    ).toBeTruthy();
  });
});

describe("a product or a category", () => {
  it("may name its template, until that is deleted", async () => {
    const template = await make(shop.operator, { type: "product" });
    const other = await make(shop.operator, { type: "category" });
    const product = await must("POST", "/api/products", {
      as: shop.supplier,
      body: { name: "Pot", price: 5, template_id: template.id },
    });
    expect(product.template_id).toBe(template.id);
    const change = (body: object) =>
      call("PUT", `/api/products/${product.id}`, { as: shop.supplier, body });
    const field = "template_id";
    const wrong = await change({ template_id: other.id });
    expectRefusal(wrong, 422, "VALIDATION_ERROR", { field });
    const missing = await change({ template_id: randomUUID() });
    expectRefusal(missing, 404, "NOT_FOUND", { field });
    expect((await change({ template_id: null })).body.template_id).toBeNull();
    expect((await change({ template_id: template.id })).status).toBe(200);
    const category = await must("POST", "/api/categories", {
      as: shop.operator,
      body: { name: "Pots", template_id: other.id },
    });
    expect(category.template_id).toBe(other.id);
    const moved = await call("PUT", `/api/categories/${category.id}`, {
      as: shop.operator,
      body: { template_id: template.id },
    });
    expectRefusal(moved, 422, "VALIDATION_ERROR", { field: "template_id" });
    // The same for a discontinued product.
    for (const { id } of [template, other]) await must("DELETE", at({ id }), { as: shop.operator });
    expect(await must("GET", `/api/products/${product.id}`, { as: shop.supplier })).toMatchObject({
      template_id: null,
    });
    expect(
      await must("GET", `/api/categories/${category.id}`, { as: shop.supplier }),
    ).toMatchObject({ template_id: null });
  });
});
