import { wordsFor } from "../lib/errors";
import { t } from "../lib/texts";

export function CannotOpen({ error, isClosed }: { error: unknown; isClosed: boolean }) {
  return (
    <main class="page narrow" id="souk-main">
      <h1>{t("app.cannotOpen")}</h1>
      <p role="alert">{isClosed ? t("app.noShop") : wordsFor(error)}</p>
      <button type="button" onClick={() => location.reload()}>
        {t("app.retry")}
      </button>
    </main>
  );
}
