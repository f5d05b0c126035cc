import { beforeAll, describe, expect, it } from "vitest";
import { query } from "../database.js";
import { type Answer, call, expectRefusal, must, openTestTenant, type Person } from "../souk.js";
import {
  at,
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
  translate,
  words,
  write,
} from "./writing.js";

let room: Newsroom;
beforeAll(async () => {
  room = await openNewsroom();
});

const versionsOf = async (piece: Piece, as: Person = room.editor): Promise<Piece[]> =>
  (await must("GET", at(piece, "/versions?limit=1000"), { as })).versions;
const numbersOf = async (piece: Piece) =>
  (await versionsOf(piece)).map(({ version_number }) => version_number);
const version = (piece: Piece, number: number, as: Person = room.editor) =>
  call("GET", at(piece, `/versions/${number}`), { as });
const expectConflict = (answer: Answer, base: string, ours: string, theirs: string) => {
  expectRefusal(answer, 409, "CONFLICT");
  expect(answer.body.error.details.conflicts).toEqual([{ path: "seo.title", base, ours, theirs }]);
};
const banner = (id: string, title: string) => ({
  id,
  type: "banner",
  content: { title },
  settings: {},
  permissions: {},
});

describe("versions", () => {
  it("record every save and never change", async () => {
    const { editor, chief, customer } = room;
    let piece = await write(editor, { blocks: [banner("a", "A")], comment: "First" });
    piece = await saved(chief, piece, {
      layout: "wide",
      blocks: [banner("a", "B"), banner("b", "B")],
      comment: "Second",
    });
    await saved(editor, piece, { seo: { title: "x" } });
    expect(await versionsOf(piece)).toMatchObject([
      {
        version_number: 3,
        parents: [2],
        branch: "main",
        changes: ["seo.title"],
        author_id: editor.id,
      },
      {
        version_number: 2,
        parents: [1],
        changes: ["blocks.a", "blocks.b", "layout"],
        author_id: chief.id,
        comment: "Second",
      },
      { version_number: 1, parents: [], author_id: editor.id, comment: "First", autosave: false },
    ]);
    expect((await version(piece, 1)).body.document).toMatchObject({
      layout: null,
      blocks: [banner("a", "A")],
    });
    expect(await seen(editor, piece, "?version=2")).toMatchObject({
      layout: "wide",
      seo: {},
      version_number: 2,
    });
    for (const number of [0, 4, "x"])
      expect((await version(piece, number as number)).status).toBeGreaterThanOrEqual(404);
    expect((await version(piece, 1, customer)).status).toBe(404);
    expect((await read(customer, await publish(room.operator), "?version=1")).status).toBe(404);
    expect(await must("GET", at(piece, "/versions?limit=1&page=2"), { as: editor })).toMatchObject({
      total: 3,
      versions: [{ version_number: 2 }],
    });
  });

  it("are compared part by part", async () => {
    const { editor } = room;
    let piece = await write(editor, {
      blocks: [banner("a", "A"), banner("b", "B")],
      content: words("one"),
    });
    piece = await saved(editor, piece, {
      blocks: [banner("b", "B"), banner("a", "C")],
      content: words("two"),
      title: { en: "A page", de: "Eine" },
    });
    const compare = (from: number, to: number) =>
      call("GET", at(piece, `/compare?from=${from}&to=${to}`), { as: editor });
    const { changes } = (await compare(1, 2)).body;
    expect(changes).toHaveLength(4);
    expect(changes).toEqual(
      expect.arrayContaining([
        { path: "blocks.a.content.title", from: "A", to: "C" },
        { path: "blocks", from: ["a", "b"], to: ["b", "a"] },
        { path: "content", from: words("one"), to: words("two") },
        { path: "title.de", from: null, to: "Eine" },
      ]),
    );
    expect((await compare(2, 1)).body.changes).toContainEqual({
      path: "title.de",
      from: "Eine",
      to: null,
    });
    expect((await compare(2, 2)).body).toEqual({ changes: [] });
    expectRefusal(await compare(1, 9), 404, "NOT_FOUND", { field: "to" });
    expectRefusal(
      await call("GET", at(piece, "/compare?from=1"), { as: editor }),
      422,
      "VALIDATION_ERROR",
      { field: "to" },
    );
  });

  it("are restored by a rollback, which makes a new version", async () => {
    const { editor, reviewer, customer } = room;
    const piece = await publish(room.operator, { content: words("one"), layout: "a" });
    await saved(editor, piece, { content: words("two"), slug: `${piece.slug}-2` });
    const back = (as: Person, version_number: number) =>
      call("POST", at(piece, "/rollback"), { as, body: { version_number } });
    expect((await back(editor, 1)).body).toMatchObject({
      content: words("one"),
      slug: piece.slug,
      version_number: 3,
      status: "draft",
      missing: [],
    });
    expect(await numbersOf(piece)).toEqual([3, 2, 1]);
    expect((await versionsOf(piece))[0]).toMatchObject({
      parents: [2],
      comment: "Back to version 1",
    });
    expect((await back(editor, 2)).body).toMatchObject({
      content: words("two"),
      version_number: 4,
    });
    expectRefusal(await back(editor, 9), 404, "NOT_FOUND", { field: "version_number" });
    expectRefusal(await back(reviewer, 1), 403, "FORBIDDEN");
    expect((await back(customer, 1)).status).toBe(403);
    // Other content takes the slug as soon as nothing is published under it.
    const body = { title: { en: "x" }, slug: piece.slug };
    const taken = await call("POST", "/api/content/static_pages", { as: editor, body });
    expectRefusal(taken, 409, "CONFLICT", { field: "slug" });
    await moved(room.operator, piece, "unpublish");
    await write(editor, { slug: piece.slug });
    expectRefusal(await back(editor, 1), 409, "CONFLICT", { field: "slug" });
  });

  it("cannot be changed, not even by the service role", async () => {
    const piece = await write(room.editor);
    await expect(
      query("set role authenticated; update private.content_versions set body = null"),
    ).rejects.toThrow(/permission denied/);
    await expect(
      query("set role service_role; delete from private.content_versions"),
    ).rejects.toThrow(/permission denied/);
    expect(await numbersOf(piece)).toEqual([1]);
  });
});

