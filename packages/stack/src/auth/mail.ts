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
  sent: Date;
}

/** Where letters end: nothing leaves the machine. */
export interface Mailbox {
  deliver(letter: Letter): void;
  /** Newest first. */
  letters(): readonly ReceivedLetter[];
  clear(): void;
}

const KEPT = 500;

/** A mailbox in memory that keeps the newest 500 letters. */
export function createMailbox(): Mailbox {
  let letters: ReceivedLetter[] = [];
  return {
    deliver(letter) {
      letters = [{ ...letter, sent: new Date() }, ...letters].slice(0, KEPT);
    },
    letters: () => letters,
    clear() {
      letters = [];
    },
  };
}
