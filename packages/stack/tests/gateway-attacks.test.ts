import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, openGateway } from "../src/gateway.js";
import { createKeys, type Keys } from "../src/keys.js";
import type { Service } from "../src/service.js";
import { parts } from "../src/services.js";
import { memoryLog } from "./functions-setup.js";

let keys: Keys;
let gateway: Gateway;
const lines: string[] = [];

const echo: Service = {
  fetch: async (request) => {
    const { pathname, search } = new URL(request.url);
    if (pathname === "/fails") throw new Error("it fails");
    return Response.json({
      path: pathname + search,
      authorization: request.headers.get("authorization"),
      body: await request.text(),
    });
  },
  close: async () => {},
};

beforeAll(async () => {
  keys = await createKeys();
  gateway = await openGateway(0, keys, memoryLog(lines));
  gateway.serve(parts.flatMap(({ route }) => (route ? [{ ...route, service: echo }] : [])));
});
afterAll(() => gateway.close());

/** The server's answer to bytes, until it closes the connection. */
async function send(...parts: string[]): Promise<string> {
  const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
  await once(socket, "connect");
  for (const part of parts) socket.write(part.replaceAll("\n", "\r\n"));
  return await text(socket);
}

const head = (target: string, ...headers: string[]) =>
  `GET ${target} HTTP/1.1\nHost: stack\nConnection: close\n${headers.map((h) => `${h}\n`).join("")}\n`;
