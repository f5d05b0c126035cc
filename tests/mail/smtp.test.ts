import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import PostalMime from "postal-mime";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  NotSent,
  openTransport,
  type Transport,
} from "../../supabase/functions/_shared/mail/transport.ts";
import { messageOf } from "./messages.js";

// The mails that an SMTP server receives, and its possible answers.

const received: string[] = [];
let answer: { at: "rcpt" | "data"; code: number; text: string } | null = null;
let connections = 0;
/** Called when a server has received the sender and recipient of a mail. */
let addressed = () => {};

const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ["STARTTLS"],
  logger: false,
  onConnect(_session, done) {
    connections++;
    done();
  },
  onAuth(auth, _session, done) {
    if (auth.password === "right horse") return done(null, { user: auth.username });
    done(
      Object.assign(new Error(`no ${auth.password} for ${auth.username}`), { responseCode: 535 }),
    );
  },
  onRcptTo(_address, _session, done) {
    if (answer?.at === "rcpt") {
      return done(Object.assign(new Error(answer.text), { responseCode: answer.code }));
    }
    done();
  },
  onData(stream, _session, done) {
    const parts: Buffer[] = [];
    addressed();
    stream.on("data", (part: Buffer) => parts.push(part));
    stream.on("end", () => {
      if (answer?.at === "data") {
        return done(Object.assign(new Error(answer.text), { responseCode: answer.code }));
      }
      received.push(Buffer.concat(parts).toString("utf8"));
      done();
    });
  },
});
server.on("error", () => {});

let port = 0;
const open: Transport[] = [];

function transportTo(url = `smtp://127.0.0.1:${port}`): Transport {
  const transport = openTransport(url);
  open.push(transport);
  return transport;
}

beforeAll(async () => {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  port = (server.server.address() as { port: number }).port;
});
beforeEach(() => {
  received.length = 0;
  answer = null;
  connections = 0;
});
afterAll(async () => {
  for (const transport of open) await transport.close();
  await new Promise<void>((resolve) => server.close(() => resolve()));
});

/** The received headers, unfolded. */
function headersOf(mail: string): Record<string, string> {
  const [head = ""] = mail.split("\r\n\r\n");
  const lines = head.replace(/\r\n[ \t]+/g, " ").split("\r\n");
  return Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(":")).toLowerCase(),
      line.slice(line.indexOf(":") + 2),
    ]),
  );
}

async function failureOf(transport: Transport, message = messageOf()): Promise<NotSent> {
  const failure = await transport.send(message).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(NotSent);
  return failure as NotSent;
}

