import { useTranslation } from "react-i18next";
import { codeOf } from "../lib/errors";
import { Button } from "./button";

/** What went wrong, in the language of the page where it knows the error, and in the API's own words. */
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
