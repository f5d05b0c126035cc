import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { etag } from "hono/etag";
import { createMiddleware } from "hono/factory";
import { parseAccept } from "hono/utils/accept";
import { answers, body, noContent, notModified } from "../http/answers.ts";
import { authenticate, databaseAsService, databaseFor } from "../http/authenticate.ts";
import type { Env } from "../http/env.ts";
import { pageOf } from "../http/page.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { language } from "../values/languages.ts";
import { branches } from "./branches.ts";
import { type DocumentParts, documentIn } from "./documents.ts";
import { handOverInSlot, handOverMerge, isInRender, readFor, writingHtml } from "./hand_over.ts";
import { localizations } from "./localizations.ts";
import { moves } from "./moves.ts";
import { presented, type StoredContent } from "./presenting.ts";
import { previews } from "./previews.ts";
import { saveMerged, unlessStale, versionBefore } from "./saving.ts";
import {
  branchQuery,
  contentChanges,
  contentList,
  contentListQuery,
  contentParam,
  contentQuery,
  content as contentRecord,
  ifMatch,
  newContent,
  savedContent,
  typeParam,
} from "./schema.ts";
import { versions } from "./versions.ts";

/** Routes below /content: records, of built-in types and of the tenant's own. */
export const content = createRoutes();

/** The page as the database returns it, with all languages and formats. */
const storedPage = pageOf("content", z.custom<StoredContent>());

const shared = { tags: ["Content"], middleware: authenticate };

/** Largest number of languages of Accept-Language that are tried. */
const LANGUAGES_AT_MOST = 10;

/** Requires an access token, unless the request has the token of a preview. */
const authenticateUnlessPreview = createMiddleware<Env>((c, next) =>
  c.req.query("preview") === undefined ? authenticate(c, next) : next(),
);

const tagged = etag({ weak: true });

/**
 * Responds with 304 if nothing has changed. A draft is always sent whole: its ETag is its version, for If-Match, and its status
 * can change without a new version.
 */
const unlessUnchanged = createMiddleware<Env>(async (c, next) => {
  await next();
  if (!c.res.headers.has("ETag")) await tagged(c, async () => {});
});

content.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{type}",
    operationId: "content.list",
    visitors: true,
    permission: "everyone",
    summary: "List content",
    description: "Drafts for callers who may see them, published content for all others.",
    errors: {
      NOT_FOUND: "if there is no such type",
      LIMIT_REACHED: "on `limit` if the page is too large",
    },
    request: { params: typeParam, query: contentListQuery },
    responses: answers(200, contentList, "A page of the content of a type, newest first"),
  }),
  async (c) => {
    const { sort: _, format, ...query } = c.req.valid("query");
    const { page, limit } = query;
    const reading = readFor(c, format);
    const { data } = await databaseFor(c, reading.send)
      .rpc("list_content", {
        type: c.req.valid("param").type,
        ...query,
        preferred_languages: languagesOf(c),
      })
      .throwOnError();
    if (reading.isLarge) return (await handOverInSlot(c, writingHtml)) as never;
    const { content: found, ...total } = storedPage.parse({ ...data, page, limit });
    return c.json({ content: found.map((one) => presented(one, format)), ...total }, 200);
  },
);

content.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/{type}",
    operationId: "content.create",
    permission: "content.write",
    once: true,
    holdsRichText: true,
    summary: "Create content",
    description: "Also for editors. Suppliers: about their own products only. Creates a draft.",
    errors: { CONFLICT: "if the slug is taken or the subject already has content" },
    request: { params: typeParam, body: body(newContent) },
    responses: answers(201, contentRecord, "The new draft"),
  }),
  async (c) => {
    const { type } = c.req.valid("param");
    const { marketplace_id, subject_id, comment, ...sent } = c.req.valid("json");
    const made = await perform(c, "create_content", {
      type,
      document: documentIn(sent),
      ...(marketplace_id && { marketplace_id }),
      ...(subject_id && { subject_id }),
      ...(comment && { comment }),
    });
    return c.json(contentRecord.parse(made), 201, {
      Location: `/functions/v1/api/content/${type}/${made.id}`,
      ETag: `"${made.version_number}"`,
    });
  },
);

