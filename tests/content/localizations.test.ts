import { beforeAll, describe, expect, it } from "vitest";
import { call, expectRefusal, must, type Person } from "../souk.js";
import { doc, node } from "./rich_texts.js";
import {
  at,
  move,
  moved,
  moveTranslation,
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
  translate,
  words,
  write,
} from "./writing.js";

let room: Newsroom;
let page: Piece;
beforeAll(async () => {
  room = await openNewsroom();
  page = await publish(room.operator, {
    title: { en: "Title" },
    content: words("content"),
    seo: { title: "seo", description: "described" },
    blocks: [
      { id: "a", type: "banner", content: { title: "A", text: "a" } },
      { id: "b", type: "text", content: { text: words("b") } },
    ],
  });
  await translate(room.operator, page, "pt", {
    title: "pt title",
    seo: { title: "pt seo" },
    blocks: [{ id: "a", content: { title: "pt A" } }],
  });
  await translate(room.operator, page, "pt-BR", { content: words("br content") });
  await translate(
    room.operator,
    page,
    "de",
    { title: "ein Entwurf", content: words("Entwurf") },
    "approved",
  );
});

const setLocalization = (as: Person, piece: Piece, language: string, body: object) =>
  call("PUT", at(piece, `/localizations/${language}`), { as, body });

describe("an untranslated field", () => {
  it("falls back field by field to the base language and then to the original", async () => {
    const english = {
      title: "Title",
      content: words("content"),
      seo: { title: "seo", description: "described" },
      blocks: [
        { id: "a", content: { title: "A", text: "a" } },
        { id: "b", content: { text: words("b") } },
      ],
    };
    const portuguese = {
      ...english,
      title: "pt title",
      seo: { title: "pt seo", description: "described" },
      blocks: [{ id: "a", content: { title: "pt A", text: "a" } }, english.blocks[1]],
    };
    const brazilian = { ...portuguese, content: words("br content") };
    for (const [language, served_language, texts] of [
      ["en", "en", english],
      ["en-GB", "en", english],
      ["pt", "pt", portuguese],
      ["pt-PT", "pt", portuguese],
      ["pt-BR", "pt-BR", brazilian],
      ["pt-br", "pt-BR", brazilian],
      ["pt-BR-x", "pt-BR", brazilian],
      // An approved translation is not published yet.
      ["de", "en", english],
      ["ja", "en", english],
    ] as const) {
      const answer = await seen(room.customer, page, `?language=${language}`);
      expect(answer, language).toMatchObject({ ...texts, language, served_language });
    }
    expect(await seen(room.customer, page)).toMatchObject({ ...english, language: "en" });
    for (const language of ["x", "1", "de_DE", "en-", "a".repeat(9)]) {
      const answer = await read(room.customer, page, `?language=${language}`);
      expectRefusal(answer, 422, "VALIDATION_ERROR", { field: "language" });
    }
  });

  it("is null, or 404, with fallback=false", async () => {
    for (const [language, title, content] of [
      ["pt", "pt title", null],
      ["pt-BR", null, words("br content")],
      ["en", "Title", words("content")],
    ] as const) {
      const answer = await seen(room.customer, page, `?language=${language}&fallback=false`);
      expect(answer).toMatchObject({ title, content, served_language: language });
    }
    const { seo, blocks } = await seen(room.customer, page, "?language=pt&fallback=false");
    expect({ seo, blocks }).toMatchObject({
      seo: { title: "pt seo" },
      blocks: [
        { id: "a", content: { title: "pt A" } },
        { id: "b", content: null },
      ],
    });
    expect(seo).toEqual({ title: "pt seo" });
    for (const language of ["de", "ja", "pt-PT", "en-GB"]) {
      const answer = await read(room.customer, page, `?language=${language}&fallback=false`);
      expectRefusal(answer, 404, "NOT_FOUND", { field: "language" });
    }
    // The same rules for drafts.
    const draft = await seen(room.editor, page, "?language=de&fallback=false");
    expect(draft).toMatchObject({ title: "ein Entwurf", seo: {}, served_language: "de" });
    expect((await read(room.editor, page, "?language=ja&fallback=false")).status).toBe(404);
  });

  it("is chosen by Accept-Language, for readers", async () => {
    for (const [accept, served_language] of [
      ["pt-BR", "pt-BR"],
      ["de, ja;q=0.9, pt;q=0.8, en;q=0.7", "pt"],
      ["en;q=0.5, pt;q=0.9", "pt"],
      ["ja", "en"],
      ["*", "en"],
      ["", "en"],
      ["pt;q=0, en", "en"],
      ["¿?, ;;;q=x", "en"],
    ] as const) {
      const headers = { "accept-language": accept };
      const answer = await call("GET", at(page), { as: room.customer, headers });
      expect(answer.body, accept).toMatchObject({ served_language });
      const list = await must("GET", "/api/content/static_pages", { as: room.customer, headers });
      expect(list.content[0], accept).toMatchObject({ served_language });
      expect(answer.headers.get("vary")).toMatch(/accept-language/i);
    }
    const headers = { "accept-language": "pt" };
    const chosen = await must("GET", at(page, "?language=en"), { as: room.customer, headers });
    expect(chosen).toMatchObject({ served_language: "en" });
    const draft = await must("GET", at(page), { as: room.editor, headers });
    expect(draft.title).toEqual({ en: "Title", pt: "pt title", de: "ein Entwurf" });
  });

  it("falls back in lists as well", async () => {
    for (const person of [room.customer, room.editor]) {
      const { content } = await must("GET", "/api/content/static_pages?language=pt-BR", {
        as: person,
      });
      expect(content[0]).toMatchObject({ title: "pt title", content: words("br content") });
    }
    const { content } = await must("GET", "/api/content/static_pages", { as: room.editor });
    expect(content[0].title).toMatchObject({ en: "Title", pt: "pt title" });
  });
});

