import { useTranslation } from "react-i18next";
import { codeOf } from "../lib/errors";
import { Button } from "./button";

/** An error: in the language of the page if its code is known, otherwise with the API's message. */
export function ErrorNote({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  const { t } = useTranslation();
  const code = codeOf(error);
  return (
    <div className="error-note" role="alert">
      {code && <strong>{t(`errors.${code}`)}</strong>}
      <span>{error.message}</span>
      {onRetry && <Button onClick={onRetry}>{t("common.retry")}</Button>}
    </div>
  );
}
