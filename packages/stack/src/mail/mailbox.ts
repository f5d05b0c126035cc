import { randomUUID } from "node:crypto";
import type { Message } from "./message.js";

/** A mail that hosted Supabase would send, as its reader and a test that follows it need it. */
export interface Mail {
  to: string;
  subject: string;
  /** The sentence above the link. */
  text: string;
  /** The address to follow; null for a mail that carries a code alone. */
  link: string | null;
  /** The code to type instead of following the link. */
  code: string;
}

/** A mail of Auth, or one that came by SMTP: that has no text, link and code here, and is addressed as its envelope was. */
export interface ReceivedMail extends Mail {
  id: string;
  sent: Date;
  /** Whether somebody has opened it. */
  read: boolean;
  /** What came by SMTP; null for a mail of Auth. */
  message: Message | null;
}

/** Where mails end: nothing leaves the machine. */
export interface Mailbox {
  /** Takes a mail of Auth. */
  deliver(mail: Mail): void;
  /** Takes a mail that came by SMTP, for these recipients. Answers with its id. */
  receive(message: Message, recipients: readonly string[]): string;
  /** Newest first. */
  mails(): readonly ReceivedMail[];
  /** Throws those away that have these ids; all, if left out. */
  remove(ids?: readonly string[]): void;
}

const KEPT = 500;
const KEPT_BYTES = 50 * 2 ** 20;

/**
 * A mailbox in memory that keeps the newest 500 mails, and of these those whose sources are 50 MB together; the newest
 * one in any case.
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