describe("a translation", () => {
  it("is saved part by part, as a version of its content", async () => {
    const { editor } = room;
    const piece = await write(editor, { content: words("one") });
    const first = await setLocalization(editor, piece, "de", {
      version_number: 1,
      title: "Eins",
      content: words("eins"),
    });
    expect(first.body).toMatchObject({
      content_id: piece.id,
      language: "de",
      status: "draft",
      title: "Eins",
      content: words("eins"),
      translator_id: editor.id,
      version_number: 2,
      outdated: false,
    });
    const second = await setLocalization(editor, piece, "de", { version_number: 2, title: null });
    expect(second.body).toMatchObject({ title: null, content: words("eins"), version_number: 3 });
    // Other versions since are merged.
    const late = await setLocalization(editor, piece, "de", {
      version_number: 1,
      seo: { title: "s" },
    });
    expect(late.body).toMatchObject({
      title: null,
      seo: { title: "s" },
      content: words("eins"),
      version_number: 4,
    });
    const against = await setLocalization(editor, piece, "de", {
      version_number: 1,
      content: words("zwei"),
    });
    expectRefusal(against, 409, "CONFLICT");
    expect(against.body.error.details.conflicts).toMatchObject([
      { path: "localizations.de.content", ours: words("eins"), theirs: words("zwei") },
    ]);
    expect(await must("GET", at(piece, "/localizations/de"), { as: editor })).toMatchObject({
      content: words("eins"),
      version_number: 4,
    });
    expect(await seen(editor, piece)).toMatchObject({
      languages: [
        { language: "de", status: "draft", outdated: false, published_version_number: null },
      ],
    });
  });

  it("with a fault is refused, with the path", async () => {
    const { editor, customer, reviewer } = room;
    const piece = await write(editor, { blocks: [{ id: "a", type: "banner", content: {} }] });
    for (const [language, body, field] of [
      ["en", { title: "x" }, "language"],
      ["de", { title: "" }, "title"],
      ["de", { title: " " }, "title.de"],
      ["de", { content: doc(node("blink", null)) }, "content.content[0].type"],
      [
        "de",
        { blocks: [{ id: "a", content: { href: "javascript:alert(1)" } }] },
        "localizations.de.blocks[0].content.href",
      ],
      [
        "de",
        { blocks: [{ id: "a", content: { unknown: 1 } }] },
        "localizations.de.blocks[0].content.unknown",
      ],
      ["de", { fields: { color: 1 } }, "localizations.de.fields.color"],
      ["de", { slug: "x" }, "slug"],
      ["de", {}, "version_number"],
    ] as const) {
      const version = field === "version_number" ? {} : { version_number: 1 };
      const answer = await setLocalization(editor, piece, language, { ...version, ...body });
      expectRefusal(answer, 422, "VALIDATION_ERROR", { field });
    }
    expect(
      (await setLocalization(customer, piece, "de", { version_number: 1, title: "x" })).status,
    ).toBe(404);
    expect(
      (await setLocalization(reviewer, piece, "de", { version_number: 1, title: "x" })).status,
    ).toBe(403);
    expect((await call("GET", at(piece, "/localizations/ja"), { as: editor })).status).toBe(404);
  });

  it("is outdated after a change of the original, until it is saved again", async () => {
    const { editor } = room;
    const piece = await write(editor);
    await translate(editor, piece, "de", { title: "Eins" }, "draft");
    const state = async (language: string) =>
      (await seen(editor, piece)).languages.find((one: Piece) => one.language === language);
    await translate(editor, piece, "fr", { title: "Un" }, "draft");
    expect(await state("de")).toMatchObject({ outdated: false });
    await saved(editor, await seen(editor, piece), { content: words("new") });
    expect([await state("de"), await state("fr")]).toMatchObject([
      { outdated: true },
      { outdated: true },
    ]);
    await translate(editor, piece, "de", { title: "Zwei" }, "draft");
    expect([await state("de"), await state("fr")]).toMatchObject([
      { outdated: false },
      { outdated: true },
    ]);
  });

  it("is not outdated once it is reviewed again, or saved with the same texts", async () => {
    const { operator, editor, reviewer, publisher, customer } = room;
    const piece = await publish(operator, { content: words("one") });
    for (const language of ["de", "fr"]) await translate(operator, piece, language, { title: "x" });
    const states = async () =>
      (await seen(editor, piece)).languages.map((one: Piece) => [one.status, one.outdated]);
    const go = async (as: Person, status: string) =>
      expect((await moveTranslation(as, piece, "de", status)).body).toMatchObject({ status });
    await saved(operator, await seen(operator, piece), { content: words("two") });
    await published(operator, piece, { languages: ["en", "de", "fr"] });
    const both = ["published", true];
    expect(await states()).toEqual([both, both]);
    // A step back and forth without a review confirms nothing.
    await go(publisher, "approved");
    await go(publisher, "published");
    expect(await states()).toEqual([both, both]);
    await go(publisher, "approved");
    await go(reviewer, "review");
    await go(reviewer, "approved");
    await go(publisher, "published");
    expect(await states()).toEqual([["published", false], both]);
    expect(await seen(customer, piece, "?language=de")).toMatchObject({ title: "x" });
    // The other translator saves the same texts again.
    const { version_number } = await seen(editor, piece);
    const again = (body: object) =>
      setLocalization(editor, piece, "fr", { version_number, ...body });
    await again({});
    expect(await states()).toEqual([["published", false], both]);
    expect((await again({ title: "x" })).body).toMatchObject({ outdated: false, version_number });
    expect(await states()).toEqual([
      ["published", false],
      ["published", false],
    ]);
    // The next change of the original makes both outdated again; a translator sends one to review.
    await saved(operator, await seen(operator, piece), { content: words("three") });
    expect(await states()).toEqual([both, both]);
    for (const status of ["draft", "in_progress", "review"]) await go(operator, status);
    expect(await states()).toEqual([["review", false], both]);
  });

  it("moves status by status, each by its role", async () => {
    const { operator, editor, reviewer, publisher, customer } = room;
    const states = ["draft", "in_progress", "review", "approved", "published"];
    const movers = [editor, editor, reviewer, publisher];
    const piece = await publish(operator);
    await translate(editor, piece, "de", { title: "Eins" }, "draft");
    const go = (as: Person, status: string) => moveTranslation(as, piece, "de", status);
    for (const i of states.keys()) {
      const next = [states[i + 1], states[i - 1], "draft"];
      for (const other of states.filter((one) => !next.includes(one))) {
        expectRefusal(await go(operator, other), 422, "INVALID_TRANSITION", { field: "status" });
      }
      const mover = movers[i];
      if (!mover) continue;
      for (const person of [editor, reviewer, publisher]) {
        if (person !== mover)
          expectRefusal(await go(person, states[i + 1] as string), 403, "FORBIDDEN");
      }
      expect((await go(customer, states[i + 1] as string)).status).toBe(404);
      expect((await go(mover, states[i + 1] as string)).status).toBe(200);
    }
    expect(await seen(customer, piece, "?language=de")).toMatchObject({ title: "Eins" });
    expect((await go(publisher, "approved")).status).toBe(200);
    expect(await seen(customer, piece, "?language=de")).toMatchObject({ served_language: "en" });
    for (const state of ["review", "in_progress", "draft"]) {
      expect((await go(operator, state)).status).toBe(200);
    }
    expectRefusal(await moveTranslation(operator, piece, "ja", "in_progress"), 404, "NOT_FOUND");
  });

  it("is published and unpublished separately", async () => {
    const { operator, customer, editor } = room;
    const piece = await publish(operator, { title: { en: "One" } });
    await translate(editor, piece, "de", { title: "Eins" }, "review");
    const out = (languages: string[]) => move(operator, piece, "publish", { languages });
    const back = (languages: string[]) => move(operator, piece, "unpublish", { languages });
    const title = async () => (await seen(customer, piece, "?language=de")).title;
    expectRefusal(await out(["de"]), 422, "INVALID_TRANSITION");
    // A translation that is not published cannot be unpublished.
    expectRefusal(await back(["de"]), 422, "INVALID_TRANSITION");
    expectRefusal(await out(["ja"]), 404, "NOT_FOUND");
    await moveTranslation(operator, piece, "de", "approved");
    expect((await out(["de"])).status).toBe(200);
    expect(await title()).toBe("Eins");
    // Readers see a change after its publication.
    await translate(editor, piece, "de", { title: "Zwei" }, "draft");
    expect(await title()).toBe("Eins");
    expect(await seen(editor, piece)).toMatchObject({
      languages: [{ language: "de", status: "draft", published_version_number: 2 }],
    });
    // Unpublishing is never blocked.
    expect((await back(["de"])).status).toBe(200);
    expect(await title()).toBe("One");
    expect(await seen(editor, piece)).toMatchObject({
      status: "published",
      languages: [{ language: "de", status: "draft", published_version_number: null }],
    });
  });

  it("is not outdated by another translation, and stays published through a new review of the original", async () => {
    const { operator, customer } = room;
    const piece = await publish(operator, { title: { en: "One" }, content: words("one") });
    await translate(operator, piece, "de", { title: "Eins" });
    expect(await seen(operator, piece)).toMatchObject({
      status: "published",
      has_unpublished_changes: false,
    });
    await saved(operator, await seen(operator, piece), {
      title: { en: "Two", de: "Eins" },
      content: words("two"),
    });
    expect(await seen(customer, piece, "?language=de")).toMatchObject({
      title: "Eins",
      content: words("one"),
    });
    await published(operator, piece);
    expect(await seen(customer, piece, "?language=de")).toMatchObject({
      title: "Eins",
      content: words("two"),
    });
    expect(await seen(customer, piece)).toMatchObject({
      title: "Two",
      languages: [{ language: "de", status: "published" }],
    });
  });
});

