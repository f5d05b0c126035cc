import type { Context } from "hono";
import { etag } from "hono/etag";
import { createMiddleware } from "hono/factory";
import { parseAccept } from "hono/utils/accept";
import { answers, body, noContent, notModified } from "../http/answers.ts";
import { authenticate, databaseAsService } from "../http/authenticate.ts";
import type { Env } from "../http/env.ts";
import { language } from "../http/language.ts";
import { callPage } from "../http/page.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { branches } from "./branches.ts";
import { documentIn } from "./documents.ts";
import { handOverDocument } from "./handing_over.ts";
import { localizations } from "./localizations.ts";
import { moves } from "./moves.ts";
import { presented, type StoredContent, storedPage } from "./presenting.ts";
import { previews } from "./previews.ts";
import { unlessStale, versionBefore } from "./saving.ts";
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
    roles: "everyone",
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
    const { sort: _, format, ...sent } = c.req.valid("query");
    const { type } = c.req.valid("param");
    const query = { type, ...sent, preferred_languages: languagesOf(c) };
    if (format === "html") return (await handOverDocument(c, { work: "list", query })) as never;
    const listing = c.get("db").rpc("list_content", query);
    const { content: found, ...page } = await callPage(storedPage, listing, query);
    return c.json({ content: found.map((one) => presented(one, format)), ...page }, 200);
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
    roles: "everyone",
    anonymous: true,
    summary: "Read content",
    description:
      "The draft for callers who may see it, the published version for all others, in the requested language or the first available of Accept-Language. The ETag of a draft is its version, for If-Match. With `preview` no access token is needed.",
    errors: { VALIDATION_ERROR: "on `marketplace_id` if several marketplaces have this slug" },
    request: { params: contentParam, query: contentQuery },
    responses: { ...answers(200, contentRecord, "The content"), ...notModified },
  }),
  async (c) => {
    const { format, preview: token, ...sent } = c.req.valid("query");
    const piece = c.req.valid("param");
    const query =
      token === undefined
        ? { ...sent, preferred_languages: languagesOf(c) }
        : { language: sent.language };
    const headers = {
      "Cache-Control": token === undefined ? "private, no-cache" : "private, no-store",
      Vary: "Authorization, Accept-Language",
    };
    if (format === "html") {
      const answer = await handOverDocument(c, { work: "read", piece, query, preview: token });
      if (answer.ok)
        for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
      return answer as never;
    }
    const { data } = await (token === undefined
      ? c.get("db").rpc("get_content", { ...piece, ...query })
      : databaseAsService(c.get("signal")).rpc("preview_content", { ...piece, ...query, token })
    ).throwOnError();
    const record = data as StoredContent;
    if (record.is_draft) c.header("ETag", `"${record.version_number}"`);
    return c.json(presented(record, format), 200, headers);
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
      "Also for editors. Suppliers: about their own products only. Saves the sent parts as a new version, merged with newer versions of others. Approved and published content becomes a draft; readers see the published version until the next publication.",
    errors: {
      CONFLICT: "with `details.conflicts`, the values that both sides changed differently",
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
    const changes = documentIn(sent);
    const args = { ...piece, version_number: began, changes, comment, autosave };
    const first = await unlessStale(c.get("db").rpc("save_content", args).throwOnError());
    if (!first) {
      return (await handOverDocument(c, { work: "save", piece, began, changes, comment })) as never;
    }
    c.header("ETag", `"${first.data.version_number}"`);
    return c.json(savedContent.parse({ ...first.data, merged: false }), 200);
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
