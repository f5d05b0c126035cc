import { createHmac } from "node:crypto";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { certificateFor } from "./certificate.js";
import { type Listening, openShop, SECRET, type Sender, startSender } from "./sending.js";

// Outgoing requests and their targets. The sender runs in Deno and resolves names as each test says; the receivers are
// on this machine.

const shopCertificate = certificateFor("shop.example.com");

let sender: Sender;

beforeAll(async () => {
  sender = await startSender([shopCertificate]);
});

afterAll(() => sender.stop());

async function shop(...how: Parameters<typeof openShop>) {
  const opened = await openShop(...how);
  onTestFinished(opened.close);
  return opened;
}

function here({ port }: Listening, path = "/hook"): string {
  return `http://127.0.0.1:${port}${path}`;
}

function hexHmac(secret: string, body: string): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}

describe("a delivery", () => {
  it("is sent completely, with a report of its outcome", async () => {
    const there = await shop((response) => response.writeHead(202).end("thank you"));
    const body = JSON.stringify({ event: "order.created", data: "Süßes für 10 €, 甘い 🍬\n" });
    const before = Date.now();
    const { outcome } = await sender.attempt({
      id: "0c5ee3d5-5d0f-4d6f-b0a1-6a2f3f1b8f10",
      url: here(there, "/hooks/a%20b?of=souk&to=http://10.0.0.1/#part"),
      body,
    });
    expect(outcome).toEqual({
      started_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      duration_ms: expect.any(Number),
      response_code: 202,
      response_body: "thank you",
      retry_after_seconds: null,
      error: null,
    });
    expect(Date.parse(outcome.started_at)).toBeGreaterThanOrEqual(before);
    expect(Number.isInteger(outcome.duration_ms)).toBe(true);
    const [arrival] = there.arrivals;
    expect(there.arrivals).toHaveLength(1);
    expect(arrival?.request).toMatchObject({
      method: "POST",
      url: "/hooks/a%20b?of=souk&to=http://10.0.0.1/",
    });
    expect(arrival?.body).toBe(body);
    expect(arrival?.request.headers).toEqual({
      host: `127.0.0.1:${there.port}`,
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(body)),
      "accept-encoding": "identity",
      connection: "keep-alive",
      "user-agent": "Souk-Webhooks/1",
      "x-webhook-event": "order.created",
      "x-webhook-id": "0c5ee3d5-5d0f-4d6f-b0a1-6a2f3f1b8f10",
      "x-webhook-signature": hexHmac(SECRET, body),
      "webhook-id": "0c5ee3d5-5d0f-4d6f-b0a1-6a2f3f1b8f10",
      "webhook-timestamp": expect.stringMatching(/^\d{10}$/),
      "webhook-signature": expect.stringMatching(/^v1,[\w+/]{43}=$/),
    });
  });

  it("may have the maximum size of an event", async () => {
    const there = await shop();
    const body = JSON.stringify({ data: "ü".repeat(500_000) });
    const { outcome } = await sender.attempt({ url: here(there), body });
    expect(outcome.error).toBeNull();
    expect(there.arrivals[0]?.body).toBe(body);
  });

  it.each([
    ["generated", `whsec_${Buffer.from("twenty-four bytes of key").toString("base64")}`],
    ["sent", SECRET],
  ])("is verified by the library of Standard Webhooks, with a secret that was %s", async (_, secret) => {
    const there = await shop();
    await sender.attempt({ url: here(there), secrets: [secret] });
    const { request, body } = there.arrivals[0] as (typeof there.arrivals)[0];
    const headers = request.headers as Record<string, string>;
    const library = new StandardWebhook(secret, secret === SECRET ? { format: "raw" } : {});
    expect(library.verify(body, headers)).toEqual({ event: "order.created" });
    expect(() => library.verify(`${body} `, headers)).toThrow();
    expect(headers["x-webhook-signature"]).toBe(hexHmac(secret, body));
    expect(headers).not.toHaveProperty("x-webhook-signature-previous");
  });

  it("is signed with both secrets while both are valid", async () => {
    const there = await shop();
    const previous = `whsec_${Buffer.from("the key of the day before").toString("base64")}`;
    await sender.attempt({ url: here(there), secrets: [SECRET, previous] });
    const { request, body } = there.arrivals[0] as (typeof there.arrivals)[0];
    const headers = request.headers as Record<string, string>;
    expect(headers["webhook-signature"]).toMatch(/^v1,\S+ v1,\S+$/);
    const words = Buffer.from(SECRET).toString("base64");
    expect(new StandardWebhook(words).verify(body, headers)).toBeTruthy();
    expect(new StandardWebhook(previous).verify(body, headers)).toBeTruthy();
    expect(() =>
      new StandardWebhook(`${SECRET}!`, { format: "raw" }).verify(body, headers),
    ).toThrow();
    expect(headers["x-webhook-signature"]).toBe(hexHmac(SECRET, body));
    expect(headers["x-webhook-signature-previous"]).toBe(hexHmac(previous, body));
  });

  it("has the webhook's headers, which cannot replace ours", async () => {
    const there = await shop();
    await sender.attempt({
      url: here(there),
      headers: {
        Authorization: "Bearer of-the-shop",
        "X-Shop": 'north, "south"',
        "x-webhook-id": "forged",
        "X-Webhook-Signature-Previous": "forged",
        "WEBHOOK-SIGNATURE": "forged",
        "user-agent": "forged",
        "content-type": "text/plain",
        "content-LENGTH": "3",
        "Transfer-Encoding": "chunked",
        Host: "10.0.0.1",
        Connection: "close",
        "X-Split\r\nX-Smuggled": "1",
        "X-Lines": "1\r\nX-Smuggled: 1\r\n\r\nGET / HTTP/1.1",
        "X-Nul": "\0",
        "": "nameless",
      },
    });
    const [arrival] = there.arrivals;
    expect(there.arrivals).toHaveLength(1);
    expect(arrival?.request.headers).toMatchObject({
      authorization: "Bearer of-the-shop",
      "x-shop": 'north, "south"',
      host: `127.0.0.1:${there.port}`,
      "user-agent": "Souk-Webhooks/1",
      "content-type": "application/json",
    });
    const raw = JSON.stringify(arrival?.request.rawHeaders);
    for (const absent of [
      "forged",
      "muggled",
      "Split",
      "Lines",
      "Nul",
      "nameless",
      "chunked",
      "close",
    ])
      expect(raw).not.toContain(absent);
  });
});

