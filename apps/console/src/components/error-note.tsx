import { useTranslation } from "react-i18next";
import { isOutdated, textsOf } from "../lib/errors";
import { Button } from "./button";

/** An error in the language of the page. */
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
  const { title, detail } = textsOf(error);
  return (
    <div className="error-note" role="alert">
      <strong>{title}</strong>
      {detail && <span>{detail}</span>}
      {onRetry && <Button onClick={onRetry}>{t("common.retry")}</Button>}
    </div>
  );
}
