import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { Service, ServiceContext } from "../service.js";
import { createAuthorization } from "./authorization.js";
import { createChanges } from "./changes.js";
import { type OpenConnection, SILENCE_MS, serveConnection } from "./connection.js";
import { createHttp } from "./http.js";
import { createJoinLimit } from "./join.js";
import { createMessages } from "./messages.js";
import { createRooms } from "./rooms.js";
import { readToken, TokenUnfit } from "./tokens.js";

const MAX_FRAME_BYTES = 5_000_000;
const SILENCE_CHECK_MS = 10_000;

/** Realtime: changes of published tables, broadcasts and presence over websockets. */
export async function createRealtime(s: ServiceContext): Promise<Service> {
  const { db, keys } = s;
  const log = s.log.of("realtime");
  const rooms = createRooms();
  const authorization = createAuthorization(db, log);
  const messages = await createMessages(db, log, rooms);
  const changes = await createChanges(db, log, messages.deliver);
  // Hosted takes seconds to follow a table's changes. This variable reveals clients that do not
  // wait.
  const delayMs = Number(process.env.SOUK_REALTIME_DELAY_MS) || 0;
  const countJoin = createJoinLimit();
  const context = { keys, log, rooms, changes, authorization, messages, countJoin, delayMs };
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
  });
  const connections = new Set<OpenConnection>();

  const watching = setInterval(() => {
    for (const connection of connections) {
      if (Date.now() - connection.heard() > SILENCE_MS) void connection.end();
    }
  }, SILENCE_CHECK_MS);

  async function openWebsocket(request: IncomingMessage, socket: Duplex, head: Buffer) {
    const url = new URL(request.url ?? "/", s.url);
    if (url.pathname !== "/realtime/v1/websocket") return refuse(socket, 404, "Not found");
    const header = request.headers["x-api-key"] ?? request.headers.apikey;
    const apikey = String(header ?? url.searchParams.get("apikey") ?? "");
    if (apikey === "") return refuse(socket, 401, "API key is missing");
    try {
      await readToken(keys, apikey);
    } catch (error) {
      if (!(error instanceof TokenUnfit)) throw error;
      return refuse(socket, 401, error.elsewhere.handshake ?? error.message);
    }
    const version = url.searchParams.get("vsn") === "2.0.0" ? "2.0.0" : "1.0.0";
    const extra = Object.entries(request.headers).filter(([name]) => name.startsWith("x-"));
    const headers = Object.fromEntries(extra.map(([name, value]) => [name, String(value)]));
    server.handleUpgrade(request, socket, head, (websocket) => {
      const opened = { version, apikey, headers } as const;
      const connection = serveConnection(websocket, opened, context, log, () =>
        connections.delete(connection),
      );
      connections.add(connection);
    });
  }

  return {
    fetch: createHttp(keys, rooms, authorization),
    upgrade(request, socket, head) {
      const broken = () => socket.destroy();
      socket.on("error", broken);
      openWebsocket(request, socket, head)
        .catch((error) => {
          log.error("a websocket could not be opened", error);
          refuse(socket, 500, "Error connecting to Realtime");
        })
        .finally(() => socket.off("error", broken));
    },
    async close() {
      messages.close();
      clearInterval(watching);
      await Promise.all([...connections].map((connection) => connection.end(1001)));
      server.close();
      await changes.close();
    },
  };
}

function refuse(socket: Duplex, status: number, error: string) {
  const body = JSON.stringify({ error });
  socket.end(
    `HTTP/1.1 ${status} ${status === 401 ? "Unauthorized" : "Error"}\r\n` +
      "Content-Type: application/json\r\nConnection: close\r\n" +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
