import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { createTransport, type Transporter } from "nodemailer";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createMailbox } from "../src/mail/mailbox.js";
import { type Mailpit, openMailpit } from "../src/mail/mailpit.js";
import { openSmtp, type Smtp } from "../src/mail/smtp.js";
import { configOf } from "./auth-fixture.js";

/** The size limit of the server in these tests, so that no test has to send 25 MB. */
const LARGEST = 100_000;

const mailbox = createMailbox();
let mailpit: Mailpit;
let smtp: Smtp;
let transport: Transporter;

beforeAll(async () => {
  mailpit = await openMailpit(0, mailbox, await configOf(""));
  smtp = await openSmtp(0, mailbox, LARGEST);
  transport = createTransport({ url: smtp.url, pool: true, maxConnections: 10, maxMessages: 1000 });
});
afterAll(async () => {
  transport?.close();
  await smtp?.close();
  await mailpit?.close();
});
beforeEach(() => mailbox.remove());

const get = (path: string) => fetch(mailpit.url + path);
const json = async (path: string) => (await get(path)).json();
const body = async (path: string) => (await get(path)).text();
const subjects = async (query: string) =>
  (await json(`/api/v1/search?query=${encodeURIComponent(query)}`)).messages.map(
    (one: { Subject: string }) => one.Subject,
  );

const order = {
  from: { name: "Søuk Händler", address: "orders@shop.example" },
  to: [{ name: "Ada", address: "ada@example.com" }],
  cc: "cy@example.com",
  bcc: "eve@example.com",
  replyTo: "help@shop.example",
  subject: "Bestellung № 7 — תודה",
  text: "Grüße aus der Küche",
  html: "<p>Grüße aus der <b>Küche</b></p>",
  messageId: "<7@shop.example>",
  list: {
    unsubscribe: [["https://shop.example/leave?a=1", "mailto:leave@shop.example"]],
  },
  headers: [
    { key: "X-Trace", value: "one" },
    { key: "X-Trace", value: "two" },
    { key: "List-Unsubscribe-Post", value: "List-Unsubscribe=One-Click" },
  ],
  attachments: [{ filename: "Rechnung ä.pdf", content: Buffer.alloc(1000) }],
};

