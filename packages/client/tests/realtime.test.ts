import { readdirSync, readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { createClient, type RealtimeTable } from "../src/index.js";
import { clientOf } from "./server.js";

// Realtime as it misbehaves: how it behaves is tested at the running stack.

type Frame = [
  joinRef: string | null,
  ref: string | null,
  topic: string,
  event: string,
  payload: object,
];

/** A realtime server that acknowledges every join, and then says what a test makes it say. */
async function openRealtime(joined: (say: (event: string, payload: object) => void) => void) {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  const sockets: WebSocket[] = [];
  const heard: string[] = [];
  server.on("connection", (socket) => {
    sockets.push(socket);
    socket.on("message", (message) => {
      const [joinRef, ref, topic, event, payload] = JSON.parse(String(message)) as Frame;
      if (event !== "heartbeat") heard.push(event);
      const changes = (payload as { config?: { postgres_changes: object[] } }).config
        ?.postgres_changes;
      const response = {
        ...(changes && { postgres_changes: changes.map((wish, id) => ({ ...wish, id })) }),
      };
      const say = (...told: [string, object]) =>
        socket.send(JSON.stringify([joinRef, null, topic, ...told]));
      socket.send(JSON.stringify([joinRef, ref, topic, "phx_reply", { status: "ok", response }]));
      if (event === "phx_join") joined(say);
    });
  });
  await new Promise((listening) => server.once("listening", listening));
  const client = clientOf({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  onTestFinished(async () => {
    await client.supabase.realtime.disconnect();
    for (const socket of sockets) socket.terminate();
    await new Promise((closed) => server.close(closed));
  });
  return { client, sockets, heard };
}

const subscribed = {
  extension: "postgres_changes",
  status: "ok",
  message: "Subscribed to PostgreSQL",
};

describe("the tables", () => {
  it("are those that the database publishes", () => {
    // A name that is missing here, or is none, is refused by the compiler.
    const tables: Record<RealtimeTable, true> = {
      marketplaces: true,
      products: true,
      inventory: true,
      orders: true,
      webhook_deliveries: true,
    };
    const migrations = join(import.meta.dirname, "../../../supabase/migrations");
    const published = readdirSync(migrations).flatMap((file) => {
      const added = readFileSync(join(migrations, file), "utf8").matchAll(
        /^alter publication supabase_realtime add table ([^;]+);/gm,
      );
      return [...added].flatMap(([, names]) => (names as string).split(/,\s*/));
    });
    expect(published.toSorted()).toEqual(
      Object.keys(tables)
        .map((name) => `public.${name}`)
        .toSorted(),
    );
  });
});

describe("realtime.on", () => {
  it.skipIf("WebSocket" in globalThis)("says what a runtime lacks, and where from", async () => {
    const client = createClient("http://souk.invalid", "a-key", {
      accessToken: async () => "a-token",
    });
    await expect(client.realtime.on("orders", {}, () => {})).rejects.toThrow("package ws");
    expect(client.supabase.getChannels()).toEqual([]);
  });

  it("does not take an acknowledged join for a subscription", async () => {
    const { client, heard } = await openRealtime(() => {});
    await expect(client.realtime.on("orders", { timeoutMs: 200 }, () => {})).rejects.toThrow(
      "did not answer within 200 ms",
    );
    expect(client.supabase.getChannels()).toEqual([]);
    await vi.waitFor(() => expect(heard).toEqual(["phx_join", "phx_leave"]));
  });

  it("waits for the message about changes, not for another", async () => {
    const { client } = await openRealtime((say) => {
      say("system", { extension: "system", status: "error", message: "something else" });
      setTimeout(() => say("system", subscribed), 100);
    });
    const started = performance.now();
    await client.realtime.on("orders", {}, () => {});
    expect(performance.now() - started).toBeGreaterThan(90);
  });

  it("rejects with the server's reason", async () => {
    const { client } = await openRealtime((say) =>
      say("system", { ...subscribed, status: "error", message: "Too many channels" }),
    );
    await expect(client.realtime.on("orders", {}, () => {})).rejects.toThrow(
      "realtime refused: Too many channels",
    );
  });

  it("tells of an interruption, and when it is over", async () => {
    const { client, sockets } = await openRealtime((say) => say("system", subscribed));
    const onError = vi.fn();
    const onReconnect = vi.fn();
    await client.realtime.on("orders", { onError, onReconnect }, () => {});
    sockets[0]?.terminate();
    await vi.waitFor(() => expect(onReconnect).toHaveBeenCalledTimes(1), 5000);
    expect(onError).toHaveBeenCalledTimes(1);
    expect(onError).toHaveBeenCalledWith(expect.any(Error));
  });

  it("tells when the server has ended it", async () => {
    const { client } = await openRealtime((say) => {
      say("system", subscribed);
      setTimeout(() => {
        say("system", { ...subscribed, status: "error", message: "Token has expired" });
        say("phx_close", {});
      }, 50);
    });
    const onError = vi.fn();
    const onClose = vi.fn();
    await client.realtime.on("orders", { onError, onClose }, () => {});
    await vi.waitFor(() => expect(onClose).toHaveBeenCalledTimes(1));
    expect(onError).toHaveBeenCalledWith(new Error("realtime refused: Token has expired"));
  });

  it("says nothing more after it was ended", async () => {
    const { client, sockets } = await openRealtime((say) => say("system", subscribed));
    const onError = vi.fn();
    const onClose = vi.fn();
    const subscription = await client.realtime.on("orders", { onError, onClose }, () => {});
    await subscription.unsubscribe();
    expect(client.supabase.getChannels()).toEqual([]);
    const closed = new Promise((resolve) => sockets[0]?.once("close", resolve));
    sockets[0]?.terminate();
    await closed;
    expect(onError).not.toHaveBeenCalled();
    expect(onClose).not.toHaveBeenCalled();
  });
});
