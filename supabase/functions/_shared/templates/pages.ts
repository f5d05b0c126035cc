import { createHash } from "node:crypto";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { answers, body, notModified } from "../http/answers.ts";
import { authenticate, databaseAsService } from "../http/authenticate.ts";
import type { Env } from "../http/env.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { type CachedText, createTextCache } from "../http/text_cache.ts";
import { claimsOf, tokenOf } from "../http/tokens.ts";
import { isObject } from "../values/depth.ts";
import { handOver, type MadePage, type PageRequest } from "./handover.ts";
import { renderAnswer, renderQuery, renderRequest } from "./page_schema.ts";
import { idOrTypeParam } from "./schema.ts";

/** Routes below /templates: rendered pages. */
export const pages = createRoutes();

/** The token of a preview, in the query or the body. */
function previewOf(c: Context<Env>): unknown {
  const context = c.get("body")?.context;
  return c.req.query("preview") ?? (isObject(context) ? context.preview : undefined);
}

/** Requires an access token, except for previews. */
const authenticateUnlessPreview = createMiddleware<Env>((c, next) =>
  tokenOf(c) === undefined && previewOf(c) !== undefined ? next() : authenticate(c, next),
);

const shared = {
  tags: ["Templates"],
  middleware: authenticateUnlessPreview,
  path: "/{id}/render" as const,
  permission: "everyone" as const,
  anonymous: true,
  visitors: true,
};

pages.openapi(
  createRoute({
    ...shared,
    method: "post",
    operationId: "templates.render",
    summary: "Render a page",
    description:
      "Renders a page as the caller may see it, by a template or by the template of a page type. With `context.preview` no access token is needed.",
    errors: {
      NOT_FOUND: true,
      VALIDATION_ERROR: "with the message of each wrong variable in `details.errors`",
      TEMPLATE_ERROR: "with `section`, `block`, `line`, `column`",
      TEMPLATE_LIMIT: "with `limit` and `maximum`",
    },
    request: { params: idOrTypeParam, body: body(renderRequest) },
    responses: answers(200, renderAnswer, "The page"),
  }),
  async (c) => {
    const { variables, context } = c.req.valid("json");
    const { id } = c.req.valid("param");
    const { response } = await pageFor(c, { id, variables, context });
    return response as never;
  },
);

pages.openapi(
  createRoute({
    ...shared,
    method: "get",
    operationId: "templates.page",
    summary: "Read a page",
    description:
      "The same without variables. If the page is the same for all readers and its template uses the strategy `cdn`, shared caches may keep it.",
    errors: {
      NOT_FOUND: true,
      VALIDATION_ERROR: "with the message of each wrong variable in `details.errors`",
      TEMPLATE_ERROR: "with `section`, `block`, `line`, `column`",
      TEMPLATE_LIMIT: "with `limit` and `maximum`",
    },
    request: { params: idOrTypeParam, query: renderQuery },
    responses: { ...answers(200, renderAnswer, "The page"), ...notModified },
  }),
  async (c) => {
    const context = c.req.valid("query");
    const { id } = c.req.valid("param");
    const { response, page } = await pageFor(c, { id, variables: {}, context });
    if (!page) return response as never;
    const tag = `W/"${digest(page.text)}"`;
    const headers = { ETag: tag, ...cachingHeaders(id, context, page) };
    if (
      c.req
        .header("if-none-match")
        ?.split(/\s*,\s*/)
        .includes(tag)
    ) {
      return c.newResponse(null, 304, headers) as never;
    }
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
    return response as never;
  },
);

/** A page type has the same address in all tenants, so that shared caches must not keep it. */
function cachingHeaders(
  id: string,
  { marketplace_id, preview }: PageRequest["context"],
  { cdn }: Pick<MadePage, "cdn">,
): Record<string, string> {
  const isOfOneTenant = /^[0-9a-f-]{36}$/i.test(id) || marketplace_id !== undefined;
  if (cdn > 0 && isOfOneTenant) return { "Cache-Control": `public, max-age=${cdn}` };
  return {
    "Cache-Control": preview === undefined ? "private, no-cache" : "private, no-store",
    Vary: "Authorization",
  };
}

const MEMORY_BYTES = 24 * 1024 * 1024;

/** Kept pages of this process, by request, reader and key. */
const memory = createTextCache(MEMORY_BYTES);

/** The response for a page. `page` is missing if it could not be rendered. */
async function pageFor(
  c: Context<Env>,
  request: PageRequest,
): Promise<{ response: Response; page?: { text: string; cdn: number } }> {
  const asked = await askedBy(c, request);
  const found = await findKept(c, request, asked);
  if (found)
    return {
      response: answer(c, found.kept, found.key, true),
      page: { text: found.kept.text, cdn: 0 },
    };
  const made = await handOver(c, request);
  if (made instanceof Response) return { response: made };
  const kept = storePage(asked, made);
  return { response: answer(c, kept, made.key, false), page: made };
}

interface Asked {
  /** The request, the same for all readers. */
  page: string;
  /** The user id of the reader, or the id of a visitor who consented; empty for others. */
  reader: string;
}

async function askedBy(c: Context<Env>, { id, variables, context }: PageRequest): Promise<Asked> {
  const { sub, tenant_id } = (await claimsOf(c)) ?? {};
  const { marketplace, visitor } = c.get("visit") ?? {};
  const sorted = Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    page: digest(JSON.stringify([tenant_id ?? marketplace ?? null, id, variables, sorted])),
    reader: sub ?? visitor ?? "",
  };
}

/** A kept page that is still current. The database returns its key; it is asked only if a page was kept for this request. */
async function findKept(
  c: Context<Env>,
  { id, context }: PageRequest,
  { page, reader }: Asked,
): Promise<{ kept: CachedText; key: string } | undefined> {
  if (!memory.get(page)) return undefined;
  const db = c.get("db") ?? databaseAsService(c.get("signal"));
  const { data } = await db
    .rpc("template_key", { id_or_type: id, options: context })
    .throwOnError();
  const key = data as string;
  const kept = memory.get(`${page} ${key}`) ?? memory.get(`${page} ${key} ${reader}`);
  return kept && { kept, key };
}

function storePage(
  { page, reader }: Asked,
  { text, key, isPersonal, memory: seconds }: MadePage,
): CachedText {
  // An entry for the request itself, so that a key is looked up only if a page was kept.
  if (seconds > 0) memory.put(page, "", seconds);
  return memory.put(isPersonal ? `${page} ${key} ${reader}` : `${page} ${key}`, text, seconds);
}

/** The response: the page as `render` wrote it, with `cache` added. */
function answer(c: Context<Env>, { text, until }: CachedText, key: string, hit: boolean): Response {
  const expires_at = until > Date.now() ? new Date(until).toISOString() : null;
  const cache = JSON.stringify({ hit, key, expires_at });
  return c.newResponse(`${text.slice(0, -1)},"cache":${cache}}`, 200, {
    "Content-Type": "application/json",
  });
}

const digest = (text: string) => createHash("sha256").update(text).digest("base64url");
