import { readdirSync, readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { eventually } from "../../../tests/eventually.js";
import { createClient, type Presence, type RealtimeTable } from "../src/index.js";
import { clientOf } from "./server.js";

// Realtime with a failing server. The running stack tests how it behaves otherwise.

type Frame = [
  joinRef: string | null,
  ref: string | null,
  topic: string,
  event: string,
  payload: object,
];

/** A realtime server that acknowledges every join, and then sends the messages of a test. */
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
        ...(changes && { postgres_changes: changes.map((change, id) => ({ ...change, id })) }),
      };
      const say = (...message: [string, object]) =>
        socket.send(JSON.stringify([joinRef, null, topic, ...message]));
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

describe("the published tables", () => {
  it("are the same in the type and the database", () => {
    // The compiler refuses a name that is missing or unknown.
    const tables: Record<RealtimeTable, true> = {
      marketplaces: true,
      products: true,
      inventory: true,
      orders: true,
      shipments: true,
      webhook_deliveries: true,
      campaigns: true,
      exports: true,
      content: true,
      published_content: true,
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
  it.skipIf("WebSocket" in globalThis)(
    "throws without a WebSocket in the runtime, and names the package to use",
    async () => {
      const client = createClient("http://souk.invalid", "a-key", {
        accessToken: async () => "a-token",
      });
      await expect(client.realtime.on("orders", {}, () => {})).rejects.toThrow("package ws");
      expect(client.supabase.getChannels()).toEqual([]);
    },
  );

  it("does not treat an acknowledged join as a subscription", async () => {
    const { client, heard } = await openRealtime(() => {});
    await expect(client.realtime.on("orders", { timeoutMs: 200 }, () => {})).rejects.toThrow(
      "did not answer within 200 ms",
    );
    expect(client.supabase.getChannels()).toEqual([]);
    await eventually(() => expect(heard).toEqual(["phx_join", "phx_leave"]));
  });

  it("waits for the message about changes, not for others", async () => {
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

  it("reports an interruption, and its end", async () => {
    const { client, sockets } = await openRealtime((say) => say("system", subscribed));
    const onError = vi.fn();
    const onReconnect = vi.fn();
    await client.realtime.on("orders", { onError, onReconnect }, () => {});
    sockets[0]?.terminate();
    await eventually(() => expect(onReconnect).toHaveBeenCalledTimes(1));
    expect(onError).toHaveBeenCalledTimes(1);
    expect(onError).toHaveBeenCalledWith(expect.any(Error));
  });

  it("reports that the server has ended it", async () => {
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
    await eventually(() => expect(onClose).toHaveBeenCalledTimes(1));
    expect(onError).toHaveBeenCalledWith(new Error("realtime refused: Token has expired"));
  });

  it("reports nothing after it was ended", async () => {
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

describe("realtime.order", () => {
  const ready = {
    extension: "system",
    status: "ok",
    message: "Replication connection established",
  };
  const move = { id: "o1", number: 7, status: "shipped", old_status: "confirmed" };
  const broadcast = (event: string) => ({ type: "broadcast", event, payload: move });

  it("waits for the subscription to the database, not only for the join", async () => {
    let later = () => {};
    const { client, heard } = await openRealtime((say) => {
      later = () => say("system", ready);
    });
    const entered = vi.fn();
    const entering = client.realtime.order("o1", {}).then(entered);
    await eventually(() => expect(heard).toEqual(["phx_join"]));
    await client.supabase.realtime.setAuth();
    expect(entered).not.toHaveBeenCalled();
    later();
    await entering;
    expect(client.supabase.getChannels()).toHaveLength(1);
  });

  it("rejects if the server does not answer, and if it cannot follow the database", async () => {
    const silent = await openRealtime(() => {});
    await expect(silent.client.realtime.order("o1", { timeoutMs: 200 })).rejects.toThrow(
      "did not answer within 200 ms",
    );
    expect(silent.client.supabase.getChannels()).toEqual([]);
    const broken = await openRealtime((say) =>
      say("system", { extension: "system", status: "error", message: "not in time" }),
    );
    await expect(broken.client.realtime.order("o1", {})).rejects.toThrow(
      "realtime refused: not in time",
    );
  });

  it("distinguishes a status from a payment", async () => {
    const { client } = await openRealtime((say) => {
      say("system", ready);
      say("broadcast", broadcast("order.payment_status_changed"));
      say("broadcast", broadcast("order.status_changed"));
      say("broadcast", broadcast("order.deleted"));
    });
    const reported: unknown[] = [];
    await client.realtime.order("o1", {
      onStatus: (moved) => reported.push(["status", moved]),
      onPayment: (moved) => reported.push(["payment", moved]),
    });
    await eventually(() =>
      expect(reported).toEqual([
        ["payment", move],
        ["status", move],
      ]),
    );
  });

  it("shares one channel per order, and leaves it with the last subscriber", async () => {
    let say: (event: string, payload: object) => void = () => {};
    const { client, heard } = await openRealtime((speak) => {
      say = speak;
      say("system", ready);
      say("presence_state", { a: { metas: [{ phx_ref: "1", name: "Sana" }] } });
    });
    const reported: string[] = [];
    const presence = vi.fn();
    const first = {
      onStatus: () => reported.push("first"),
      onPresence: () => reported.push("first sees"),
    };
    const [one, again] = await Promise.all([
      client.realtime.order("o1", first),
      client.realtime.order("o1", first),
    ]);
    await eventually(() => expect(reported).toContain("first sees"));
    const two = await client.realtime.order("o1", {
      onStatus: () => reported.push("second"),
      onPresence: presence,
    });
    // A later subscriber gets the present members immediately.
    expect(presence).toHaveBeenCalledWith([{ name: "Sana" }]);
    expect(heard).toEqual(["phx_join"]);

    reported.length = 0;
    say("broadcast", broadcast("order.status_changed"));
    await eventually(() => expect(reported).toEqual(["first", "first", "second"]));
    await one.unsubscribe();
    await one.unsubscribe();
    await again.unsubscribe();
    say("broadcast", broadcast("order.status_changed"));
    await eventually(() => expect(reported.slice(3)).toEqual(["second"]));
    expect(heard).toEqual(["phx_join"]);

    // A page may unsubscribe and subscribe immediately, as components do that are mounted twice.
    const leaving = two.unsubscribe();
    const three = await client.realtime.order("o1", { onStatus: () => reported.push("third") });
    await leaving;
    say("broadcast", broadcast("order.status_changed"));
    await eventually(() => expect(reported.slice(4)).toEqual(["third"]));
    await three.unsubscribe();
    const twice = ["phx_join", "phx_leave", "phx_join", "phx_leave"];
    await eventually(() => expect(heard).toEqual(twice));
    expect(client.supabase.getChannels()).toEqual([]);
  });

  it("shows no member who has left", async () => {
    let say: (event: string, payload: object) => void = () => {};
    const { client } = await openRealtime((speak) => {
      say = speak;
      say("system", ready);
    });
    const seen: Presence[][] = [];
    await client.realtime.order("o1", { onPresence: (present) => seen.push(present) });
    const meta = (phx_ref: string, facts: object) => ({ metas: [{ phx_ref, ...facts }] });
    const idle = meta("1", { name: "Sana" });
    const packing = meta("2", { name: "Sana", packing: true, phx_ref_prev: "1" });
    say("presence_state", { b: meta("3", { name: "Cleo" }) });
    say("presence_diff", { joins: { a: idle }, leaves: {} });
    say("presence_diff", { joins: { a: packing }, leaves: { a: idle } });
    say("presence_diff", { joins: {}, leaves: { a: packing } });
    const cleo = { name: "Cleo" };
    await eventually(() =>
      expect(seen).toEqual([
        [cleo],
        [cleo, { name: "Sana" }],
        [cleo, { name: "Sana", packing: true }],
        [cleo],
      ]),
    );
  });

  it("sends its presence again after an interruption", async () => {
    const { client, sockets, heard } = await openRealtime((say) => say("system", ready));
    const onError = vi.fn();
    const onReconnect = vi.fn();
    const order = await client.realtime.order("o1", { onError, onReconnect });
    await order.track({ name: "Cleo" });
    sockets[0]?.terminate();
    await eventually(() => expect(onReconnect).toHaveBeenCalledTimes(1));
    expect(onError).toHaveBeenCalledTimes(1);
    await eventually(() => expect(heard).toEqual(["phx_join", "presence", "phx_join", "presence"]));
  });

  it("reports to all subscribers that the server has ended it, and joins again on request", async () => {
    let end = () => {};
    const { client } = await openRealtime((say) => {
      say("system", ready);
      end = () => {
        say("system", { ...ready, status: "error", message: "Token has expired" });
        say("phx_close", {});
      };
    });
    const [one, two] = [
      { onError: vi.fn(), onClose: vi.fn() },
      { onError: vi.fn(), onClose: vi.fn() },
    ];
    await Promise.all([client.realtime.order("o1", one), client.realtime.order("o1", two)]);
    end();
    for (const { onError, onClose } of [one, two]) {
      await eventually(() => expect(onClose).toHaveBeenCalledTimes(1));
      expect(onError).toHaveBeenCalledWith(new Error("realtime refused: Token has expired"));
    }
    const order = await client.realtime.order("o1", {});
    expect(client.supabase.getChannels()).toHaveLength(1);
    await order.unsubscribe();
  });
});