describe("a mail received by SMTP", () => {
  beforeEach(() => transport.sendMail(order));

  test("is in the list, and found by its text", async () => {
    const { messages } = await json("/api/v1/messages");
    expect(messages).toMatchObject([
      {
        MessageID: "7@shop.example",
        Subject: order.subject,
        From: { Name: "Søuk Händler", Address: "orders@shop.example" },
        To: [{ Name: "Ada", Address: "ada@example.com" }],
        Cc: [{ Name: "", Address: "cy@example.com" }],
        Bcc: [{ Name: "", Address: "eve@example.com" }],
        ReplyTo: [{ Name: "", Address: "help@shop.example" }],
        Read: false,
        Attachments: 1,
        Snippet: "Grüße aus der Küche",
      },
    ]);
    await transport.sendMail({ from: "a@x.org", to: "b@x.org", subject: "Another", text: "-" });
    for (const query of [
      "to:ada@example.com",
      'from:"søuk händler"',
      "subject:תודה",
      "KÜCHE -subject:another",
      "bcc:eve cc:cy reply-to:help",
      "addressed:eve",
      "has:attachment",
      "rechnung",
      "message-id:7@shop",
    ])
      expect([query, await subjects(query)]).toEqual([query, [order.subject]]);
    expect(await subjects("to:eve")).toEqual([]);
  });

  test("is opened by its id or as the latest, with its unsubscribe link", async () => {
    const mail = await json("/api/v1/message/latest");
    expect(mail).toMatchObject({
      ReturnPath: "orders@shop.example",
      ListUnsubscribe: {
        Header: "<https://shop.example/leave?a=1>, <mailto:leave@shop.example>",
        Links: ["https://shop.example/leave?a=1", "mailto:leave@shop.example"],
        Errors: "",
        HeaderPost: "List-Unsubscribe=One-Click",
      },
      Date: expect.stringMatching(/^\d{4}-/),
      Inline: [],
      Attachments: [{ FileName: "Rechnung ä.pdf", ContentType: "application/pdf", Size: 1000 }],
    });
    expect(mail.Text.trim()).toBe(order.text);
    expect(mail.HTML.trim()).toBe(order.html);
    expect(await json(`/api/v1/message/${mail.ID}`)).toEqual(mail);
    expect(await subjects("is:unread")).toEqual([]);
    const view = `/view/${mail.ID}`;
    expect((await body(`${view}.txt`)).trim()).toBe(order.text);
    expect((await body(`${view}.html`)).trim()).toBe(order.html);
    expect((await get("/view/latest")).url).toBe(mailpit.url + view);
    expect(await body("/view/latest.txt?query=to:ada")).toBe(mail.Text);
    for (const path of [
      "/view/x",
      "/view/x.html",
      "/api/v1/message/x/raw",
      "/api/v1/message/x/headers",
    ])
      expect([path, (await get(path)).status]).toEqual([path, 404]);
  });

  test("keeps its source and all its headers, in their order", async () => {
    const headers = await json("/api/v1/message/latest/headers");
    expect(headers["X-Trace"]).toEqual(["one", "two"]);
    expect(headers["Message-Id"]).toEqual(["<7@shop.example>"]);
    expect(headers.Subject[0]).toMatch(/^=\?UTF-8\?/);
    const raw = await get("/api/v1/message/latest/raw");
    expect(raw.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    const source = await raw.text();
    const head = source.slice(0, source.indexOf("\r\n\r\n"));
    const names = [...head.matchAll(/^([\w-]+):/gm)].map(([, name]) => name?.toLowerCase());
    const once = [...new Set(names)];
    expect(Object.keys(headers).map((name) => name.toLowerCase())).toEqual(once);
    expect(mailbox.mails()[0]?.message?.headers.map(({ name }) => name.toLowerCase())).toEqual(
      names,
    );
    expect(source).not.toContain("eve@");
  });

  test("is on the overview page and on its own, and disappears when it is deleted", async () => {
    const [mail] = mailbox.mails();
    const list = await body("/");
    expect(list).toContain(`<h2 dir="auto"><a href="/view/${mail?.id}">${order.subject}</a></h2>`);
    expect(list).toContain("ada@example.com, cy@example.com, eve@example.com");
    const page = await body(`/view/${mail?.id}`);
    expect(page).toContain(`<h1 dir="auto">${order.subject}</h1>`);
    expect(page).toContain("&lt;orders@shop.example&gt;");
    expect(page).toContain("Rechnung ä.pdf");
    const IDs = [mail?.id];
    await fetch(`${mailpit.url}/api/v1/messages`, {
      method: "DELETE",
      body: JSON.stringify({ IDs }),
    });
    expect(mailbox.mails()).toEqual([]);
  });
});

test("a foreign mail's HTML runs no script and loads only images", async () => {
  const html = `<!doctype html><head><title>x</title></head><script>alert(1)</script><a href="https://x.example">x</a>`;
  const subject = "<script>alert(2)</script>";
  await transport.sendMail({ from: "a@x.org", to: "b@x.org", subject, html });
  const page = await get("/view/latest");
  const frame = /<iframe sandbox="([^"]*)"[^>]* src="([^"]*)"/.exec(await page.text());
  expect(frame?.[1]).toBe("allow-popups allow-popups-to-escape-sandbox");
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  for (const path of ["/", new URL(page.url).pathname])
    expect(await body(path)).not.toContain("<script");
  for (const path of [frame?.[2] ?? "", "/view/latest.html"]) {
    const alone = await get(path);
    const policy = alone.headers.get("content-security-policy");
    expect(policy).toBe(
      "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src https: data: http://127.0.0.1:* http://localhost:*; base-uri 'none'; form-action 'none'",
    );
    expect(alone.headers.get("x-content-type-options")).toBe("nosniff");
  }
  // In the frame, a link opens a new window instead.
  const framed = html.replace("<head>", '<head><base target="_blank">');
  expect((await body(frame?.[2] ?? "")).trim()).toBe(framed);
  expect((await body("/view/latest.html")).trim()).toBe(html);
  expect((await body("/view/latest.txt")).trim()).toBe("x");
});

test("a mail without HTML has no HTML page, and an empty mail is accepted", async () => {
  await transport.sendMail({ from: "a@x.org", to: "b@x.org", raw: "X-Nothing: 1\r\n\r\n" });
  expect((await get("/view/latest.html")).status).toBe(404);
  expect(await body("/view/latest")).toContain("(no subject)");
  const { From, To, Bcc, Text, MessageID } = await json("/api/v1/message/latest");
  expect([From, To, Bcc, Text]).toEqual([
    { Name: "", Address: "a@x.org" },
    [],
    [{ Name: "", Address: "b@x.org" }],
    "",
  ]);
  expect(MessageID).toMatch(/@localhost$/);
});

test("hundreds of concurrent mails over many connections all arrive", async () => {
  const sent = Array.from({ length: 300 }, (_, i) => `mail ${i}`);
  await Promise.all(
    sent.map((subject) =>
      transport.sendMail({ from: "a@x.org", to: "b@x.org", subject, text: `text of ${subject}` }),
    ),
  );
  const arrived = mailbox.mails().map(({ subject, message }) => {
    const source = message?.raw.toString() ?? "";
    return `${subject}: ${source.slice(source.indexOf("\r\n\r\n")).trim()}`;
  });
  expect(arrived.toSorted()).toEqual(sent.map((one) => `${one}: text of ${one}`).toSorted());
});

/**
 * A client that sends arbitrary text. `ended` resolves with everything that the server answered.
 */
async function dial(): Promise<{ socket: Socket; ended: Promise<string> }> {
  const socket = connect(Number(new URL(smtp.url).port), "127.0.0.1");
  const ended = text(socket.on("error", () => {}));
  await once(socket, "readable");
  return { socket, ended };
}

test("pipelined mails are accepted in order", async () => {
  const { socket, ended } = await dial();
  const mail = (subject: string) =>
    `MAIL FROM:<a@x.org>\r\nRCPT TO:<b@x.org>\r\nDATA\r\nSubject: ${subject}\r\n\r\n..dot\r\n.\r\n`;
  socket.write(`EHLO x\r\n${mail("one")}${mail("two")}${mail("three")}QUIT\r\n`);
  expect((await ended).match(/^250 Ok: queued as [\da-f-]{36}\r$/gm)).toHaveLength(3);
  expect(mailbox.mails().map(({ subject }) => subject)).toEqual(["three", "two", "one"]);
  expect((await body("/view/latest.txt")).trim()).toBe(".dot");
});

test("a mail that is too large is refused, whether it was announced or sent, and the next is accepted", async () => {
  const { socket, ended } = await dial();
  const large = `Subject: large\r\n\r\n${"x".repeat(998)}\r\n`.padEnd(LARGEST + 1, "y");
  socket.write(`EHLO x\r\nMAIL FROM:<a@x.org> SIZE=${LARGEST + 1}\r\n`);
  for (const content of [large, "Subject: small\r\n\r\n"])
    socket.write(`MAIL FROM:<a@x.org>\r\nRCPT TO:<b@x.org>\r\nDATA\r\n${content}\r\n.\r\n`);
  socket.write("QUIT\r\n");
  const answers = await ended;
  expect(answers).toContain(`SIZE ${LARGEST}`);
  expect(answers.match(/^552 /gm)).toHaveLength(2);
  expect(mailbox.mails().map(({ subject }) => subject)).toEqual(["small"]);
});

test("every login is accepted", async () => {
  const auth = { user: "apikey", pass: "secret" };
  for (const authMethod of ["PLAIN", "LOGIN", "CRAM-MD5"]) {
    const login = createTransport({ url: smtp.url, auth, authMethod });
    await login.sendMail({ from: "a@x.org", to: "b@x.org", subject: authMethod });
    login.close();
    expect(await json("/api/v1/message/latest")).toMatchObject({
      Subject: authMethod,
      Username: "apikey",
    });
  }
});

test("the mailbox keeps 50 MB, and always the newest mail", async () => {
  await transport.sendMail({ from: "a@x.org", to: "b@x.org", subject: "old", text: "-" });
  const [first] = mailbox.mails();
  if (!first?.message) throw new Error("no mail");
  const raw = Buffer.alloc(20 * 2 ** 20);
  const large = (subject: string) => ({ ...first.message!, subject, raw });
  for (const subject of ["1", "2", "3"]) mailbox.receive(large(subject), []);
  expect(mailbox.mails().map(({ subject }) => subject)).toEqual(["3", "2"]);
  mailbox.receive({ ...large("huge"), raw: Buffer.alloc(51 * 2 ** 20) }, []);
  expect(mailbox.mails().map(({ subject }) => subject)).toEqual(["huge"]);
  mailbox.remove();
  for (const subject of ["4", "5"]) mailbox.receive(large(subject), []);
  expect(mailbox.mails()).toHaveLength(2);
});

test("it closes while clients are connected, also in the middle of a mail", async () => {
  const other = await openSmtp(0, mailbox);
  const port = Number(new URL(other.url).port);
  const clients = [1, 2].map(() => connect(port, "127.0.0.1").on("error", () => {}));
  await Promise.all(clients.map((client) => once(client, "data")));
  clients[0]?.write("EHLO x\r\nMAIL FROM:<a@x.org>\r\nRCPT TO:<b@x.org>\r\nDATA\r\nSubject: half");
  await once(clients[0] as Socket, "data");
  const left = clients.map((client) => once(client, "close"));
  const before = Date.now();
  await other.close();
  await Promise.all(left);
  // The library would wait 30 seconds for the clients.
  expect(Date.now() - before).toBeLessThan(20_000);
  expect(mailbox.mails()).toEqual([]);
});

test("a port in use is refused in one line", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  await expect(openSmtp(port, mailbox)).rejects.toThrow(
    new RegExp(`^port ${port} for sending mails is taken: .*\\[local_smtp\\] smtp_port`),
  );
  server.close();
});
