import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { eventTypes } from "../../supabase/functions/api/event_types.ts";
import { runJob } from "../clock.js";
import { query } from "../database.js";
import { eventually } from "../eventually.js";
import { listenToTable } from "../realtime/listening.js";
import { type Answer, call, expectRefusal, listProduct, must, openReceiver } from "../souk.js";
import {
  at,
  eventsOf,
  freeSlug,
  move,
  moved,
  movesOf,
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
  timeComes,
  translate,
  words,
  write,
} from "./writing.js";

let room: Newsroom;
beforeAll(async () => {
  room = await openNewsroom();
});

const soon = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

/** An approved page. */
async function approved(fields: object = {}): Promise<Piece> {
  const piece = await write(room.operator, fields);
  await moved(room.operator, piece, "submit");
  return moved(room.operator, piece, "approve");
}

describe("a scheduled publication", () => {
  it("is published once when it is due", async () => {
    const { operator, customer } = room;
    const piece = await approved();
    expect(await moved(operator, piece, "publish", { at: soon(1) })).toMatchObject({
      status: "approved",
      scheduled_version_number: 1,
      published_version_number: null,
    });
    await runJob("run-content-schedule");
    expect((await read(customer, piece)).status).toBe(404);
    await timeComes(piece);
    await Promise.all(Array.from({ length: 4 }, () => runJob("run-content-schedule")));
    await runJob("run-content-schedule");
    expect(await seen(operator, piece)).toMatchObject({
      status: "published",
      published_version_number: 1,
      scheduled_at: null,
      scheduled_version_number: null,
    });
    await seen(customer, piece);
    const names = (await eventsOf(piece)).map(({ name }) => name);
    expect(names.filter((name) => name === "content.published")).toHaveLength(1);
    expect(await movesOf(operator, piece)).toEqual(["publish", "schedule", "approve", "submit"]);
  });

  it("ends at `until`, and never before it began", async () => {
    const { operator, customer } = room;
    const [now, later, both] = [await approved(), await approved(), await approved()];
    await moved(operator, now, "publish", { until: soon(1) });
    await moved(operator, later, "publish", { at: soon(1), until: soon(60) });
    await moved(operator, both, "publish", { at: soon(1), until: soon(2) });
    await seen(customer, now);
    for (const piece of [now, later, both]) await timeComes(piece);
    await runJob("run-content-schedule");
    expect((await read(customer, now)).status).toBe(404);
    expect(await seen(operator, now)).toMatchObject({ status: "draft", unpublish_at: null });
    await seen(customer, later);
    // If both times have passed, both happen, in order.
    expect((await read(customer, both)).status).toBe(404);
    expect((await movesOf(operator, both)).slice(0, 2)).toEqual(["unpublish", "publish"]);
    await query("update public.content set unpublish_at = now() where id = $1", [later.id]);
    await runJob("run-content-schedule");
    expect((await read(customer, later)).status).toBe(404);
  });

  it("publishes the version that was scheduled, whatever is saved later", async () => {
    const { operator, customer } = room;
    const piece = await approved({ content: words("one") });
    await moved(operator, piece, "publish", { at: soon(1) });
    const newer = await saved(operator, piece, { content: words("two") });
    expect(newer).toMatchObject({ status: "draft", scheduled_version_number: 1 });
    await timeComes(piece);
    await runJob("run-content-schedule");
    expect(await seen(customer, piece)).toMatchObject({ content: words("one"), version_number: 1 });
    expect(await seen(operator, piece)).toMatchObject({
      status: "draft",
      content: words("two"),
      published_version_number: 1,
      has_unpublished_changes: true,
    });
    const { moves } = await must("GET", at(piece, "/moves?limit=1"), { as: operator });
    expect(moves).toMatchObject([{ move: "publish", version_number: 1, actor_id: null }]);
  });

  it("is cancelled by cancel, reject, archive, delete and an immediate publication", async () => {
    const { operator, editor, customer } = room;
    const ends: [string, (piece: Piece) => Promise<unknown>][] = [
      ["cancel", (piece) => must("DELETE", at(piece, "/schedule"), { as: operator })],
      [
        "reject",
        async (piece) => {
          await saved(operator, piece, { layout: "a" });
          await moved(operator, piece, "submit");
          await moved(operator, piece, "reject");
        },
      ],
      ["delete", (piece) => call("DELETE", at(piece), { as: operator })],
    ];
    for (const [name, end] of ends) {
      const piece = await approved();
      await moved(operator, piece, "publish", { at: soon(1), until: soon(2) });
      expectRefusal(await call("DELETE", at(piece, "/schedule"), { as: editor }), 403, "FORBIDDEN");
      await end(piece);
      await timeComes(piece);
      await runJob("run-content-schedule");
      expect([name, (await read(customer, piece)).status]).toEqual([name, 404]);
      const after = await read(operator, piece);
      if (after.status === 200) {
        expect(after.body).toMatchObject({ scheduled_at: null, scheduled_version_number: null });
      }
    }
    // Publishing at once replaces a schedule.
    const page = await published(operator, await write(operator));
    await saved(operator, page, { layout: "b" });
    await moved(operator, page, "submit");
    await moved(operator, page, "approve");
    await moved(operator, page, "publish", { at: soon(1) });
    expect(await moved(operator, page, "publish")).toMatchObject({ scheduled_at: null });
    await timeComes(page);
    await runJob("run-content-schedule");
    expect((await movesOf(operator, page)).filter((name) => name === "publish")).toHaveLength(2);
    await moved(operator, page, "archive");
    expect(await seen(operator, page)).toMatchObject({ scheduled_at: null });
  });

  it("needs future times in the right order", async () => {
    const piece = await approved();
    for (const [body, field] of [
      [{ at: soon(-1) }, "at"],
      [{ until: soon(-1) }, "until"],
      [{ at: soon(2), until: soon(1) }, "until"],
      [{ at: soon(2), until: soon(2) }, "until"],
      [{ at: "tomorrow" }, "at"],
      [{ at: "2026-13-01T00:00:00Z" }, "at"],
      [{ languages: [] }, "languages"],
    ] as const) {
      const answer = await move(room.operator, piece, "publish", body);
      expectRefusal(answer, 422, "VALIDATION_ERROR", { field });
    }
    for (const [args, field] of [
      [{ at: soon(-1) }, "at"],
      [{ at: soon(2), until: soon(1) }, "until"],
      [{ until: "infinity", at: "infinity" }, "until"],
      [{ languages: [] }, "languages"],
    ] as const) {
      const asked = { type: piece.type, id: piece.id, ...args };
      const answer = await rpc(room.operator, "publish_content", asked);
      expectRefusal(answer, 422, "VALIDATION_ERROR", { field });
    }
    expect(await seen(room.operator, piece)).toMatchObject({
      status: "approved",
      scheduled_at: null,
    });
    const draft = await write(room.operator);
    expectRefusal(
      await move(room.operator, draft, "publish", { at: soon(1) }),
      422,
      "INVALID_TRANSITION",
    );
    expectRefusal(await move(room.editor, piece, "publish", { at: soon(1) }), 403, "FORBIDDEN");
  });

  it("fails with the move schedule_failed if its slug is taken, and stops no other publication", async () => {
    const { operator, customer } = room;
    const slug = freeSlug();
    const [late, other] = [await approved({ slug }), await approved()];
    await moved(operator, late, "publish", { at: soon(1) });
    await moved(operator, other, "publish", { at: soon(2) });
    const renamed = await saved(operator, late, { slug: freeSlug() });
    const taker = await publish(operator, { slug });
    for (const piece of [late, other]) await timeComes(piece);
    await runJob("run-content-schedule");
    await seen(customer, other);
    expect(await must("GET", at({ id: slug }), { as: customer })).toMatchObject({ id: taker.id });
    expect((await read(customer, late)).status).toBe(404);
    const { moves } = await must("GET", at(late, "/moves?limit=1"), { as: operator });
    expect(moves).toMatchObject([{ move: "schedule_failed", comment: expect.any(String) }]);
    expect(await seen(operator, late)).toMatchObject({ slug: renamed.slug, scheduled_at: null });
  });

  it("can be a translation only", async () => {
    const { operator, customer } = room;
    const piece = await publish(operator, { title: { en: "One" } });
    await translate(operator, piece, "de", { title: "Eins" }, "approved");
    await translate(operator, piece, "fr", { title: "Un" }, "approved");
    const of = async (language: string) =>
      (await seen(customer, piece, `?language=${language}`)).title;
    await moved(operator, piece, "publish", { at: soon(1), languages: ["de"] });
    await translate(operator, piece, "fr", { title: "Une" }, "review");
    const refused = await move(operator, piece, "publish", { at: soon(1), languages: ["fr"] });
    expectRefusal(refused, 422, "INVALID_TRANSITION");
    await timeComes(piece);
    const before = (await eventsOf(piece)).length;
    await runJob("run-content-schedule");
    expect([await of("de"), await of("fr")]).toEqual(["Eins", "One"]);
    const names = (await eventsOf(piece)).slice(before).map(({ name }) => name);
    expect(names).toEqual(["content.published"]);
  });

  it("publishes each language as it was scheduled, whatever is saved later", async () => {
    const { operator, customer } = room;
    const piece = await approved({ title: { en: "One" } });
    const languages = ["de", "fr", "es"];
    for (const language of languages) {
      await translate(operator, piece, language, { title: `${language} one` }, "approved");
    }
    await moved(operator, piece, "publish", { at: soon(1), languages: ["en", ...languages] });
    const { scheduled_version_number } = await seen(operator, piece);
    // One is edited, one is edited and approved again, one is removed.
    await translate(operator, piece, "de", { title: "de two" }, "draft");
    await translate(operator, piece, "es", { title: "es two" }, "approved");
    await saved(operator, await seen(operator, piece), {
      title: { en: "One", de: "de two", es: "es two" },
      localizations: {},
    });
    await timeComes(piece);
    await runJob("run-content-schedule");
    for (const language of languages) {
      expect(await seen(customer, piece, `?language=${language}`)).toMatchObject({
        title: `${language} one`,
        served_language: language,
      });
    }
    const states = (await seen(operator, piece)).languages;
    expect(states).toMatchObject([
      { language: "de", status: "draft", published_version_number: scheduled_version_number },
      { language: "es", status: "approved", published_version_number: scheduled_version_number },
      { language: "fr", status: "draft", published_version_number: scheduled_version_number },
    ]);
  });

  it("publishes a translation of published content as it was scheduled", async () => {
    const { operator, customer } = room;
    const piece = await publish(operator, { title: { en: "One" } });
    await translate(operator, piece, "de", { title: "Eins" }, "approved");
    await moved(operator, piece, "publish", { at: soon(1), languages: ["de"] });
    await translate(operator, piece, "de", { title: "Zwei" }, "review");
    await timeComes(piece);
    await runJob("run-content-schedule");
    expect(await seen(customer, piece, "?language=de")).toMatchObject({ title: "Eins" });
    expect((await seen(operator, piece)).languages).toMatchObject([{ status: "review" }]);
  });

  it("of several languages goes on without those that are published or unpublished before", async () => {
    const { operator, customer } = room;
    const piece = await approved({ title: { en: "One" } });
    for (const language of ["de", "fr"]) {
      await translate(operator, piece, language, { title: `${language} one` }, "approved");
    }
    await moved(operator, piece, "publish", { at: soon(1), languages: ["en", "de", "fr"] });
    expect(await moved(operator, piece, "publish")).toMatchObject({
      status: "published",
      scheduled_at: expect.any(String),
    });
    await translate(operator, piece, "de", { title: "de two" });
    await moved(operator, piece, "unpublish", { languages: ["de"] });
    await timeComes(piece);
    await runJob("run-content-schedule");
    const of = async (language: string) =>
      (await seen(customer, piece, `?language=${language}`)).title;
    expect([await of("en"), await of("de"), await of("fr")]).toEqual(["One", "One", "fr one"]);
    // The last language of a schedule ends it.
    await moved(operator, piece, "publish", { at: soon(1), languages: ["de"] });
    expect(await moved(operator, piece, "publish", { languages: ["de"] })).toMatchObject({
      scheduled_at: null,
      scheduled_version_number: null,
    });
  });

  it("of other languages is refused, so that none is dropped", async () => {
    const { operator, customer } = room;
    const piece = await approved({ title: { en: "One" } });
    await translate(operator, piece, "de", { title: "Eins" }, "approved");
    await moved(operator, piece, "publish", { at: soon(1) });
    const languages = ["de"];
    const only = await move(operator, piece, "publish", { at: soon(2), languages });
    expectRefusal(only, 409, "CONFLICT", { field: "languages", value: languages });
    const both = await moved(operator, piece, "publish", { at: soon(2), languages: ["de", "en"] });
    expect(both.scheduled_at).not.toBeNull();
    expectRefusal(await move(operator, piece, "publish", { at: soon(3) }), 409, "CONFLICT");
    await timeComes(piece);
    await runJob("run-content-schedule");
    expect(await seen(customer, piece, "?language=de")).toMatchObject({ title: "Eins" });
  });

  it("that is cancelled leaves no translation that the draft has lost", async () => {
    const { operator } = room;
    const piece = await approved({ title: { en: "One" } });
    await translate(operator, piece, "de", { title: "Eins" }, "approved");
    await moved(operator, piece, "publish", { at: soon(1), languages: ["en", "de"] });
    await saved(operator, await seen(operator, piece), { title: { en: "One" }, localizations: {} });
    expect(await must("DELETE", at(piece, "/schedule"), { as: operator })).toMatchObject({
      languages: [],
    });
  });

  it("ends with unpublish and archive, whatever the status of the draft", async () => {
    const { operator, customer } = room;
    for (const end of ["unpublish", "archive"]) {
      const piece = await publish(operator);
      await saved(operator, piece, { layout: "a" });
      await moved(operator, piece, "submit");
      await moved(operator, piece, "approve");
      await moved(operator, piece, "publish", { at: soon(1) });
      await saved(operator, await seen(operator, piece), { layout: "b" });
      expect(await moved(operator, piece, end)).toMatchObject({
        status: end === "archive" ? "archived" : "draft",
        scheduled_at: null,
        scheduled_version_number: null,
        published_version_number: null,
      });
      await timeComes(piece);
      await runJob("run-content-schedule");
      expect((await read(customer, piece)).status).toBe(404);
    }
  });

  it("keeps its end when a translation is published before", async () => {
    const { operator, customer } = room;
    const piece = await approved();
    await moved(operator, piece, "publish", { until: soon(1) });
    await translate(operator, piece, "de", { title: "Eins" }, "approved");
    const out = await moved(operator, piece, "publish", { languages: ["de"] });
    expect(out.unpublish_at).not.toBeNull();
    await timeComes(piece);
    await runJob("run-content-schedule");
    expect((await read(customer, piece)).status).toBe(404);
    const until = { languages: ["de"], until: soon(1) };
    expectRefusal(await move(operator, piece, "publish", until), 422, "VALIDATION_ERROR", {
      field: "until",
    });
  });
});

