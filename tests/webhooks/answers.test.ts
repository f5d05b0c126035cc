import type { Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../eventually.js";
import { type Listening, openRaw, openShop, type Sender, startSender } from "./sending.js";

// Answers of receivers, valid and invalid. The sender runs in Deno; the receivers are on this machine.

let sender: Sender;

beforeAll(async () => {
  sender = await startSender([]);
});

afterAll(() => sender.stop());

async function shop(...how: Parameters<typeof openShop>) {
  const opened = await openShop(...how);
  onTestFinished(opened.close);
  return opened;
}

async function raw(...how: Parameters<typeof openRaw>) {
  const opened = await openRaw(...how);
  onTestFinished(opened.close);
  return opened;
}

function here({ port }: Listening): string {
  return `http://127.0.0.1:${port}/hook`;
}

async function outcomeOf(there: Listening, timeoutMs?: number) {
  return (await sender.attempt({ url: here(there) }, timeoutMs ? { timeoutMs } : {})).outcome;
}

/** The outcome of an answer with these bytes, after which the connection is closed. */
async function outcomeOfBytes(bytes: string) {
  return await outcomeOf(await raw(bytes));
}

/** Waits until all connections are closed. */
async function closed(there: Listening) {
  await eventually(() =>
    expect(there.connections.filter(({ destroyed }) => !destroyed)).toHaveLength(0),
  );
}

const OK = "HTTP/1.1 200 OK\r\n";

describe("an answer", () => {
  it.each([
    [200, null],
    [204, null],
    [299, null],
    [304, "the receiver answered 304"],
    [404, "the receiver answered 404"],
    [410, "the receiver answered 410"],
    [599, "the receiver answered 599"],
  ])("with status %d has the expected outcome", async (status, error) => {
    const there = await shop((response) => response.writeHead(status).end());
    expect(await outcomeOf(there)).toMatchObject({ response_code: status, error });
  });

  it.each([
    ["with a length", "Content-Length: 5\r\n\r\nthank"],
    [
      "in chunks",
      "Transfer-Encoding: chunked\r\n\r\n2\r\nth\r\n003;a=b\r\nank\r\n0\r\nA: b\r\n\r\n",
    ],
    ["until the connection ends", "\r\nthank"],
    ["in an unknown coding, until the connection ends", "Transfer-Encoding: other\r\n\r\nthank"],
    [
      "with headers of all kinds",
      "a: \r\nA:b\r\nSet-Cookie: \xff\r\nContent-length:5\r\n\r\nthank",
    ],
  ])("is read %s", async (_, rest) => {
    expect(await outcomeOfBytes(OK + rest)).toMatchObject({ response_body: "thank", error: null });
  });

  it.each([
    "HTTP/1.0 200 OK\r\n\r\nthank",
    "HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nthank",
    "HTTP/1.1 103 Early Hints\r\nLink: </>\r\n\r\nHTTP/1.1 200 OK\r\n\r\nthank",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\nthank",
    "HTTP/1.1 100\r\nA: b\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\nthank",
  ])("is accepted: %j", async (bytes) => {
    expect(await outcomeOfBytes(bytes)).toMatchObject({
      response_code: 200,
      response_body: "thank",
    });
  });

  it.each([
    "Content-Length: 5\r\n\r\nthank",
    "\r\nthank",
    "Transfer-Encoding: chunked\r\n\r\n5\r\nthank\r\n0\r\n\r\n",
  ])("with status 204 may have a body, which is not read: %j", async (rest) => {
    const there = await raw(`HTTP/1.1 204 No Content\r\n${rest}`);
    for (const _ of [1, 2]) {
      expect(await outcomeOf(there)).toMatchObject({
        response_code: 204,
        response_body: "",
        error: null,
      });
    }
  });

  it("may arrive byte by byte", async () => {
    const bytes = `HTTP/1.1 100 Continue\r\n\r\n${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nthank\r\n0\r\n\r\n`;
    const there = await raw((socket) => {
      socket.setNoDelay(true);
      let sent = 0;
      const next = () => {
        if (sent < bytes.length) socket.write(bytes.charAt(sent++), () => setImmediate(next));
      };
      socket.once("data", next);
    });
    expect(await outcomeOf(there)).toMatchObject({ response_body: "thank", error: null });
  });

  it("is stored as text, up to 1 kB", async () => {
    const bodies: [Buffer | string, string][] = [
      ["", ""],
      ["x".repeat(5000), "x".repeat(1024)],
      ["甘".repeat(1000), "甘".repeat(341)],
      [Buffer.from("a\0b"), "a\ufffdb"],
      [Buffer.from([0x61, 0xff, 0xfe, 0x62]), "a\ufffd\ufffdb"],
      [Buffer.alloc(2000, 0xff), "\ufffd".repeat(341)],
    ];
    const left = bodies.map(([body]) => body);
    const there = await shop((response) => response.end(left.shift()));
    for (const [, text] of bodies) expect((await outcomeOf(there)).response_body).toBe(text);
  });

  it("may ask for a later retry when it is 429 or 503", async () => {
    const inTwoMinutes = new Date(Date.now() + 120_000).toUTCString();
    const asked: [number, string, unknown][] = [
      [429, "30", 30],
      [503, "0", 0],
      [503, "3600", 3600],
      [429, "99999999999999999999", 3600],
      [503, inTwoMinutes, expect.toSatisfy((seconds) => seconds > 60 && seconds <= 121)],
      [503, "Wed, 21 Oct 2015 07:28:00 GMT", 0],
      [429, "Fri, 01 Jan 2100 00:00:00 GMT", 3600],
      [429, "soon", null],
      [429, "-1", null],
      [429, "1.5", null],
      [429, "", null],
      [500, "30", null],
      [200, "30", null],
    ];
    const left = [...asked];
    const there = await shop((response) => {
      const [status, value] = left.shift() ?? [];
      response.writeHead(status ?? 200, { "retry-after": value ?? "" }).end();
    });
    for (const [status, value, seconds] of asked) {
      const outcome = await outcomeOf(there);
      expect(outcome, value).toMatchObject({ response_code: status, retry_after_seconds: seconds });
    }
  });

  it("counts although the request was not read to its end", async () => {
    const there = await raw((socket) => {
      socket.once("data", () => {
        socket.pause();
        socket.write("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n");
      });
    });
    const body = "x".repeat(8_000_000);
    expect((await sender.attempt({ url: here(there), body })).outcome).toMatchObject({
      response_code: 413,
    });
  });

  it("that is too long is cut off", async () => {
    for (const head of ["Content-Length: 99999999\r\n", "Transfer-Encoding: chunked\r\n", ""]) {
      const part = "x".repeat(0x10000);
      const there = await raw((socket) => {
        const more = () => {
          while (
            socket.writable &&
            socket.write(head.startsWith("T") ? `10000\r\n${part}\r\n` : part)
          );
        };
        socket.once("data", () => {
          socket.write(`${OK}${head}\r\n`);
          socket.on("drain", more);
          more();
        });
      });
      expect(await outcomeOf(there)).toMatchObject({
        response_code: 200,
        response_body: "x".repeat(1024),
        error: null,
      });
      await closed(there);
    }
  });
});

describe("a failed attempt", () => {
  const LATE = "the receiver did not answer within 0.1 seconds";
  const INVALID = "the receiver's answer is not valid HTTP";
  const BROKEN_OFF = "the receiver closed the connection during its answer";
  const HUNG_UP = "the receiver closed the connection before it answered";
  const TOO_LARGE = "the receiver's headers are too large";

  /** Sends a text again and again, until the connection is closed. */
  function drip(beginning: string, drop: string) {
    return (socket: Socket) => {
      socket.write(beginning);
      const timer = setInterval(() => socket.write(drop), 10);
      socket.once("close", () => clearInterval(timer));
    };
  }

  it.each<[string, (socket: Socket) => void]>([
    ["sends nothing", () => {}],
    ["starts an answer", (socket) => socket.write("HTTP/1.1 2")],
    ["never ends its headers", drip(OK, "A: b\r\n")],
    ["never ends its body", drip(`${OK}Content-Length: 1000\r\n\r\n`, "x")],
    ["never ends its chunks", drip(`${OK}Transfer-Encoding: chunked\r\n\r\n`, "1\r\nx\r\n")],
    ["never ends a body without a length", drip(`${OK}\r\n`, "x")],
    ["never ends a chunk's extension", drip(`${OK}Transfer-Encoding: chunked\r\n\r\n1;`, "x")],
  ])("ends in time if the receiver %s", async (_, answer) => {
    const there = await raw(answer);
    expect(await outcomeOf(there, 100)).toEqual({
      started_at: expect.any(String),
      duration_ms: expect.any(Number),
      response_code: null,
      response_body: null,
      retry_after_seconds: null,
      error: LATE,
    });
    await closed(there);
  });

  it("ends in time if a TLS handshake or a lookup never ends", async () => {
    const there = await raw(() => {});
    const names = { "lost.example.com": [null] };
    for (const url of [`https://127.0.0.1:${there.port}/`, "https://lost.example.com/"]) {
      const { outcome } = await sender.attempt({ url }, { names, timeoutMs: 100 });
      expect(outcome.error).toBe(LATE);
    }
  });

  it("reports a host name that does not resolve, or a closed port", async () => {
    const { outcome } = await sender.attempt({ url: "https://nobody.example.com/" });
    expect(outcome).toMatchObject({ response_code: null, error: "the host name does not resolve" });
    const gone = await openShop();
    await gone.close();
    expect(await outcomeOf(gone)).toMatchObject({
      response_code: null,
      error: "the receiver could not be reached",
    });
  });

  it.each([
    ["", HUNG_UP],
    ["HTTP/1.1 200", BROKEN_OFF],
    [`${OK}Content-Length: 5\r\n`, BROKEN_OFF],
    [`${OK}Content-Length: 5\r\n\r\nthan`, BROKEN_OFF],
    [`${OK}Transfer-Encoding: chunked\r\n\r\n5\r\ntha`, BROKEN_OFF],
    [`${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nthank\r\n`, BROKEN_OFF],
    [`${OK}Transfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n`, BROKEN_OFF],
    ["HTTP/1.1 103 Early Hints\r\n\r\n", BROKEN_OFF],
    ["HTTP/1.1 100 Continue\r\n\r\n", BROKEN_OFF],
    ["220 mail.example.com ESMTP\r\n\r\n", INVALID],
    ["-ERR unknown command 'POST'\r\n\r\n", INVALID],
    ["HTTP/2 200\r\n\r\n", INVALID],
    ["HTTP/1.1 OK\r\n\r\n", INVALID],
    ["HTTP/1.1 20 OK\r\n\r\n", INVALID],
    ["HTTP/1.1 2000 OK\r\n\r\n", INVALID],
    ["HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n", INVALID],
    [`${OK}nameless\r\n\r\n`, INVALID],
    [`${OK}spaced : b\r\n\r\n`, INVALID],
    [`${OK}folded: a\r\n b\r\n\r\n`, INVALID],
    [`${OK}Content-Length: five\r\n\r\nthank`, INVALID],
    [`${OK}Content-Length: -5\r\n\r\nthank`, INVALID],
    [`${OK}Content-Length: 5\r\nContent-Length: 4\r\n\r\nthank`, INVALID],
    [`${OK}Content-Length: 99999999999999999999\r\n\r\nthank`, INVALID],
    [`${OK}Transfer-Encoding: chunked\r\n\r\nfive\r\nthank\r\n0\r\n\r\n`, INVALID],
    [`reports an invalid answer: %j`, INVALID],
    [`${OK}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nthank\r\n0\r\n\r\n`, INVALID],
    [`${OK}Transfer-Encoding: chunked\r\n\r\n4\r\nthank\r\n0\r\n\r\n`, INVALID],
  ])("is in %j", async (bytes, error) => {
    expect(await outcomeOfBytes(bytes)).toMatchObject({ response_code: null, error });
  });

  it("reports an answer without a limit", async () => {
    const floods = [
      [`${OK}A: ${"x".repeat(20_000)}\r\n\r\n`, TOO_LARGE],
      [`${OK}${"A: b\r\n".repeat(10_000)}\r\n`, TOO_LARGE],
      [`${OK}Transfer-Encoding: chunked\r\n\r\n1;${"x".repeat(20_000)}\r\n`, BROKEN_OFF],
      ["HTTP/1.1 103 Early Hints\r\n\r\n".repeat(100), BROKEN_OFF],
    ] as const;
    for (const [bytes, error] of floods) {
      expect(await outcomeOfBytes(bytes)).toMatchObject({ response_code: null, error });
    }
  });

  it("reports a broken connection", async () => {
    const reset = (beginning: string) => (socket: Socket) => {
      socket.once("data", () => socket.write(beginning, () => socket.resetAndDestroy()));
    };
    expect(await outcomeOf(await raw((socket) => socket.destroy()))).toMatchObject({
      response_code: null,
      error: expect.stringMatching(/closed the connection|could not be reached/),
    });
    expect(await outcomeOf(await raw(reset("")))).toMatchObject({ error: HUNG_UP });
    expect(await outcomeOf(await raw(reset("HTTP/1.1 20")))).toMatchObject({ response_code: null });
  });
});
