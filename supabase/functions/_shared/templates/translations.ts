import type { Formatting } from "../liquid/formats.ts";
import type { Warning } from "./template.ts";

/** The translation of a template into a language, as the database stores it. */
export interface Localization {
  language: string;
  translations: Translation[];
  rtl_support?: boolean;
  custom_styles?: string | null;
  formatting?: Formatting | null;
}

export interface Translation {
  key: string;
  value: string;
  context?: string | null;
  plural_forms?: Partial<Record<Intl.LDMLPluralRule, string>> | null;
}

/** Returns the text of a key; with a count, the plural form for that count. */
export type Translate = (key: string, count?: number) => string;

const COUNT = /\{\{\s*count\s*\}\}/g;

/**
 * Looks up the texts of a page in its languages, in order of preference. A key without a translation is shown as it is, with
 * one warning.
 */
export function createTranslate(
  localizations: readonly Localization[],
  warn: (warning: Warning) => void,
): Translate {
  const languages = localizations.map(({ language, translations }) => ({
    language,
    texts: new Map((translations ?? []).map((text) => [text.key, text])),
  }));
  const missing = new Set<string>();
  return (key, count) => {
    for (const { language, texts } of languages) {
      const text = texts.get(key);
      if (text) return counted(language, text, count);
    }
    if (!missing.has(key)) {
      missing.add(key);
      warn({ code: "TRANSLATION_MISSING", message: `There is no translation for ${key}.` });
    }
    return key;
  };
}

function counted(
  language: string,
  { value, plural_forms }: Translation,
  count: number | undefined,
): string {
  if (count === undefined || !Number.isFinite(count)) return value;
  const form = pluralOf(language, count);
  const text =
    // Most languages have no plural category for zero, but a text of its own often reads better for an empty basket.
    (count === 0 ? plural_forms?.zero : undefined) ??
    (form && plural_forms?.[form]) ??
    plural_forms?.other ??
    value;
  // A function, because `replace` interprets `$` in a text.
  return text.replace(COUNT, () => numbersOf(language).format(count));
}

const plurals = new Map<string, Intl.PluralRules>();
const numbers = new Map<string, Intl.NumberFormat>();

function pluralOf(language: string, count: number): Intl.LDMLPluralRule {
  return kept(plurals, language, (known) => new Intl.PluralRules(known)).select(count);
}

function numbersOf(language: string): Intl.NumberFormat {
  return kept(numbers, language, (known) => new Intl.NumberFormat(known));
}

/** Maximum number of plural rules that are kept: tenants can make up any number of language codes. */
const KEPT_AT_MOST = 100;

function kept<Rules>(
  rules: Map<string, Rules>,
  language: string,
  make: (language: string | undefined) => Rules,
): Rules {
  let made = rules.get(language);
  if (!made) {
    made = make(isLanguage(language) ? language : undefined);
    if (rules.size >= KEPT_AT_MOST) rules.delete(rules.keys().next().value as string);
    rules.set(language, made);
  }
  return made;
}

function isLanguage(language: string): boolean {
  try {
    return Intl.getCanonicalLocales(language).length === 1;
  } catch {
    return false;
  }
}
