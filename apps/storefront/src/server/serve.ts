// Serves the storefront with pages that are complete without scripts, on Node and on Deno.
import { readFile } from "node:fs/promises";
import { env } from "node:process";
import { fileURLToPath } from "node:url";
import { serve } from "@hono/node-server";
import { serveStatic } from "@hono/node-server/serve-static";
import { ApiError } from "@souk/client";
import { type Context, Hono } from "hono";
import { compress } from "hono/compress";
import { type Config, configOf } from "../shop/config";
import { builtPolicy, documentOf } from "./document";
import { renderPage } from "./render";

/** The built static page, beside the built server. */
const FILES = fileURLToPath(new URL("../dist", import.meta.url));
/** Pages of one customer. The browser renders them, because the server knows no session. */
const PRIVATE = /^\/(cart|checkout|orders|profile|new-password)(\/|$)/;
/** Shared caches keep a page as long as the API's answers for visitors. */
const CACHED = { "Cache-Control": "public, s-maxage=30, stale-while-revalidate=300" };
/** Browsers do not keep it, because a product may get a former slug back. */
const MOVED = "public, max-age=0, s-maxage=30";
const MISSING = { "Cache-Control": "no-store" };
/** The API is not there, or the limit of a minute is reached. */
const UNAVAILABLE = { "Cache-Control": "no-store", "Retry-After": "60" };

const shell = await readFile(`${FILES}/index.html`, "utf8");
const given: Partial<Config> = JSON.parse(await readFile(`${FILES}/config.json`, "utf8"));

/** The configuration for the shop at the address of a request. Variables of the environment come first. */
const configFor = (request: Request): Config =>
  configOf(
    {
      ...given,
      ...(env.SOUK_URL && { url: env.SOUK_URL }),
      ...(env.SOUK_PUBLISHABLE_KEY && { publishable_key: env.SOUK_PUBLISHABLE_KEY }),
      ...(env.SOUK_DOMAIN && { domain: env.SOUK_DOMAIN }),
    },
    new URL(request.url).hostname,
  );

const app = new Hono();
app.use(compress());
app.use(async (c, next) => {
  await next();
  c.header("X-Content-Type-Options", "nosniff");
  c.header("Referrer-Policy", "strict-origin-when-cross-origin");
  if (!c.res.headers.has("Content-Security-Policy")) {
    c.header("Content-Security-Policy", builtPolicy(shell));
  }
});
app.get("/config.json", (c) => c.json(configFor(c.req.raw), 200, { "Cache-Control": "no-store" }));
app.get("/robots.txt", (c) => fromFeeds(c, "robots.txt"));
app.get("/:name{sitemap[\\w.-]*\\.xml}", (c) => fromFeeds(c, c.req.param("name")));
app.get(
  "/assets/*",
  serveStatic({
    root: FILES,
    onFound: (_, c) => c.header("Cache-Control", "public, max-age=31536000, immutable"),
  }),
  (c) => c.text("Not found", 404),
);
app.get("/souk.svg", serveStatic({ root: FILES }));
app.get("*", async (c) => {
  if (PRIVATE.test(c.req.path)) return c.html(shell, 200, { "X-Robots-Tag": "noindex" });
  try {
    const page = await renderPage(c.req.raw, configFor(c.req.raw));
    const { movedTo } = page.head;
    if (movedTo) {
      c.header("Cache-Control", MOVED);
      return c.redirect(movedTo + new URL(c.req.url).search, 301);
    }
    const { html, policy } = await documentOf(shell, page);
    return c.html(html, page.status, {
      "Content-Security-Policy": policy,
      Vary: "Accept-Language, Cookie",
      ...{ 200: CACHED, 404: MISSING, 503: UNAVAILABLE }[page.status],
    });
  } catch (error) {
    const isClosed = error instanceof ApiError && error.code === "NOT_FOUND";
    // The browser tries again, and says why the shop cannot open.
    if (isClosed) return c.html(shell, 404, MISSING);
    console.error(error);
    return c.html(shell, 503, UNAVAILABLE);
  }
});

app.onError((error, c) => {
  console.error(error);
  return c.text("The API does not answer.", 503, UNAVAILABLE);
});

/** Passes on what the API has made for search engines. */
async function fromFeeds(c: Context, name: string): Promise<Response> {
  const { url, domain } = configFor(c.req.raw);
  const { status, body, headers } = await fetch(`${url}/functions/v1/feeds/${domain}/${name}`);
  const kept = ["content-type", "cache-control", "etag"].flatMap((header) => {
    const value = headers.get(header);
    return value === null ? [] : [[header, value] as [string, string]];
  });
  return new Response(body, { status, headers: kept });
}

const port = Number(env.PORT ?? 54331);
serve(
  // Deno needs its own Request and Response.
  { fetch: app.fetch, port, overrideGlobalObjects: false },
  (info) => console.log(`ready at http://127.0.0.1:${info.port}`),
);
