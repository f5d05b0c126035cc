import { LANGUAGE_NAMES, type NameLanguage, ORDER_STATUS_NAMES, ROLE_NAMES } from "@souk/client";
import i18next, { changeLanguage } from "i18next";
import { initReactI18next } from "react-i18next";
import { en } from "./en";

export type Language = NameLanguage;

const KEY = "souk.language";

export const isLanguage = (code: string): code is Language => code in LANGUAGE_NAMES;

/** The texts of each language. English is part of the bundle, because it is the fallback for missing texts. */
const LOADERS: Record<Language, () => Promise<object>> = {
  en: async () => en,
  de: async () => (await import("./de")).de,
  ar: async () => (await import("./ar")).ar,
};

/** The names that templates, mails and the storefront use, too. */
const namesIn = (language: Language) => ({
  orderStatus: ORDER_STATUS_NAMES[language],
  roles: ROLE_NAMES[language],
});

/** The stored language, or the first of the browser's languages that the console has. */
function firstLanguage(): Language {
  const wanted = [localStorage.getItem(KEY) ?? "", ...navigator.languages];
  return wanted.map((tag) => tag.split("-")[0] ?? "").find(isLanguage) ?? "en";
}

export async function startTexts(): Promise<void> {
  await i18next.use(initReactI18next).init({
    lng: "en",
    fallbackLng: "en",
    resources: { en: { translation: { ...en, ...namesIn("en") } } },
    // React already escapes texts.
    interpolation: { escapeValue: false },
  });
  await showLanguage(firstLanguage());
}

/** Shows the console in a language, with its direction, and stores the choice. */
export async function showLanguage(language: Language): Promise<void> {
  const texts = { ...(await LOADERS[language]()), ...namesIn(language) };
  i18next.addResourceBundle(language, "translation", texts);
  await changeLanguage(language);
  localStorage.setItem(KEY, language);
  document.documentElement.lang = language;
  document.documentElement.dir = i18next.dir(language);
}

declare module "i18next" {
  interface CustomTypeOptions {
    resources: { translation: typeof en & ReturnType<typeof namesIn> };
  }
}
