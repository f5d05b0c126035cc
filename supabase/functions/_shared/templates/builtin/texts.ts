import { ORDER_STATUS_NAMES } from "../../orders/status_names.ts";
import { LANGUAGES, type Language } from "../../values/languages.ts";
import type { Localization, Translation } from "../translations.ts";
import { arabic } from "./arabic.ts";
import { english } from "./english.ts";
import { german } from "./german.ts";
import type { Texts } from "./language_texts.ts";

const TEXTS: Record<Language, Texts> = { en: english, de: german, ar: arabic };

const languages = new Map<string, Localization>(
  LANGUAGES.map((language) => [
    language,
    {
      language,
      translations: translationsOf({ ...TEXTS[language], ...statusTexts(language) }),
    },
  ]),
);

/** The names of statuses, as `status_pending`. */
function statusTexts(language: Language): Texts {
  return Object.fromEntries(
    Object.entries(ORDER_STATUS_NAMES[language]).map(([status, name]) => [
      `status_${status}`,
      name,
    ]),
  );
}

function translationsOf(texts: Texts): Translation[] {
  return Object.entries(texts).map(([key, text]) =>
    typeof text === "string"
      ? { key: `shop.${key}`, value: text }
      : { key: `shop.${key}`, value: text.other ?? "", plural_forms: text },
  );
}

/** The texts of the built-in pages in a language or its base language. Missing texts are in English. */
export function builtInTexts(language: string): Localization[] {
  const base = language.toLowerCase().split("-")[0] as string;
  return [...new Set([base, "en"])].flatMap((one) => languages.get(one) ?? []);
}
