import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { getRequestListener, RequestError } from "@hono/node-server";
import { createKeyCheck } from "./api-keys.js";
import { DatabaseAway, RETRY_AFTER } from "./db/away.js";
import type { Keys } from "./keys.js";
import { listen } from "./listen.js";
import type { Log } from "./log.js";
import type { Service } from "./service.js";

/** The route of a service behind the gateway. */
export interface Route {
  /** `/rest/v1`, without a trailing slash. */
  prefix: string;
  service: Service;
  /** Paths below the prefix that require no API key; `all` if the service checks keys itself. */
  open?: RegExp | "all";
  /**
   * Whether a request without an API key is forwarded, because the service checks the caller's
   * token.
   */
  keyIsOptional?: boolean;
  /**
   * Whether a key that is a token (of `anon`, `service_role`) becomes the caller's token if there
   * is none.
   */
  keyIsBearer?: boolean;
  /** Whether the gateway handles CORS, rather than the service. */
  cors: boolean;
}

export interface Gateway {
  /** `http://127.0.0.1:54321` */
  readonly url: string;
  /** Starts to forward requests. Until then, every request gets a 503. */
  serve(routes: readonly Route[]): void;
  /**
   * Accepts no new connections; resolves when pending requests are answered, or cut at `deadline`
   * (ms).
   */
  drain(deadline?: number): Promise<void>;
  /** Drains, and closes the websockets that are still open. */
  close(): Promise<void>;
}

interface Served extends Route {
  answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void>;
}

const DRAIN_MS = 3000;
const DRAIN_LOOK_MS = 20;
/** Longer than the 90 s for which Deno keeps idle connections, so that no request is sent on a closing one. */
const KEEP_ALIVE_MS = 120_000;
const HEADERS_MS = 20_000;

const METHODS = "GET,HEAD,PUT,PATCH,POST,DELETE,OPTIONS,TRACE,CONNECT";
/**
 * Headers that scripts in browsers may read: those of PostgREST, of Auth, and of Storage with TUS.
 */
const EXPOSED =
  "Content-Encoding, Content-Location, Content-Range, Content-Type, Date, Link, Location, " +
  "Range-Unit, Server, Transfer-Encoding, X-Total-Count, X-Supabase-Api-Version, " +
  "Accept-Ranges, Content-Disposition, Content-Length, ETag, Last-Modified, Tus-Complete, Tus-Extension, " +
  "Tus-Max-Size, Tus-Resumable, Tus-Version, Upload-Defer-Length, Upload-Expires, Upload-Length, " +
  "Upload-Metadata, Upload-Offset, X-Transformations";

