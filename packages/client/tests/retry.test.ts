import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { SoukClient, Wait } from "../src/index.js";
import { clientOf, openServer } from "./server.js";

const order = { id: "o1", status: "pending" };
const refused = (status: number, headers = {}) => ({ status, headers, body: "<html>" });

const newOrder = {
  marketplace_id: "m1",
  items: [{ product_id: "p1", quantity: 1, price: 2 }],
  shipping_address: { street: "s", city: "c", postal_code: "p" },
};

/** Fails this number of calls as a network does, and then answers. */
function failing(times: number, answer: Response = Response.json(order)) {
  const sent: Request[] = [];
  const fetch = async (request: Request) => {
    sent.push(request);
    if (sent.length <= times) throw new TypeError("fetch failed");
    return answer;
  };
  return { sent, client: clientOf({ url: "http://souk.invalid" }, { fetch: fetch as never }) };
}

describe("retries", () => {
  it.each([429, 500, 502, 503, 504, 522])("a GET that was answered %i", async (status) => {
    const server = await openServer((_, count) => (count < 3 ? refused(status) : { body: order }));
    expect(await clientOf(server).orders.get("o1")).toEqual(order);
    expect(server.asked).toHaveLength(3);
  });

  it.each([429, 500, 503])("a POST with a key that was answered %i", async (status) => {
    const server = await openServer((_, count) => (count < 3 ? refused(status) : { body: order }));
    expect(await clientOf(server).orders.place(newOrder)).toEqual(order);
    expect(server.asked.map(({ body }) => JSON.parse(body))).toEqual([
      newOrder,
      newOrder,
      newOrder,
    ]);
    const keys = server.asked.map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toEqual([keys[0], keys[0], keys[0]]);
    expect(keys[0]).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  it("a PUT, which is idempotent", async () => {
    const server = await openServer((_, count) => (count < 2 ? refused(503) : { body: order }));
    await clientOf(server).marketplaces.update("m1", { name: "Oasis" });
    expect(server.asked).toHaveLength(2);
  });

  it("a call that failed in the network", async () => {
    for (const call of [
      (client: SoukClient) => client.orders.get("o1"),
      (client: SoukClient) => client.orders.place(newOrder),
      (client: SoukClient) => client.marketplaces.update("m1", {}),
    ]) {
      const { sent, client } = failing(2);
      expect(await call(client)).toEqual(order);
      expect(sent).toHaveLength(3);
    }
  });

  it("a call with an incomplete answer", async () => {
    let asked = 0;
    const server = createServer((_, response) => {
      asked += 1;
      response.writeHead(201, { "content-type": "application/json", "content-length": "99" });
      if (asked === 1) response.write('{"id":', () => response.destroy());
      else response.end(JSON.stringify({ id: "o1" }).padEnd(99));
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await clientOf({ url }).orders.place(newOrder)).toEqual({ id: "o1" });
    expect(asked).toBe(2);
  });

  it("a call without a key, and a status change, only if the server did nothing", async () => {
    for (const call of [
      (client: SoukClient) => client.auth.login({ email: "a@example.com", password: "p" }),
      (client: SoukClient) => client.orders.changeStatus("o1", { status: "shipped" }),
    ]) {
      const answers = [refused(429), refused(409, { "retry-after": "0" })];
      const server = await openServer(() => answers.shift() ?? refused(503));
      await expect(call(clientOf(server))).rejects.toMatchObject({ status: 503 });
      expect(server.asked).toHaveLength(3);
      const { sent, client } = failing(1);
      await expect(call(client)).rejects.toThrow("fetch failed");
      expect(sent).toHaveLength(1);
    }
  });

  it("a POST whose first attempt is still running, until it ends", async () => {
    const statuses = [502, 409, 409];
    const server = await openServer(() => {
      const status = statuses.shift();
      return status ? refused(status, { "retry-after": "0" }) : { body: order };
    });
    expect(await clientOf(server).orders.place(newOrder)).toEqual(order);
    expect(server.asked).toHaveLength(4);
  });

  it("a DELETE, and treats 404 after a lost attempt as success", async () => {
    const statuses = [504, 404, 404];
    const server = await openServer(() => refused(statuses.shift() ?? 500));
    const { invitations } = clientOf(server);
    expect(await invitations.remove("i1")).toBeUndefined();
    await expect(invitations.remove("i1")).rejects.toMatchObject({ status: 404 });
  });

  it.each([400, 401, 409, 422])("no call that was answered %i", async (status) => {
    const server = await openServer(() => refused(status));
    await expect(clientOf(server).orders.get("o1")).rejects.toMatchObject({ status });
    await expect(clientOf(server).orders.place(newOrder)).rejects.toMatchObject({ status });
    expect(server.asked).toHaveLength(2);
  });

  it("no call that failed in the client", async () => {
    let sent = 0;
    const { orders } = clientOf(
      { url: "http://souk.invalid" },
      {
        fetch: async () => {
          sent += 1;
          throw new RangeError("no such proxy");
        },
      },
    );
    await expect(orders.get("o1")).rejects.toThrow("no such proxy");
    expect(sent).toBe(1);
  });

  it("a limited number of times", async () => {
    const server = await openServer(() => refused(503));
    await expect(clientOf(server).orders.get("o1")).rejects.toMatchObject({ status: 503 });
    expect(server.asked).toHaveLength(4);
    const once = clientOf(server, { retry: { times: 0 } });
    await expect(once.orders.get("o1")).rejects.toMatchObject({ status: 503 });
    expect(server.asked).toHaveLength(5);
  });

  it("with a longer wait each time", async () => {
    const times: number[] = [];
    const server = await openServer(() => {
      times.push(performance.now());
      return refused(503);
    });
    await expect(
      clientOf(server, { retry: { firstWaitMs: 40 } }).orders.get("o1"),
    ).rejects.toThrow();
    const waits = times.slice(1).map((time, i) => time - (times[i] as number));
    // At least half of 40, 80 and 160 milliseconds; timers may fire a millisecond early.
    expect(waits[0]).toBeGreaterThan(18);
    expect(waits[1]).toBeGreaterThan(38);
    expect(waits[2]).toBeGreaterThan(78);
  });

  it("after the time that the server asks for", async () => {
    const times: number[] = [];
    const server = await openServer((_, count) => {
      times.push(performance.now());
      return count === 1 ? refused(429, { "retry-after": "1" }) : { body: order };
    });
    await clientOf(server).orders.get("o1");
    expect((times[1] as number) - (times[0] as number)).toBeGreaterThan(990);
  });

  it("and reports each retry with its request", async () => {
    const waits: object[] = [];
    const server = await openServer((_, count) =>
      count === 1 ? refused(429, { "retry-after": "0" }) : { body: order },
    );
    const retry = { firstWaitMs: 5, onWait: (wait: Wait) => void waits.push(wait) };
    await clientOf(server, { retry }).orders.get("o1");
    expect(waits).toEqual([
      {
        waitMs: expect.any(Number),
        repeated: 0,
        status: 429,
        method: "GET",
        url: `${server.url}/functions/v1/api/orders/o1`,
      },
    ]);
  });

  it("no call for which the server asks for more than the given maxWaitMs", async () => {
    const server = await openServer(() => refused(429, { "retry-after": "2" }));
    const call = clientOf(server, { retry: { maxWaitMs: 1000 } }).orders.get("o1");
    await expect(call).rejects.toMatchObject({ status: 429, retryAfter: 2 });
    expect(server.asked).toHaveLength(1);
  });

  it("after a date in Retry-After", async () => {
    const past = new Date(0).toUTCString();
    const server = await openServer((_, count) =>
      count === 1 ? refused(429, { "retry-after": past }) : { body: order },
    );
    await clientOf(server, { retry: { firstWaitMs: 1 } }).orders.get("o1");
    expect(server.asked).toHaveLength(2);
  });

  it("no call for which the server asks for more than the default maximum", async () => {
    const server = await openServer(() => refused(429, { "retry-after": "61" }));
    await expect(clientOf(server).orders.get("o1")).rejects.toMatchObject({ status: 429 });
    expect(server.asked).toHaveLength(1);
  });
});

describe("an aborted call", () => {
  const reason = new Error("enough");

  it("ends while the server does not answer", async () => {
    const aborter = new AbortController();
    const server = await openServer(() => {
      aborter.abort(reason);
      return "never";
    });
    await expect(clientOf(server).orders.get("o1", { signal: aborter.signal })).rejects.toBe(
      reason,
    );
  });

  it("ends while it waits for a retry", async () => {
    const aborter = new AbortController();
    const server = await openServer(() => {
      setTimeout(() => aborter.abort(reason), 50);
      return refused(503, { "retry-after": "30" });
    });
    await expect(clientOf(server).orders.get("o1", { signal: aborter.signal })).rejects.toBe(
      reason,
    );
    expect(server.asked).toHaveLength(1);
  });
});