const anon = () => `apikey: ${keys.anonKey}`;
const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
const bodiesOf = (answer: string) =>
  [...answer.matchAll(/\{"path.*?\}/g)].map(([b]) => JSON.parse(b));

describe("refuses an ambiguous request", () => {
  test.each([
    ["two lengths", "Content-Length: 3", "Content-Length: 5"],
    ["two lengths in one header", "Content-Length: 3, 5"],
    ["a length and chunks", "Content-Length: 3", "Transfer-Encoding: chunked"],
    ["an unknown coding", "Transfer-Encoding: xchunked"],
    ["a space before the colon", "Content-Length : 3"],
    ["a folded header", "x-a: b\n c: d"],
    ["two tokens", "Authorization: Bearer a", "authorization: Bearer b"],
    ["a header with a zero byte", "x-a: \0"],
  ])("%s", async (_, ...headers) => {
    const answer = await send(
      head("/rest/v1/x", anon(), ...headers).replace("GET", "POST"),
      "abc\nGET /rest/v1/smuggled HTTP/1.1\nHost: stack\n\n",
    );
    expect(statusOf(answer)).toBe(400);
    expect(answer).not.toContain("smuggled");
  });

  test("two API keys", async () => {
    const answer = await send(head("/rest/v1/x", anon(), anon()));
    expect(statusOf(answer)).toBe(401);
  });
});

describe("an unusual target", () => {
  test.each([
    ["http://elsewhere/rest/v1/x", 200, "/x"],
    ["http://elsewhere/functions/v1/../../rest/v1/x", 200, "/x"],
    ["/rest/v1/%2e%2e%2fauth%2fv1", 200, "/%2e%2e%2fauth%2fv1"],
    ["/rest/v1/a%2Fb", 200, "/a%2Fb"],
    ["/rest/v1/%00", 200, "/%00"],
    [
      "/rest/v1/__proto__?constructor=eq.1&__proto__[a]=b",
      200,
      "/__proto__?constructor=eq.1&__proto__[a]=b",
    ],
    ["/rest/v1/x?a=%ff%fe&b=%", 200, "/x?a=%ff%fe&b=%"],
    ["/%72est/v1/x", 404, null],
    ["//rest/v1/x", 404, null],
    ["/rest//v1/x", 404, null],
    ["/constructor", 404, null],
    ["*", 400, null],
    ["rest/v1/x", 400, null],
    ["http://[", 400, null],
  ])("%s is answered with %i", async (target, status, path) => {
    const answer = await send(head(target, anon()));
    expect(statusOf(answer)).toBe(status);
    expect(bodiesOf(answer)[0]?.path ?? null).toBe(path);
  });

  test("too long a target, too long a header, too many bytes together", async () => {
    expect(statusOf(await send(head(`/rest/v1/x?a=${"a".repeat(70_000)}`, anon())))).toBe(431);
    expect(statusOf(await send(head("/rest/v1/x", anon(), `x: ${"a".repeat(70_000)}`)))).toBe(431);
    expect(statusOf(await send(head(`/rest/v1/x?a=${"a".repeat(8_000)}`, anon())))).toBe(200);
  });

  test("an invalid host, and no host", async () => {
    const before = lines.length;
    const asked = head("/rest/v1/x", anon());
    expect(statusOf(await send(asked.replace("stack", "a/b@c")))).toBe(400);
    expect(statusOf(await send(asked.replace("HTTP/1.1\nHost: stack", "HTTP/1.0")))).toBe(200);
    expect(lines).toHaveLength(before);
  });

  test("an unknown method", async () => {
    const ask = (method: string) => send(head("/rest/v1/x", anon()).replace("GET", method));
    expect(statusOf(await ask("BREW"))).toBe(400);
    expect(await ask("CONNECT")).toBe("");
    expect(statusOf(await ask("PROPFIND"))).toBe(200);
  });
});

describe("an Upgrade header for another protocol", () => {
  const offer = ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk"];

  test("is ignored, and the request is answered, with its body, and the next one too", async () => {
    const asked = `POST /rest/v1/x HTTP/1.1\nHost: stack\n${anon()}\n${offer.join("\n")}\nContent-Length: 5\n\nhe`;
    const answer = await send(asked, "llo", head("/rest/v1/next", anon()));
    expect(bodiesOf(answer)).toMatchObject([{ path: "/x", body: "hello" }, { path: "/next" }]);
  });

  test("does not skip the checks", async () => {
    const answer = await send(
      `GET /rest/v1/x HTTP/1.1\nHost: stack\n${offer.join("\n")}\n\n`,
      head("/"),
    );
    expect(statusOf(answer)).toBe(401);
  });

  test.each([
    "/rest/v1/x",
    "/auth/v1/health",
    "/__proto__",
    "//realtime/v1/websocket",
  ])("a websocket at %s is refused", async (target) => {
    const answer = await send(
      `GET ${target} HTTP/1.1\nHost: stack\nConnection: Upgrade\nUpgrade: websocket\n\n`,
    );
    expect(statusOf(answer)).toBe(404);
  });
});

test("a secret key in a browser and a key of another project are refused", async () => {
  const ask = async (headers: Record<string, string>) => {
    const answer = await fetch(`${gateway.url}/rest/v1/x`, { headers });
    return [answer.status, (await answer.json()).message, answer.headers.get("sb-error-code")];
  };
  const browser = "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0";
  expect(await ask({ apikey: keys.secretKey, "user-agent": browser })).toEqual([
    401,
    "Forbidden use of secret API key in browser",
    "UNAUTHORIZED_INVALID_API_KEY_TYPE",
  ]);
  for (const apikey of [keys.publishableKey, keys.serviceRoleKey]) {
    expect((await ask({ apikey, "user-agent": browser }))[0]).toBe(200);
  }
  for (const apikey of ["sb_publishable_other", "sb_secret_", `${keys.secretKey}x`]) {
    expect(await ask({ apikey })).toEqual([401, "Unregistered API key", null]);
  }
});

test("the log and the answers contain no keys or tokens", async () => {
  const token = await keys.sign({ role: "authenticated", sub: "me" });
  const secrets = [keys.anonKey, keys.serviceRoleKey, keys.secretKey, keys.publishableKey, token];
  for (const path of [
    "rest/v1/fails",
    "auth/v1/fails",
    "functions/v1/fails",
    "nowhere",
    "rest/v1/%",
  ]) {
    for (const secret of secrets) {
      const init = {
        method: "POST",
        headers: { apikey: secret, authorization: `Bearer ${secret}` },
        body: secret,
      };
      const answer = await fetch(`${gateway.url}/${path}?apikey=${secret}&token=${secret}`, init);
      if (answer.status !== 200) expect(await answer.text()).not.toContain(secret.slice(-20));
    }
  }
  expect(lines.length).toBeGreaterThan(5);
  for (const secret of secrets) expect(lines.join("\n")).not.toContain(secret.slice(-20));
});
