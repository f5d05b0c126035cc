import { wordsFor } from "../lib/errors";
import { t } from "../lib/texts";
import type { Answer } from "../lib/use-answer";

/** Shown while an answer is pending, or after an error. It is as high as the screen, so that nothing below it moves. */
export function Waiting({ error, again }: Pick<Answer<unknown>, "error" | "again">) {
  return (
    <div class="waiting">
      {error ? (
        <>
          <p role="alert">{wordsFor(error)}</p>
          <button type="button" onClick={again}>
            {t("app.retry")}
          </button>
        </>
      ) : (
        <p class="muted" role="status">
          {t("app.loading")}
        </p>
      )}
    </div>
  );
}