describe("unpublish", () => {
  it("is never blocked, and loses nothing", async () => {
    const { operator, customer, editor } = room;
    const piece = await publish(operator, { content: words("one") });
    await translate(operator, piece, "de", { title: "Eins" });
    await saved(editor, await seen(editor, piece), { content: words("two") });
    expect(await moved(operator, piece, "unpublish")).toMatchObject({
      status: "draft",
      published_version_number: null,
    });
    expect((await read(customer, piece)).status).toBe(404);
    expectRefusal(await move(operator, piece, "unpublish"), 422, "INVALID_TRANSITION");
    await published(operator, piece);
    expect(await seen(customer, piece, "?language=de")).toMatchObject({
      title: "Eins",
      content: words("two"),
      served_language: "de",
    });
  });
});

describe("languages that are named", () => {
  it("may be published already", async () => {
    const { operator, customer, editor } = room;
    const piece = await publish(operator, { content: words("one") });
    await translate(operator, piece, "de", { title: "Eins" });
    const languages = ["en", "de"];
    const before = (await eventsOf(piece)).length;
    expect(await moved(operator, piece, "publish", { languages })).toMatchObject({
      status: "published",
      languages: [{ language: "de", status: "published" }],
    });
    expect(await eventsOf(piece)).toHaveLength(before);
    expectRefusal(await move(editor, piece, "publish", { languages }), 403, "FORBIDDEN");
    expectRefusal(await move(editor, piece, "publish", { languages: ["de"] }), 403, "FORBIDDEN");
    // The original has changed, and the translation has not.
    await saved(operator, await seen(operator, piece), { content: words("two") });
    await published(operator, piece, { languages });
    expect(await seen(customer, piece, "?language=de")).toMatchObject({
      title: "Eins",
      content: words("two"),
    });
    // The translation is new, and the original has not changed.
    await translate(operator, piece, "fr", { title: "Un" }, "approved");
    await moved(operator, piece, "publish", { languages: ["en", "fr"] });
    expect(await seen(customer, piece, "?language=fr")).toMatchObject({ title: "Un" });
  });

  it("are published alone after everything was unpublished", async () => {
    const { operator, customer } = room;
    for (const body of [{}, { at: soon(1) }]) {
      const piece = await publish(operator, { title: { en: "One" } });
      for (const language of ["de", "fr"])
        await translate(operator, piece, language, { title: language });
      await moved(operator, piece, "unpublish");
      await published(operator, piece, { ...body, languages: ["en", "de"] });
      await timeComes(piece);
      await runJob("run-content-schedule");
      const title = async (language: string) =>
        (await seen(customer, piece, `?language=${language}`)).title;
      expect([await title("de"), await title("fr")]).toEqual(["de", "One"]);
      expect((await seen(operator, piece)).languages).toMatchObject([
        { language: "de", status: "published" },
        { language: "fr", status: "approved", published_version_number: null },
      ]);
    }
  });

  it("may be published already when they are scheduled", async () => {
    const { operator, customer } = room;
    const piece = await publish(operator, { content: words("one") });
    await translate(operator, piece, "de", { title: "Eins" });
    await saved(operator, await seen(operator, piece), { content: words("two") });
    await published(operator, piece, { at: soon(1), languages: ["en", "de"] });
    await timeComes(piece);
    await runJob("run-content-schedule");
    expect(await seen(customer, piece, "?language=de")).toMatchObject({
      title: "Eins",
      content: words("two"),
    });
    await translate(operator, piece, "fr", { title: "Un" }, "approved");
    await moved(operator, piece, "publish", { at: soon(1), languages: ["en", "fr"] });
    await timeComes(piece);
    await runJob("run-content-schedule");
    expect(await seen(customer, piece, "?language=fr")).toMatchObject({ title: "Un" });
  });

  it("keep their end when they are published again", async () => {
    const { operator } = room;
    const piece = await approved();
    await moved(operator, piece, "publish", { until: soon(1) });
    const again = await moved(operator, piece, "publish", { languages: ["en"] });
    expect(again.unpublish_at).not.toBeNull();
  });
});

