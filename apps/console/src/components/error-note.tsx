import { ApiError } from "@souk/client";
import { useTranslation } from "react-i18next";
import { Button } from "./button";

/** What went wrong, in the language of the page where it knows the error, and in the API's own words. */
export function ErrorNote({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  const { t, i18n } = useTranslation();
  const code = error instanceof ApiError ? error.code : "UNKNOWN";
  const known = i18n.exists(`errors.${code}`);
  return (
    <div className="error-note" role="alert">
      {known && <strong>{t(`errors.${code}` as "errors.FORBIDDEN")}</strong>}
      <span>{error.message}</span>
      {onRetry && <Button onClick={onRetry}>{t("common.retry")}</Button>}
    </div>
  );
}
