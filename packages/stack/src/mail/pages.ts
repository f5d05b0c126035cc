import { html, raw } from "hono/html";
import { htmlOf, messageOf, type Sender } from "./auth-message.js";
import type { ReceivedMail } from "./mailbox.js";
import type { Body, Message, Person } from "./message.js";

// Web pages for reading mails. They contain no script. Content of a mail is shown as text, or as a separate document in
// a sandboxed frame.

/** Content security policy of our own pages: they may show a mail in a frame. */
export const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Sandbox of a mail's HTML: links open in a new window that is not sandboxed, as in mail programs.
 */
const SANDBOX = "allow-popups allow-popups-to-escape-sandbox";

/**
 * Content security policy of a mail's HTML, also when it is opened directly: it may only load
 * images.
 */
export const HTML_POLICY = [
  `sandbox ${SANDBOX}`,
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  // Images of this machine are usually in Storage.
  "img-src https: data: http://127.0.0.1:* http://localhost:*",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

const STYLE = `
:root{color-scheme:light dark;--soft:light-dark(#5c6470,#a3abb8);--line:light-dark(#d9dde3,#3a4049);--link:light-dark(#0b57d0,#8ab4f8)}
body{font:1rem/1.5 system-ui,sans-serif;max-width:56rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem;line-height:1.3;margin:.5rem 0}h2{font-size:1rem;margin:0}
a{color:var(--link);overflow-wrap:anywhere}.soft,dt{color:var(--soft)}.soft{font-size:.875rem;margin:0}
article{border-top:1px solid var(--line);padding:.75rem 0}.read h2{font-weight:400}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.125rem 1rem;margin:1rem 0}dd{margin:0;overflow-wrap:anywhere}
nav{display:flex;flex-wrap:wrap;gap:1rem;margin:1rem 0}
iframe{box-sizing:border-box;width:100%;height:70vh;border:1px solid var(--line);background:#fff;resize:vertical}
pre{white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:plaintext;text-align:start;font:inherit;border:1px solid var(--line);padding:1rem}
`;

/** All mails, each with a link to its page. The links in mails of Auth can be followed directly. */
export function listPage(mails: readonly ReceivedMail[], sender: Sender) {
  const rows = mails.map((mail) => {
    const message = messageOf(mail, sender);
    return html`<article class="${mail.read ? "read" : ""}">
<h2 dir="auto"><a href="/view/${mail.id}">${message.subject || "(no subject)"}</a></h2>
<p class="soft"><bdi>${nameOf(message.from)}</bdi> to <bdi>${mail.to}</bdi>, ${time(mail.sent)}</p>
${mail.message ? "" : htmlOf(mail)}
</article>
`;
  });
  const note = mails.length === 0 ? "No mail yet." : "Newest first. Nothing was sent.";
  return page("Mails of the local stack", html`<h1>Mails</h1><p class="soft">${note}</p>${rows}`);
}

/** One mail: its headers, its HTML in a frame, and its text. */
export function messagePage(mail: ReceivedMail, message: Message, parsed: Body) {
  const subject = message.subject || "(no subject)";
  const { from, to, cc, bcc, replyTo } = message;
  const named = { From: [from], To: to, Cc: cc, Bcc: bcc, "Reply to": replyTo };
  const lines = Object.entries(named)
    .filter(([, persons]) => persons.length > 0)
    .map(([label, persons]) => html`<dt>${label}</dt><dd>${persons.map(person)}</dd>`);
  const files = parsed.attachments.map(
    ({ name, type, size }) => html`<div><bdi>${name || type}</bdi>, ${size} bytes</div>`,
  );
  const text = html`<pre dir="auto">${parsed.text}</pre>`;
  const content = parsed.html
    ? html`<iframe sandbox="${SANDBOX}" title="The mail" src="/view/${mail.id}.html?embed=1"></iframe>
<details><summary>Text</summary>${text}</details>`
    : text;
  return page(
    subject,
    html`<a href="/">All mails</a>
<h1 dir="auto">${subject}</h1>
<dl>${lines}<dt>Received</dt><dd>${time(mail.sent)}</dd>
${files.length > 0 ? html`<dt>Attached</dt><dd>${files}</dd>` : ""}</dl>
<nav>${parsed.html ? html`<a href="/view/${mail.id}.html">HTML</a>` : ""}
<a href="/view/${mail.id}.txt">Text</a>
<a href="/api/v1/message/${mail.id}/headers">Headers</a>
<a href="/api/v1/message/${mail.id}/raw">Source</a></nav>
${content}`,
  );
}

/** Makes the links of a mail's HTML open outside of its frame. */
export function withLinksOutside(document: string): string {
  const base = '<base target="_blank">';
  // Inserted at the start of the head; without a head, after the doctype, which must come first.
  const start = /<head(?=[\s>])/i.exec(document) ?? /^\s*<!doctype(?=\s)/i.exec(document);
  const at = start ? document.indexOf(">", start.index) + 1 : 0;
  return document.slice(0, at) + base + document.slice(at);
}

function page(title: string, body: ReturnType<typeof html>) {
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${raw(STYLE)}</style>
<main>${body}</main>
</html>`;
}

const nameOf = ({ name, address }: Person) => name || address || "nobody";

function person({ name, address }: Person) {
  if (!name) return html`<div><bdi>${address}</bdi></div>`;
  return html`<div><bdi>${name}</bdi> <bdi>&lt;${address}&gt;</bdi></div>`;
}

const time = (when: Date) =>
  html`<time datetime="${when.toISOString()}">${when.toISOString().slice(0, 19).replace("T", " ")} UTC</time>`;
