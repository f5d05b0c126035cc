import PostalMime, { type Address, type Attachment as ParsedAttachment } from "postal-mime";
import { textOfHtml } from "./plain-text.js";

/** A name and address in a header. */
export interface Person {
  name: string;
  address: string;
}

/** An attachment; its bytes stay in the source. */
export interface Attachment {
  name: string;
  type: string;
  /** Content-ID without angle brackets; empty when the HTML cannot refer to it. */
  contentId: string;
  inline: boolean;
  /** Decoded size in bytes. */
  size: number;
}

/** The parsed body of a mail. */
export interface Body {
  text: string;
  html: string;
  attachments: readonly Attachment[];
}

/** A parsed mail. */
export interface Message {
  from: Person;
  to: Person[];
  cc: Person[];
  /** The header's Bcc, and recipients of the envelope who are in no header. */
  bcc: Person[];
  replyTo: Person[];
  /** The sender of the envelope. */
  returnPath: string;
  /** The user name with which the sender logged in; empty without a login. */
  username: string;
  subject: string;
  /** Message-ID without angle brackets; empty without that header. */
  messageId: string;
  /** The date in the header; null without one. */
  date: Date | null;
  /** In their order, unfolded, with encoded words unchanged. */
  headers: readonly { name: string; value: string }[];
  /** The source as received. */
  raw: Buffer;
  /**
   * The body. It is parsed on the first call, because that costs ten times as much as the headers.
   */
  body(): Promise<Body>;
}

/** The SMTP envelope of a mail. */
export interface Envelope {
  sender: string;
  recipients: readonly string[];
  username: string;
}

/** Parses a mail's source. Rejects when its headers are too long. */
export async function parseMessage(raw: Buffer, envelope: Envelope): Promise<Message> {
  const parsed = await PostalMime.parse(headOf(raw));
  let body: Promise<Body> | undefined;
  const to = personsOf(parsed.to);
  const cc = personsOf(parsed.cc);
  const bcc = personsOf(parsed.bcc);
  const named = new Set([...to, ...cc, ...bcc].map(({ address }) => address.toLowerCase()));
  const unnamed = envelope.recipients.filter((one) => !named.has(one.toLowerCase()));
  const [from] = personsOf(parsed.from ? [parsed.from] : []);
  return {
    from: from ?? { name: "", address: envelope.sender },
    to,
    cc,
    bcc: [...bcc, ...unnamed.map((address) => ({ name: "", address }))],
    replyTo: personsOf(parsed.replyTo),
    returnPath: envelope.sender,
    username: envelope.username,
    subject: parsed.subject ?? "",
    messageId: withoutBrackets(parsed.messageId),
    date: dateOf(parsed.date),
    headers: parsed.headers.map(({ originalKey, value }) => ({ name: originalKey, value })),
    raw,
    body: () => {
      body ??= readBody(raw);
      return body;
    },
  };
}

/** Returns a mail up to the empty line after its headers. */
function headOf(raw: Buffer): Buffer {
  const ends = ["\n\r\n", "\n\n"].map((end) => raw.indexOf(end)).filter((at) => at >= 0);
  return ends.length > 0 ? raw.subarray(0, Math.min(...ends) + 1) : raw;
}

async function readBody(raw: Buffer): Promise<Body> {
  try {
    const { html = "", text = textOfHtml(html), attachments } = await PostalMime.parse(raw);
    return { text, html, attachments: attachments.map(attachmentOf) };
  } catch {
    // Its parts are nested too deep: show the source.
    return { text: raw.toString(), html: "", attachments: [] };
  }
}

/** Returns the persons of a header, including those of its groups. */
function personsOf(addresses: readonly Address[] = []): Person[] {
  return addresses
    .flatMap((one) => one.group ?? [one])
    .map(({ name, address = "" }) => ({ name, address }));
}

const withoutBrackets = (id = "") => id.trim().replace(/^<|>$/g, "");

function dateOf(written = ""): Date | null {
  const date = new Date(written);
  return Number.isNaN(date.getTime()) ? null : date;
}

function attachmentOf(one: ParsedAttachment): Attachment {
  return {
    name: one.filename ?? "",
    type: one.mimeType,
    contentId: withoutBrackets(one.contentId),
    inline: one.related === true || one.disposition === "inline",
    size: typeof one.content === "string" ? one.content.length : one.content.byteLength,
  };
}
