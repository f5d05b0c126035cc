import { useTranslation } from "react-i18next";
import { formatIn, intlLocale } from "./formats";

/** Amounts, numbers and times in the language of the page. */
export function useFormat() {
  const { i18n } = useTranslation();
  return formatIn(intlLocale(i18n.language));
}
