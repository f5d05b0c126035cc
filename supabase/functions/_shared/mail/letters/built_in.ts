import type { LetterTexts } from "../rendering.ts";
import { layout } from "./layout.ts";
import { LANGUAGES, type Language } from "./words.ts";

/** What a letter says in one language, in Liquid. */
export interface Words {
  subject: string;
  /** What mailboxes show beside the subject. */
  preheader: string;
  title: string;
  paragraphs: readonly Paragraph[];
  /** The names of the facts, by their key. */
  facts?: Readonly<Record<string, string>>;
  button?: string;
}

/** A paragraph in Liquid, or one that stands there only where a condition of Liquid holds. */
export type Paragraph = string | { if: string; text: string };

/** A fact that is told where the variable is there. */
export interface Fact {
  of: string;
  /** How it is shown, in Liquid: in all languages alike, or in each. */
  shown: string | Readonly<Record<Language, string>>;
}

/** A letter as data. `layout` makes the same HTML of all of them. */
export interface LetterParts {
  /** Whether one can do without it, so that one may unsubscribe. */
  isOptional: boolean;
  words: Record<Language, Words>;
  facts?: Readonly<Record<string, Fact>>;
  /** Whether it lists what was ordered. */
  hasItems?: boolean;
  /** Whether it says where the order goes. */
  hasAddress?: boolean;
  /** The variable of the button's address. */
  buttonTo?: string;
  /** Variables as they might be, for previews. */
  sample: Record<string, unknown>;
}

/** A letter that is sent where a tenant has none of its own. */
export interface BuiltInLetter {
  isOptional: boolean;
  sample: Record<string, unknown>;
  /** By language, to be rendered as a tenant's own are: who wants another one begins with a copy. */
  texts: LetterTexts & {
    subject: Record<Language, string>;
    html_content: Record<Language, string>;
  };
}

/** Makes a letter of its parts. */
export function builtIn(parts: LetterParts): BuiltInLetter {
  const { isOptional, sample, words } = parts;
  const byLanguage = (make: (language: Language) => string) =>
    Object.fromEntries(LANGUAGES.map((one) => [one, make(one)])) as Record<Language, string>;
  return {
    isOptional,
    sample,
    texts: {
      subject: byLanguage((language) => words[language].subject),
      html_content: byLanguage((language) => layout(parts, language)),
    },
  };
}