describe("settings.content.keep_versions", () => {
  it("keeps that many versions, and those in use", async () => {
    const few = await openNewsroom();
    const { operator, customer } = few;
    await must("PATCH", "/api/tenant", {
      as: operator,
      body: { settings: { content: { keep_versions: 2 } } },
    });
    const next = async (changes: object) => saved(operator, await seen(operator, piece), changes);
    const texts = (n: number) => ({ content: words(`${n} `.repeat(200)) });
    let piece = await publish(operator, texts(1));
    await next(texts(2));
    await translate(operator, piece, "de", { title: "Drei" });
    await next(texts(4));
    const branch = (name: string, from_version: number) =>
      must("POST", at(piece, "/branches"), { as: operator, body: { name, from_version } });
    await branch("one", 4);
    await branch("two", 4);
    await saved(operator, { ...piece, version_number: 4 }, { layout: "one" }, "?branch=one");
    await saved(
      operator,
      { ...piece, version_number: 4 },
      { seo: { title: "two" } },
      "?branch=two",
    );
    await next(texts(7));
    await moved(operator, piece, "submit");
    await moved(operator, piece, "approve");
    const later = new Date(Date.now() + 86_400_000).toISOString();
    await moved(operator, piece, "publish", { at: later });
    piece = await next(texts(8));
    for (let n = 9; n <= 20; n += 1) piece = await saved(operator, piece, texts(n));
    // Kept: the published version and its translation, the start and head of both branches, the scheduled one, and the
    // last two.
    const kept = (await versionsOf(piece, operator)).map(({ version_number }) => version_number);
    expect(kept).toEqual([20, 19, 7, 6, 5, 4, 3, 1]);
    for (const number of kept) {
      const { document } = (await version(piece, number, operator)).body;
      const text = { 3: 2, 5: 4, 6: 4 }[number as 3] ?? number;
      expect(document, `${number}`).toMatchObject(texts(text));
    }
    expectRefusal(await version(piece, 18, operator), 404, "NOT_FOUND");
    expectRefusal(
      await call("POST", at(piece, "/rollback"), { as: operator, body: { version_number: 12 } }),
      404,
      "NOT_FOUND",
    );
    expect(await seen(customer, piece, "?language=de")).toMatchObject({
      title: "Drei",
      ...texts(1),
    });
    // The base of a merge between the branches is kept, although main is far ahead.
    const merged = await must("POST", at(piece, "/merge"), {
      as: operator,
      body: { from: "one", into: "two" },
    });
    expect(merged).toMatchObject({ layout: "one", seo: { title: "two" }, ...texts(4) });
    const main = await must("POST", at(piece, "/merge"), { as: operator, body: { from: "two" } });
    expect(main).toMatchObject({ layout: "one", seo: { title: "two" }, ...texts(20) });
    // A save from a pruned version is refused.
    const stale = await save(operator, { ...piece, version_number: 15 }, texts(0));
    expectRefusal(stale, 409, "CONFLICT", { field: "version_number" });
  });
});

