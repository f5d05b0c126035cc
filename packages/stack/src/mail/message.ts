import PostalMime, { type Address, type Attachment as ParsedAttachment } from "postal-mime";
import { textOfHtml } from "./plain-text.js";

/** Somebody whom a header names. */
export interface Person {
  name: string;
  address: string;
}

/** What came along with a mail; its bytes stay in the source. */
export interface Attachment {
  name: string;
  type: string;
  /** Without its angle brackets; empty when the HTML cannot refer to it. */
  contentId: string;
  inline: boolean;
  /** In bytes, decoded. */
  size: number;
}

/** What a mail says. */
export interface Body {
  text: string;
  html: string;
  attachments: readonly Attachment[];
}

/** A mail as its reader sees it, whoever sent it. */
export interface Message {
  from: Person;
  to: Person[];
  cc: Person[];
  /** Those whom the header names, and those of the envelope whom no header names. */
  bcc: Person[];
  replyTo: Person[];
  /** The envelope's sender. */
  returnPath: string;
  /** As whom the sender logged in; empty if as nobody. */
  username: string;
  subject: string;
  /** Without its angle brackets; empty when the sender gave none. */
  messageId: string;
  /** When it was written, as the sender says; null when it does not. */
  date: Date | null;
  /** In their order, unfolded, with words encoded as they came. */
  headers: readonly { name: string; value: string }[];
  /** The source, byte by byte as it came. */
  raw: Buffer;
  /** Read when somebody asks for it first: it costs ten times what the headers do. */
  body(): Promise<Body>;
}

/** What SMTP says of a mail, beside the mail itself. */
export interface Envelope {
  sender: string;
  recipients: readonly string[];
  username: string;
}

/** Reads a mail's source. Rejects when its headers are too long to be read. */
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

/** A mail up to the empty line behind its headers. */
function headOf(raw: Buffer): Buffer {
  const ends = ["\n\r\n", "\n\n"].map((end) => raw.indexOf(end)).filter((at) => at >= 0);
  return ends.length > 0 ? raw.subarray(0, Math.min(...ends) + 1) : raw;
}

async function readBody(raw: Buffer): Promise<Body> {
  try {
    const { html = "", text = textOfHtml(html), attachments } = await PostalMime.parse(raw);
    return { text, html, attachments: attachments.map(attachmentOf) };
  } catch {
    // Its parts are nested too deep. Its reader can still see what came.
    return { text: raw.toString(), html: "", attachments: [] };
  }
}

/** The persons of a header, those of its groups among them. */
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
