import { describe, expect, expectTypeOf, it } from "vitest";
import type { Content, ContentType, NewContent } from "../src/index.js";
import { clientOf, openServer } from "./server.js";

declare module "../src/content.js" {
  interface ContentFields {
    recipes: { minutes: number };
  }
}

// The types and requests of the client's content calls. tests/content tests their behaviour.

describe("content of a type", () => {
  it("has the declared fields, or any fields", async () => {
    const server = await openServer(() => ({ body: { content: [{ fields: { minutes: 5 } }] } }));
    const souk = clientOf(server);
    const { content } = await souk.content("recipes").list({ limit: 1 });
    expectTypeOf(content[0]?.fields).toEqualTypeOf<{ minutes: number } | undefined>();
    expect(content[0]?.fields.minutes).toBe(5);
    const pages = souk.content("static_pages");
    expectTypeOf<Awaited<ReturnType<typeof pages.get>>["fields"]>().toEqualTypeOf<
      Record<string, unknown>
    >();
    expectTypeOf<Awaited<ReturnType<typeof pages.publish>>["status"]>().toEqualTypeOf<
      Content["status"]
    >();
    expectTypeOf(pages.create).parameter(0).toEqualTypeOf<NewContent>();
    expectTypeOf<Awaited<ReturnType<typeof souk.contentTypes.get>>>().toEqualTypeOf<ContentType>();
  });

  it("sends requests below its type, with the usual options", async () => {
    const server = await openServer(() => ({ body: {} }));
    const pages = clientOf(server).content("static_pages");
    const text = {
      type: "doc" as const,
      content: [{ type: "paragraph", content: [{ type: "text", text: "Ten to six." }] }],
    };
    await pages.create({ title: { en: "Hours" }, content: text }, { idempotencyKey: "once" });
    await pages.version("hours", 3);
    await pages.setLocalization("hours", "de", { title: "Zeiten", version_number: 1 });
    const [created, read, translated] = server.asked;
    const root = "/functions/v1/api/content/static_pages";
    expect(created).toMatchObject({ method: "POST", path: root });
    expect(created?.headers["idempotency-key"]).toBe("once");
    expect(JSON.parse(created?.body ?? "")).toEqual({ title: { en: "Hours" }, content: text });
    expect(read).toMatchObject({ method: "GET", path: `${root}/hours/versions/3` });
    expect(translated).toMatchObject({ method: "PUT", path: `${root}/hours/localizations/de` });
  });

  it("throws the conflicts of a stale save", async () => {
    const conflicts = [{ path: "title.en", base: "A", ours: "B", theirs: "C" }];
    const details = { errors: [], conflicts, version_number: 7 };
    const error = { code: "CONFLICT", message: "Both have changed title.en.", details };
    const server = await openServer(() => ({ status: 409, body: { error } }));
    const saving = clientOf(server)
      .content("static_pages")
      .update("hours", { title: { en: "C" }, version_number: 6 });
    await expect(saving).rejects.toMatchObject({ code: "CONFLICT", versionNumber: 7, conflicts });
  });
});