it("1,000 saves of a page of 100 kB take less than 20 MB", async () => {
  const { chief } = room;
  const SAVES = 20;
  // Texts that do not compress well.
  const noise = (seed: number) =>
    Array.from({ length: 90 }, (_, i) =>
      Math.abs(Math.sin(seed * 97 + i) * 1e16).toString(36),
    ).join(" ");
  const blocks = Array.from({ length: 100 }, (_, i) => ({
    ...banner(`b${i}`, "x"),
    content: { text: noise(i).slice(0, 940) },
  }));
  const piece = await write(chief, { blocks });
  const args = { type: piece.type, id: piece.id };
  for (let n = 1; n <= SAVES; n += 1) {
    const block = blocks[(n * 37) % 100] as Piece;
    block.content = { text: noise(1000 + n).slice(0, 940) };
    const answer = await rpc(chief, "save_content", {
      ...args,
      version_number: n,
      changes: { blocks },
    });
    expect(answer.body).toMatchObject({ version_number: n + 1 });
  }
  const [sizes] = await query<{ stored: string; whole: string }>(
    `select sum(pg_column_size(v.*)) as stored, max(v.bytes) as whole
     from private.content_versions v where v.content_id = $1`,
    [piece.id],
  );
  expect(Number(sizes?.whole)).toBeGreaterThan(100_000);
  expect((Number(sizes?.stored) / SAVES) * 1000).toBeLessThan(20_000_000);
  for (const number of [1, 17, SAVES]) {
    expect((await version(piece, number, chief)).body.document.blocks).toHaveLength(100);
  }
  expect((await version(piece, SAVES + 1, chief)).body.document.blocks).toMatchObject(blocks);
});

