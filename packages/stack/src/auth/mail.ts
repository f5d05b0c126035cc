import { randomUUID } from "node:crypto";

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

export interface ReceivedMail extends Mail {
  id: string;
  sent: Date;
  /** Whether somebody has opened it. */
  read: boolean;
}

/** Where mails end: nothing leaves the machine. */
export interface Mailbox {
  deliver(mail: Mail): void;
  /** Newest first. */
  mails(): readonly ReceivedMail[];
  /** Throws those away that have these ids; all, if left out. */
  remove(ids?: readonly string[]): void;
}

const KEPT = 500;

/** A mailbox in memory that keeps the newest 500 mails. */
export function createMailbox(): Mailbox {
  let mails: ReceivedMail[] = [];
  return {
    deliver(mail) {
      const received = { ...mail, id: randomUUID(), sent: new Date(), read: false };
      mails = [received, ...mails].slice(0, KEPT);
    },
    mails: () => mails,
    remove(ids) {
      mails = ids ? mails.filter(({ id }) => !ids.includes(id)) : [];
    },
  };
}
