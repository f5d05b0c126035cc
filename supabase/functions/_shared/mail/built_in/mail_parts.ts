import type { Language } from "../../values/languages.ts";

/** The texts of a mail in one language, in Liquid. */
export interface Words {
  subject: string;
  /** The text that mailboxes show next to the subject. */
  preheader: string;
  title: string;
  paragraphs: readonly Paragraph[];
  /** The labels of the facts, by key. */
  facts?: Readonly<Record<string, string>>;
  button?: string;
}

/** A paragraph in Liquid, or one that is shown only if a Liquid condition is true. */
export type Paragraph = string | { if: string; text: string };

/** A row of the table of facts. It is shown if the variable `of` has a value. */
export interface Fact {
  of: string;
  /** Its value in Liquid: one text for all languages, or one for each. */
  shown: string | Readonly<Record<Language, string>>;
}

/** A table of items, and their sum. */
export interface ItemTable {
  /** The variable with the items. */
  of: string;
  /** The variable with the price of the delivery. */
  delivery?: string;
  /** The variable with the tax by rate. With it, the discount is shown, too. */
  taxes?: string;
  /** The variable with the sum, and what it is called. Without it the table has no sum. */
  sum?: string;
  sumName?: "total" | "order_total" | "cancelled" | "returned" | "lost" | "refunded";
  /** Whether the items have amounts only. */
  withoutQuantity?: boolean;
}

/** A built-in mail as data. `layout` turns it into HTML. */
export interface MailParts {
  /** Whether the recipient may unsubscribe from it. */
  isOptional: boolean;
  words: Record<Language, Words>;
  facts?: Readonly<Record<string, Fact>>;
  /** The tables of items that it lists. A table without items is left out. */
  items?: readonly ItemTable[];
  /** Whether it shows the delivery address. */
  hasAddress?: boolean;
  /** Whether it shows the address of the invoice and the buyer's tax number. */
  hasInvoice?: boolean;
  /** The variable that holds the address of the button. */
  buttonTo?: string;
  /** Example variables, for previews and tests. */
  sample: Record<string, unknown>;
}
