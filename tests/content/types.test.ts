import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { type Answer, call, expectRefusal, must, supabaseAs } from "../souk.js";
import {
  at,
  freeSlug,
  type Newsroom,
  openNewsroom,
  type Piece,
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
beforeAll(async () => {
  room = await openNewsroom();
});

const make = (body: object, as = room.operator) => call("POST", "/api/content-types", { as, body });

describe("types", () => {
  it("with several faults are refused with all of them", async () => {
    const fields = [
      { name: "minutes", type: "number", default_value: "x" },
      { name: "size", type: "boolean", validation: { min: 1 } },
      { name: "day", type: "date", default_value: "2026-02-30" },
    ];
    const body = { key: "faulty", name: "Faulty", fields };
    const errors = [
      { field: "fields[0].default_value", value: "x" },
      { field: "fields[1].validation.min", value: 1 },
      { field: "fields[2].default_value", value: "2026-02-30" },
    ];
    for (const answer of [
      await make(body),
      await rpc(room.operator, "create_content_type", body),
    ]) {
      expectRefusal(answer, 422, "VALIDATION_ERROR", { ...errors[0], errors });
    }
    // All that is wrong in one field, too.
    const field = { name: "Size", type: "number", required: "yes" };
    const rules = { validation: { min: "x", max: "y" }, default_value: "z" };
    const one = await rpc(room.operator, "create_content_type", {
      ...body,
      fields: [{ ...field, ...rules }],
    });
    expect(one.body.error.details.errors.map((fault: Piece) => fault.field).toSorted()).toEqual(
      ["default_value", "name", "required", "validation.max", "validation.min"].map(
        (name) => `fields[0].${name}`,
      ),
    );
    const step = { id: "a", name: "A", assignee_role: "editor", required_actions: ["fly"] };
    const steps = [step, { ...step, id: "b", required_actions: ["swim"] }];
    const workflow = await call("PUT", "/api/content-types/products/workflow", {
      as: room.operator,
      body: { steps },
    });
    expectRefusal(workflow, 422, "VALIDATION_ERROR", {
      errors: [{ field: "steps[0].required_actions" }, { field: "steps[1].required_actions" }],
    });
  });

  it("are three from the start, and these cannot be deleted", async () => {
    const { content_types } = await must("GET", "/api/content-types", { as: room.customer });
    expect(content_types.map(({ key }: Piece) => key)).toEqual([
      "categories",
      "products",
      "static_pages",
    ]);
    const gone = await call("DELETE", "/api/content-types/products", { as: room.operator });
    expectRefusal(gone, 409, "CONFLICT");
  });

  it("are created, changed and deleted by admins and the content role admin", async () => {
    const { operator, chief, editor, customer, publisher } = room;
    for (const person of [editor, publisher, customer]) {
      expectRefusal(await make({ key: "mine", name: "Mine" }, person), 403, "FORBIDDEN");
      expect((await rpc(person, "create_content_type", { key: "mine", name: "Mine" })).status).toBe(
        403,
      );
      const { error } = await supabaseAs(person)
        .from("content_types")
        .insert({ tenant_id: room.tenantId, key: "mine", name: "Mine" });
      expect(error).toMatchObject({ code: "42501" });
    }
    for (const [person, key] of [
      [operator, "recipes"],
      [chief, "letters"],
    ] as const) {
      const made = await make(
        { key, name: "Recipes", fields: [{ name: "minutes", type: "number" }] },
        person,
      );
      expect(made).toMatchObject({ status: 201, body: { key, built_in: false, workflow: [] } });
      expectRefusal(await make({ key, name: "Again" }, person), 409, "CONFLICT");
      const changed = await must("PUT", `/api/content-types/${key}`, {
        as: person,
        body: { name: "Dishes" },
      });
      expect(changed).toMatchObject({ name: "Dishes", fields: [{ name: "minutes" }] });
      const piece = await write(editor, { type: key, fields: { minutes: 5 } });
      const remove = () => call("DELETE", `/api/content-types/${key}`, { as: person });
      expectRefusal(await remove(), 409, "CONFLICT");
      await call("DELETE", at(piece), { as: editor });
      expect((await remove()).status).toBe(204);
      expect((await call("GET", `/api/content/${key}`, { as: editor })).status).toBe(404);
    }
  });

  it("with a fault are refused, with the path", async () => {
    const field = { name: "a", type: "string" };
    for (const [body, at] of [
      [{ key: "Recipes", name: "x" }, "key"],
      [{ key: "a-b", name: "x" }, "key"],
      [{ key: "a".repeat(51), name: "x" }, "key"],
      [{ key: "a", name: "" }, "name"],
      [{ key: "a", name: "x", fields: [{ ...field, type: "song" }] }, "fields[0].type"],
      [{ key: "a", name: "x", fields: [{ ...field, name: "A b" }] }, "fields[0].name"],
      [{ key: "a", name: "x", fields: [field, field] }, "fields"],
      [
        { key: "a", name: "x", fields: [{ ...field, validation: { min: 1 } }] },
        "fields[0].validation.min",
      ],
      [
        { key: "a", name: "x", fields: [{ ...field, validation: { options: [1] } }] },
        "fields[0].validation.options",
      ],
      [
        { key: "a", name: "x", fields: [{ ...field, default_value: 1 }] },
        "fields[0].default_value",
      ],
      [{ key: "a", name: "x", fields: [{ ...field, unknown: 1 }] }, "fields[0].unknown"],
    ] as const) {
      const http = await make(body);
      expect([at, http.status, http.body.error.code]).toEqual([at, 422, "VALIDATION_ERROR"]);
      expect(http.body.error.details.field).toBe(at);
      const direct = await rpc(room.operator, "create_content_type", body);
      expect([at, direct.status >= 400 && direct.status < 500]).toEqual([at, true]);
    }
  });
});

describe("fields", () => {
  it("with several faults are refused with all of them, in the order of the type", async () => {
    const { operator, editor } = room;
    const fields = [
      { name: "minutes", type: "number", required: true },
      { name: "day", type: "date" },
      { name: "course", type: "string", required: true, validation: { options: ["main"] } },
      { name: "hot", type: "boolean" },
    ];
    await make({ key: "dishes", name: "Dishes", fields });
    const wrong = { course: "soup", day: "x", hot: true, minutes: "long", spoons: 2 };
    const errors = [
      { field: "minutes", value: "long", message: "fields.minutes must be a number." },
      { field: "day", value: "x" },
      { field: "course", value: "soup" },
      { field: "spoons", value: 2 },
    ];
    const at_ = (path: string) => {
      const named = errors.map((one) => ({ ...one, field: `${path}.${one.field}` }));
      return { field: `${path}.minutes`, value: "long", errors: named };
    };
    const type = "dishes";
    const body = { title: { en: "x" }, fields: wrong };
    const refuse = (answer: Answer, details: object) =>
      expectRefusal(answer, 422, "VALIDATION_ERROR", details);
    refuse(await call("POST", "/api/content/dishes", { as: editor, body }), at_("fields"));
    refuse(await rpc(editor, "create_content", { type, document: body }), at_("fields"));
    const piece = await write(editor, { type });
    refuse(await save(editor, piece, { fields: wrong }), at_("fields"));
    const german = { version_number: 1, fields: { ...wrong, minutes: "lang" } };
    const put = await call("PUT", at(piece, "/localizations/de"), { as: editor, body: german });
    expect(put.body.error.details.errors.map((one: Piece) => one.field)).toEqual(
      errors.map(({ field }) => `localizations.de.fields.${field}`),
    );
    const missing = ["fields.minutes", "fields.course"].map((field) => ({ field, value: null }));
    for (const answer of [
      await call("POST", at(piece, "/submit"), { as: editor, body: {} }),
      await rpc(operator, "move_content", { type, id: piece.id, move: "submit" }),
    ]) {
      refuse(answer, { ...missing[0], errors: missing });
    }
    // One fault is no list.
    const one = await save(editor, piece, { fields: { minutes: "x" } });
    expect(one.body.error.details).toEqual({ field: "fields.minutes", value: "x" });
    // Other parts of the document are listed too.
    const id = randomUUID();
    const image = (name: string) => ({ id: name, type: "image", content: { asset_id: id } });
    const all = await save(editor, piece, {
      title: { en: "x", "not a language": "y", de: " " },
      blocks: [
        { type: "banner", content: { href: "javascript:1" } },
        { type: "banner", content: {} },
        { type: "video", content: {} },
      ],
      fields: wrong,
      visibility: "roles",
    });
    expect(all.body.error.details.errors.map((one: Piece) => one.field)).toEqual([
      ...[
        "title.de",
        "title.not a language",
        "blocks[0].content.href",
        "blocks[2].content.asset_id",
      ],
      ...errors.map(({ field }) => `fields.${field}`),
      "visible_to",
    ]);
    const gone = await save(editor, piece, { blocks: [image("a"), image("b")] });
    refuse(gone, {
      field: "blocks.a",
      errors: [
        { field: "blocks.a", value: id },
        { field: "blocks.b", value: id },
      ],
    });
  });

  it("are checked as the type defines them, and have its defaults", async () => {
    const { operator, editor } = room;
    const fields = [
      { name: "text", type: "string", validation: { min_length: 2, max_length: 5 } },
      { name: "size", type: "string", validation: { options: ["s", "l"] }, default_value: "s" },
      { name: "number", type: "number", validation: { min: 1, max: 10 } },
      { name: "flag", type: "boolean" },
      { name: "list", type: "array" },
      { name: "thing", type: "object" },
      { name: "picture", type: "image" },
      { name: "color", type: "color" },
      { name: "day", type: "date" },
    ];
    await make({ key: "fielded", name: "Fielded", fields });
    const right = {
      text: "abc",
      size: "l",
      number: 1.5,
      flag: false,
      list: [1],
      thing: { a: 1 },
      color: "#00fF00",
      day: "2024-02-29",
    };
    const piece = await write(editor, { type: "fielded", fields: right });
    expect(piece.fields).toEqual(right);
    expect((await write(editor, { type: "fielded" })).fields).toEqual({ size: "s" });
    const faults = [
      [{ text: "a" }, "text"],
      [{ text: "abcdef" }, "text"],
      [{ text: 5 }, "text"],
      [{ size: "m" }, "size"],
      [{ number: 0 }, "number"],
      [{ number: 11 }, "number"],
      [{ number: "5" }, "number"],
      [{ flag: "yes" }, "flag"],
      [{ list: {} }, "list"],
      [{ thing: [] }, "thing"],
      [{ picture: "a.png" }, "picture"],
      [{ picture: { asset_id: "x" } }, "picture.asset_id"],
      [{ color: "red" }, "color"],
      [{ color: "#12345" }, "color"],
      [{ day: "2026-02-30" }, "day"],
      [{ day: "2026-02-01T00:00:00Z" }, "day"],
      [{ unknown: 1 }, "unknown"],
    ] as const;
    await together(faults, async ([wrong, field]) => {
      const answer = await save(editor, piece, { fields: wrong });
      expectRefusal(answer, 422, "VALIDATION_ERROR", { field: `fields.${field}` });
      const args = { type: "fielded", id: piece.id, version_number: 1, changes: { fields: wrong } };
      expectRefusal(await rpc(editor, "save_content", args), 422, "VALIDATION_ERROR", {
        field: `fields.${field}`,
      });
    });
    // Values of removed fields may stay unchanged.
    await must("PUT", "/api/content-types/fielded", {
      as: operator,
      body: { fields: [fields[0]] },
    });
    const kept = await saved(editor, piece, { layout: "wide" });
    expect(kept.fields).toEqual(right);
    const same = await saved(editor, kept, { fields: { ...right, text: "new" } });
    expect(same.fields).toEqual({ ...right, text: "new" });
    expectRefusal(
      await save(editor, same, { fields: { ...right, flag: true } }),
      422,
      "VALIDATION_ERROR",
      {
        field: "fields.flag",
      },
    );
  });
});

describe("blocks", () => {
  const id = randomUUID();
  /** Contents with one fault each, and its path. */
  const WRONG: [string, object, string][] = [
    ["text", { text: { type: "doc", content: [{ type: "blink" }] } }, "content.text.content[0]"],
    ["text", { text: words("a"), more: 1 }, "content.more"],
    ["text", { text: "<b>a</b>" }, "content.text"],
    ["image", {}, "content.asset_id"],
    ["image", { asset_id: "a.png" }, "content.asset_id"],
    ["image", { asset_id: id, alt: 5 }, "content.alt"],
    ["image", { asset_id: id, src: "/a.png" }, "content.src"],
    ["video", { alt: "x" }, "content.asset_id"],
    ["video", { asset_id: id, title: "x".repeat(501) }, "content.title"],
    ["gallery", { images: {} }, "content.images"],
    ["gallery", { images: [{ alt: "x" }] }, "content.images[0].asset_id"],
    ["gallery", { images: [{ asset_id: id, href: "/" }] }, "content.images[0].href"],
    ["product_grid", {}, "content"],
    ["product_grid", { product_ids: [id], query: {} }, "content"],
    ["product_grid", { product_ids: ["x"] }, "content.product_ids"],
    ["product_grid", { product_ids: Array.from({ length: 101 }, () => id) }, "content.product_ids"],
    ["product_grid", { query: { limit: 101 } }, "content.query"],
    ["product_grid", { query: { sort: "price desc" } }, "content.query"],
    ["product_grid", { query: { status: "draft" } }, "content.query.status"],
    ["product_grid", { query: { category: "x" } }, "content.query"],
    ["product_grid", { query: { price_min: -1 } }, "content.query"],
    ["banner", { href: "javascript:alert(1)" }, "content.href"],
    ["banner", { href: 5 }, "content.href"],
    ["banner", { title: {} }, "content.title"],
    ["banner", { text: "x".repeat(2001) }, "content.text"],
    ["banner", { html: "x" }, "content.html"],
    ["testimonials", { items: [{ author: "x" }] }, "content.items[0]"],
    ["testimonials", { items: [{ author: "", text: "x" }] }, "content.items[0]"],
    ["testimonials", { items: "x" }, "content.items"],
  ];

  it.each([
    "HTTP",
    "the database",
  ])("with a fault are refused by %s, with the path", async (way) => {
    const { editor } = room;
    const piece = await write(editor);
    const send = (blocks: object[]) =>
      way === "HTTP"
        ? save(editor, piece, { blocks })
        : rpc(editor, "save_content", {
            type: piece.type,
            id: piece.id,
            version_number: 1,
            changes: { blocks },
          });
    const fine = { id: "fine", type: "banner", content: {} };
    await together(WRONG, async ([type, content, field]) => {
      const answer = await send([fine, { id: "a", type, content }]);
      expect([type, content, answer.status, answer.body.error?.code]).toEqual([
        type,
        content,
        422,
        "VALIDATION_ERROR",
      ]);
      // The edge functions give the more exact path inside a rich text.
      expect(
        answer.body.error.details.field.startsWith(`blocks[1].${field}`),
        `${type} ${field}: ${answer.body.error.details.field}`,
      ).toBe(true);
    });
    for (const [block, field] of [
      [{ ...fine, id: "a b" }, "blocks[1].id"],
      [{ ...fine, id: "x".repeat(65) }, "blocks[1].id"],
      [{ ...fine, type: "html" }, "blocks[1].type"],
      [{ ...fine, content: [] }, "blocks[1].content"],
      [{ ...fine, content: "x" }, "blocks[1].content"],
      [{ ...fine, settings: [] }, "blocks[1].settings"],
      [{ ...fine, settings: { a: "x".repeat(20_001) } }, "blocks[1].settings"],
      [{ ...fine, permissions: { roles: [] } }, "blocks[1].permissions.roles"],
      [{ ...fine, permissions: { roles: ["king"] } }, "blocks[1].permissions.roles"],
      [{ ...fine }, "blocks"],
    ] as const) {
      const answer = await send([
        fine,
        {
          ...block,
          id: field === "blocks" || ("id" in block && block.id !== "fine") ? block.id : "b",
        },
      ]);
      expectRefusal(answer, 422, "VALIDATION_ERROR");
      expect(answer.body.error.details.field).toContain(field);
    }
    const many = Array.from({ length: 201 }, (_, i) => ({ ...fine, id: `b${i}` }));
    expectRefusal(await send(many), 422, "VALIDATION_ERROR", { field: "blocks" });
    expect((await seen(editor, piece)).version_number).toBe(1);
  });

  it("get an id if they have none, and keep the one that they have", async () => {
    const { editor } = room;
    const blocks = [
      { type: "banner", content: { title: "A" } },
      { id: "b", type: "banner", content: {} },
    ];
    const piece = await write(editor, { blocks });
    expect(piece.blocks).toMatchObject([
      { id: expect.stringMatching(/^[0-9a-f-]{36}$/), settings: {}, permissions: {} },
      { id: "b" },
    ]);
    const args = {
      type: "static_pages",
      document: { title: { en: "x" }, slug: freeSlug(), blocks },
    };
    const direct = await rpc(editor, "create_content", args);
    expect(direct.body.blocks).toMatchObject([
      { id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
      { id: "b" },
    ]);
  });
});

it("every other wrong part of a document is refused by HTTP and by the database, with its path", async () => {
  const { editor } = room;
  const piece = await write(editor);
  const faults = [
    [{ slug: "A page" }, "slug"],
    [{ slug: "-a" }, "slug"],
    [{ slug: "x".repeat(201) }, "slug"],
    [{ title: { de: "Ohne" } }, "title.en"],
    [{ title: { en: "" } }, "title.en"],
    [{ title: { en: " " } }, "title.en"],
    [{ title: { en: "x", "not a language": "y" } }, "title.not a language"],
    [{ title: "x" }, "title"],
    [{ title: null }, "title"],
    [{ content: "<b>x</b>" }, "content"],
    [{ content: [] }, "content"],
    [{ layout: "" }, "layout"],
    [{ layout: "a b" }, "layout"],
    [{ seo: { title: "x".repeat(201) } }, "seo.title"],
    [{ seo: { robots: "none" } }, "seo.robots"],
    [{ seo: { canonical_url: "javascript:alert(1)" } }, "seo.canonical_url"],
    [{ seo: null }, "seo"],
    [{ fields: [] }, "fields"],
    [{ blocks: {} }, "blocks"],
    [{ visibility: "secret" }, "visibility"],
    [{ visibility: "roles" }, "visible_to"],
    [{ visibility: "public", visible_to: ["customer"] }, "visible_to"],
    [{ visibility: "roles", visible_to: ["king"] }, "visible_to"],
    [{ localizations: { en: {} } }, "localizations.en"],
    [{ localizations: { "not a language": {} } }, "localizations.not a language"],
    [{ localizations: { de: { slug: "x" } } }, "localizations.de.slug"],
    [{ localizations: [] }, "localizations"],
    [{ unknown: 1 }, "unknown"],
  ] as const;
  await together(faults, async ([changes, field]) => {
    const args = { type: piece.type, id: piece.id, version_number: 1, changes };
    for (const answer of [
      await save(editor, piece, changes),
      await rpc(editor, "save_content", args),
    ]) {
      expect([changes, answer.status, answer.body.error?.code]).toEqual([
        changes,
        422,
        "VALIDATION_ERROR",
      ]);
      expect(answer.body.error.details.field).toContain(field);
    }
  });
  // A record may be sent back as it was read. Fields that are not part of the document are ignored.
  expect((await save(editor, piece, { status: "published" })).body).toMatchObject({
    status: "draft",
  });
  const direct = {
    type: piece.type,
    id: piece.id,
    version_number: 1,
    changes: { status: "published" },
  };
  expectRefusal(await rpc(editor, "save_content", direct), 422, "VALIDATION_ERROR", {
    field: "status",
  });
  const slow = "x".repeat(900_000);
  const large = await save(editor, piece, { content: words(slow) });
  expect(large.status).toBeGreaterThanOrEqual(413);
  expect((await seen(editor, piece)).version_number).toBe(1);
});

it("a document may be nested as deep as the limits of rich texts and blocks, and no deeper", async () => {
  const { editor } = room;
  const piece = await write(editor);
  const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
  const quoted = (levels: number): object =>
    levels === 0 ? { type: "paragraph" } : { type: "blockquote", content: [quoted(levels - 1)] };
  const text = (levels: number) => ({ type: "doc", content: [quoted(levels)] });
  const block = (settings: unknown) => [{ id: "a", type: "banner", content: {}, settings }];
  for (const [changes, fits] of [
    [{ content: text(18) }, true],
    [{ content: text(19) }, false],
    [{ blocks: [{ id: "a", type: "text", content: { text: text(18) } }] }, true],
    [{ blocks: [{ id: "a", type: "text", content: { text: text(19) } }] }, false],
    // The body, the list, the block and its settings are four levels.
    [{ blocks: block(nested(7)) }, true],
    [{ blocks: block(nested(8)) }, false],
    [{ blocks: block(nested(50)) }, false],
    [{ seo: { schema_markup: nested(8) } }, true],
    [{ seo: { schema_markup: nested(9) } }, false],
  ] as const) {
    const { version_number } = await seen(editor, piece);
    const answer = await save(editor, { ...piece, version_number }, changes);
    if (fits) expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    else expectRefusal(answer, 400, "NESTING_TOO_DEEP");
    // Calls past the functions have the same depth limit for texts, and everything that was accepted can be read.
    const args = {
      type: piece.type,
      id: piece.id,
      version_number: (await seen(editor, piece)).version_number,
      changes,
    };
    const direct = await rpc(editor, "save_content", args);
    const isText = JSON.stringify(changes).includes("blockquote");
    if (isText) expect(direct.status < 300).toBe(fits);
    expect((await read(editor, piece, "?format=html")).status).toBe(200);
  }
});
