import { LANGUAGES, type Language } from "../../values/languages.ts";
import type { LetterTexts } from "../rendering.ts";
import { layout } from "./layout.ts";
import type { LetterParts } from "./letter_parts.ts";

/** A letter that is sent if the tenant has no template of its key. */
export interface BuiltInLetter {
  isOptional: boolean;
  sample: Record<string, unknown>;
  /** Texts by language. They are rendered like those of tenants, so that a tenant can start from a copy. */
  texts: LetterTexts & {
    subject: Record<Language, string>;
    html_content: Record<Language, string>;
  };
}

/** Builds a letter from its parts. */
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
