import { once } from "node:events";
import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { html } from "hono/html";
import type { Config } from "../config.js";
import { listen } from "../listen.js";
import type { Mailbox, ReceivedMail } from "./mail.js";
import { findMails, SearchRefused } from "./mail-search.js";

/** Where the mails are read. */
export interface Mailpit {
  /** `http://127.0.0.1:54324` */
  url: string;
  close(): Promise<void>;
}

type Sender = Pick<Config["local_smtp"], "admin_email" | "sender_name">;

const PAGE = 50;

/** Serves the mailbox on `port` (0: any free one). Throws the stack's `Refusal` when it is taken. */
export async function openMailpit(
  port: number,
  mailbox: Mailbox,
  { local_smtp: sender }: Pick<Config, "local_smtp">,
): Promise<Mailpit> {
  const server = createServer(getRequestListener(mailApp(mailbox, sender).fetch));
  const remedy =
    "stop what listens there, or choose another one with [local_smtp] port in supabase/config.toml";
  const listening = await listen(server, port, "for reading mails", remedy);
  return {
    url: `http://127.0.0.1:${listening}`,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The part of Mailpit's HTTP interface that tests use, and a page for a person. */
function mailApp(mailbox: Mailbox, sender: Sender): Hono {
  const app = new Hono();
  app.onError((error, c) => {
    if (error instanceof SearchRefused) return c.text(error.message, 400);
    throw error;
  });
  const asked = (c: Context) => {
    const query = c.req.query("query")?.trim();
    if (!query) throw new SearchRefused("Error: no search query");
    return findMails(mailbox.mails(), query, sender.admin_email);
  };
  const list = (c: Context, found: readonly ReceivedMail[]) => {
    const all = mailbox.mails();
    const number = (name: string, standard: number) => {
      const given = c.req.query(name) ?? "";
      return /^\d{1,9}$/.test(given) ? Number(given) : standard;
    };
    const start = number("start", 0);
    const page = found.slice(start, start + number("limit", PAGE));
    return c.json({
      total: all.length,
      unread: all.filter(({ read }) => !read).length,
      count: page.length,
      messages_count: found.length,
      messages_unread: found.filter(({ read }) => !read).length,
      start,
      tags: [],
      messages: page.map((mail) => ({
        ...headOf(mail, sender),
        Read: mail.read,
        Created: mail.sent,
        Attachments: 0,
        Snippet: textOf(mail).replace(/\s+/g, " ").slice(0, 250),
      })),
    });
  };

  app.get("/", (c) => {
    c.header("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'");
    return c.html(page(mailbox.mails()));
  });
  app.get("/readyz", (c) => c.text("ok"));
  app.get("/api/v1/messages", (c) => list(c, mailbox.mails()));
  app.delete("/api/v1/messages", async (c) => {
    const body = await c.req.json().catch(() => null);
    const ids: unknown = body?.IDs;
    mailbox.remove(Array.isArray(ids) && ids.length > 0 ? ids : undefined);
    return c.text("ok");
  });
  app.get("/api/v1/search", (c) => list(c, asked(c)));
  app.delete("/api/v1/search", (c) => {
    mailbox.remove(asked(c).map(({ id }) => id));
    return c.text("ok");
  });
  app.get("/api/v1/message/:id", (c) => {
    const id = c.req.param("id");
    const among = c.req.query("query") ? asked(c) : mailbox.mails();
    const mail = among.find((one) => id === "latest" || one.id === id);
    if (!mail) return c.text("404 page not found", 404);
    mail.read = true;
    return c.json({
      ...headOf(mail, sender),
      ReturnPath: sender.admin_email,
      ListUnsubscribe: { Header: "", Links: [], Errors: "", HeaderPost: "" },
      Date: mail.sent,
      Text: textOf(mail),
      HTML: String(htmlOf(mail)),
      Inline: [],
      Attachments: [],
    });
  });
  return app;
}

const person = (Address: string, Name = "") => ({ Name, Address });

function headOf(mail: ReceivedMail, sender: Sender) {
  return {
    ID: mail.id,
    MessageID: `${mail.id}@localhost`,
    From: person(sender.admin_email, sender.sender_name),
    To: [person(mail.to)],
    Cc: [],
    Bcc: [],
    ReplyTo: [],
    Subject: mail.subject,
    Username: "",
    Tags: [],
    Size: Buffer.byteLength(String(htmlOf(mail))),
  };
}

function textOf({ text, link, code }: ReceivedMail): string {
  return [text, ...(link ? [link, "Or type this code:"] : []), code].join("\n\n");
}

function htmlOf({ text, link, code, subject }: ReceivedMail) {
  const follow = link && html`<p><a href="${link}">${subject}</a></p><p>Or type this code:</p>`;
  return html`<p>${text}</p>${follow ?? ""}<p>${code}</p>`;
}

function page(mails: readonly ReceivedMail[]) {
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Mails of the local stack</title>
<style>body{font:1rem/1.5 system-ui;max-width:50rem;margin:2rem auto;padding:0 1rem}
article{border-top:1px solid #ccc}a{overflow-wrap:anywhere}</style>
<h1>Mails</h1>
<p>${mails.length === 0 ? "No mail yet." : "Newest first. Nothing was sent."}</p>
${mails.map(
  (mail) => html`<article>
<h2>${mail.subject}</h2>
<p>To ${mail.to}, ${mail.sent.toISOString()}</p>
${htmlOf(mail)}
</article>
`,
)}
</html>`;
}
