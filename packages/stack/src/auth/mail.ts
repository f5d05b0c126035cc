import { randomUUID } from "node:crypto";

/** A mail that hosted Supabase would send, as its reader and a test that follows it need it. */
export interface Letter {
  to: string;
  subject: string;
  /** The sentence above the link. */
  text: string;
  /** The address to follow; null for a letter that carries a code alone. */
  link: string | null;
  /** The code to type instead of following the link. */
  code: string;
}

export interface ReceivedLetter extends Letter {
  id: string;
  sent: Date;
  /** Whether somebody has opened it. */
  read: boolean;
}

/** Where letters end: nothing leaves the machine. */
export interface Mailbox {
  deliver(letter: Letter): void;
  /** Newest first. */
  letters(): readonly ReceivedLetter[];
  /** Throws those away that have these ids; all, if left out. */
  remove(ids?: readonly string[]): void;
}

const KEPT = 500;

/** A mailbox in memory that keeps the newest 500 letters. */
export function createMailbox(): Mailbox {
  let letters: ReceivedLetter[] = [];
  return {
    deliver(letter) {
      const received = { ...letter, id: randomUUID(), sent: new Date(), read: false };
      letters = [received, ...letters].slice(0, KEPT);
    },
    letters: () => letters,
    remove(ids) {
      letters = ids ? letters.filter(({ id }) => !ids.includes(id)) : [];
    },
  };
}
