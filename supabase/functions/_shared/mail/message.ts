import { encodeWord } from "nodemailer/lib/mime-funcs";
import { oneLine } from "./one_line.ts";

export interface Mailbox {
  name: string;
  address: string;
}

/** A mail as transports send it. */
export interface Message {
  /** The uuid of the mail, the same for all attempts. It is the idempotency key. */
  id: string;
  from: Mailbox;
  to: Mailbox;
  replyTo?: string | undefined;
  subject: string;
  html: string;
  text: string;
  /** `List-Unsubscribe` and the like. */
  headers: Record<string, string>;
}

export interface Transport {
  /**
   * Sends a message. It is not completed until `before` resolves, and not sent if that rejects. Resolves to the id that the
   * provider has given it. Throws NotSent.
   */
  send(message: Message, before?: Promise<unknown>): Promise<{ providerId: string | null }>;
  /** Closes the connections that are kept open between messages. */
  close(): Promise<void>;
}

/**
 * The consequence for a message that was not sent. `throttled`: it is sent later, and that was no attempt. `temporary`: it
 * is tried again. `permanent`: it is not.
 */
export type NotSentKind = "throttled" | "temporary" | "permanent";

/** A message was not sent. The text of the error contains no password and no key. */
export class NotSent extends Error {
  override name = "NotSent";
  readonly retryAfterSeconds?: number;
  /** Whether the address does not exist, so that nothing more is sent to it. */
  readonly addressGone: boolean;

  constructor(
    message: string,
    readonly kind: NotSentKind,
    {
      retryAfterSeconds,
      addressGone = false,
    }: { retryAfterSeconds?: number; addressGone?: boolean } = {},
  ) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
    this.addressGone = addressGone;
  }
}

/** One address, without characters that could add another address or a header. */
const ADDRESS = /^[^\s\p{Cc}<>()[\]\\,;:"@]{1,64}@[^\s\p{Cc}<>()[\]\\,;:"@]{1,255}$/u;
const HEADER = /^[A-Za-z][A-Za-z0-9-]{0,75}$/;

/** The start of an encoded word (RFC 2047). */
const WORD = "=?";
/** Maximum length of an encoded word, in characters. */
const LONGEST_WORD = 52;

/**
 * A name or subject on one line. One that looks like an encoded word is encoded itself: mail programs decode it, also to line
 * ends.
 */
function headerText(text: string): string {
  const line = oneLine(text);
  return line.includes(WORD) ? encodeWord(line, "B", LONGEST_WORD) : line;
}

/** Whether a name of a cleaned message consists of encoded words. */
export const isEncoded = (name: string): boolean => name.startsWith(WORD);

/** The message with all headers on one line. Throws NotSent if an address is not valid. */
export function cleaned(message: Message): Message {
  const { from, to, replyTo, headers } = message;
  for (const address of [from.address, to.address, ...(replyTo ? [replyTo] : [])]) {
    if (!ADDRESS.test(address) || address.includes(WORD)) {
      throw new NotSent(`${oneLine(address).slice(0, 100)} is not an e-mail address.`, "permanent");
    }
  }
  const kept = Object.entries(headers).filter(([name]) => HEADER.test(name));
  return {
    ...message,
    from: { ...from, name: headerText(from.name) },
    to: { ...to, name: headerText(to.name) },
    subject: headerText(message.subject),
    // They hold URLs, in which words cannot be encoded.
    headers: Object.fromEntries(
      kept.map(([name, value]) => [name, oneLine(value).replaceAll(WORD, "=%3F")]),
    ),
  };
}

const LONGEST_ANSWER = 300;

/** The answer of a server on one line, cut to a maximum length and without the secrets. */
export function withoutSecrets(answer: string, secrets: readonly string[]): string {
  const hidden = secrets
    .filter((secret) => secret.length > 3)
    .reduce((text, secret) => text.replaceAll(secret, "…"), answer);
  return oneLine(hidden).slice(0, LONGEST_ANSWER);
}
