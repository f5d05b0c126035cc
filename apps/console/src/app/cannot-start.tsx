import { useTranslation } from "react-i18next";
import { messageOf } from "../lib/errors";

/** Shown when the page has no valid config.json. */
export function CannotStart({ error }: { error: unknown }) {
  const { t } = useTranslation();
  return (
    <main className="gate">
      <h1>{t("start.failed")}</h1>
      <p>{t("start.hint")}</p>
      <pre>{messageOf(error)}</pre>
    </main>
  );
}