describe("a received mail", () => {
  it("has its headers, and both parts in short lines", async () => {
    const message = messageOf({
      from: { name: "متجر العنبر", address: "shop@amber.example" },
      to: { name: 'Ann "A" Bäcker', address: "ann@example.com" },
      replyTo: "help@amber.example",
      subject: "Ihre Bestellung 1042 ist unterwegs – größer als gedacht",
      html: `<p>${"ä".repeat(2000)}</p>`,
      text: `${"x".repeat(3000)}\n.\nend`,
      headers: {
        "List-Unsubscribe": `<https://amber.example/${"u".repeat(400)}>`,
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
      },
    });
    const { providerId } = await transportTo().send(message);
    expect(providerId).toBe(`<${message.id}@amber.example>`);
    const [mail = ""] = received;
    expect(headersOf(mail)).toMatchObject({
      "message-id": `<${message.id}@amber.example>`,
      "reply-to": "help@amber.example",
      "list-unsubscribe": message.headers["List-Unsubscribe"],
      "list-unsubscribe-post": "List-Unsubscribe=One-Click",
      from: expect.stringMatching(/^=\?UTF-8\?.*\?= <shop@amber\.example>$/),
      subject: expect.stringMatching(/^=\?UTF-8\?/),
      "content-type": expect.stringMatching(/^multipart\/alternative/),
    });
    expect(mail.match(/content-transfer-encoding: quoted-printable/gi)).toHaveLength(2);
    expect(Math.max(...mail.split("\r\n").map((line) => line.length))).toBeLessThanOrEqual(998);
    expect(mail).toMatch(/^[\x20-\x7e\r\n\t]*$/);
  });

  it("has no header from a name, a subject or another header", async () => {
    const evil = "x\r\nBcc: all@example.com\r\n\r\nbody\0";
    await transportTo().send(
      messageOf({
        from: { name: evil, address: "shop@amber.example" },
        to: { name: evil, address: "ann@example.com" },
        subject: evil,
        headers: { "List-Unsubscribe": evil, "X\r\nBcc": "all@example.com" },
      }),
    );
    const headers = headersOf(received[0] ?? "");
    expect(headers).not.toHaveProperty("bcc");
    expect(headers.subject).toBe("x Bcc: all@example.com body");
  });

  it.each([
    "=?utf-8?q?Oak=0D=0AX-Test:_1?=",
    "Amber =?UTF-8?B?T2FrDQpYLVRlc3Q6IDE=?= & Oak",
    "=?iso-8859-1?Q?=0A?==?utf-8?b?DQo=?=",
    "متجر =?utf-8?q?a=0Ab?=",
    `=?utf-8?q?${"a=0D=0A".repeat(30)}?=`,
    'Say "=?utf-8?q?=0D=0A?=" \\ twice',
    "Is 1+1=?",
  ])("shows the name and subject %s as they were written", async (text) => {
    await transportTo().send(
      messageOf({
        from: { name: text, address: "shop@amber.example" },
        to: { name: text, address: "ann@example.com" },
        subject: text,
        headers: { "List-Id": text, "X-Note": text },
      }),
    );
    const [mail = ""] = received;
    const { from, to, subject } = await PostalMime.parse(mail);
    expect([from?.name, to?.[0]?.name, subject]).toEqual([text, text, text]);
    // Nothing of it is an encoded word in the source, or in the other headers.
    const words = text.match(/=\?[\w-]+\?[bq]\?[^?]*\?=/gi) ?? [];
    for (const word of words) expect(mail).not.toContain(word);
    const { "list-id": list = "", "x-note": note = "" } = headersOf(mail);
    for (const header of [list, note]) expect(header).not.toMatch(/=\?(?!utf-8\?[bq]\?)/i);
    expect(mail).not.toMatch(/"=\?/);
  });

  it("has no address that looks like an encoded word", async () => {
    const address = "=?utf-8?q?a=0D=0Ab?=@example.com";
    for (const more of [
      { to: { name: "", address } },
      { from: { name: "", address } },
      { replyTo: address },
    ]) {
      expect(await failureOf(transportTo(), messageOf(more))).toMatchObject({ kind: "permanent" });
    }
    expect(received).toEqual([]);
  });

  it("shares one connection with others", async () => {
    const transport = transportTo();
    await Promise.all([1, 2, 3].map(() => transport.send(messageOf())));
    expect(received).toHaveLength(3);
    expect(connections).toBe(1);
  });

  it("is not sent before the preceding step has completed", async () => {
    const begun = new Promise<void>((resolve) => {
      addressed = resolve;
    });
    let comeAbout = () => {};
    const before = new Promise<void>((resolve) => {
      comeAbout = resolve;
    });
    const sent = transportTo().send(messageOf(), before);
    await begun;
    await pause(50);
    expect(received).toEqual([]);
    comeAbout();
    await sent;
    expect(received).toHaveLength(1);
  });

  it("is not sent if the preceding step fails", async () => {
    const transport = transportTo();
    await transport.send(messageOf());
    const before = pause(50).then(() => Promise.reject(new Error("not recorded")));
    await expect(transport.send(messageOf(), before)).rejects.toThrow("not recorded");
    await transport.send(messageOf());
    expect(received).toHaveLength(2);
  });

  it("contains no file or URL that a text refers to", async () => {
    const html = { path: "/etc/hostname" } as unknown as string;
    expect((await failureOf(transportTo(), messageOf({ html }))).message).not.toContain(
      "hostname\n",
    );
    expect(received).toEqual([]);
  });
});

it.each([
  "ann@example.com\r\nBcc: a@b.c",
  "a@b.c, d@e.f",
  "ann",
  "<ann@example.com>",
  "a b@c.d",
])("is not sent to %j", async (address) => {
  const failure = await failureOf(transportTo(), messageOf({ to: { name: "", address } }));
  expect(failure).toMatchObject({ kind: "permanent", addressGone: false });
  expect(failure.message).not.toMatch(/[\r\n]/);
  expect(connections).toBe(0);
});

describe("the server's answer", () => {
  it.each([
    ["rcpt", 550, "5.1.1 No such user", "permanent", true],
    ["rcpt", 550, "5.1.10 Null MX", "permanent", true],
    ["rcpt", 550, "5.1.8 Sender's domain is unknown", "temporary", false],
    ["rcpt", 550, "5.7.1 Not today", "temporary", false],
    ["rcpt", 451, "4.7.1 Come back later", "temporary", false],
    ["rcpt", 421, "4.3.2 Closing", "temporary", false],
    ["data", 554, "5.6.0 Odd", "temporary", false],
    ["data", 452, "4.2.2 Full", "temporary", false],
  ] as const)("at %s %i %s is %s", async (at, code, text, kind, addressGone) => {
    answer = { at, code, text };
    const failure = await failureOf(transportTo());
    expect(failure).toMatchObject({ kind, addressGone });
    expect(failure.message).toContain(text);
    answer = null;
    await open.at(-1)?.send(messageOf());
    expect(received).toHaveLength(1);
  });

  it("is missing after the end of a mail, which is then sent again with the same Message-ID", async () => {
    const taken: string[] = [];
    const silent = new SMTPServer({
      authOptional: true,
      disabledCommands: ["STARTTLS"],
      logger: false,
      onData(stream, _session, done) {
        const parts: Buffer[] = [];
        stream.on("data", (part: Buffer) => parts.push(part));
        stream.on("end", () => {
          // The first mail is accepted, and never answered.
          if (taken.push(Buffer.concat(parts).toString("utf8")) > 1) done();
        });
      },
    });
    silent.on("error", () => {});
    await new Promise<void>((resolve) => {
      silent.listen(0, "127.0.0.1", resolve);
    });
    const at = (silent.server.address() as { port: number }).port;
    const transport = openTransport(`smtp://127.0.0.1:${at}`, { timeoutMs: 500 });
    open.push(transport);
    const message = messageOf();
    const failure = await failureOf(transport, message);
    expect(failure).toMatchObject({ kind: "temporary", addressGone: false });
    await transport.send(message);
    const [first = "", second = ""] = taken;
    expect(headersOf(second)["message-id"]).toBe(headersOf(first)["message-id"]);
    await transport.close();
    await new Promise<void>((resolve) => silent.close(() => resolve()));
  });

  it("refuses a wrong password, which is not in the error", async () => {
    const transport = transportTo(`smtp://me:battery%20staple@127.0.0.1:${port}`);
    const failure = await failureOf(transport);
    expect(failure).toMatchObject({ kind: "temporary", addressGone: false });
    expect(failure.message).toContain("535");
    expect(failure.message).not.toContain("staple");
    await transportTo(`smtp://me:right%20horse@127.0.0.1:${port}`).send(messageOf());
    expect(received).toHaveLength(1);
  });

  it("is missing because there is no server, or the connection drops", async () => {
    const dropping = createServer((socket) => {
      socket.write("220 here\r\n");
      socket.on("data", () => socket.destroy());
      socket.on("error", () => {});
    });
    await new Promise<void>((resolve) => {
      dropping.listen(0, "127.0.0.1", resolve);
    });
    const at = (dropping.address() as { port: number }).port;
    expect(await failureOf(transportTo(`smtp://127.0.0.1:${at}`))).toMatchObject({
      kind: "temporary",
    });
    await new Promise((resolve) => dropping.close(resolve));
    expect(await failureOf(transportTo(`smtp://127.0.0.1:${at}`))).toMatchObject({
      kind: "temporary",
    });
  });
});

describe("MAIL_URL", () => {
  it.each([
    "",
    "mail.example",
    "http://x.example",
    "smtp://",
    "smtps://a:%E0@b:1",
    "resend://",
    "resend://a b",
    "smtp://x:99999",
  ])("must not be %j", (url) => {
    expect(() => openTransport(url)).toThrow(
      "MAIL_URL has none of the forms smtps://user:password@host:465, smtp://host:port or resend://KEY.",
    );
  });

  it("must not have a port that is blocked on the hosted platform", async () => {
    for (const url of [
      "smtp://a:secret@mail.example:587",
      "smtp://mail.example:25",
      "smtp://mail.example",
    ]) {
      expect(() => openTransport(url, { isHosted: true })).toThrow(
        /do not reach port (?:25|587): use smtps/,
      );
      expect(() => openTransport(url, { isHosted: true })).not.toThrow(/secret/);
      await openTransport(url).close();
    }
    for (const url of [
      "smtp://127.0.0.1:25",
      "smtp://[::1]:587",
      "smtps://a:b@mail.example",
      "smtp://mail.example:2525",
    ]) {
      await openTransport(url, { isHosted: true }).close();
    }
  });
});
