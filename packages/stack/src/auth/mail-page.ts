import { Hono } from "hono";
import { html } from "hono/html";
import type { Mailbox, ReceivedLetter } from "./mail.js";

/**
 * Shows a mailbox where `supabase start` has Mailpit: a page to read, and the part of Mailpit's
 * API with which tests list, read and delete letters.
 */
export function createMailPage(mailbox: Mailbox): Hono {
  const app = new Hono();
  const find = (id: string) =>
    mailbox.letters().find((letter, i) => (id === "latest" ? i === 0 : String(letter.id) === id));

  app.get("/", (c) =>
    c.html(html`<!doctype html>
<meta charset="utf-8">
<title>Mail</title>
<h1>Mail</h1>
${mailbox.letters().map(
  (letter) => html`<article>
<h2>${letter.subject}</h2>
<p>To ${letter.to}, ${letter.sent.toISOString()}</p>
<p>${letter.text}</p>
${letter.link === null ? "" : html`<p><a href="${letter.link}">${letter.link}</a></p>`}
<p>Code: ${letter.code}</p>
</article>`,
)}`),
  );
  app.get("/api/v1/messages", (c) => {
    const messages = mailbox.letters().map(summary);
    return c.json({ total: messages.length, count: messages.length, start: 0, messages });
  });
  app.get("/api/v1/message/:id", (c) => {
    const letter = find(c.req.param("id"));
    if (!letter) return c.text("message not found\n", 404);
    const lines = [letter.text, ...(letter.link === null ? [] : [letter.link]), letter.code];
    const Text = `${lines.join("\n\n")}\n`;
    return c.json({ ...summary(letter), Text, HTML: "" });
  });
  app.delete("/api/v1/messages", (c) => {
    mailbox.clear();
    return c.text("ok");
  });
  return app;
}

function summary(letter: ReceivedLetter) {
  return {
    ID: String(letter.id),
    From: { Name: "", Address: "auth@localhost" },
    To: [{ Name: "", Address: letter.to }],
    Subject: letter.subject,
    Created: letter.sent.toISOString(),
    Snippet: letter.text,
  };
}
