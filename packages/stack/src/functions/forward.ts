import { type ClientRequest, type IncomingMessage, request as send } from "node:http";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import type { Worker } from "./worker.js";

/** Headers that speak of one connection, not of the request that travels over several. */
const hopByHop = [
  "connection",
  "expect",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

const bodiless = new Set([204, 205, 304]);

/** The function gave no sign of life for as long as it may. */
export class IdleTimeout extends Error {
  override name = "IdleTimeout";
}

function endToEnd(headers: Headers): Headers {
  const kept = new Headers(headers);
  const named = (headers.get("connection") ?? "").split(",").map((name) => name.trim());
  for (const name of [...named, ...hopByHop]) if (name) kept.delete(name);
  return kept;
}

function outgoingHeaders(request: Request): Record<string, string> {
  const url = new URL(request.url);
  const host = request.headers.get("host") ?? url.host;
  const headers = endToEnd(request.headers);
  headers.set("host", host);
  headers.set("x-forwarded-host", host);
  headers.set("x-forwarded-port", url.port || (url.protocol === "https:" ? "443" : "80"));
  headers.set("x-forwarded-proto", url.protocol.slice(0, -1));
  // The gateway listens on the loopback only, so whoever calls it calls from there.
  const passed = headers.get("x-forwarded-for");
  headers.set("x-forwarded-for", passed ? `${passed}, 127.0.0.1` : "127.0.0.1");
  return Object.fromEntries(headers);
}

function responseOf(message: IncomingMessage, request: Request): Response {
  const received = new Headers();
  for (let i = 0; i < message.rawHeaders.length; i += 2) {
    received.append(message.rawHeaders[i] as string, message.rawHeaders[i + 1] as string);
  }
  const headers = endToEnd(received);
  const status = message.statusCode ?? 500;
  // As hosted, so that nobody serves pages from the API's address.
  if (request.method === "GET" && /^text\/html\b/i.test(headers.get("content-type") ?? "")) {
    headers.set("content-type", "text/plain");
  }
  if (status >= 500) {
    headers.set("sb-error-code", "EDGE_FUNCTION_ERROR");
    headers.append("access-control-expose-headers", "sb-error-code");
  }
  if (request.method === "HEAD" || bodiless.has(status)) {
    message.resume();
    return new Response(null, { status, headers });
  }
  return new Response(Readable.toWeb(message) as globalThis.ReadableStream, {
    status,
    statusText: message.statusMessage,
    headers,
  });
}

/**
 * Sends a body on, and reads it to its end even if the function has answered and wants no more of
 * it: only behind its end can the client's connection carry another request.
 */
async function sendBody(body: ReadableStream<Uint8Array>, outgoing: ClientRequest): Promise<void> {
  let closed = false;
  const close = new Promise<void>((resolve) => {
    outgoing.once("close", () => {
      closed = true;
      resolve();
    });
  });
  for await (const chunk of body) {
    if (closed || outgoing.destroyed || outgoing.write(chunk)) continue;
    await Promise.race([new Promise((resolve) => outgoing.once("drain", resolve)), close]);
  }
  if (!closed) outgoing.end();
}

/**
 * Sends a request to a worker and answers with its response, bodies streaming both ways. `released`
 * is called when the exchange is over. Throws `IdleTimeout` or the connection's error.
 */
export function forward(
  request: Request,
  worker: Worker,
  port: number,
  idleMs: number,
  released: () => void,
): Promise<Response> {
  const url = new URL(request.url);
  const attempt = (again: boolean): Promise<Response> =>
    new Promise((resolve, reject) => {
      const outgoing = send({
        host: "127.0.0.1",
        port,
        method: request.method,
        path: url.pathname + url.search,
        headers: outgoingHeaders(request),
        agent: worker.agent,
        setHost: false,
      });
      const abort = () => outgoing.destroy(new Error("the client went away"));
      const over = () => {
        request.signal.removeEventListener("abort", abort);
        released();
      };
      outgoing.setTimeout(idleMs, () => outgoing.destroy(new IdleTimeout()));
      outgoing.on("response", (message) => {
        message.on("close", over);
        resolve(responseOf(message, request));
      });
      outgoing.on("error", (error: NodeJS.ErrnoException) => {
        // The worker closed an idle connection at the moment it was used again: nothing was read.
        if (again && outgoing.reusedSocket && error.code === "ECONNRESET" && !request.body) {
          resolve(attempt(false));
          return;
        }
        over();
        reject(error);
      });
      request.signal.addEventListener("abort", abort);
      if (request.signal.aborted) abort();
      if (!request.body) {
        outgoing.end();
        return;
      }
      sendBody(request.body as ReadableStream<Uint8Array>, outgoing).catch((error) => {
        if (!outgoing.destroyed) outgoing.destroy(error as Error);
      });
    });
  return attempt(true);
}
