import {
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
  request as send,
} from "node:http";
import { type Duplex, Readable } from "node:stream";
import { REGION } from "./environment.js";
import { REQUEST_ID, refuse } from "./refusals.js";
import type { Worker } from "./worker.js";

/** Headers of a single connection, which must not be forwarded. */
const HOP_BY_HOP = new Set([
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
]);

/** Headers that the platform sets, replacing the caller's. */
const SET_BY_PLATFORM = new Set([
  "host",
  "x-forwarded-host",
  "x-forwarded-port",
  "x-forwarded-proto",
  "x-forwarded-for",
  REQUEST_ID,
]);

/** Maximum size in bytes of an answer that is sent in one write instead of streamed. */
const SINGLE_WRITE_BYTES = 65_536;
const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);
const BODILESS = new Set([204, 205, 304]);

/** The function sent nothing for longer than the idle limit. */
export class IdleTimeout extends Error {
  override name = "IdleTimeout";
}

/** A request that is forwarded to a worker. */
export interface ForwardedRequest {
  /** The id of the request, which also marks its console lines. */
  id: string;
  worker: Worker;
  port: number;
  /** Called when the exchange is over. */
  released: () => void;
}

/**
 * Returns alternating names and values, as Node reads and writes them, without hop-by-hop headers.
 */
function endToEnd(
  { rawHeaders, headers }: IncomingMessage,
  dropped?: ReadonlySet<string>,
): string[] {
  const named = headers.connection
    ?.toLowerCase()
    .split(",")
    .map((name) => name.trim());
  const kept: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] as string).toLowerCase();
    if (HOP_BY_HOP.has(name) || dropped?.has(name) || named?.includes(name)) continue;
    kept.push(name, rawHeaders[i + 1] as string);
  }
  return kept;
}

function outgoingHeaders(incoming: IncomingMessage, url: URL, id: string): string[] {
  const host = incoming.headers.host ?? url.host;
  // The gateway listens on the loopback only, so its direct client is local.
  const passed = incoming.headers["x-forwarded-for"];
  return [
    ...endToEnd(incoming, SET_BY_PLATFORM),
    ...["host", host],
    ...["x-forwarded-host", host],
    ...["x-forwarded-port", url.port || (url.protocol === "https:" ? "443" : "80")],
    ...["x-forwarded-proto", url.protocol.slice(0, -1)],
    ...["x-forwarded-for", passed ? `${passed}, 127.0.0.1` : "127.0.0.1"],
    ...[REQUEST_ID, id],
  ];
}

/** Returns the headers of a function's answer, as the platform forwards them. */
function answerHeaders(
  message: IncomingMessage,
  method: string,
  { worker, id }: Pick<ForwardedRequest, "worker" | "id">,
): string[] {
  const headers = endToEnd(message);
  // The API's address cannot serve web pages, as hosted.
  if (method === "GET" && /^text\/html\b/i.test(message.headers["content-type"] ?? "")) {
    headers[headers.indexOf("content-type") + 1] = "text/plain";
  }
  if ((message.statusCode ?? 500) >= 500) {
    headers.push("sb-error-code", "EDGE_FUNCTION_ERROR");
    headers.push("access-control-expose-headers", "sb-error-code");
  }
  headers.push("x-served-by", "supabase-edge-runtime");
  headers.push("x-sb-edge-region", REGION);
  headers.push("x-deno-execution-id", worker.executionId);
  headers.push(REQUEST_ID, id);
  return headers;
}

const isStatus = ({ statusCode = 500 }: IncomingMessage) => statusCode >= 200 && statusCode <= 599;

/**
 * Forwards a body, and reads it to its end even if the function has already answered: the client's
 * connection can carry another request only after the end of the body.
 */
function sendBody(incoming: IncomingMessage, outgoing: ClientRequest): void {
  outgoing.once("close", () => {
    incoming.unpipe(outgoing);
    incoming.resume();
  });
  incoming.pipe(outgoing);
}

/**
 * Sends a short answer, head and body, in one write: each write wakes the reader, which costs more
 * than waiting.
 */
function sendWhole(message: IncomingMessage, answer: ServerResponse): void {
  const parts: Buffer[] = [];
  message.on("data", (part: Buffer) => parts.push(part));
  message.on("end", () => answer.end(Buffer.concat(parts)));
}

