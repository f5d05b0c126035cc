import { createServer, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { PGlite } from "@electric-sql/pglite";
import { PGLiteSocketHandler } from "@electric-sql/pglite-socket";
import { listen } from "../listen.js";
import { type Conversation, converse, Fatal, type Owner } from "./wire-conversation.js";

const patience = {
  /** How long a program waits for the one before it to leave. */
  waitMs: 5000,
  /** How long a program may leave its transaction, and so everybody else, waiting. */
  idleMs: 15_000,
};

/** What psql is given for a stack that listens on `port`: user and password are those of `supabase start`. */
const urlOf = (port: number) => `postgresql://postgres:postgres@127.0.0.1:${port}/postgres`;

/** The socket over which psql and the Supabase CLI reach PGlite. */
export interface Wire {
  url: string;
  close(): Promise<void>;
}

/**
 * Listens on `port` (0: any free one) and lets in one program at a time, as PGlite has one session.
 * Throws `Refusal` when the port is taken.
 */
export async function openWire(
  pg: PGlite,
  port: number,
  owner: Owner,
  { waitMs, idleMs } = patience,
): Promise<Wire> {
  const conversations = new Set<Conversation>();
  let inside: Promise<void> | null = null;

  /** Answers with what lets the next one in; null when the one inside stays. */
  async function enter(): Promise<(() => void) | null> {
    const last = Date.now() + waitMs;
    while (inside) {
      const tired = pause(Math.max(last - Date.now(), 0), true, { ref: false });
      if (await Promise.race([inside.then(() => false), tired])) return null;
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
    const hangUp = () => socket.destroySoon();
    const conversation = converse(pg, owner, { enter, hangUp, idleMs });
    conversations.add(conversation);
    // Known until it has left the session, too: `close` must not take the database from under it.
    socket.on(
      "close",
      () => void conversation.end().then(() => conversations.delete(conversation)),
    );
    // The library cuts the stream into messages. Its own queue would let the stack's statements
    // into a program's transaction, so ours stands in its place.
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