it.each([
  "a save",
  "a stale save",
  "a merge",
  "the database",
  "two saves",
])("a block that got another type with %s has no translated text of the old one", async (way) => {
  const { operator, customer } = room;
  const banner = { id: "a", type: "banner", content: { title: "Sale", text: "sale" } };
  const quotes = { author: "Amal", text: "Good." };
  const items = { id: "a", type: "testimonials", content: { items: [quotes] } };
  const kept = { id: "b", type: "banner", content: { title: "Kept" } };
  const piece = await publish(operator, { title: { en: "One" }, blocks: [banner, kept] });
  const german = [
    { id: "a", content: { title: "Angebot", text: "billig" } },
    { id: "b", content: { title: "Bleibt" } },
  ];
  await translate(operator, piece, "de", { title: "Eins", blocks: german });
  const before = await seen(operator, piece);
  const { type, id } = before;
  const blocks = [items, kept];
  if (way === "a stale save") {
    await saved(operator, before, { layout: "wide" });
    expect(await saved(operator, before, { blocks })).toMatchObject({ merged: true });
  } else if (way === "a merge") {
    await must("POST", at(piece, "/branches"), { as: operator, body: { name: "quotes" } });
    await saved(operator, before, { blocks }, "?branch=quotes");
    await saved(operator, before, { layout: "wide" });
    await must("POST", at(piece, "/merge"), { as: operator, body: { from: "quotes" } });
  } else if (way === "the database") {
    const { version_number, localizations } = before;
    const changes = { blocks, localizations };
    const answer = await rpc(operator, "save_content", { type, id, version_number, changes });
    expect(answer.status).toBe(200);
  } else if (way === "two saves") {
    const without = await saved(operator, before, { blocks: [kept] });
    await saved(operator, without, { blocks });
  } else await saved(operator, before, { blocks });

  const draft = await seen(operator, piece);
  expect(draft.localizations.de).toEqual({ blocks: [german[1]] });
  // The translator has changed nothing.
  expect(draft.languages).toMatchObject([{ language: "de", status: "published", outdated: true }]);
  const shown = [
    { id: "a", content: items.content },
    { id: "b", content: { title: "Bleibt" } },
  ];
  for (const publication of ["before", "after"]) {
    if (publication === "after") await published(operator, draft, { languages: ["en", "de"] });
    const published_ = await seen(customer, piece, "?language=de");
    expect(published_.title).toBe("Eins");
    if (publication === "after") expect(published_.blocks).toMatchObject(shown);
    if (publication === "after") expect(published_.blocks[0].content).toEqual(items.content);
  }
  // The next save of the translation is not refused because of the old texts.
  const next = await translate(operator, piece, "de", { title: "Zwei" }, "draft");
  expect(next).toMatchObject({ title: "Zwei", blocks: [german[1]] });
  const inGerman = await seen(operator, piece, "?language=de");
  expect(inGerman.blocks[0].content).toEqual(items.content);
});