describe("the receiver's address", () => {
  const NAME = "shop.example.com";

  it("is connected to by IP, and verified by its name", async () => {
    const there = await shop(undefined, shopCertificate);
    const url = `https://${NAME}:${there.port}/`;
    const { outcome, asked } = await sender.attempt(
      { url },
      { names: { [NAME]: [["127.0.0.1"]] } },
    );
    expect(outcome.error).toBeNull();
    expect(asked).toEqual([NAME]);
    expect(there.arrivals).toMatchObject([{ servername: NAME, address: "127.0.0.1" }]);
    expect(there.arrivals[0]?.request.headers.host).toBe(`${NAME}:${there.port}`);
  });

  it("is refused if the certificate is for another name, or untrusted", async () => {
    const forged = await shop(undefined, certificateFor(NAME));
    const there = await shop(undefined, shopCertificate);
    const names = { "other.example.com": [["127.0.0.1"]], [NAME]: [["127.0.0.1"]] };
    for (const url of [
      `https://other.example.com:${there.port}/`,
      `https://${NAME}:${forged.port}/`,
    ]) {
      expect((await sender.attempt({ url }, { names })).outcome).toMatchObject({
        response_code: null,
        error: "the receiver's certificate is not valid",
      });
    }
    expect([...there.arrivals, ...forged.arrivals]).toEqual([]);
  });

  it("is refused if it does not speak TLS", async () => {
    const there = await shop();
    const url = `https://127.0.0.1:${there.port}/`;
    expect((await sender.attempt({ url })).outcome).toMatchObject({
      response_code: null,
      error: "the TLS handshake with the receiver failed",
    });
  });

  it("is the checked one, even if the name changes a moment later", async () => {
    const there = await shop();
    const name = "rebound.example.com";
    const url = `http://${name}:${there.port}/`;
    const names = { [name]: [["127.0.0.1"], ["10.0.0.1"]] };
    const first = await sender.attempt({ url }, { names });
    expect(first.outcome.error).toBeNull();
    expect(first.asked).toEqual([name]);
    expect(there.arrivals).toMatchObject([{ address: "127.0.0.1" }]);
    // A kept connection is not used for the next delivery either.
    expect((await sender.attempt({ url }, { names })).outcome).toMatchObject({
      response_code: null,
      error: "the address is not on the public internet",
    });
    expect(there.arrivals).toHaveLength(1);
  });

  it("is not connected to when one of several is private", async () => {
    const there = await shop();
    const url = `http://mixed.example.com:${there.port}/`;
    const names = { "mixed.example.com": [["127.0.0.1", "10.0.0.1"]] };
    const { outcome } = await sender.attempt({ url }, { names });
    expect(outcome.error).toBe("the address is not on the public internet");
    expect(there.connections).toEqual([]);
  });

  it("is never this machine's, except for a local stack", async () => {
    const there = await shop();
    const names = { [NAME]: [["127.0.0.1"]] };
    for (const host of ["127.0.0.1", "localhost", "[::1]", NAME]) {
      const url = `http://${host}:${there.port}/`;
      const { outcome } = await sender.attempt({ url }, { names, mayReachLoopback: false });
      expect(outcome).toMatchObject({
        response_code: null,
        error: "the address is not on the public internet",
      });
    }
    expect(there.connections).toEqual([]);
  });

  it("follows a change of the name", async () => {
    const there = await shop();
    const url = `http://moved.example.com:${there.port}/`;
    const names = { "moved.example.com": [["127.0.0.1"], ["127.0.0.2"]] };
    await sender.attempt({ url }, { names });
    await sender.attempt({ url }, { names });
    expect(there.arrivals.map(({ address }) => address)).toEqual(["127.0.0.1", "127.0.0.2"]);
  });

  it("is the next one when the first refuses connections", async () => {
    const there = await shop(undefined, undefined, "127.0.0.3");
    const url = `http://several.example.com:${there.port}/`;
    const names = { "several.example.com": [["127.0.0.2", "127.0.0.3"], ["127.0.0.2"]] };
    expect((await sender.attempt({ url }, { names })).outcome.error).toBeNull();
    expect(there.arrivals).toMatchObject([{ address: "127.0.0.3" }]);
    expect((await sender.attempt({ url }, { names })).outcome).toMatchObject({
      response_code: null,
      error: "the receiver could not be reached",
    });
  });

  it.each([301, 302, 303, 307, 308])("does not change with a redirect (%d)", async (status) => {
    const target = await shop();
    const there = await shop((response) =>
      response.writeHead(status, { location: here(target) }).end(),
    );
    expect((await sender.attempt({ url: here(there) })).outcome).toMatchObject({
      response_code: status,
      error: `the receiver answered ${status}`,
    });
    expect(there.arrivals).toHaveLength(1);
    expect(target.connections).toEqual([]);
  });
});
