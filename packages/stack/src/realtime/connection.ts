import type { WebSocket } from "ws";
import type { Log } from "../log.js";
import { type Channel, type ChannelSurroundings, joinChannel } from "./channel.js";
import { type Frame, FrameRefused, readFrame, type Version, writeText } from "./frames.js";
import { createTurns } from "./turns.js";

/** What may lie unread for one client before it is cut off. */
const MOST_UNREAD_BYTES = 16 * 1024 * 1024;
/** What may wait to be answered before a client's further frames are left on the wire. */
const MOST_WAITING_FRAMES = 1000;
/** As hosted. */
const MOST_CHANNELS = 100;
/** A client that says nothing so long, not even a heartbeat, is gone. */
export const SILENCE_MS = 60_000;

/** One websocket and the channels joined over it. */
export interface Connection {
  version: Version;
  /** The key the connection was opened with: the identity of a channel that brings no token. */
  apikey: string;
  send(frame: Frame): void;
  /** `payload` is JSON already. */
  sendJson(frame: Omit<Frame, "payload">, payload: string): void;
  sendRaw(raw: string | Buffer): void;
}

export interface OpenConnection {
  /** When the client was last heard, as `Date.now()`. */
  heard(): number;
  /** Cuts the line; resolves when its channels are left. */
  end(code?: number): Promise<void>;
}

/** Serves one websocket until it closes, then calls `closed`. */
export function serveConnection(
  socket: WebSocket,
  version: Version,
  apikey: string,
  surroundings: ChannelSurroundings,
  log: Log,
  closed: () => void,
): OpenConnection {
  const channels = new Map<string, Channel>();
  // Frames are answered in the order they came: a broadcast behind a join waits for it.
  const inTurn = createTurns();
  let heard = Date.now();
  let waiting = 0;

  const connection: Connection = {
    version,
    apikey,
    send: ({ payload, ...frame }) => connection.sendJson(frame, JSON.stringify(payload ?? {})),
    sendJson: (frame, payload) => connection.sendRaw(writeText(version, frame, payload)),
    sendRaw(raw) {
      if (socket.readyState !== socket.OPEN) return;
      socket.send(raw);
      if (socket.bufferedAmount > MOST_UNREAD_BYTES) {
        log.warn("a subscriber does not read what it is sent: its connection is cut");
        socket.terminate();
      }
    },
  };

  const reply = (frame: Frame, status: "ok" | "error", response: unknown) =>
    connection.send({ ...frame, event: "phx_reply", payload: { status, response } });

  function forget(channel: Channel) {
    if (channels.get(channel.topic) === channel) channels.delete(channel.topic);
  }

  async function answer(frame: Frame) {
    if (socket.readyState !== socket.OPEN) return;
    const { topic, event } = frame;
    if (topic === "phoenix" && event === "heartbeat") return reply(frame, "ok", {});
    const channel = channels.get(topic);
    if (event === "phx_join") {
      await channel?.close();
      if (channels.size >= MOST_CHANNELS) {
        return reply(frame, "error", { reason: "ChannelRateLimitReached: Too many channels" });
      }
      const outcome = await joinChannel(surroundings, connection, frame, forget);
      if ("refused" in outcome) return reply(frame, "error", { reason: outcome.refused });
      if (socket.readyState !== socket.OPEN) return outcome.channel.close();
      channels.set(topic, outcome.channel);
      reply(frame, "ok", outcome.response);
      return outcome.channel.begin();
    }
    if (!channel) {
      return event === "phx_leave"
        ? reply(frame, "ok", {})
        : reply(frame, "error", { reason: "unmatched topic" });
    }
    // Said to an earlier channel of the same topic.
    if (frame.joinRef !== null && frame.joinRef !== channel.joinRef) return;
    if (event === "phx_leave") {
      reply(frame, "ok", {});
      return channel.close();
    }
    await channel.receive(frame, (status, response) => reply(frame, status, response));
  }

  socket.on("message", (raw, binary) => {
    heard = Date.now();
    let frame: Frame;
    try {
      frame = readFrame(raw, binary, version);
    } catch (error) {
      if (!(error instanceof FrameRefused)) throw error;
      socket.close(1007, error.message);
      return;
    }
    if (++waiting === MOST_WAITING_FRAMES) socket.pause();
    inTurn(() => answer(frame))
      .catch((error) => log.error(`a ${frame.event} could not be answered`, error))
      .finally(() => {
        if (waiting-- === MOST_WAITING_FRAMES) socket.resume();
      });
  });
  socket.on("error", () => socket.terminate());
  const leaving = new Promise<void>((resolve) => {
    socket.on("close", () => {
      inTurn(async () => {
        for (const channel of channels.values()) await channel.close();
      }).finally(() => {
        closed();
        resolve();
      });
    });
  });

  return {
    heard: () => heard,
    end: (code) => {
      if (code !== undefined) socket.close(code);
      socket.terminate();
      return leaving;
    },
  };
}
