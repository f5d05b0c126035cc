import { oneLine } from "./one_line.ts";

export interface Mailbox {
  name: string;
  address: string;
}

/** A mail as it is handed to whoever sends it. */
export interface Message {
  /** The mail's uuid: the same for each attempt, so that none of them arrives twice. */
  id: string;
  from: Mailbox;
  to: Mailbox;
  replyTo?: string;
  subject: string;
  html: string;
  text: string;
  /** `List-Unsubscribe` and the like. */
  headers: Record<string, string>;
}

export interface Transport {
  /**
   * Sends a message; answers by which name its sender knows it. Nobody has it whole until `before` has come about: where
   * that fails, it is not sent. Throws NotSent.
   */
  send(message: Message, before?: Promise<unknown>): Promise<{ providerId: string | null }>;
  /** Lets go of what is kept open between messages. */
  close(): Promise<void>;
}

/**
 * How it goes on with a message that was not sent. `throttled`: later, and that was no attempt; `temporary`: once more;
 * `permanent`: never.
 */
export type NotSentKind = "throttled" | "temporary" | "permanent";

/** A message that was not sent. What it says holds no password and no key. */
export class NotSent extends Error {
  override name = "NotSent";
  readonly retryAfterSeconds?: number;
  /** Whether there is nobody at that address, so that nothing more is to be sent to it. */
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

/** One address, and nothing by which another one or a header could begin. */
const ADDRESS = /^[^\s\p{Cc}<>()[\]\\,;:"@]{1,64}@[^\s\p{Cc}<>()[\]\\,;:"@]{1,255}$/u;
const HEADER = /^[A-Za-z][A-Za-z0-9-]{0,75}$/;

/** A message of which every header is one line. Throws NotSent where an address is none. */
export function cleaned(message: Message): Message {
  const { from, to, replyTo, headers } = message;
  for (const address of [from.address, to.address, ...(replyTo ? [replyTo] : [])]) {
    if (!ADDRESS.test(address)) {
      throw new NotSent(`${oneLine(address).slice(0, 100)} is no e-mail address.`, "permanent");
    }
  }
  const kept = Object.entries(headers).filter(([name]) => HEADER.test(name));
  return {
    ...message,
    from: { ...from, name: oneLine(from.name) },
    to: { ...to, name: oneLine(to.name) },
    subject: oneLine(message.subject),
    headers: Object.fromEntries(kept.map(([name, value]) => [name, oneLine(value)])),
  };
}

const LONGEST_ANSWER = 300;

/** What a server said, in one line of bounded length and without the words that nobody else may see. */
export function withoutSecrets(answer: string, secrets: readonly string[]): string {
  const hidden = secrets
    .filter((secret) => secret.length > 3)
    .reduce((text, secret) => text.replaceAll(secret, "…"), answer);
  return oneLine(hidden).slice(0, LONGEST_ANSWER);
}
