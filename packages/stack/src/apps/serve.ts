import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { listen } from "../listen.js";
import type { Log } from "../log.js";
import type { App } from "./apps.js";
import { buildApp } from "./build.js";

/** The URL of the app. */
export interface ServedApp {
  /** `http://127.0.0.1:54323` */
  url: string;
  /** Builds the app. Resolves when it is ready or has failed, and logs which. */
  prepare(): Promise<void>;
  close(): Promise<void>;
}

interface Asset {
  body: Buffer;
  zipped: Buffer;
  type: string;
}

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
};

const waitingFor = ({ name }: App) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="1">
<title>Souk ${name}</title><p>The ${name} is being built. This page opens it when it is ready.</p></html>`;

/** Serves an app of the project in `root` on `port` (0: any free one). Throws `Refusal` when it is taken. */
export async function openApp(
  app: App,
  port: number,
  root: string,
  api: { url: string; publishableKey: string },
  log: Log,
): Promise<ServedApp> {
  let assets: Map<string, Asset> | null = null;
  let failure: string | null = null;
  const ending = new AbortController();
  let building: Promise<void> | undefined;

  const headers = {
    "content-security-policy": policyFor(app, api.url),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
  };

  const server = createServer((request, answer) => {
    const { pathname } = new URL(request.url ?? "/", "http://app");
    for (const [name, value] of Object.entries(headers)) answer.setHeader(name, value);
    if (request.method !== "GET" && request.method !== "HEAD") return send(answer, 405, "");
    if (failure !== null) return send(answer, 500, failure);
    if (!assets) return send(answer, 503, waitingFor(app), TYPES[".html"]);
    const found = assets.get(pathname);
    if (found && pathname === "/config.json") return sendAsset(request, answer, found, "no-store");
    // A file's name contains its hash. Any other path is a route of the app.
    if (found) return sendAsset(request, answer, found, "public, max-age=31536000, immutable");
    if (pathname.startsWith("/assets/")) return send(answer, 404, "Not found");
    const page = assets.get("/index.html");
    if (page) sendAsset(request, answer, page, "no-store");
  });
  const remedy = `stop what listens there, or choose another one with ${app.setting} in supabase/config.toml`;
  const listening = await listen(server, port, `for the ${app.name}`, remedy);
  const url = `http://127.0.0.1:${listening}`;

  return {
    url,
    prepare() {
      building ??= buildApp(root, app, ending.signal)
        .then(async (folder) => {
          const files = await readAssets(folder);
          files.set("/config.json", await configFor(api, files.get("/config.json")));
          assets = files;
          log.info(`ready at ${url}`);
        })
        .catch((error: Error) => {
          if (ending.signal.aborted) return;
          failure = error.message;
          log.warn(error.message);
        });
      return building;
    },
    async close() {
      ending.abort();
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await building;
      await closed;
    },
  };
}

/**
 * The content security policy: the page's own files, pictures from anywhere, and the API. The storefront's document limits
 * pictures, sounds, videos, frames and forms to the hosts of its shop, which this server does not know, and Stripe's script
 * to the page on which an order is paid.
 */
function policyFor({ name }: App, apiUrl: string): string {
  const socket = apiUrl.replace(/^http/, "ws");
  const isShop = name === "storefront";
  return [
    "default-src 'none'",
    `script-src 'self'${isShop ? " https://js.stripe.com https://*.js.stripe.com" : ""}`,
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data: blob: https: http:",
    `connect-src 'self' ${apiUrl} ${socket}${isShop ? " https://api.stripe.com" : ""}`,
    "base-uri 'none'",
    ...(isShop
      ? ["media-src 'self' https: http:", "frame-src https:", "form-action 'self' https:"]
      : ["form-action 'none'"]),
    "frame-ancestors 'none'",
  ].join("; ");
}

/** The app's own settings, with the URL and key of this stack. */
async function configFor(
  api: { url: string; publishableKey: string },
  built: Asset | undefined,
): Promise<Asset> {
  const settings = built ? JSON.parse(built.body.toString()) : {};
  const config = { ...settings, url: api.url, publishable_key: api.publishableKey };
  return asset(Buffer.from(JSON.stringify(config)), ".json");
}

async function readAssets(folder: string): Promise<Map<string, Asset>> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const assets = new Map<string, Asset>();
  for (const file of files.filter((entry) => entry.isFile())) {
    const path = join(file.parentPath, file.name);
    const name = path.slice(folder.length).replaceAll("\\", "/");
    assets.set(name, await asset(await readFile(path), extname(name)));
  }
  return assets;
}

async function asset(body: Buffer, extension: string): Promise<Asset> {
  const type = TYPES[extension] ?? "application/octet-stream";
  return { body, zipped: await promisify(gzip)(body), type };
}

function sendAsset(
  request: IncomingMessage,
  answer: ServerResponse,
  { body, zipped, type }: Asset,
  caching: string,
): void {
  const takesGzip = /\bgzip\b/.test(request.headers["accept-encoding"] ?? "");
  answer.setHeader("cache-control", caching);
  answer.setHeader("vary", "accept-encoding");
  if (takesGzip) answer.setHeader("content-encoding", "gzip");
  const sent = takesGzip ? zipped : body;
  answer.writeHead(200, { "content-type": type, "content-length": sent.length });
  answer.end(request.method === "HEAD" ? undefined : sent);
}

function send(answer: ServerResponse, status: number, text: string, type = "text/plain"): void {
  answer.setHeader("cache-control", "no-store");
  if (status === 503) answer.setHeader("retry-after", "1");
  answer.writeHead(status, { "content-type": type }).end(text);
}
