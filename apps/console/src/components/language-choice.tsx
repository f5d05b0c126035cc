import { LANGUAGE_NAMES } from "@souk/client";
import { useTranslation } from "react-i18next";
import { isLanguage, showLanguage } from "../texts/texts";

export function LanguageChoice() {
  const { t, i18n } = useTranslation();
  return (
    <select
      className="control select select-small"
      aria-label={t("session.language")}
      value={i18n.language}
      onChange={({ target }) => {
        if (isLanguage(target.value)) void showLanguage(target.value);
      }}
    >
      {Object.entries(LANGUAGE_NAMES).map(([code, name]) => (
        <option key={code} value={code} lang={code}>
          {name}
        </option>
      ))}
    </select>
  );
}
