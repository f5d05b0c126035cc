import { createServer, type IncomingHttpHeaders } from "node:http";
import PostalMime from "postal-mime";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  NotSent,
  openTransport,
  type Transport,
} from "../../supabase/functions/_shared/mail/transport.ts";
import { messageOf } from "./messages.js";

// A mock of Resend's API with the parts that mails use.

const KEY = "re_Test-1234567890";
const requests: { url: string; headers: IncomingHttpHeaders; body: unknown }[] = [];
let answer: { status: number; headers?: Record<string, string>; body: string };

const server = createServer((request, response) => {
  let body = "";
  request.on("data", (part) => {
    body += part;
  });
  request.on("end", () => {
    requests.push({ url: request.url ?? "", headers: request.headers, body: JSON.parse(body) });
    response.writeHead(answer.status, answer.headers);
    response.end(answer.body);
  });
});

let resend: Transport;
beforeAll(async () => {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as { port: number };
  resend = openTransport(`resend://${KEY}`, { resendAddress: `http://127.0.0.1:${port}` });
});
beforeEach(() => {
  requests.length = 0;
  answer = { status: 200, body: '{"id":"49a3999c"}' };
});
afterAll(() => {
  server.close();
});

async function failure(): Promise<NotSent> {
  const found = await resend.send(messageOf()).catch((error: unknown) => error);
  expect(found).toBeInstanceOf(NotSent);
  return found as NotSent;
}

it("receives the mail, with the same idempotency key each time", async () => {
  const message = messageOf({
    from: { name: 'Amber "A" \r\n& Oak', address: "shop@amber.example" },
    to: { name: "", address: "ann@example.com" },
    replyTo: "help@amber.example",
    subject: "Hi\r\nBcc: x",
    headers: { "List-Unsubscribe": "<https://amber.example/u>" },
  });
  expect(await resend.send(message)).toEqual({ providerId: "49a3999c" });
  expect(await resend.send(message)).toEqual({ providerId: "49a3999c" });
  const [first, second] = requests;
  expect(first).toMatchObject({
    url: "/emails",
    headers: { authorization: `Bearer ${KEY}`, "idempotency-key": message.id },
    body: {
      from: '"Amber \\"A\\"  & Oak" <shop@amber.example>',
      to: ["ann@example.com"],
      reply_to: "help@amber.example",
      subject: "Hi Bcc: x",
      html: message.html,
      text: message.text,
      headers: { "List-Unsubscribe": "<https://amber.example/u>" },
    },
  });
  expect(second?.body).toEqual(first?.body);
  expect(second?.headers["idempotency-key"]).toBe(message.id);
});

it("receives names and subjects that look like encoded words encoded", async () => {
  const text = "=?utf-8?q?Oak=0D=0AX-Test:_1?=";
  await resend.send(
    messageOf({
      from: { name: text, address: "shop@amber.example" },
      to: { name: text, address: "ann@example.com" },
      subject: text,
      headers: { "List-Id": text },
    }),
  );
  const { from, to, subject, headers } = requests[0]?.body as {
    from: string;
    to: string[];
    subject: string;
    headers: object;
  };
  // As a mail program reads them.
  const mail = `From: ${from}\r\nTo: ${to[0]}\r\nSubject: ${subject}\r\n\r\n`;
  const read = await PostalMime.parse(mail);
  expect([read.from?.name, read.to?.[0]?.name, read.subject]).toEqual([text, text, text]);
  expect(JSON.stringify({ from, to, subject, headers })).not.toContain("=?utf-8?q?Oak");
});

describe("the answer", () => {
  it.each([
    [429, "7", "throttled", 7],
    [429, undefined, "throttled", undefined],
    [429, "Fri, 01 Jan 2100 00:00:00 GMT", "throttled", 86_400],
    [429, "soon", "throttled", undefined],
    [422, undefined, "permanent", undefined],
    [403, undefined, "temporary", undefined],
    [409, undefined, "temporary", undefined],
    [500, undefined, "temporary", undefined],
    [301, undefined, "temporary", undefined],
  ])("%i with Retry-After %s is %s", async (status, after, kind, retryAfterSeconds) => {
    answer = {
      status,
      headers: {
        ...(after ? { "retry-after": after } : {}),
        ...(status === 301 ? { location: "/x" } : {}),
      },
      body: JSON.stringify({ message: `Key ${KEY} may not\n` }),
    };
    const found = await failure();
    expect(found).toMatchObject({ kind, retryAfterSeconds, addressGone: false });
    expect(found.message).not.toMatch(/1234567890|\n/);
  });

  it.each(["", "<html>", "null", "[]"])("may have the body %j", async (body) => {
    answer = { status: 502, body };
    expect(await failure()).toMatchObject({ kind: "temporary", message: "Resend answered 502" });
    answer = { status: 200, body };
    expect(await resend.send(messageOf())).toEqual({ providerId: null });
  });

  it("is missing if the API cannot be reached", async () => {
    const nobody = openTransport(`resend://${KEY}`, { resendAddress: "http://127.0.0.1:1" });
    await expect(nobody.send(messageOf())).rejects.toMatchObject({ kind: "temporary" });
  });
});
