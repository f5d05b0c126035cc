import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { call, expectRefusal, listProduct, must, register, supabaseAs } from "../souk.js";
import {
  at,
  freeSlug,
  move,
  moved,
  movesOf,
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
beforeAll(async () => {
  room = await openNewsroom();
});

const versionsOf = async (piece: Piece) =>
  (await must("GET", at(piece, "/versions"), { as: room.editor })).versions as Piece[];

describe("a draft", () => {
  it("has the sent parts, and empty ones for the rest", async () => {
    const answer = await call("POST", "/api/content/static_pages", {
      as: room.editor,
      body: { title: { en: "Über uns & more" } },
    });
    expect(answer.status).toBe(201);
    expect(answer.headers.get("etag")).toBe('"1"');
    expect(answer.headers.get("location")).toMatch(new RegExp(`/content/.*/${answer.body.id}$`));
    expect(answer.body).toMatchObject({
      type: "static_pages",
      slug: "uber-uns-more",
      status: "draft",
      content: null,
      blocks: [],
      fields: {},
      seo: {},
      visibility: "public",
      visible_to: [],
      version_number: 1,
      published_version_number: null,
      has_unpublished_changes: true,
      author_id: room.editor.id,
      marketplace_id: room.marketplace.id,
      is_draft: true,
    });
    const taken = await call("POST", "/api/content/static_pages", {
      as: room.editor,
      body: { title: { en: "x" }, slug: "uber-uns-more" },
    });
    expectRefusal(taken, 409, "CONFLICT", { field: "slug" });
    for (const [title, slug] of [
      ["東京", /^page-[0-9a-f]{8}$/],
      ["..", /^page-[0-9a-f]{8}$/],
      ["api", /^api$/],
      ["Größe in Straße", /^grosse-in-strasse$/],
      // The same letters with combining accents have the same slug.
      ["Cafe\u0301 Nin\u0303o", /^cafe-nino$/],
      [`${"a".repeat(199)} b`, /^a{199}$/],
    ] as const) {
      const piece = await write(room.editor, { title: { en: title }, slug: undefined });
      expect(piece.slug).toMatch(slug);
    }
    const same = { title: { en: "Grösse in Strasse" } };
    const second = await call("POST", "/api/content/static_pages", { as: room.editor, body: same });
    expectRefusal(second, 409, "CONFLICT", { field: "slug" });
  });

  it("is found by id, by slug, and by the id of the described record", async () => {
    const product = await listProduct(room.supplier);
    const category = await must("POST", "/api/categories", {
      as: room.operator,
      body: { name: "Pots" },
    });
    for (const [type, subject_id] of [
      ["products", product.id],
      ["categories", category.id],
    ]) {
      const piece = await write(room.editor, { type, subject_id });
      for (const id of [piece.id, piece.slug, subject_id]) {
        expect((await seen(room.editor, { ...piece, id: piece.id })).id).toBe(piece.id);
        expect((await must("GET", at({ type, id }), { as: room.editor })).id).toBe(piece.id);
      }
      const again = { title: { en: "Again" }, slug: freeSlug(), subject_id };
      const twice = await call("POST", `/api/content/${type}`, { as: room.editor, body: again });
      expectRefusal(twice, 409, "CONFLICT");
      for (const [subject, status] of [
        [{ subject_id: randomUUID() }, 404],
        [{}, 422],
      ] as const) {
        const body = { title: { en: "x" }, ...subject };
        const answer = await call("POST", `/api/content/${type}`, { as: room.editor, body });
        expect(answer.status).toBe(status);
        expect(answer.body.error.details).toMatchObject({ field: "subject_id" });
      }
    }
    const body = { title: { en: "x" }, subject_id: product.id };
    const page = await call("POST", "/api/content/static_pages", { as: room.editor, body });
    expectRefusal(page, 422, "VALIDATION_ERROR", { field: "subject_id" });
  });

  it("is written by editors and admins, and about a product by its supplier", async () => {
    const { tenantId, editor, chief, operator, reviewer, publisher, customer, supplier } = room;
    const rival = await register({ tenant_id: tenantId, role: "supplier" });
    const product = await listProduct(supplier);
    const ofProduct = { type: "products", subject_id: product.id };
    const bodyOf = (fields: Piece) => ({
      title: { en: "x" },
      slug: freeSlug(),
      ...fields,
      type: undefined,
    });
    for (const [person, page, story] of [
      [customer, 403, 403],
      [reviewer, 403, 403],
      [publisher, 403, 403],
      [rival, 403, 403],
      [supplier, 403, 201],
      [editor, 201, 409],
      [chief, 201, 409],
      [operator, 201, 409],
    ] as const) {
      const make = (fields: Piece) =>
        call("POST", `/api/content/${fields.type}`, { as: person, body: bodyOf(fields) });
      const answers = [await make({ type: "static_pages" }), await make(ofProduct)];
      expect(answers.map(({ status }) => status)).toEqual([page, story]);
    }
    const piece = await must("GET", at({ type: "products", id: product.id }), { as: supplier });
    for (const [person, reading, writing] of [
      [customer, 404, 404],
      [rival, 404, 404],
      [reviewer, 200, 403],
      [publisher, 200, 403],
      [supplier, 200, 200],
      [editor, 200, 200],
      [operator, 200, 200],
    ] as const) {
      expect((await read(person, piece)).status).toBe(reading);
      const { version_number } = await seen(editor, piece);
      const changes = { version_number, layout: `by-${person.id}` };
      expect((await save(person, piece, changes)).status).toBe(writing);
    }
  });

  it("is saved on top of the version that the changes began from, which is required", async () => {
    const piece = await write(room.editor);
    const as = room.editor;
    expectRefusal(
      await call("PUT", at(piece), { as, body: { layout: "a" } }),
      422,
      "VALIDATION_ERROR",
      {
        field: "version_number",
      },
    );
    for (const tag of ["*", "1", '"one"', '""']) {
      const headers = { "if-match": tag };
      const answer = await call("PUT", at(piece), { as, body: { layout: "a" }, headers });
      expectRefusal(answer, 422, "VALIDATION_ERROR", { field: "version_number" });
    }
    const first = await read(as, piece);
    expect(first.headers.get("etag")).toBe('"1"');
    for (const [tag, layout, etag] of [
      ['"1"', "a", '"2"'],
      ['W/"2"', "b", '"3"'],
    ] as const) {
      const headers = { "if-match": tag };
      const answer = await call("PUT", at(piece), { as, body: { layout }, headers });
      expect(answer.body).toMatchObject({ layout, merged: false });
      expect(answer.headers.get("etag")).toBe(etag);
    }
    // A stale save by rpc is refused and not merged.
    const stale = { type: piece.type, id: piece.id, version_number: 1, changes: { layout: "c" } };
    expectRefusal(await rpc(as, "save_content", stale), 409, "CONFLICT", {
      field: "version_number",
      version_number: 3,
    });
  });

  it("that changes nothing makes no version", async () => {
    const piece = await write(room.editor, { content: words("one"), blocks: [banner("hero")] });
    const { version_number: _, ...same } = piece;
    for (const changes of [
      {},
      { title: piece.title },
      { content: same.content, blocks: same.blocks },
    ]) {
      expect(await saved(room.editor, piece, changes)).toMatchObject({ version_number: 1 });
    }
    await saved(room.editor, piece, { autosave: true });
    expect(await versionsOf(piece)).toHaveLength(1);
  });

  it("as an autosave replaces the last autosave of the same author", async () => {
    const { editor, chief } = room;
    const auto = (as: typeof editor, from: Piece, layout: string) =>
      saved(as, from, { layout, autosave: true });
    let piece = await write(editor);
    piece = await auto(editor, piece, "a");
    piece = await auto(editor, piece, "b");
    piece = await auto(editor, piece, "c");
    expect(piece).toMatchObject({ version_number: 4, layout: "c" });
    expect((await versionsOf(piece)).map((one) => [one.version_number, one.parents])).toEqual([
      [4, [1]],
      [1, []],
    ]);
    // Autosaves of other authors and normal saves are kept.
    piece = await auto(chief, piece, "d");
    piece = await saved(chief, piece, { layout: "e" });
    piece = await auto(chief, piece, "f");
    expect((await versionsOf(piece)).map(({ version_number }) => version_number)).toEqual([
      7, 6, 5, 4, 1,
    ]);
    expect((await versionsOf(piece)).map(({ autosave }) => autosave)).toEqual([
      true,
      false,
      true,
      true,
      false,
    ]);
  });

  it("as an autosave is kept if a branch started from it", async () => {
    const { editor } = room;
    let piece = await write(editor, { content: words("x".repeat(500)) });
    piece = await saved(editor, piece, { layout: "a", autosave: true });
    await must("POST", at(piece, "/branches"), { as: editor, body: { name: "next" } });
    const branched = await saved(editor, piece, { layout: "branched" }, "?branch=next");
    piece = await saved(editor, piece, { layout: "b", autosave: true });
    const { document } = await must("GET", at(piece, `/versions/${branched.version_number}`), {
      as: editor,
    });
    expect(document).toMatchObject({ layout: "branched", content: words("x".repeat(500)) });
    const merging = await must("POST", at(piece, "/merge"), {
      as: editor,
      body: { from: "next", resolutions: [{ path: "layout", take: "theirs" }] },
    });
    expect(merging).toMatchObject({ layout: "branched" });
  });

  it("of approved and published content becomes a draft, which readers do not see", async () => {
    const { editor, operator, customer } = room;
    const piece = await write(editor, { content: words("one") });
    for (const steps of [["submit"], ["submit", "approve"]]) {
      for (const step of steps) await moved(operator, piece, step);
      const now = await seen(editor, piece);
      expect(await saved(editor, now, { layout: `after-${steps.length}` })).toMatchObject({
        status: "draft",
      });
    }
    const out = await published(operator, piece);
    expect(out).toMatchObject({ status: "published", has_unpublished_changes: false });
    const draft = await saved(editor, out, { content: words("two"), slug: freeSlug() });
    expect(draft).toMatchObject({
      status: "draft",
      has_unpublished_changes: true,
      published_version_number: out.version_number,
    });
    expect(await seen(customer, piece)).toMatchObject({
      content: words("one"),
      slug: piece.slug,
      status: "published",
      version_number: out.version_number,
    });
    expect(await movesOf(editor, piece)).toEqual([
      "edit",
      "publish",
      "approve",
      "submit",
      "edit",
      "approve",
      "submit",
      "edit",
      "submit",
    ]);
    // The new draft is published by the usual moves.
    expectRefusal(await move(operator, piece, "publish"), 422, "INVALID_TRANSITION");
    await published(operator, piece);
    expect(await seen(customer, piece)).toMatchObject({ content: words("two"), slug: draft.slug });
  });

  it("with a new slug is still found by its published slug", async () => {
    const { editor, operator } = room;
    const piece = await publish(operator);
    const renamed = await saved(editor, piece, { slug: freeSlug() });
    const found = await must("GET", at({ id: piece.slug }), { as: editor });
    expect(found).toMatchObject({ id: piece.id, is_draft: true, slug: renamed.slug });
    expect((await save(editor, { ...renamed, id: piece.slug }, { layout: "a" })).status).toBe(200);
  });

  it("is sent again after a move, although its ETag is the same", async () => {
    const piece = await write(room.editor);
    const headers = { "if-none-match": '"1"' };
    await moved(room.editor, piece, "submit");
    const answer = await call("GET", at(piece), { as: room.editor, headers });
    expect(answer).toMatchObject({ status: 200, body: { status: "in_review" } });
  });
});

describe("deleting", () => {
  it("removes a draft that was never published, and archives published content", async () => {
    const { editor, publisher, customer, reviewer, operator } = room;
    const draft = await write(editor);
    const answer = (as: typeof editor, piece: Piece) => call("DELETE", at(piece), { as });
    expect((await answer(customer, draft)).status).toBe(404);
    expect((await answer(reviewer, draft)).status).toBe(403);
    expect((await answer(publisher, draft)).status).toBe(403);
    expect((await answer(editor, draft)).status).toBe(204);
    expect((await read(editor, draft)).status).toBe(404);

    const page = await publish(operator);
    expect((await answer(editor, page)).status).toBe(403);
    expect((await answer(reviewer, page)).status).toBe(403);
    expect((await answer(customer, page)).status).toBe(403);
    expect((await answer(publisher, page)).status).toBe(204);
    expect(await seen(editor, page)).toMatchObject({
      status: "archived",
      published_version_number: null,
    });
    expect((await read(customer, page)).status).toBe(404);
    expect((await answer(publisher, page)).status).toBe(204);
    expect((await movesOf(editor, page)).filter((name) => name === "delete")).toHaveLength(1);
    expect(await moved(publisher, page, "restore")).toMatchObject({ status: "draft" });
    // It was published once, so it cannot be deleted.
    expect((await answer(editor, page)).status).toBe(403);
  });
});

describe("drafts of others", () => {
  it("appear in no table, list or function for callers who may not see them", async () => {
    const { editor, customer, operator, tenantId } = room;
    const supplier = await register({ tenant_id: tenantId, role: "supplier" });
    const draft = await write(editor, { content: words("a secret") });
    const page = await publish(operator);
    await saved(editor, page, { content: words("a secret"), title: { en: "a secret" } });
    const calls: Record<string, object> = {
      get_content: {},
      save_content: { version_number: 1, changes: {} },
      rollback_content: { to_version: 1 },
      delete_content: {},
      content_to_merge: { version_number: 1 },
      branches_to_merge: { from: "main", into: "main" },
      merge_content: { from: "main", into: "main", from_version: 1, into_version: 1, document: {} },
      create_content_branch: { name: "mine" },
      list_content_branches: {},
      delete_content_branch: { name: "main" },
      list_content_versions: {},
      get_content_version: { version_number: 1 },
      compare_content: { from_version: 1, to_version: 1 },
      list_content_moves: {},
      move_content: { move: "submit" },
      publish_content: {},
      unpublish_content: {},
      cancel_content_schedule: {},
      get_localization: { language: "de" },
      save_localization: { language: "de", version_number: 1, changes: {} },
      set_localization_status: { language: "de", status: "published" },
      create_content_preview: {},
      delete_content_preview: {},
      preview_content: { token: "guessed" },
    };
    for (const person of [customer, supplier]) {
      await together(Object.entries(calls), async ([name, args]) => {
        for (const piece of [draft, page]) {
          const answer = await rpc(person, name, { type: piece.type, id: piece.id, ...args });
          expect(JSON.stringify(answer.body), name).not.toContain("a secret");
          const isReading = name === "get_content" && piece === page;
          expect([name, answer.status < 300]).toEqual([name, isReading]);
        }
      });
      for (const table of ["content", "content_moves", "content_localizations"]) {
        const { data } = await supabaseAs(person).from(table).select().throwOnError();
        expect([table, data]).toEqual([table, []]);
      }
      const { data } = await supabaseAs(person).from("published_content").select().throwOnError();
      expect(JSON.stringify(data)).not.toContain("a secret");
      expect(JSON.stringify(data)).toContain(page.id);
      for (const table of ["content_versions", "content_branches", "published_texts"]) {
        expect((await supabaseAs(person).from(table).select()).status).toBe(404);
      }
      const list = await must("GET", "/api/content/static_pages?limit=1000", { as: person });
      expect(JSON.stringify(list)).not.toContain("a secret");
      expect(JSON.stringify(list)).not.toContain(draft.id);
    }
    // Editors cannot write to the tables either.
    const table = supabaseAs(editor).from("content");
    for (const { error } of [
      await table.update({ status: "published" }).eq("id", draft.id),
      await table.delete().eq("id", draft.id),
      await table.insert({ type: "static_pages" }),
    ]) {
      expect(error).toMatchObject({ code: "42501" });
    }
  });
});

const banner = (id: string) => ({
  id,
  type: "banner",
  content: { title: "Sale" },
  settings: {},
  permissions: {},
});