it("a save may translate a block into its new type", async () => {
  const { operator } = room;
  const piece = await write(operator, {
    blocks: [{ id: "a", type: "banner", content: { title: "Sale" } }],
    localizations: { de: { blocks: [{ id: "a", content: { title: "Angebot" } }] } },
  });
  const de = { blocks: [{ id: "a", content: { text: words("ruhig") } }] };
  const after = await saved(operator, piece, {
    blocks: [{ id: "a", type: "text", content: { text: words("calm") } }],
    localizations: { de },
  });
  expect(after.localizations).toEqual({ de });
});

it("the translation of a block is not shown after the block got another type", async () => {
  const { operator, customer } = room;
  const piece = await publish(operator, {
    blocks: [{ id: "a", type: "banner", content: { text: "sale" } }],
  });
  const evil = "<img src=x onerror=alert(1)>";
  await translate(operator, piece, "de", { blocks: [{ id: "a", content: { text: evil } }] });
  const changed = await save(operator, await seen(operator, piece), {
    blocks: [{ id: "a", type: "text", content: { text: words("calm") } }],
  });
  if (changed.status === 200) await published(operator, piece);
  for (const query of ["?language=de", "?language=de&format=html"]) {
    const { blocks } = await seen(customer, piece, query);
    if (blocks[0].type === "text") expect(JSON.stringify(blocks)).not.toContain(evil);
  }
  expect(changed.status).toBe(200);
  expect(await moved(operator, piece, "unpublish")).toMatchObject({ status: "draft" });
});
