import type { WebSocket } from "ws";
import type { Log } from "../log.js";
import { type Channel, type ChannelContext, type Connection, joinChannel } from "./channel.js";
import { type Frame, FrameRefused, type Received, readFrame, writeText } from "./frames.js";
import { JoinRefused } from "./join.js";
import { createQueue } from "./queue.js";

/** Maximum unsent bytes for one client; its connection is cut beyond that. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;
/** Maximum bytes of a client's frames that wait for an answer; beyond that its socket is paused. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;
/** Approximate memory overhead of a frame, in bytes. */
const FRAME_BYTES = 1024;
/** Maximum number of channels per connection, as hosted. */
const MAX_CHANNELS = 100;
/** A client that sends nothing for this time, not even a heartbeat, is disconnected. */
export const SILENCE_MS = 60_000;

export interface OpenConnection {
  /** The time of the client's last frame, like `Date.now()`. */
  heard(): number;
  /** Cuts the connection; resolves when its channels are left. */
  end(code?: number): Promise<void>;
}

/** Serves one websocket until it closes, then calls `closed`. */
export function serveConnection(
  socket: WebSocket,
  opened: Pick<Connection, "version" | "apikey" | "headers">,
  context: ChannelContext,
  log: Log,
  closed: () => void,
): OpenConnection {
  const channels = new Map<string, Channel>();
  // Frames are answered in order: a broadcast that follows a join waits for it.
  const enqueue = createQueue();
  let heard = Date.now();
  let waiting = 0;

  const connection: Connection = {
    ...opened,
    send: ({ payload, ...frame }) => connection.sendJson(frame, JSON.stringify(payload ?? {})),
    sendJson: (frame, payload) => connection.sendRaw(writeText(opened.version, frame, payload)),
    sendRaw(raw) {
      if (socket.readyState !== socket.OPEN) return;
      socket.send(raw);
      if (socket.bufferedAmount > MAX_UNREAD_BYTES) {
        log.warn("a subscriber does not read its messages: its connection is cut");
        socket.terminate();
      }
    },
  };

  const reply = (frame: Frame, status: "ok" | "error", response: unknown) =>
    connection.send({ ...frame, event: "phx_reply", payload: { status, response } });

  function remove(channel: Channel) {
    if (channels.get(channel.topic) === channel) channels.delete(channel.topic);
  }

  async function answer(frame: Received) {
    if (socket.readyState !== socket.OPEN) return;
    const { topic, event } = frame;
    if (topic === "phoenix" && event === "heartbeat") return reply(frame, "ok", {});
    const channel = channels.get(topic);
    if (event === "phx_join") {
      await channel?.close();
      if (channels.size >= MAX_CHANNELS) {
        return reply(frame, "error", { reason: "ChannelRateLimitReached: Too many channels" });
      }
      const joined = await joinChannel(context, connection, frame, remove);
      if (socket.readyState !== socket.OPEN) return joined.channel.close();
      channels.set(topic, joined.channel);
      reply(frame, "ok", joined.response);
      return joined.channel.begin();
    }
    if (!channel) {
      return event === "phx_leave"
        ? reply(frame, "ok", {})
        : reply(frame, "error", { reason: "unmatched topic" });
    }
    const { joinRef } = channel;
    if (event === "phx_leave") {
      // A message to a previous channel of the same topic is ignored, as hosted.
      if (frame.joinRef !== null && frame.joinRef !== joinRef) return;
      reply(frame, "ok", {});
      return channel.close();
    }
    const answerTo = { ...frame, joinRef };
    await channel.receive(frame, (status, response) => reply(answerTo, status, response));
  }

  socket.on("message", (raw, binary) => {
    heard = Date.now();
    let frame: Received;
    try {
      frame = readFrame(raw, binary, opened.version);
    } catch (error) {
      if (!(error instanceof FrameRefused)) throw error;
      // The message is dropped and the connection stays open, as hosted.
      log.warn(`MalformedWebSocketMessage: ${error.message}`);
      return;
    }
    const cost = frame.bytes + FRAME_BYTES;
    waiting += cost;
    if (waiting > MAX_WAITING_BYTES) socket.pause();
    enqueue(() => answer(frame))
      .catch((error) => {
        if (error instanceof JoinRefused) return reply(frame, "error", { reason: error.message });
        log.error("a message could not be answered", error);
        const reason = "Realtime was unable to connect to the project database";
        reply(frame, "error", { reason: `UnableToConnectToProject: ${reason}` });
      })
      .finally(() => {
        waiting -= cost;
        if (socket.isPaused && waiting <= MAX_WAITING_BYTES) socket.resume();
      });
  });
  socket.on("error", () => socket.terminate());
  const leaving = new Promise<void>((resolve) => {
    socket.on("close", () => {
      enqueue(async () => {
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
