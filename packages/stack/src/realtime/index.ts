import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { TokenRefused } from "../keys.js";
import type { Service, Surroundings } from "../service.js";
import { createAuthorization } from "./authorization.js";
import type { Message } from "./capture.js";
import { createChanges } from "./changes.js";
import { type OpenConnection, SILENCE_MS, serveConnection } from "./connection.js";
import type { Broadcast } from "./frames.js";
import { createHttp } from "./http.js";
import { createRooms } from "./rooms.js";
import { readToken } from "./tokens.js";

const LARGEST_FRAME_BYTES = 5_000_000;
const SILENCE_CHECK_MS = 10_000;
const MESSAGES_SWEEP_MS = 3_600_000;

/** Realtime: changes of published tables, broadcasts and presence over websockets. */
export async function createRealtime(s: Surroundings): Promise<Service> {
  const { db, keys } = s;
  const log = s.log.of("realtime");
  const rooms = createRooms();
  const authorization = createAuthorization(db, log);
  const changes = await createChanges(db, log, (message) => {
    const broadcast = broadcastOf(message);
    if (broadcast) rooms.broadcast(message.topic, message.private === true, broadcast);
  });
  const surroundings = { keys, log, rooms, changes, authorization };
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: LARGEST_FRAME_BYTES,
    perMessageDeflate: false,
  });
  const connections = new Set<OpenConnection>();

  // As hosted, which drops the partitions of older days.
  const sweepMessages = () =>
    db.query("delete from realtime.messages where inserted_at < now() - interval '3 days'");
  await sweepMessages();
  const sweeping = setInterval(() => {
    sweepMessages().catch((error) => log.error("old messages could not be deleted", error));
  }, MESSAGES_SWEEP_MS);
  const listening = setInterval(() => {
    for (const connection of connections) {
      if (Date.now() - connection.heard() > SILENCE_MS) void connection.end();
    }
  }, SILENCE_CHECK_MS);

  async function shakeHands(request: IncomingMessage, socket: Duplex, head: Buffer) {
    const url = new URL(request.url ?? "/", s.url);
    if (url.pathname !== "/realtime/v1/websocket") return refuse(socket, 404, "Not found");
    const header = request.headers["x-api-key"] ?? request.headers.apikey;
    const apikey = url.searchParams.get("apikey") ?? String(header ?? "");
    if (apikey === "") return refuse(socket, 401, "API key is missing");
    try {
      await readToken(keys, apikey);
    } catch (error) {
      if (!(error instanceof TokenRefused)) throw error;
      return refuse(socket, 401, error.message);
    }
    const version = url.searchParams.get("vsn") === "2.0.0" ? "2.0.0" : "1.0.0";
    server.handleUpgrade(request, socket, head, (websocket) => {
      const connection = serveConnection(websocket, version, apikey, surroundings, log, () =>
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
      shakeHands(request, socket, head)
        .catch((error) => {
          log.error("a websocket could not be opened", error);
          refuse(socket, 500, "Error connecting to Realtime");
        })
        .finally(() => socket.off("error", broken));
    },
    async close() {
      clearInterval(sweeping);
      clearInterval(listening);
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

/** What a row of `realtime.messages` says; null for one that is no broadcast. */
function broadcastOf({ id, event, payload, binary_payload }: Message): Broadcast | null {
  if (event === null) return null;
  const meta = { id };
  if (binary_payload !== null) {
    const bytes = Buffer.from(binary_payload.slice(2), "hex");
    return { form: "user", event, meta, encoding: "binary", bytes };
  }
  return payload === null
    ? null
    : { form: "map", payload: { type: "broadcast", event, payload, meta } };
}
