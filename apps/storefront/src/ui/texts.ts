import { moneyFormat, ORDER_STATUS_NAMES, type OrderStatus } from "@souk/client";
import { en } from "../texts/en";
import type { Key, Texts } from "../texts/shape";

/** The languages of the shop's texts, each by its own name. */
export const LANGUAGES = { en: "English", de: "Deutsch", ar: "العربية" } as const;
export type Language = keyof typeof LANGUAGES;

/** Languages other than English are loaded on demand. */
const LOADERS: Record<Language, () => Promise<Texts>> = {
  en: async () => en,
  de: async () => (await import("../texts/de")).de,
  ar: async () => (await import("../texts/ar")).ar,
};

const KEY = "souk.language";
let current: { language: Language; texts: Texts } = { language: "en", texts: en };

const isLanguage = (code: string): code is Language => code in LANGUAGES;

/** Chooses the language: that of the last visit, one of the browser's, or the shop's. */
export async function startTexts(ofShop: string): Promise<Language> {
  const wanted = [localStorage.getItem(KEY) ?? "", ...navigator.languages, ofShop];
  const language = wanted.map((tag) => tag.split("-")[0] ?? "").find(isLanguage) ?? "en";
  await showLanguage(language);
  return language;
}

/** Shows the page in a language, with its direction. */
export async function showLanguage(language: Language): Promise<void> {
  current = { language, texts: await LOADERS[language]() };
  document.documentElement.lang = language;
  document.documentElement.dir = language === "ar" ? "rtl" : "ltr";
}

export const keepLanguage = (language: Language): void => localStorage.setItem(KEY, language);

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

/** Formats a time. `timeZone` defaults to the reader's. */
export const time = (iso: string, timeZone?: string): string =>
  new Intl.DateTimeFormat(current.language, {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone,
  }).format(new Date(iso));
