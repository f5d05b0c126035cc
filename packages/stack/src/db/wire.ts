import { connect, createServer, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { PGlite } from "@electric-sql/pglite";
import { PGLiteSocketHandler } from "@electric-sql/pglite-socket";
import { listen } from "../listen.js";
import { type Conversation, converse, Fatal, type Owner } from "./wire-conversation.js";

const timeouts = {
  /** Maximum wait of a client for the previous one to disconnect. */
  waitMs: 5000,
  /** Maximum idle time of a client in a transaction, which blocks all others. */
  idleMs: 15_000,
};

/** The URL for psql on `port`, with the user and password of `supabase start`. */
const urlOf = (port: number) => `postgresql://postgres:postgres@127.0.0.1:${port}/postgres`;

/** Returns the URL for `port` if something listens there; null otherwise. */
export async function findWire(port: number): Promise<string | null> {
  const socket = connect(port, "127.0.0.1");
  const answers = await new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
  });
  socket.destroy();
  return answers ? urlOf(port) : null;
}

/** The TCP server through which psql and the Supabase CLI reach PGlite. */
export interface Wire {
  url: string;
  close(): Promise<void>;
}

/**
 * Listens on `port` (0: any free one) and admits one client at a time, because PGlite has one session. Throws `Refusal`
 * when the port is taken.
 */
export async function openWire(
  pg: PGlite,
  port: number,
  owner: Owner,
  { waitMs, idleMs } = timeouts,
): Promise<Wire> {
  const conversations = new Set<Conversation>();
  let inside: Promise<void> | null = null;

  /** Returns a function that admits the next client; null when the current one stays connected. */
  async function enter(): Promise<(() => void) | null> {
    const last = Date.now() + waitMs;
    while (inside) {
      const timeout = pause(Math.max(last - Date.now(), 0), true, { ref: false });
      if (await Promise.race([inside.then(() => false), timeout])) return null;
    }
    return await new Promise((entered) => {
      inside = new Promise((left) => {
        entered(() => {
          inside = null;
          left();
        });
      });
    });
  }

  function receive(socket: Socket): void {
    const closeSocket = () => socket.destroySoon();
    const conversation = converse(pg, owner, { enter, closeSocket, idleMs });
    conversations.add(conversation);
    // Until the session is as the stack left it, PGlite must not be closed.
    socket.on("close", () => {
      const remove = () => conversations.delete(conversation);
      void conversation.end().then(remove, remove);
    });
    // The library splits the stream into messages. Its own queue would run the stack's statements
    // inside a client's transaction, so it is replaced.
    const queryQueue = {
      enqueue: (_: number, message: Uint8Array, reply: (data: Uint8Array) => void) =>
        conversation.hear(message, reply),
      clearQueueForHandler: () => {},
      clearTransactionIfNeeded: () => conversation.end(),
    };
    void new PGLiteSocketHandler({ queryQueue: queryQueue as never }).attach(socket);
  }

  const server = createServer(receive);
  const remedy = "stop what uses it, or choose another one with [db] port in supabase/config.toml";
  const listening = await listen(server, port, "for the database", remedy);
  return {
    url: urlOf(listening),
    async close() {
      const closed = new Promise((done) => server.close(done));
      await Promise.all([...conversations].map((conversation) => conversation.refuse(shutdown())));
      await closed;
    },
  };
}

const shutdown = () => new Fatal("57P01", "terminating connection due to administrator command");
