import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { listen } from "../listen.js";
import type { Log } from "../log.js";
import { buildConsole } from "./build.js";

/** Where the console is used. */
export interface Console {
  /** `http://127.0.0.1:54323` */
  url: string;
  /** Builds it. Resolves when it is ready or has failed, and says which in the log. */
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

const WAITING = `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="1">
<title>Souk console</title><p>The console is being built. This page opens it when it is ready.</p></html>`;

/** Serves the console of the project in `root` on `port` (0: any free one). Throws `Refusal` when it is taken. */
export async function openConsole(
  port: number,
  root: string,
  api: { url: string; publishableKey: string },
  log: Log,
): Promise<Console> {
  let assets: Map<string, Asset> | null = null;
  let failure: string | null = null;
  const ending = new AbortController();
  let building: Promise<void> | undefined;

  const config = await asset(
    Buffer.from(JSON.stringify({ url: api.url, publishable_key: api.publishableKey })),
    ".json",
  );
  const headers = {
    "content-security-policy": policyFor(api.url),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
  };

  const server = createServer((request, answer) => {
    const { pathname } = new URL(request.url ?? "/", "http://console");
    for (const [name, value] of Object.entries(headers)) answer.setHeader(name, value);
    if (request.method !== "GET" && request.method !== "HEAD") return send(answer, 405, "");
    if (pathname === "/config.json") return sendAsset(request, answer, config, "no-store");
    if (failure !== null) return send(answer, 500, failure);
    if (!assets) return send(answer, 503, WAITING, TYPES[".html"]);
    const found = assets.get(pathname);
    // A file has its hash in its name. Any other path is one of the app's own.
    if (found) return sendAsset(request, answer, found, "public, max-age=31536000, immutable");
    if (pathname.startsWith("/assets/")) return send(answer, 404, "Not found");
    const page = assets.get("/index.html");
    if (page) sendAsset(request, answer, page, "no-store");
  });
  const remedy =
    "stop what listens there, or choose another one with [studio] port in supabase/config.toml";
  const listening = await listen(server, port, "for the console", remedy);
  const url = `http://127.0.0.1:${listening}`;

  return {
    url,
    prepare() {
      building ??= buildConsole(root, ending.signal)
        .then(async (folder) => {
          assets = await readAssets(folder);
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

/** What the page may load: its own files, pictures from anywhere, and answers of the API. */
function policyFor(apiUrl: string): string {
  const socket = apiUrl.replace(/^http/, "ws");
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data: blob: https: http:",
    `connect-src 'self' ${apiUrl} ${socket}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
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
