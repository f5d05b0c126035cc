import { useTranslation } from "react-i18next";
import { codeOf, isOutdated } from "../lib/errors";
import { Button } from "./button";

/** An error: in the language of the page if its code is known, otherwise with the API's message. */
export function ErrorNote({
  error,
  onRetry,
  onReadAgain,
}: {
  error: Error;
  onRetry?: () => void;
  /** Reads a record again that somebody else has changed. */
  onReadAgain?: () => void;
}) {
  const { t } = useTranslation();
  if (onReadAgain && isOutdated(error)) {
    return (
      <div className="error-note" role="alert">
        <strong>{t("errors.outdated")}</strong>
        <span>{t("errors.outdatedHint")}</span>
        <Button onClick={onReadAgain}>{t("common.readAgain")}</Button>
      </div>
    );
  }
  const code = codeOf(error);
  return (
    <div className="error-note" role="alert">
      {code && <strong>{t(`errors.${code}`)}</strong>}
      <span>{error.message}</span>
      {onRetry && <Button onClick={onRetry}>{t("common.retry")}</Button>}
    </div>
  );
}