/** Listens on `port` (0: any free one). Throws `Refusal` when the port is taken. */
export async function openGateway(port: number, keys: Keys, log: Log): Promise<Gateway> {
  let routes: readonly Served[] | null = null;
  let pending = 0;
  const sockets = new Set<Duplex>();
  const keyCheck = createKeyCheck(keys);

  const server = createServer(
    { keepAliveTimeout: KEEP_ALIVE_MS, headersTimeout: HEADERS_MS },
    async (incoming, outgoing) => {
      pending += 1;
      outgoing.once("close", () => {
        pending -= 1;
      });
      const target = hasTwoTokens(incoming) ? null : readTarget(incoming);
      if (!target) return reply(outgoing, 400, { message: "Bad request" });
      if (!routes) return reply(outgoing, 503, { message: "The stack is starting" });
      const route = findRoute(routes, target);
      if (!route) return reply(outgoing, 404, { message: "no Route matched with those values" });
      const path = target.pathname.slice(route.prefix.length) || "/";
      if (route.cors && answerOrigin(incoming, outgoing)) return;
      if (route.open !== "all" && !route.open?.test(path)) {
        const { keyIsBearer = false, keyIsOptional = false } = route;
        const refusal = await keyCheck.admit(incoming, target, { keyIsBearer, keyIsOptional });
        if (refusal) return reply(outgoing, 401, refusal.body, refusal.headers);
      }
      // The service gets the checked path: normalized by the URL standard, without `..`.
      incoming.url = path + target.search;
      void route.answer(incoming, outgoing);
    },
  );

  server.on("upgrade", (incoming, socket, head) => {
    if (incoming.headers.upgrade?.toLowerCase() !== "websocket") {
      return declineUpgrade(server, incoming, socket, head);
    }
    socket.on("error", () => socket.destroy());
    const target = hasTwoTokens(incoming) ? null : readTarget(incoming);
    const route = target && routes ? findRoute(routes, target) : undefined;
    if (!target || !route?.service.upgrade) {
      socket.end(`HTTP/1.1 ${routes ? "404 Not Found" : "503 Service Unavailable"}\r\n\r\n`);
      return;
    }
    keyCheck.translate(incoming, target);
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    try {
      route.service.upgrade(incoming, socket, head);
    } catch (error) {
      log.error(`${route.prefix} failed at a websocket's handshake`, error);
      socket.end("HTTP/1.1 500 Internal Server Error\r\n\r\n");
    }
  });

  const remedy =
    "`npm run status` shows whether another stack uses it: stop what listens there, or choose another port with --port";
  const listening = await listen(server, port, "for the gateway", remedy);

  let draining: Promise<void> | undefined;
  const drain = (deadline = Date.now() + DRAIN_MS) => {
    draining ??= (async () => {
      server.close();
      while (pending > 0 && Date.now() < deadline) {
        await new Promise((resolve) => setTimeout(resolve, DRAIN_LOOK_MS));
      }
      server.closeAllConnections();
    })();
    return draining;
  };

  return {
    url: `http://127.0.0.1:${listening}`,
    serve: (given) => {
      routes = given.map((route) => ({ ...route, answer: listenerOf(route, log) }));
    },
    drain,
    close: async () => {
      const closed = server.listening ? once(server, "close") : null;
      await drain();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** A `.` or `..` segment, plain or percent-encoded. */
const DOT_SEGMENT = /\/(\.|%2e){1,2}(\/|$)/i;

/** Whether there are two tokens: different readers might use different ones. */
function hasTwoTokens({ headers, rawHeaders }: IncomingMessage): boolean {
  if (headers.authorization === undefined) return false;
  const isToken = (name: string, i: number) => i % 2 === 0 && /^authorization$/i.test(name);
  return rawHeaders.filter(isToken).length > 1;
}

/**
 * Parses the request's target once, for routing, for the key check and for the service, so that all
 * use the same path. Null for an invalid target.
 */
function readTarget(incoming: IncomingMessage): URL | null {
  const target = incoming.url ?? "";
  try {
    const url = new URL(target.startsWith("/") ? `http://gateway${target}` : target);
    // Node 20 keeps the dots of `/.well-known/../admin`, which the standard removes.
    return DOT_SEGMENT.test(url.pathname) ? null : url;
  } catch {
    return null;
  }
}

function findRoute(routes: readonly Served[], { pathname }: URL): Served | undefined {
  return routes.find(({ prefix }) => pathname === prefix || pathname.startsWith(`${prefix}/`));
}

function listenerOf({ prefix, service }: Route, log: Log): Served["answer"] {
  if (service.serve) {
    return async (incoming, outgoing) => {
      try {
        await service.serve?.(incoming, outgoing);
      } catch (error) {
        log.error(`${prefix} failed`, error);
        if (outgoing.headersSent) outgoing.destroy();
        else reply(outgoing, 500, { message: "Internal server error" });
      }
    };
  }
  const listener = getRequestListener(
    async (request) =>
      service.fetch
        ? await service.fetch(request)
        : Response.json({ message: "Not found" }, { status: 404 }),
    {
      hostname: "127.0.0.1",
      errorHandler: (error) => {
        if (error instanceof RequestError) {
          return Response.json({ message: "Bad request" }, { status: 400 });
        }
        if (error instanceof DatabaseAway) {
          const headers = { "retry-after": RETRY_AFTER };
          return Response.json(
            { message: "The database is unavailable" },
            { status: 503, headers },
          );
        }
        log.error(`${prefix} failed`, error);
        return Response.json({ message: "Internal server error" }, { status: 500 });
      },
    },
  );
  return listener as Served["answer"];
}

/** Sets the CORS headers. Answers a preflight request itself, and then returns true. */
function answerOrigin(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
  outgoing.setHeader("access-control-allow-origin", "*");
  outgoing.setHeader("access-control-expose-headers", EXPOSED);
  const asked = incoming.headers["access-control-request-method"];
  if (incoming.method !== "OPTIONS" || asked === undefined) return false;
  const headers = incoming.headers["access-control-request-headers"];
  if (headers !== undefined) outgoing.setHeader("access-control-allow-headers", headers);
  outgoing.setHeader("access-control-allow-methods", METHODS);
  outgoing.setHeader("access-control-max-age", "3600");
  outgoing.writeHead(200, { "content-length": "0" }).end();
  return true;
}

/**
 * Declines to switch to another protocol (h2c, which Java's client offers), as any server may: the
 * request is parsed again, without the offer.
 */
function declineUpgrade(
  server: Server,
  { method, url, rawHeaders }: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void {
  let lines = `${method} ${url} HTTP/1.1\r\n`;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (!/^(connection|upgrade|http2-settings)$/i.test(name)) {
      lines += `${name}: ${rawHeaders[i + 1]}\r\n`;
    }
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines}\r\n`, "latin1"), head]));
  server.emit("connection", socket);
}

function reply(
  outgoing: ServerResponse,
  status: number,
  body: Record<string, unknown>,
  headers: Record<string, string> = {},
): void {
  const text = JSON.stringify(body);
  outgoing
    .writeHead(status, {
      ...headers,
      "content-type": "application/json; charset=utf-8",
      "content-length": Buffer.byteLength(text),
    })
    .end(text);
}
