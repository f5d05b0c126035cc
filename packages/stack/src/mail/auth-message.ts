import { html } from "hono/html";
import type { Config } from "../config.js";
import type { ReceivedMail } from "./mailbox.js";
import type { Message } from "./message.js";

/** The sender of Auth's mails. */
export type Sender = Pick<Config["local_smtp"], "admin_email" | "sender_name">;

/** Returns the message of a mail: as received by SMTP, or as hosted would write a mail of Auth. */
export function messageOf(mail: ReceivedMail, sender: Sender): Message {
  return mail.message ?? compose(mail, sender);
}

/** Returns the HTML of a mail of Auth, with all values escaped. */
export function htmlOf({ text, link, code, subject }: ReceivedMail) {
  const follow = link && html`<p><a href="${link}">${subject}</a></p><p>Or type this code:</p>`;
  return html`<p>${text}</p>${follow ?? ""}<p>${code}</p>`;
}

function textOf({ text, link, code }: ReceivedMail): string {
  return [text, ...(link ? [link, "Or type this code:"] : []), code].join("\n\n");
}

function compose(mail: ReceivedMail, { admin_email, sender_name }: Sender): Message {
  const messageId = `${mail.id}@localhost`;
  const boundary = `=_${mail.id}`;
  const from = sender_name ? `${encoded(sender_name)} <${admin_email}>` : admin_email;
  const headers = Object.entries({
    From: from,
    To: mail.to,
    Subject: encoded(mail.subject),
    "Message-ID": `<${messageId}>`,
    Date: mail.sent.toUTCString().replace("GMT", "+0000"),
    "MIME-Version": "1.0",
    "Content-Type": `multipart/alternative; boundary="${boundary}"`,
  }).map(([name, value]) => ({ name, value: value.replace(/[\r\n]+/g, " ") }));
  const text = textOf(mail);
  const html = String(htmlOf(mail));
  return {
    from: { name: sender_name, address: admin_email },
    to: [{ name: "", address: mail.to }],
    cc: [],
    bcc: [],
    replyTo: [],
    returnPath: admin_email,
    username: "",
    subject: mail.subject,
    messageId,
    date: mail.sent,
    headers,
    raw: sourceOf(headers, boundary, { "text/plain": text, "text/html": html }),
    body: async () => ({ text, html, attachments: [] }),
  };
}

function sourceOf(
  headers: Message["headers"],
  boundary: string,
  bodies: Record<string, string>,
): Buffer {
  const parts = Object.entries(bodies).flatMap(([type, body]) => [
    `--${boundary}`,
    `Content-Type: ${type}; charset=utf-8`,
    "Content-Transfer-Encoding: base64",
    "",
    ...(Buffer.from(body)
      .toString("base64")
      .match(/.{1,76}/g) ?? []),
  ]);
  const head = headers.map(({ name, value }) => `${name}: ${value}`);
  return Buffer.from([...head, "", ...parts, `--${boundary}--`, ""].join("\r\n"));
}

/** Encodes the words of a header if they are not ASCII or could be misread. */
const encoded = (words: string) =>
  /^[\w '!?.-]*$/.test(words) ? words : `=?utf-8?B?${Buffer.from(words).toString("base64")}?=`;
