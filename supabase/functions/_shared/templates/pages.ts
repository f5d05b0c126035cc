import { createHash } from "node:crypto";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { answers, body } from "../http/answers.ts";
import { authenticate, claimsOf, databaseAsService, tokenOf } from "../http/authenticate.ts";
import { isObject } from "../http/depth.ts";
import type { Env } from "../http/env.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { createMemory, type Kept } from "./caching.ts";
import { handOver, type MadePage, type PageWish } from "./handover.ts";
import { idOrTypeParam, renderAnswer, renderQuery, renderRequest } from "./schema.ts";

/** Below /templates: pages, made by a template or as they were kept. */
export const pages = createRoutes();

/** The preview's token of a request, wherever it says it. */
function previewOf(c: Context<Env>): unknown {
  const context = c.get("body")?.context;
  return c.req.query("preview") ?? (isObject(context) ? context.preview : undefined);
}

/** Asks for a token, but of whoever has one that leads to a draft. */
const authenticateUnlessPreview = createMiddleware<Env>((c, next) =>
  tokenOf(c) === undefined && previewOf(c) !== undefined ? next() : authenticate(c, next),
);

const shared = {
  tags: ["Templates"],
  middleware: authenticateUnlessPreview,
  path: "/{id}/render" as const,
  roles: "everyone" as const,
  anonymous: true,
};

pages.openapi(
  createRoute({
    ...shared,
    method: "post",
    operationId: "templates.render",
    summary: "Render a page",
    description:
      "The page as the caller sees it, by a template or the one of a type of page. With `context.preview` no token is needed. Errors: NOT_FOUND; VALIDATION_ERROR on `variables`, each with its message in `details.errors`; TEMPLATE_ERROR with `section`, `block`, `line`, `column`; TEMPLATE_LIMIT with `limit`, what there is too much of, and `maximum`.",
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
      "The same without variables. Where it is what everybody may see, and its template says `cdn`, caches may keep it. Errors: as POST.",
    request: { params: idOrTypeParam, query: renderQuery },
    responses: answers(200, renderAnswer, "The page"),
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

/** Of a type of page every tenant has one, at the same address: no cache may take one for another. */
function cachingHeaders(
  id: string,
  { marketplace_id, preview }: PageWish["context"],
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

/** Pages that were made, of this process: by what was asked, who sees it, and their key. */
const memory = createMemory(MEMORY_BYTES);

/** The page that is asked for, and what is known of it where it could be made. */
async function pageFor(
  c: Context<Env>,
  wish: PageWish,
): Promise<{ response: Response; page?: { text: string; cdn: number } }> {
  const asked = await askedBy(c, wish);
  const found = await findKept(c, wish, asked);
  if (found)
    return {
      response: answer(c, found.kept, found.key, true),
      page: { text: found.kept.text, cdn: 0 },
    };
  const made = await handOver(c, wish);
  if (made instanceof Response) return { response: made };
  const kept = keep(asked, made);
  return { response: answer(c, kept, made.key, false), page: made };
}

interface Asked {
  /** What is asked for, whoever asks. */
  page: string;
  /** Who asks. */
  reader: string;
}

async function askedBy(c: Context<Env>, { id, variables, context }: PageWish): Promise<Asked> {
  const { sub, tenant_id } = (await claimsOf(c)) ?? {};
  const sorted = Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    page: digest(JSON.stringify([tenant_id ?? null, id, variables, sorted])),
    reader: sub ?? "",
  };
}

/** A page that was kept and is still the same: the database is asked for its key, if any such was kept at all. */
async function findKept(
  c: Context<Env>,
  { id, context }: PageWish,
  { page, reader }: Asked,
): Promise<{ kept: Kept; key: string } | undefined> {
  if (!memory.get(page)) return undefined;
  const db = c.get("db") ?? databaseAsService(c.get("signal"));
  const { data } = await db
    .rpc("template_key", { id_or_type: id, options: context })
    .throwOnError();
  const key = data as string;
  const kept = memory.get(`${page} ${key}`) ?? memory.get(`${page} ${key} ${reader}`);
  return kept && { kept, key };
}

function keep({ page, reader }: Asked, { text, key, isPersonal, memory: seconds }: MadePage): Kept {
  // That there is one is known by itself, so that nobody asks for a key in vain.
  if (seconds > 0) memory.put(page, "", seconds);
  return memory.put(isPersonal ? `${page} ${key} ${reader}` : `${page} ${key}`, text, seconds);
}

/** A page as it is answered: as it was written, with what is known of its keeping. */
function answer(c: Context<Env>, { text, until }: Kept, key: string, hit: boolean): Response {
  const expires_at = until > Date.now() ? new Date(until).toISOString() : null;
  const cache = JSON.stringify({ hit, key, expires_at });
  return c.newResponse(`${text.slice(0, -1)},"cache":${cache}}`, 200, {
    "Content-Type": "application/json",
  });
}

const digest = (text: string) => createHash("sha256").update(text).digest("base64url");
