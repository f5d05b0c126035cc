import type { Context } from "hono";
import { etag } from "hono/etag";
import { createMiddleware } from "hono/factory";
import { parseAccept } from "hono/utils/accept";
import { answers, body, noContent } from "../http/answers.ts";
import { authenticate, databaseAsService } from "../http/authenticate.ts";
import type { Env } from "../http/env.ts";
import { language } from "../http/language.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { branches } from "./branches.ts";
import { type DocumentParts, documentIn } from "./documents.ts";
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

/** Below /content: what is written about products and categories, static pages, and types of the tenant's own. */
export const content = createRoutes();

const shared = { tags: ["Content"], middleware: authenticate };

/** How many languages that a browser prefers are looked for. */
const LANGUAGES_AT_MOST = 10;

/** Asks for a token, but of whoever has one that leads to a draft. */
const authenticateUnlessPreview = createMiddleware<Env>((c, next) =>
  c.req.query("preview") === undefined ? authenticate(c, next) : next(),
);

const tagged = etag({ weak: true });

/**
 * Answers 304 where nothing has changed. A draft's own ETag is its version, for If-Match: where it stands changes without
 * that, and so a draft is answered whole.
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
    roles: "everyone",
    summary: "List content",
    description:
      "For whoever may see drafts the drafts, for others what is published for them. Errors: NOT_FOUND, when there is no such type; LIMIT_REACHED on `limit`.",
    request: { params: typeParam, query: contentListQuery },
    responses: answers(200, contentList, "A page of the content of a type, the newest first"),
  }),
  async (c) => {
    const { sort: _, format, ...query } = c.req.valid("query");
    const { data } = await c
      .get("db")
      .rpc("list_content", {
        type: c.req.valid("param").type,
        ...query,
        preferred_languages: languagesOf(c),
      })
      .throwOnError();
    const { content: found, total } = data as { content: StoredContent[]; total: number };
    const { page, limit } = query;
    return c.json({ content: found.map((one) => presented(one, format)), total, page, limit }, 200);
  },
);

content.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/{type}",
    operationId: "content.create",
    roles: ["admin", "supplier"],
    once: true,
    holdsRichText: true,
    summary: "Write content",
    description:
      "For admins, editors, and suppliers about their own products. It is a draft. Errors: CONFLICT, when the slug is taken or the subject has content already.",
    request: { params: typeParam, body: body(newContent) },
    responses: answers(201, contentRecord, "The new draft"),
  }),
  async (c) => {
    const { type } = c.req.valid("param");
    const { marketplace_id, subject_id, comment, ...said } = c.req.valid("json");
    const made = await perform(c, "create_content", {
      type,
      document: documentIn(said),
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
    roles: "everyone",
    anonymous: true,
    summary: "Read content",
    description:
      "Whoever may see drafts gets the draft, others what is published for them, in the language asked for or that their browser prefers. The ETag of a draft is its version, for If-Match. With `preview` no other token is needed. Errors: NOT_FOUND; VALIDATION_ERROR on `marketplace_id`, when several marketplaces have this slug.",
    request: { params: contentParam, query: contentQuery },
    responses: answers(200, contentRecord, "The content"),
  }),
  async (c) => {
    const { format, preview: token, ...query } = c.req.valid("query");
    const piece = c.req.valid("param");
    const { data } = await (token === undefined
      ? c.get("db").rpc("get_content", {
          ...piece,
          ...query,
          preferred_languages: languagesOf(c),
        })
      : databaseAsService(c.get("signal")).rpc("preview_content", {
          ...piece,
          token,
          language: query.language,
        })
    ).throwOnError();
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
    roles: ["admin", "supplier"],
    holdsRichText: true,
    summary: "Save content",
    description:
      "For admins, editors, and suppliers about their own products. What is sent is saved as a new version; what others have saved meanwhile is merged. What was approved or published is a draft again, and readers see what was published until it is published anew. Errors: CONFLICT with `details.conflicts`, what both changed.",
    request: {
      params: contentParam,
      query: branchQuery,
      headers: ifMatch,
      body: body(contentChanges),
    },
    responses: answers(200, savedContent, "The draft as it is now"),
  }),
  async (c) => {
    const piece = { ...c.req.valid("param"), ...c.req.valid("query") };
    const { version_number, comment, autosave, ...said } = c.req.valid("json");
    const began = versionBefore({ version_number }, c.req.valid("header")["if-match"]);
    const db = c.get("db");
    const changes = documentIn(said);
    const args = { ...piece, version_number: began, changes, comment, autosave };
    const first = await unlessStale(db.rpc("save_content", args).throwOnError());
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
    roles: ["admin", "supplier"],
    summary: "Delete content",
    description:
      "A draft that was never published goes. What was is archived, by publishers, who can restore it.",
    request: { params: contentParam },
    responses: noContent("It is gone, or archived"),
  }),
  async (c) => {
    await c.get("db").rpc("delete_content", c.req.valid("param")).throwOnError();
    return c.body(null, 204);
  },
);

for (const routes of [moves, versions, branches, localizations, previews]) {
  content.route("/", routes);
}

/** The languages that the caller's browser prefers, the first one first. What is none leads nowhere. */
function languagesOf(c: Context<Env>): string[] {
  return parseAccept(c.req.header("accept-language") ?? "")
    .filter(({ q }) => q > 0)
    .map(({ type }) => type)
    .filter((type) => language.safeParse(type).success)
    .slice(0, LANGUAGES_AT_MOST);
}