it.each([
  "unpublish",
  "unpublish the original",
  "archive",
  "delete",
  "until",
])("after %s no language is published, and a publication returns them", async (end) => {
  const { operator, customer } = room;
  const piece = await approved({ title: { en: "One" } });
  for (const language of ["de", "fr"]) {
    await translate(operator, piece, language, { title: `${language} one` });
  }
  await moved(operator, piece, "publish", end === "until" ? { until: soon(1) } : {});
  await translate(operator, piece, "fr", { title: "fr two" }, "draft");
  if (end === "unpublish") await moved(operator, piece, "unpublish");
  else if (end === "archive") await moved(operator, piece, "archive");
  else if (end === "delete") await call("DELETE", at(piece), { as: operator });
  else if (end === "until") {
    await timeComes(piece);
    await runJob("run-content-schedule");
  } else await moved(operator, piece, "unpublish", { languages: ["en"] });
  const none = { published_version_number: null };
  const ended = await seen(operator, piece);
  expect(ended).toMatchObject({
    ...none,
    languages: [
      { language: "de", status: "approved", ...none },
      { language: "fr", status: "draft", ...none },
    ],
  });
  const one = await must("GET", at(piece, "/localizations/de"), { as: operator });
  expect(one).toMatchObject({ status: "approved", ...none });
  expect((await read(customer, piece, "?language=de")).status).toBe(404);
  expectRefusal(
    await move(operator, piece, "unpublish", { languages: ["de"] }),
    422,
    "INVALID_TRANSITION",
  );
  if (ended.status === "archived") await moved(operator, piece, "restore");
  // A translation that was moved back does not return.
  if (end === "archive") await moveTranslation(operator, piece, "de", "review");
  await published(operator, piece);
  const title = async (language: string) =>
    (await seen(customer, piece, `?language=${language}`)).title;
  expect([await title("de"), await title("fr")]).toEqual([
    end === "archive" ? "One" : "de one",
    "fr one",
  ]);
  expect((await seen(operator, piece)).languages).toMatchObject([
    { language: "de", status: end === "archive" ? "review" : "published" },
    { language: "fr", status: "draft" },
  ]);
});

