import {
  LANGUAGE_DIRECTIONS,
  LANGUAGE_NAMES,
  moneyFormat,
  type NameLanguage,
  ORDER_STATUS_NAMES,
  type OrderStatus,
  wallClock,
} from "@souk/client";
import { en } from "../texts/en";
import type { Key, Texts } from "../texts/shape";

/** The languages of the shop's texts. */
export type Language = NameLanguage;

/** Languages other than English are loaded on demand. */
const LOADERS: Record<Language, () => Promise<Texts>> = {
  en: async () => en,
  de: async () => (await import("../texts/de")).de,
  ar: async () => (await import("../texts/ar")).ar,
};

const loaded = new Map<Language, Texts>();
let current: { language: Language; texts: Texts } = { language: "en", texts: en };

const isLanguage = (code: string): code is Language => code in LANGUAGE_NAMES;

/** Where a page's language comes from: its address, the choice in a cookie, the browser's settings, and the shop. */
export interface Wanted {
  search: URLSearchParams;
  cookies: string;
  accepted: readonly string[];
  ofShop: string;
}

/** The first wanted language that has texts. */
export function languageOf({ search, cookies, accepted, ofShop }: Wanted): Language {
  const chosen = /(?:^|; )souk\.language=(\w+)/.exec(cookies)?.[1];
  const tags = [search.get("language") ?? "", chosen ?? "", ...accepted, ofShop];
  return tags.map((tag) => tag.split("-")[0] ?? "").find(isLanguage) ?? "en";
}

/** Keeps the choice of a language for a year. The cookie holds nothing else, and the server reads it, too. */
export function storeLanguage(language: Language): void {
  // biome-ignore lint/suspicious/noDocumentCookie: only Chromium has another interface for cookies.
  document.cookie = `souk.language=${language}; Max-Age=31536000; Path=/; SameSite=Lax`;
}

export async function loadTexts(language: Language): Promise<void> {
  loaded.set(language, await LOADERS[language]());
}

/** Uses the texts of a language from now on. They must have been loaded. */
export function setTexts(language: Language): void {
  current = { language, texts: loaded.get(language) ?? en };
}

/** Shows the page of the browser in a language, with its direction. */
export async function showLanguage(language: Language): Promise<void> {
  await loadTexts(language);
  setTexts(language);
  document.documentElement.lang = language;
  document.documentElement.dir = LANGUAGE_DIRECTIONS[language];
}

/** Returns the text of a code that the API may send; undefined if there is none. */
export const findText = (key: string): string | undefined =>
  key in en ? t(key as Key) : undefined;

/** Returns a text in the language of the page, with `{name}` replaced. `count` chooses the plural form. */
export function t(key: Key, values: Record<string, string | number> = {}): string {
  const { language, texts } = current;
  const text = texts[key];
  const form =
    typeof text === "string"
      ? text
      : (text[new Intl.PluralRules(language).select(Number(values.count))] ?? text.other);
  return form.replace(/\{(\w+)\}/g, (_, name) => {
    const value = values[name] ?? "";
    return typeof value === "number" ? new Intl.NumberFormat(language).format(value) : value;
  });
}

export const statusName = (status: OrderStatus): string =>
  ORDER_STATUS_NAMES[current.language][status];

export const money = (amount: number, currency: string): string =>
  moneyFormat(current.language, currency).format(amount);

/** Formats a rate in percent, `7.7`. */
export const percent = (rate: number): string =>
  new Intl.NumberFormat(current.language, { style: "percent", maximumFractionDigits: 4 }).format(
    rate / 100,
  );

/** Formats a local text of the API, `created_at_local`: the shop's time, as on its mails. */
export const time = (local: string): string =>
  new Intl.DateTimeFormat(current.language, {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone: "UTC",
  }).format(wallClock(local));
