import i18next, { changeLanguage } from "i18next";
import { initReactI18next } from "react-i18next";
import { en } from "./en";

/** The languages of the console, each by its own name. */
export const LANGUAGES = { en: "English", de: "Deutsch", ar: "العربية" } as const;
export type Language = keyof typeof LANGUAGES;

/** The locale for numbers and times. Arabic has Latin digits, as the texts and what is typed into fields. */
export const intlLocale = (language: string): string =>
  language === "ar" ? "ar-u-nu-latn" : language;

const KEY = "souk.language";

export const isLanguage = (code: string): code is Language => code in LANGUAGES;

/** The texts of a language. English is there from the beginning, as it stands for what another language lacks. */
const LOADERS = {
  en: async () => en,
  de: async () => (await import("./de")).de,
  ar: async () => (await import("./ar")).ar,
};

/** The language that was chosen before, or the first of the browser's that the console has. */
function firstLanguage(): Language {
  const wanted = [localStorage.getItem(KEY) ?? "", ...navigator.languages];
  return wanted.map((tag) => tag.split("-")[0] ?? "").find(isLanguage) ?? "en";
}

export async function startTexts(): Promise<void> {
  await i18next.use(initReactI18next).init({
    lng: "en",
    fallbackLng: "en",
    resources: { en: { translation: en } },
    // React escapes what it shows.
    interpolation: { escapeValue: false },
  });
  await showLanguage(firstLanguage());
}

/** Shows the console in a language, in its direction, and keeps the choice. */
export async function showLanguage(language: Language): Promise<void> {
  i18next.addResourceBundle(language, "translation", await LOADERS[language]());
  await changeLanguage(language);
  localStorage.setItem(KEY, language);
  document.documentElement.lang = language;
  document.documentElement.dir = i18next.dir(language);
}

declare module "i18next" {
  interface CustomTypeOptions {
    resources: { translation: typeof en };
  }
}