describe("branches", () => {
  const branch = (piece: Piece, name: string, from_version?: number) =>
    call("POST", at(piece, "/branches"), { as: room.editor, body: { name, from_version } });
  const merge = (piece: Piece, body: object, as: Person = room.editor) =>
    call("POST", at(piece, "/merge"), { as, body });

  it("start at a version, are written separately from main, and can be deleted", async () => {
    const { editor, reviewer, customer, operator } = room;
    const piece = await publish(operator, { content: words("one") });
    await saved(editor, piece, { content: words("two") });
    const made = await branch(piece, "next");
    expect(made).toMatchObject({ status: 201, body: { name: "next", version_number: 2 } });
    expect((await branch(piece, "old", 1)).body).toMatchObject({ version_number: 1 });
    const written = await saved(
      editor,
      { ...piece, version_number: 1 },
      { content: words("three") },
      "?branch=old",
    );
    expect(written).toMatchObject({ content: words("three"), version_number: 3 });
    expect(await seen(editor, piece)).toMatchObject({ content: words("two"), version_number: 2 });
    expect(await seen(editor, piece, "?branch=old")).toMatchObject({ content: words("three") });
    expect(await seen(customer, piece)).toMatchObject({ content: words("one") });
    expect((await read(customer, piece, "?branch=old")).status).toBe(404);
    expect(await must("GET", at(piece, "/branches"), { as: reviewer })).toMatchObject({
      branches: [
        { name: "main", version_number: 2 },
        { name: "next", version_number: 2 },
        { name: "old", version_number: 3 },
      ],
    });
    for (const [name, from, status, code] of [
      ["next", undefined, 409, "CONFLICT"],
      ["main", undefined, 409, "CONFLICT"],
      ["A b", undefined, 422, "VALIDATION_ERROR"],
      ["", undefined, 422, "VALIDATION_ERROR"],
      ["later", 99, 404, "NOT_FOUND"],
    ] as const) {
      expectRefusal(await branch(piece, name, from), status, code);
    }
    const remove = (name: string, as = editor) =>
      call("DELETE", at(piece, `/branches/${name}`), { as });
    expectRefusal(await remove("main"), 409, "CONFLICT");
    expectRefusal(await remove("none"), 404, "NOT_FOUND");
    expectRefusal(await remove("old", reviewer), 403, "FORBIDDEN");
    expect((await remove("old")).status).toBe(204);
    expect((await version(piece, 3)).body.document).toMatchObject({ content: words("three") });
    expect(
      (await save(editor, { ...piece, version_number: 3 }, { layout: "x" }, "?branch=old")).status,
    ).toBe(404);
    const free = Array.from({ length: 18 }, (_, i) => `b${i}`);
    await together(free, async (name) => expect((await branch(piece, name)).status).toBe(201));
    expectRefusal(await branch(piece, "one-more"), 422, "LIMIT_REACHED", {
      cap: "branches_per_content",
    });
  });

  it("are merged with newer versions, and report conflicts", async () => {
    const { editor, chief } = room;
    const piece = await write(editor, {
      blocks: [banner("a", "A"), banner("b", "B"), banner("c", "C")],
      seo: { title: "old" },
    });
    await branch(piece, "next");
    const base = { ...piece, version_number: 1 };
    const side = await saved(
      editor,
      base,
      { blocks: [banner("c", "C"), banner("a", "A2"), banner("d", "D")], seo: { title: "theirs" } },
      "?branch=next",
    );
    const main = await saved(editor, base, {
      blocks: [banner("a", "A"), banner("b", "B"), banner("c", "C2")],
      seo: { title: "ours", description: "d" },
    });
    const refused = await merge(piece, { from: "next" });
    expectRefusal(refused, 409, "CONFLICT", { version_number: main.version_number });
    expect(refused.body.error.details.conflicts).toEqual([
      { path: "seo.title", base: "old", ours: "ours", theirs: "theirs" },
    ]);
    expect(await numbersOf(piece)).toEqual([3, 2, 1]);
    for (const [resolutions, field] of [
      [[{ path: "seo.description", take: "ours" }], "resolutions[0].path"],
      [
        [
          { path: "seo.title", take: "ours" },
          { path: "none", value: 1 },
        ],
        "resolutions[1].path",
      ],
      [[{ path: "seo.title", take: "mine" }], "resolutions[0]"],
    ] as const) {
      const answer = await merge(piece, { from: "next", resolutions });
      expectRefusal(answer, 422, "VALIDATION_ERROR");
      expect(answer.body.error.details.field).toContain(field);
    }
    const wrong = await merge(piece, {
      from: "next",
      resolutions: [{ path: "seo.title", value: 5 }],
    });
    expectRefusal(wrong, 422, "VALIDATION_ERROR", { field: "seo.title" });
    const merged = await merge(
      piece,
      { from: "next", resolutions: [{ path: "seo.title", value: "both" }], comment: "Together" },
      chief,
    );
    expect(merged.body).toMatchObject({
      version_number: 4,
      blocks: [banner("c", "C2"), banner("a", "A2"), banner("d", "D")],
      seo: { title: "both", description: "d" },
    });
    expect((await versionsOf(piece))[0]).toMatchObject({
      parents: [main.version_number, side.version_number],
      branch: "main",
      author_id: chief.id,
      comment: "Together",
    });
    // A second merge adds nothing.
    for (const from of ["next", "main"]) {
      expect((await merge(piece, { from })).body).toMatchObject({ version_number: 4 });
    }
    // The merge back continues from there.
    const back = await merge(piece, { from: "main", into: "next" });
    expect(back.body).toMatchObject({ version_number: 5, seo: { title: "both" } });
    expectRefusal(await merge(piece, { from: "none" }), 404, "NOT_FOUND");
    expectRefusal(await merge(piece, { from: "next" }, room.reviewer), 403, "FORBIDDEN");
  });

  it("report the same conflict again until a side changes, to those who may see it", async () => {
    const { editor, chief, reviewer } = room;
    const piece = await write(editor, { seo: { title: "old" } });
    await branch(piece, "next");
    await saved(editor, piece, { seo: { title: "theirs" } }, "?branch=next");
    const main = await saved(editor, piece, { seo: { title: "ours" } });
    const stale = (as: Person, title: string) => save(as, piece, { seo: { title } });
    for (const as of [editor, editor, chief]) {
      expectConflict(await merge(piece, { from: "next" }, as), "old", "ours", "theirs");
      expectConflict(await stale(as, "third"), "old", "ours", "third");
    }
    expectRefusal(await merge(piece, { from: "next" }, reviewer), 403, "FORBIDDEN");
    expectRefusal(await stale(reviewer, "third"), 403, "FORBIDDEN");
    const { operator } = await openTestTenant();
    expectRefusal(await merge(piece, { from: "next" }, operator), 404, "NOT_FOUND");
    expectConflict(await stale(editor, "fourth"), "old", "ours", "fourth");
    await saved(editor, main, { seo: { title: "newer" } });
    expectConflict(await merge(piece, { from: "next" }), "old", "newer", "theirs");
    expectConflict(await stale(editor, "third"), "old", "newer", "third");
    const resolutions = [{ path: "seo.title", take: "theirs" }];
    expect((await merge(piece, { from: "next", resolutions })).body.seo.title).toBe("theirs");
    expect((await merge(piece, { from: "next" })).body.seo.title).toBe("theirs");
  });

  it("report a block that one side removed and the other changed", async () => {
    const { editor } = room;
    const piece = await write(editor, { blocks: [banner("a", "A"), banner("b", "B")] });
    await branch(piece, "next");
    await saved(editor, piece, { blocks: [banner("b", "B")] }, "?branch=next");
    await saved(editor, piece, { blocks: [banner("a", "A2"), banner("b", "B")] });
    const refused = await merge(piece, { from: "next" });
    expect(refused.body.error.details.conflicts).toEqual([
      { path: "blocks.a", base: banner("a", "A"), ours: banner("a", "A2"), theirs: null },
    ]);
    const gone = await merge(piece, {
      from: "next",
      resolutions: [{ path: "blocks.a", take: "theirs" }],
    });
    expect(gone.body.blocks).toEqual([banner("b", "B")]);
  });

  it("merged by rpc are checked, and refused if either branch has a newer version", async () => {
    const { editor } = room;
    const piece = await publish(room.operator, { layout: "a" });
    await branch(piece, "next");
    await saved(editor, piece, { layout: "b" }, "?branch=next");
    const args = { type: piece.type, id: piece.id, from: "next", into: "main" };
    const { theirs, ours } = (await rpc(editor, "branches_to_merge", args)).body;
    const versions = { from_version: theirs.version_number, into_version: ours.version_number };
    const send = (more: object) =>
      rpc(editor, "merge_content", { ...args, ...versions, document: theirs.document, ...more });
    expectRefusal(await send({ from_version: 1 }), 409, "CONFLICT");
    expectRefusal(await send({ into_version: 9 }), 409, "CONFLICT");
    const evil = {
      ...theirs.document,
      blocks: [{ id: "x", type: "banner", content: { href: "javascript:alert(1)" } }],
    };
    expectRefusal(await send({ document: evil }), 422, "VALIDATION_ERROR");
    expect((await send({})).body).toMatchObject({ layout: "b", status: "draft" });
    await published(room.operator, piece);
  });
});