content.openapi(
  createRoute({
    ...shared,
    middleware: [authenticateUnlessPreview, unlessUnchanged] as const,
    method: "get",
    path: "/{type}/{id}",
    operationId: "content.get",
    visitors: true,
    permission: "everyone",
    anonymous: true,
    summary: "Read content",
    description:
      "The draft for callers who may see it, the published version for all others, in the requested language or the first available of Accept-Language. The ETag of a draft is its version, for If-Match. With `preview` no access token is needed.",
    errors: { VALIDATION_ERROR: "on `marketplace_id` if several marketplaces have this slug" },
    request: { params: contentParam, query: contentQuery },
    responses: { ...answers(200, contentRecord, "The content"), ...notModified },
  }),
  async (c) => {
    const { format, preview: token, ...query } = c.req.valid("query");
    const piece = c.req.valid("param");
    const reading = readFor(c, format);
    const { data } = await (token === undefined
      ? databaseFor(c, reading.send).rpc("get_content", {
          ...piece,
          ...query,
          preferred_languages: languagesOf(c),
        })
      : databaseAsService(c.get("signal"), reading.send).rpc("preview_content", {
          ...piece,
          token,
          language: query.language,
        })
    ).throwOnError();
    if (reading.isLarge) return (await handOverInSlot(c, writingHtml)) as never;
    const record = data as StoredContent;
    if (record.is_draft) c.header("ETag", `"${record.version_number}"`);
    c.header("Cache-Control", token === undefined ? "private, no-cache" : "private, no-store");
    c.header("Vary", "Authorization, Accept-Language");
    return c.json(presented(record, format), 200);
  },
);

content.openapi(
  createRoute({
    ...shared,
    method: "put",
    path: "/{type}/{id}",
    operationId: "content.update",
    permission: "content.write",
    holdsRichText: true,
    summary: "Save content",
    description:
      "Also for editors. Suppliers: about their own products only. Saves the sent parts as a new version, merged with newer versions of others. Approved and published content becomes a draft; readers see the published version until the next publication.",
    errors: {
      CONFLICT: "with `details.conflicts`, the values that both sides changed differently",
      LIMIT_REACHED: "if both sides sorted too many items",
    },
    request: {
      params: contentParam,
      query: branchQuery,
      headers: ifMatch,
      body: body(contentChanges),
    },
    responses: answers(200, savedContent, "The draft after the change"),
  }),
  async (c) => {
    const piece = { ...c.req.valid("param"), ...c.req.valid("query") };
    const { version_number, comment, autosave, ...sent } = c.req.valid("json");
    const began = versionBefore({ version_number }, c.req.valid("header")["if-match"]);
    const db = c.get("db");
    const changes = documentIn(sent);
    const args = { ...piece, version_number: began, changes, comment, autosave };
    const isStale = isInRender(c);
    const first = isStale
      ? undefined
      : await unlessStale(db.rpc("save_content", args).throwOnError());
    if (!first && !isStale) {
      const stale = { ...piece, version_number: began, key_only: true };
      const keyNow = () => db.rpc("content_to_merge", stale).throwOnError();
      return (await handOverMerge(c, keyNow)) as never;
    }
    const applied = (document: DocumentParts) => ({ ...document, ...changes });
    const { saved, merged } = first
      ? { saved: first.data, merged: false }
      : await saveMerged(db, piece, began, applied, comment);
    c.header("ETag", `"${saved.version_number}"`);
    return c.json(savedContent.parse({ ...saved, merged }), 200);
  },
);

content.openapi(
  createRoute({
    ...shared,
    method: "delete",
    path: "/{type}/{id}",
    operationId: "content.remove",
    permission: "content.write",
    summary: "Delete content",
    description:
      "Deletes a draft that was never published. Archives any other content, for publishers, who can restore it.",
    request: { params: contentParam },
    responses: noContent("Deleted or archived"),
  }),
  async (c) => {
    await c.get("db").rpc("delete_content", c.req.valid("param")).throwOnError();
    return c.body(null, 204);
  },
);

for (const routes of [moves, versions, branches, localizations, previews]) {
  content.route("/", routes);
}

/** The languages of Accept-Language, most preferred first. Wrong entries are ignored. */
function languagesOf(c: Context<Env>): string[] {
  return parseAccept(c.req.header("accept-language") ?? "")
    .filter(({ q }) => q > 0)
    .map(({ type }) => type)
    .filter((type) => language.safeParse(type).success)
    .slice(0, LANGUAGES_AT_MOST);
}