describe("each change of content", () => {
  it("is an event of the same transaction, with the described payload", async () => {
    const { operator } = room;
    const piece = await publish(operator);
    await saved(operator, piece, { layout: "a" });
    await published(operator, piece);
    await call("DELETE", at(piece), { as: operator });
    const draft = await write(operator);
    await call("DELETE", at(draft), { as: operator });
    const events = [...(await eventsOf(piece)), ...(await eventsOf(draft))];
    expect(
      events.map(({ name, payload }) => [name, payload.old_status, payload.new_status]),
    ).toEqual([
      ["content.created", undefined, undefined],
      ["content.status_changed", "draft", "in_review"],
      ["content.status_changed", "in_review", "approved"],
      ["content.status_changed", "approved", "published"],
      ["content.published", undefined, undefined],
      ["content.status_changed", "published", "draft"],
      ["content.status_changed", "draft", "in_review"],
      ["content.status_changed", "in_review", "approved"],
      ["content.status_changed", "approved", "published"],
      ["content.published", undefined, undefined],
      ["content.status_changed", "published", "archived"],
      ["content.deleted", undefined, undefined],
      ["content.created", undefined, undefined],
      ["content.deleted", undefined, undefined],
    ]);
    for (const { name, payload } of events) {
      const { schema } = eventTypes.find((one) => one.name === name) as (typeof eventTypes)[number];
      expect(schema.parse(payload)).toEqual(payload);
      expect(payload.data.content).toMatchObject({
        tenant_id: room.tenantId,
        type: "static_pages",
        marketplace_id: room.marketplace.id,
        author_id: operator.id,
      });
    }
    // A refused move emits no event.
    const before = (await eventsOf(piece)).length;
    await move(operator, piece, "publish");
    expect(await eventsOf(piece)).toHaveLength(before);
  });

  it("is one event for several languages that are published together", async () => {
    const { operator } = room;
    const piece = await approved();
    for (const language of ["de", "fr"]) {
      await translate(operator, piece, language, { title: language }, "approved");
    }
    await moved(operator, piece, "publish", { languages: ["en", "de", "fr"] });
    const names = (await eventsOf(piece)).map(({ name }) => name);
    expect(names.filter((name) => name === "content.published")).toHaveLength(1);
  });

  it("is sent by webhook, and by Realtime to members who may see it", async () => {
    const { operator, editor, customer, tenantId } = room;
    const receiver = await openReceiver();
    onTestFinished(receiver.close);
    const events = ["content.created", "content.published", "content.deleted"];
    await must("POST", "/api/webhooks", { as: operator, body: { url: receiver.url, events } });
    const [drafts, publications, forCustomer, draftsForCustomer] = await Promise.all([
      listenToTable(editor, "content", tenantId),
      listenToTable(editor, "published_content", tenantId),
      listenToTable(customer, "published_content", tenantId),
      listenToTable(customer, "content", tenantId),
    ]);
    const secret = await write(editor, { title: { en: "a secret" } });
    const piece = await publish(operator);
    await saved(operator, piece, { title: { en: "a secret" } });
    await eventually(() => {
      for (const heard of [publications, forCustomer]) {
        expect(
          heard.some((one) => "content_id" in one.new && one.new.content_id === piece.id),
        ).toBe(true);
      }
      expect(JSON.stringify(drafts)).toContain(secret.id);
      expect(JSON.stringify(drafts)).toContain('"in_review"');
    });
    expect(draftsForCustomer).toEqual([]);
    expect(JSON.stringify(forCustomer)).not.toContain("a secret");
    await eventually(() => {
      const events = receiver.received.map(({ body }) => JSON.parse(body));
      const ofPiece = events.filter(({ data }) => data.content.id === piece.id);
      expect(ofPiece.map(({ event }) => event).toSorted()).toEqual([
        "content.created",
        "content.published",
      ]);
    });
  });
});

