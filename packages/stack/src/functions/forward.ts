import { type ClientRequest, type IncomingMessage, request as send } from "node:http";
import { type Duplex, Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { REGION } from "./environment.js";
import { REQUEST_ID, refuse } from "./refusals.js";
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

/** A request on its way to a worker. */
export interface Passage {
  /** The request's own, by which its console lines are found. */
  id: string;
  worker: Worker;
  port: number;
  /** Called when the exchange is over. */
  released: () => void;
}

function endToEnd(headers: Headers): Headers {
  const kept = new Headers(headers);
  const named = (headers.get("connection") ?? "").split(",").map((name) => name.trim());
  for (const name of [...named, ...hopByHop]) if (name) kept.delete(name);
  return kept;
}

export function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    headers.append(rawHeaders[i] as string, rawHeaders[i + 1] as string);
  }
  return headers;
}

function outgoingHeaders(given: Headers, url: URL, id: string): Record<string, string> {
  const host = given.get("host") ?? url.host;
  const headers = endToEnd(given);
  headers.set("host", host);
  headers.set("x-forwarded-host", host);
  headers.set("x-forwarded-port", url.port || (url.protocol === "https:" ? "443" : "80"));
  headers.set("x-forwarded-proto", url.protocol.slice(0, -1));
  // The gateway listens on the loopback only, so whoever calls it calls from there.
  const passed = headers.get("x-forwarded-for");
  headers.set("x-forwarded-for", passed ? `${passed}, 127.0.0.1` : "127.0.0.1");
  headers.set(REQUEST_ID, id);
  return Object.fromEntries(headers);
}

function responseOf(message: IncomingMessage, method: string, { executionId }: Worker): Response {
  const headers = endToEnd(headersOf(message));
  const status = message.statusCode ?? 500;
  if (status < 200 || status > 599) {
    message.destroy();
    return refuse("INVALID_RESPONSE_STATUS_CODE");
  }
  // As hosted, so that nobody serves pages from the API's address.
  if (method === "GET" && /^text\/html\b/i.test(headers.get("content-type") ?? "")) {
    headers.set("content-type", "text/plain");
  }
  if (status >= 500) {
    headers.set("sb-error-code", "EDGE_FUNCTION_ERROR");
    headers.append("access-control-expose-headers", "sb-error-code");
  }
  headers.set("x-served-by", "supabase-edge-runtime");
  headers.set("x-sb-edge-region", REGION);
  headers.set("x-deno-execution-id", executionId);
  if (method === "HEAD" || bodiless.has(status)) {
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
 * Sends a request to a worker and answers with its response, bodies streaming both ways. Throws
 * `IdleTimeout` or the connection's error.
 */
export function forward(
  request: Request,
  { id, worker, port, released }: Passage,
  idleMs: number,
): Promise<Response> {
  const url = new URL(request.url);
  const attempt = (again: boolean): Promise<Response> =>
    new Promise((resolve, reject) => {
      const outgoing = send({
        host: "127.0.0.1",
        port,
        method: request.method,
        path: url.pathname + url.search,
        headers: outgoingHeaders(request.headers, url, id),
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
        resolve(responseOf(message, request.method, worker));
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

/**
 * Hands a websocket's handshake to a worker, and connects the two ends when the function accepts;
 * what it answers else is the caller's answer. Throws the connection's error.
 */
export function connect(
  incoming: IncomingMessage,
  url: URL,
  socket: Duplex,
  head: Buffer,
  { id, worker, port, released }: Passage,
): Promise<Response | null> {
  return new Promise((resolve, reject) => {
    const headers = outgoingHeaders(headersOf(incoming), url, id);
    const outgoing = send({
      host: "127.0.0.1",
      port,
      path: url.pathname + url.search,
      headers: { ...headers, connection: "upgrade", upgrade: "websocket" },
      setHost: false,
    });
    socket.once("close", () => outgoing.destroy());
    outgoing.on("close", released);
    outgoing.on("error", reject);
    outgoing.on("response", (message) => resolve(responseOf(message, "GET", worker)));
    outgoing.on("upgrade", (message, upstream, first) => {
      const lines = [...headersOf(message)].map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("")}\r\n`);
      socket.write(first);
      upstream.write(head);
      upstream.on("error", () => socket.destroy());
      upstream.once("close", () => socket.destroy());
      socket.once("close", () => upstream.destroy());
      upstream.pipe(socket).pipe(upstream);
      resolve(null);
    });
    outgoing.end();
  });
}
