import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../eventually.js";
import { certificateFor } from "./certificate.js";
import { type Listening, openRaw, openShop, type Sender, startSender } from "./sending.js";

// The connections of webhooks: they are kept for later deliveries to the same receiver, for a limited time.

const certificate = certificateFor("shop.example.com");

let sender: Sender;

beforeAll(async () => {
  sender = await startSender([certificate]);
});

afterAll(() => sender.stop());

async function shop(...how: Parameters<typeof openShop>) {
  const opened = await openShop(...how);
  onTestFinished(opened.close);
  return opened;
}

function here({ port }: Listening): string {
  return `http://127.0.0.1:${port}/hook`;
}

describe("a connection", () => {
  /** Makes this many attempts, one after the other. */
  async function deliver(there: Listening, count: number) {
    for (let made = 0; made < count; made++) {
      expect((await sender.attempt({ url: here(there) })).outcome.error).toBeNull();
    }
  }

  it("is used for one delivery after the other", async () => {
    const there = await shop((response) => response.end("x".repeat(40_000)));
    const secure = await shop((response) => response.end(), certificate);
    await deliver(there, 5);
    expect(there.arrivals).toHaveLength(5);
    expect(there.connections).toHaveLength(1);
    const url = `https://shop.example.com:${secure.port}/`;
    const names = { "shop.example.com": [["127.0.0.1"]] };
    for (let made = 0; made < 3; made++) await sender.attempt({ url }, { names });
    expect(secure.arrivals).toHaveLength(3);
    expect(secure.connections).toHaveLength(1);
  });

  it("is used by one delivery at a time", async () => {
    const waiting: (() => void)[] = [];
    const there = await shop((response) => waiting.push(() => response.end()));
    const first = sender.attempt({ url: here(there) });
    await eventually(() => expect(waiting).toHaveLength(1));
    const second = sender.attempt({ url: here(there) });
    await eventually(() => expect(waiting).toHaveLength(2));
    for (const answer of waiting) answer();
    for (const { outcome } of await Promise.all([first, second])) expect(outcome.error).toBeNull();
    expect(there.connections).toHaveLength(2);
  });

  it("that was used last is used next, and the others expire", async () => {
    const waiting: (() => void)[] = [];
    const there = await shop((response) => {
      if (there.arrivals.length > 2) response.end();
      else waiting.push(() => response.end());
    });
    const attempts = [1, 2].map(() => sender.attempt({ url: here(there) }));
    await eventually(() => expect(waiting).toHaveLength(2));
    for (const [n, answer] of waiting.entries()) {
      answer();
      await attempts[n];
    }
    await deliver(there, 3);
    const sockets = there.arrivals.map(({ request }) => request.socket);
    expect(new Set(sockets.slice(2))).toEqual(new Set([sockets[1]]));
  });

  it("is closed when the receiver asks for it", async () => {
    const there = await shop((response) => response.setHeader("connection", "close").end());
    await deliver(there, 2);
    expect(there.connections).toHaveLength(2);
  });

  it("is closed before the receiver would close it", async () => {
    const there = await shop();
    there.server.keepAliveTimeout = 4000;
    await deliver(there, 1);
    const [connection] = there.connections;
    const endedBy = new Promise((ended) => connection?.once("end", () => ended("the sender")));
    expect(await endedBy).toBe("the sender");
  });

  it("that the receiver has closed is not used again", async () => {
    const there = await shop();
    await deliver(there, 1);
    there.connections[0]?.destroy();
    await deliver(there, 1);
    expect(there.arrivals).toHaveLength(2);
  });

  it("that is closed during a delivery is opened again, once", async () => {
    const there = await shop((response, { request }) => {
      if (there.arrivals.length === 1) response.end();
      else request.socket.destroy();
    });
    await deliver(there, 1);
    expect((await sender.attempt({ url: here(there) })).outcome).toMatchObject({
      response_code: null,
      error: "the receiver closed the connection before it answered",
    });
    expect(there.arrivals).toHaveLength(3);
    expect(there.connections).toHaveLength(2);
    const ids = there.arrivals.map(({ request }) => request.headers["webhook-id"]);
    expect(ids[1]).toBe(ids[2]);
  });

  it("waits among at most 500", async () => {
    const held: (() => void)[] = [];
    const there = await shop((response) => held.push(() => response.end()));
    const attempts = Array.from({ length: 510 }, () => sender.attempt({ url: here(there) }));
    await eventually(() => expect(held).toHaveLength(510));
    for (const answer of held) answer();
    await Promise.all(attempts);
    const waiting = () => there.connections.filter(({ destroyed }) => !destroyed);
    await eventually(() => expect(waiting().length).toBeLessThanOrEqual(500));
    expect(there.connections).toHaveLength(510);
  });

  it("that never becomes secure counts towards the maximum of 10 per address", async () => {
    const there = await openRaw(() => {});
    onTestFinished(there.close);
    const url = `https://127.0.0.1:${there.port}/`;
    const attempt = async () => (await sender.attempt({ url }, { timeoutMs: 1000 })).outcome.error;
    const late = "the receiver did not answer within 1 seconds";
    const errors = await Promise.all(Array.from({ length: 10 }, attempt));
    expect(new Set(errors)).toEqual(new Set([late]));
    expect(there.connections).toHaveLength(10);
    expect(await attempt()).toBe("the receiver does not complete TLS handshakes");
    expect(there.connections).toHaveLength(10);
    // When the receiver closes one, another can be opened.
    there.connections[0]?.destroy();
    await eventually(async () => expect(await attempt()).toBe(late));
    expect(there.connections).toHaveLength(11);
  });
});