it("publishing under a slug that is already published is a conflict and publishes nothing", async () => {
  const { operator, customer } = room;
  // A draft can have the slug of a page that is published later, by a schedule.
  const first = await approved();
  await moved(operator, first, "publish", { at: soon(1) });
  await saved(operator, first, { slug: freeSlug() });
  const second = await approved({ slug: first.slug });
  await timeComes(first);
  await runJob("run-content-schedule");
  expectRefusal(await move(operator, second, "publish"), 409, "CONFLICT");
  expect(await seen(operator, second)).toMatchObject({ status: "approved" });
  expect(await must("GET", at({ id: first.slug }), { as: customer })).toMatchObject({
    id: first.id,
  });
  const taken = await save(operator, await seen(operator, first), { slug: first.slug });
  expectRefusal(taken, 409, "CONFLICT", { field: "slug" });
});

describe("the slug of a live page", () => {
  /** A live page whose draft has another slug. */
  async function live(slug = freeSlug()): Promise<Piece> {
    const page = await publish(room.operator, { slug });
    await saved(room.operator, page, { slug: freeSlug() });
    return page;
  }
  const refuse = (answer: Answer, slug: string) =>
    expectRefusal(answer, 409, "CONFLICT", { field: "slug", value: slug });

  it("cannot be taken by a new draft, a save or a branch of another page", async () => {
    const { operator, supplier } = room;
    const { slug } = await live();
    const create = (body: object) =>
      call("POST", "/api/content/static_pages", { as: operator, body });
    refuse(await create({ title: { en: "x" }, slug }), slug);
    // The slug is made of the title.
    refuse(await create({ title: { en: slug.toUpperCase() } }), slug);
    const type = "static_pages";
    const document = { title: { en: "x" }, slug };
    refuse(await rpc(operator, "create_content", { type, document }), slug);

    const other = await write(operator);
    refuse(await save(operator, other, { slug }), slug);
    refuse(await save(operator, other, { slug, autosave: true }), slug);
    const args = { type, id: other.id, version_number: 1, changes: { slug } };
    refuse(await rpc(operator, "save_content", args), slug);
    const newer = await saved(operator, other, { layout: "a" });
    refuse(await save(operator, other, { slug }), slug);
    await must("POST", at(other, "/branches"), { as: operator, body: { name: "b" } });
    refuse(await save(operator, newer, { slug }, "?branch=b"), slug);
    expect(await seen(operator, other)).toMatchObject({ slug: other.slug, version_number: 2 });

    // Other types have their own addresses.
    const subject_id = (await listProduct(supplier)).id;
    await write(supplier, { type: "products", subject_id, slug });
  });

  it("cannot be taken by a merge or a rollback", async () => {
    const { operator } = room;
    const slug = freeSlug();
    const was = await write(operator, { slug });
    const now = await saved(operator, was, { slug: freeSlug() });
    const other = await write(operator);
    await must("POST", at(other, "/branches"), { as: operator, body: { name: "b" } });
    await saved(operator, other, { slug }, "?branch=b");
    await live(slug);
    const rollback = (body: object) => call("POST", at(was, "/rollback"), { as: operator, body });
    refuse(await rollback({ version_number: 1 }), slug);
    refuse(await call("POST", at(other, "/merge"), { as: operator, body: { from: "b" } }), slug);
    // A branch that begins at the old version claims nothing.
    const old = { name: "old", from_version: 1 };
    await must("POST", at(was, "/branches"), { as: operator, body: old });
    const kept = await saved(operator, was, { layout: "a" }, "?branch=old");
    const merged = await must("POST", at(was, "/merge"), { as: operator, body: { from: "old" } });
    expect(merged).toMatchObject({ slug: now.slug, layout: "a" });
    await saved(operator, kept, { slug: freeSlug() }, "?branch=old");
    refuse(
      await save(operator, await seen(operator, was, "?branch=old"), { slug }, "?branch=old"),
      slug,
    );
  });

  it("is its own, and free once the page is unpublished, archived or has moved", async () => {
    const { operator } = room;
    const page = await live();
    const back = await saved(operator, await seen(operator, page), { slug: page.slug });
    expect(back.slug).toBe(page.slug);
    for (const end of ["unpublish", "archive", "move"]) {
      const { id, slug } = await live();
      if (end === "move") await published(operator, { id });
      else await moved(operator, { id }, end);
      const taker = await publish(operator, { slug });
      expect(await must("GET", at({ id: slug }), { as: room.customer })).toMatchObject({
        id: taker.id,
      });
      if (end === "archive") await moved(operator, { id }, "restore");
      refuse(await save(operator, await seen(operator, { id }), { slug }), slug);
    }
  });
});
