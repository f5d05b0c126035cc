import { beforeAll, expect, it } from "vitest";
import { call, expectRefusal, must, type Person, supabaseAs } from "../souk.js";
import {
  at,
  type Newsroom,
  openNewsroom,
  type Piece,
  save,
  saved,
  seen,
  staff,
  words,
  write,
} from "./writing.js";

const EDITORS = 50;

let room: Newsroom;
let editors: Person[];
beforeAll(async () => {
  room = await openNewsroom();
  editors = await Promise.all(Array.from({ length: 5 }, () => staff(room.tenantId, ["editor"])));
});

/** 50 saves, by five people in turn. */
const editorAt = (i: number) => editors[i % editors.length] as Person;

const banner = (id: string, title: string) => ({
  id,
  type: "banner",
  content: { title },
  settings: {},
  permissions: {},
});

it("50 editors who change different parts of a page at once lose nothing", async () => {
  const blocks = Array.from({ length: EDITORS }, (_, i) => banner(`b${i}`, "old"));
  const piece = await write(room.editor, { blocks });
  const answers = await Promise.all(
    blocks.map((block, i) => {
      const mine = blocks.map((one) => (one === block ? banner(one.id, `new ${i}`) : one));
      return save(editorAt(i), piece, { blocks: mine });
    }),
  );
  expect(answers.map(({ status, body }) => (status === 200 ? 200 : body))).toEqual(
    Array(EDITORS).fill(200),
  );
  const now = await seen(room.editor, piece);
  expect(now.blocks).toEqual(blocks.map(({ id }, i) => banner(id, `new ${i}`)));
  expect(now.version_number).toBe(EDITORS + 1);
  expect(answers.filter(({ body }) => !body.merged)).toHaveLength(1);
  const { total } = await must("GET", at(piece, "/versions"), { as: room.editor });
  expect(total).toBe(EDITORS + 1);
});

it("of 50 editors who change the same value, one wins and 49 get the conflict", async () => {
  const piece = await write(room.editor, { seo: { title: "old", description: "kept" } });
  const answers = await Promise.all(
    Array.from({ length: EDITORS }, (_, i) =>
      save(editorAt(i), piece, { seo: { title: `new ${i}`, description: "kept" } }),
    ),
  );
  const won = answers.filter(({ status }) => status === 200);
  expect(won).toHaveLength(1);
  const title = won[0]?.body.seo.title;
  for (const [i, answer] of answers.entries()) {
    if (answer.status === 200) continue;
    expectRefusal(answer, 409, "CONFLICT", { version_number: 2 });
    expect(answer.body.error.details.conflicts).toEqual([
      { path: "seo.title", base: "old", ours: title, theirs: `new ${i}` },
    ]);
  }
  expect(await seen(room.editor, piece)).toMatchObject({
    seo: { title, description: "kept" },
    version_number: 2,
  });
});

it("a save on top of an older version is merged, and the response says so", async () => {
  const { editor } = room;
  const piece = await write(editor, { content: words("one"), blocks: [banner("a", "A")] });
  await saved(editor, piece, { content: words("two"), title: { en: "A page", de: "Eine" } });
  const merged = await saved(editor, piece, { blocks: [banner("a", "B")], title: { en: "New" } });
  expect(merged).toMatchObject({
    merged: true,
    version_number: 3,
    content: words("two"),
    blocks: [banner("a", "B")],
    title: { en: "New", de: "Eine" },
  });
  // Equal changes of both sides do not conflict.
  const same = await saved(editor, piece, { content: words("two") });
  expect(same).toMatchObject({ merged: true, version_number: 3 });
  const against = await save(editor, piece, { content: words("three"), layout: "wide" });
  expectRefusal(against, 409, "CONFLICT", {
    version_number: 3,
    conflicts: [
      { path: "content", base: words("one"), ours: words("two"), theirs: words("three") },
    ],
  });
  // With a conflict, nothing is written.
  expect(await seen(editor, piece)).toMatchObject({ layout: null, version_number: 3 });
  const unknown = await save(editor, { ...piece, version_number: 99 }, { layout: "x" });
  expectRefusal(unknown, 409, "CONFLICT", { field: "version_number", version_number: 3 });
});

it("a merged document is checked as a whole", async () => {
  const { editor } = room;
  const piece = await write(editor);
  await saved(editor, piece, { visibility: "roles", visible_to: ["supplier"] });
  const answer = await save(editor, piece, { visible_to: [], layout: "x" });
  expect(answer.status).toBe(200);
  const pages = Array.from({ length: 120 }, (_, i) => banner(`n${i}`, "x"));
  const now = await saved(editor, await seen(editor, piece), { blocks: pages });
  const more = Array.from({ length: 120 }, (_, i) => banner(`m${i}`, "x"));
  const both = await save(editor, piece, { blocks: more });
  expectRefusal(both, 422, "VALIDATION_ERROR", { field: "blocks" });
  expect((await seen(editor, piece)).version_number).toBe(now.version_number);
});

it("of two concurrent saves with the same slug, one is refused", async () => {
  const { editor, chief } = room;
  const [one, two] = [await write(editor), await write(editor)];
  const slug = `both-${one.slug}`.slice(0, 40);
  const answers = await Promise.all([save(editor, one, { slug }), save(chief, two, { slug })]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  const lost = answers.find(({ status }) => status === 409) as Piece;
  expectRefusal(lost, 409, "CONFLICT", { field: "slug" });
  expect(lost.body.error.details.conflicts).toBeUndefined();
  expect((await call("GET", at({ id: slug }), { as: editor })).status).toBe(200);
});

it("by rpc, a save and a merge without the newest versions are refused", async () => {
  const { operator } = room;
  const page = await write(operator, { title: { en: "Hours" } });
  const db = supabaseAs(operator);
  const piece = { type: "static_pages", id: page.id };
  await db.rpc("create_content_branch", { ...piece, name: "new" }).throwOnError();
  const changes = { title: { en: "Ours" } };
  const document = { ...changes, slug: page.slug };
  const merge = { ...piece, from: "new", into: "main", document };
  for (const { error } of [
    await db.rpc("save_content", { ...piece, changes, version_number: null }),
    await db.rpc("save_content", { ...piece, changes, version_number: 9 }),
    await db.rpc("merge_content", { ...merge, from_version: null, into_version: 1 }),
    await db.rpc("merge_content", { ...merge, from_version: 1, into_version: null }),
  ]) {
    expect(error?.message).toBe("CONFLICT");
    expect(error?.details).toContain('"version_number": 1');
  }
  const { data } = await db.rpc("get_content", piece).throwOnError();
  expect(data).toMatchObject({ version_number: 1, title: { en: "Hours" } });
});

it("by rpc, a save to a branch that does not exist is refused", async () => {
  const { operator } = room;
  const { id } = await write(operator);
  const changes = { title: { en: "Ours" } };
  const saved = { type: "static_pages", id, changes, version_number: 1, branch: "nowhere" };
  const { error } = await supabaseAs(operator).rpc("save_content", saved);
  expect(error?.message).toBe("NOT_FOUND");
});