/**
 * Forwards a request to a worker and streams both bodies. Resolves when the answer is being sent, to null or to a
 * refusal that must be sent in its place. Throws `IdleTimeout` or the connection's error; then nothing was answered.
 */
export function forward(
  incoming: IncomingMessage,
  answer: ServerResponse,
  url: URL,
  forwarded: ForwardedRequest,
  idleMs: number,
): Promise<Response | null> {
  const { id, worker, port, released } = forwarded;
  const method = incoming.method as string;
  const attempt = (again: boolean): Promise<Response | null> =>
    new Promise((resolve, reject) => {
      const outgoing = send({
        host: "127.0.0.1",
        port,
        method,
        path: url.pathname + url.search,
        headers: outgoingHeaders(incoming, url, id),
        agent: worker.agent,
        setHost: false,
      });
      const abort = () => outgoing.destroy(new Error("the client went away"));
      const over = () => {
        answer.off("close", abort);
        released();
      };
      outgoing.setTimeout(idleMs, () => outgoing.destroy(new IdleTimeout()));
      outgoing.on("response", (message) => {
        message.on("close", over);
        if (!isStatus(message)) {
          message.destroy();
          resolve(refuse("INVALID_RESPONSE_STATUS_CODE"));
          return;
        }
        answer.writeHead(
          message.statusCode as number,
          message.statusMessage,
          answerHeaders(message, method, forwarded),
        );
        // The client must be able to see that the answer is incomplete.
        message.on("error", () => answer.destroy());
        if (Number(message.headers["content-length"]) <= SINGLE_WRITE_BYTES)
          sendWhole(message, answer);
        else message.pipe(answer);
        resolve(null);
      });
      outgoing.on("error", (error: NodeJS.ErrnoException) => {
        // The worker probably closed an idle connection at the moment of its reuse. It may also have ended in the
        // middle of the request, so only safe methods are repeated.
        if (again && outgoing.reusedSocket && error.code === "ECONNRESET" && SAFE.has(method)) {
          answer.off("close", abort);
          resolve(attempt(false));
          return;
        }
        over();
        reject(error);
      });
      answer.once("close", abort);
      if (answer.destroyed) abort();
      if (hasBody(incoming)) sendBody(incoming, outgoing);
      else outgoing.end();
    });
  return attempt(true);
}

/** Whether a request has a body, which can be sent only once. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/**
 * Forwards a websocket's handshake to a worker, and connects both sockets when the function accepts. Otherwise resolves
 * to the function's answer. Throws the connection's error.
 */
export function connect(
  incoming: IncomingMessage,
  url: URL,
  socket: Duplex,
  head: Buffer,
  forwarded: ForwardedRequest,
): Promise<Response | null> {
  const { id, port, released } = forwarded;
  return new Promise((resolve, reject) => {
    const outgoing = send({
      host: "127.0.0.1",
      port,
      path: url.pathname + url.search,
      headers: [
        ...outgoingHeaders(incoming, url, id),
        ...["connection", "upgrade", "upgrade", "websocket"],
      ],
      setHost: false,
    });
    socket.once("close", () => outgoing.destroy());
    outgoing.on("close", released);
    outgoing.on("error", reject);
    outgoing.on("response", (message) => resolve(responseOf(message, forwarded)));
    outgoing.on("upgrade", ({ rawHeaders }, upstream, first) => {
      let lines = "";
      for (let i = 0; i < rawHeaders.length; i += 2) {
        lines += `${rawHeaders[i]}: ${rawHeaders[i + 1]}\r\n`;
      }
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines}\r\n`);
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

/** Returns a function's answer to a handshake that it did not accept. */
function responseOf(message: IncomingMessage, forwarded: ForwardedRequest): Response {
  if (!isStatus(message)) {
    message.destroy();
    return refuse("INVALID_RESPONSE_STATUS_CODE");
  }
  const raw = answerHeaders(message, "GET", forwarded);
  const headers = new Headers();
  for (let i = 0; i < raw.length; i += 2) headers.append(raw[i] as string, raw[i + 1] as string);
  const status = message.statusCode as number;
  if (BODILESS.has(status)) {
    message.resume();
    return new Response(null, { status, headers });
  }
  return new Response(Readable.toWeb(message) as globalThis.ReadableStream, { status, headers });
}
