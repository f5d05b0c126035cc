import { LANGUAGES, type Language } from "../../values/languages.ts";
import type { MailTexts } from "../rendering.ts";
import { layout } from "./layout.ts";
import type { MailParts } from "./mail_parts.ts";

/** A mail that is sent if the tenant has no template of its key. */
export interface BuiltInMail {
  isOptional: boolean;
  sample: Record<string, unknown>;
  /** Texts by language. They are rendered like those of tenants, so that a tenant can start from a copy. */
  texts: MailTexts & {
    subject: Record<Language, string>;
    html_content: Record<Language, string>;
  };
}

/** Builds a mail from its parts. */
export function builtIn(parts: MailParts): BuiltInMail {
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
