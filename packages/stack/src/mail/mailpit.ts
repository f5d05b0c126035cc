import { once } from "node:events";
import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { type Context, Hono } from "hono";
import type { Config } from "../config.js";
import { listen } from "../listen.js";
import { messageOf, type Sender } from "./auth-message.js";
import type { Mailbox, ReceivedMail } from "./mailbox.js";
import { HTML_POLICY, listPage, messagePage, PAGE_POLICY, withLinksOutside } from "./pages.js";
import { findMails, SearchRefused } from "./search.js";
import { detailsOf, headersOf, summaryOf } from "./shapes.js";

/** The server for reading mails. */
export interface Mailpit {
  /** `http://127.0.0.1:54324` */
  url: string;
  close(): Promise<void>;
}

const PAGE = 50;

/**
 * Serves the mailbox on `port` (0: any free one). Throws the stack's `Refusal` when the port is
 * taken.
 */
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

/** The mail does not exist. */
class NotFound extends Error {}

/** The part of Mailpit's HTTP API that tests use, and web pages. */
function mailApp(mailbox: Mailbox, sender: Sender): Hono {
  const app = new Hono();
  app.onError((error, c) => {
    if (error instanceof SearchRefused) return c.text(error.message, 400);
    if (error instanceof NotFound) return c.text(error.message, 404);
    throw error;
  });
  app.use(async (c, next) => {
    await next();
    c.header("x-content-type-options", "nosniff");
    c.header("referrer-policy", "no-referrer");
  });
  const matching = async (c: Context) => {
    const query = c.req.query("query")?.trim();
    if (!query) throw new SearchRefused("Error: no search query");
    return findMails(mailbox.mails(), query, sender);
  };
  const list = async (c: Context, found: readonly ReceivedMail[]) => {
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
      messages: await Promise.all(page.map((mail) => summaryOf(mail, sender))),
    });
  };
  /**
   * Returns the mail with this id. The id `latest` means the newest mail, of those a query finds if
   * there is one.
   */
  const find = async (c: Context, id: string) => {
    const among = c.req.query("query") ? await matching(c) : mailbox.mails();
    const mail = among.find((one) => id === "latest" || one.id === id);
    if (!mail) throw new NotFound("404 page not found");
    return mail;
  };
  const open = async (c: Context, id: string) => {
    const mail = await find(c, id);
    mail.read = true;
    return mail;
  };

  app.get("/", (c) => {
    c.header("content-security-policy", PAGE_POLICY);
    return c.html(listPage(mailbox.mails(), sender));
  });
  app.get("/view/:name", async (c) => {
    const [, id = "", kind] = /^(.*?)(\.html|\.txt)?$/.exec(c.req.param("name")) ?? [];
    if (id === "latest" && !kind) return c.redirect(`/view/${(await find(c, id)).id}`);
    const mail = await open(c, id);
    const message = messageOf(mail, sender);
    const body = await message.body();
    if (kind === ".txt") return c.text(body.text);
    c.header("content-security-policy", kind ? HTML_POLICY : PAGE_POLICY);
    if (!kind) return c.html(messagePage(mail, message, body));
    if (!body.html) throw new NotFound("This message does not contain a HTML part");
    return c.html(c.req.query("embed") ? withLinksOutside(body.html) : body.html);
  });
  app.get("/readyz", (c) => c.text("ok"));
  app.get("/livez", (c) => c.text("ok"));
  app.get("/api/v1/messages", (c) => list(c, mailbox.mails()));
  app.delete("/api/v1/messages", async (c) => {
    const body = await c.req.json().catch(() => null);
    const ids: unknown = body?.IDs;
    mailbox.remove(Array.isArray(ids) && ids.length > 0 ? ids : undefined);
    return c.text("ok");
  });
  app.get("/api/v1/search", async (c) => list(c, await matching(c)));
  app.delete("/api/v1/search", async (c) => {
    mailbox.remove((await matching(c)).map(({ id }) => id));
    return c.text("ok");
  });
  app.get("/api/v1/message/:id", async (c) => {
    const mail = await open(c, c.req.param("id"));
    return c.json(await detailsOf(mail, sender));
  });
  app.get("/api/v1/message/:id/headers", async (c) => {
    const mail = await find(c, c.req.param("id"));
    return c.json(headersOf(messageOf(mail, sender)));
  });
  app.get("/api/v1/message/:id/raw", async (c) => {
    const { raw } = messageOf(await find(c, c.req.param("id")), sender);
    return c.body(new Uint8Array(raw), 200, { "content-type": "text/plain; charset=utf-8" });
  });
  return app;
}
