import { randomUUID } from "node:crypto";
import type { Message } from "./message.js";

/** A mail of Auth, with the values that its reader and tests need. */
export interface Mail {
  to: string;
  subject: string;
  /** The sentence above the link. */
  text: string;
  /** The link to follow; null for a mail that has only a code. */
  link: string | null;
  /** The code to type instead of following the link. */
  code: string;
}

/**
 * A mail of Auth, or one received by SMTP: its `text`, `link` and `code` are empty, `to` is its
 * envelope's recipients.
 */
export interface ReceivedMail extends Mail {
  id: string;
  sent: Date;
  /** Whether a user has opened it. */
  read: boolean;
  /** The message received by SMTP; null for a mail of Auth. */
  message: Message | null;
}

/** Stores mails: nothing leaves the machine. */
export interface Mailbox {
  /** Stores a mail of Auth. */
  deliver(mail: Mail): void;
  /** Stores a mail received by SMTP for these recipients. Returns its id. */
  receive(message: Message, recipients: readonly string[]): string;
  /** All mails, newest first. */
  mails(): readonly ReceivedMail[];
  /** Removes the mails with these ids; all mails if left out. */
  remove(ids?: readonly string[]): void;
}

const KEPT = 500;
const KEPT_BYTES = 50 * 2 ** 20;

/**
 * Creates a mailbox in memory. It keeps at most 500 mails, whose sources have at most 50 MB together, and always the
 * newest one.
 */
export function createMailbox(): Mailbox {
  let mails: ReceivedMail[] = [];
  let bytes = 0;
  const add = (mail: Mail, message: Message | null): string => {
    const received = { ...mail, id: randomUUID(), sent: new Date(), read: false, message };
    mails = [received, ...mails];
    bytes += weight(received);
    while (mails.length > KEPT || (bytes > KEPT_BYTES && mails.length > 1)) {
      bytes -= weight(mails.pop() as ReceivedMail);
    }
    return received.id;
  };
  return {
    deliver: (mail) => void add(mail, null),
    receive(message, recipients) {
      const { subject } = message;
      return add({ to: recipients.join(", "), subject, text: "", link: null, code: "" }, message);
    },
    mails: () => mails,
    remove(ids) {
      const gone = new Set(ids);
      mails = ids ? mails.filter(({ id }) => !gone.has(id)) : [];
      bytes = mails.reduce((sum, mail) => sum + weight(mail), 0);
    },
  };
}

const weight = ({ message }: ReceivedMail) => message?.raw.length ?? 0;
