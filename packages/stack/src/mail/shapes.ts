import { messageOf, type Sender } from "./auth-message.js";
import type { ReceivedMail } from "./mailbox.js";
import type { Attachment, Body, Message, Person } from "./message.js";
import { unsubscribeOf } from "./unsubscribe.js";

// The JSON shapes of Mailpit's API.

const SNIPPET = 250;

/** A mail as an element of a list. */
export async function summaryOf(mail: ReceivedMail, sender: Sender) {
  const message = messageOf(mail, sender);
  const body = await message.body();
  return {
    ...headOf(mail, message),
    Read: mail.read,
    Created: mail.sent,
    Attachments: body.attachments.filter(({ inline }) => !inline).length,
    Snippet: snippetOf(body),
  };
}

/** A single mail. */
export async function detailsOf(mail: ReceivedMail, sender: Sender) {
  const message = messageOf(mail, sender);
  const { text, html, attachments } = await message.body();
  const shown = attachments.map(attachment);
  const isInline = (_: unknown, at: number) => attachments[at]?.inline === true;
  return {
    ...headOf(mail, message),
    ReturnPath: message.returnPath,
    ListUnsubscribe: unsubscribeOf(message),
    Date: message.date ?? mail.sent,
    Text: text,
    HTML: html,
    Inline: shown.filter(isInline),
    Attachments: shown.filter((one, at) => !isInline(one, at)),
  };
}

/** The headers with all their values, unchanged; names are capitalized like Go's: `Message-Id`. */
export function headersOf({ headers }: Pick<Message, "headers">): Record<string, string[]> {
  const values = new Map<string, string[]>();
  for (const { name, value } of headers) {
    const key = name.toLowerCase().replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
    const there = values.get(key);
    if (there) there.push(value);
    else values.set(key, [value]);
  }
  return Object.fromEntries(values);
}

/** The beginning of a mail in one line. */
const snippetOf = ({ text }: Body) =>
  text
    .slice(0, 8 * SNIPPET)
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, SNIPPET);

function headOf({ id }: ReceivedMail, message: Message) {
  return {
    ID: id,
    MessageID: message.messageId || `${id}@localhost`,
    From: person(message.from),
    To: message.to.map(person),
    Cc: message.cc.map(person),
    Bcc: message.bcc.map(person),
    ReplyTo: message.replyTo.map(person),
    Subject: message.subject,
    Username: message.username,
    Tags: [],
    Size: message.raw.length,
  };
}

const person = ({ name, address }: Person) => ({ Name: name, Address: address });

const attachment = ({ name, type, contentId, size }: Attachment, at: number) => ({
  PartID: String(at + 1),
  FileName: name,
  ContentType: type,
  ContentID: contentId,
  Size: size,
});
