import { wordsFor } from "../ui/errors";
import { t } from "../ui/texts";
import { Page } from "./page";
import type { Answer } from "./use-answer";

/** What went wrong, in the customer's words. */
export function ErrorNote({ error }: { error: unknown }) {
  return error ? (
    <p class="bad" role="alert">
      {wordsFor(error)}
    </p>
  ) : null;
}

/** What stands where an answer is awaited, or was not given. It takes a screen, so that nothing below it moves. */
export function Waiting({ error, again }: Pick<Answer<unknown>, "error" | "again">) {
  return (
    <div class="waiting">
      {error ? (
        <>
          <ErrorNote error={error} />
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

/** The way on from where there is nothing. */
export const ToAllProducts = () => (
  <a class="button" href="/search">
    {t("app.allProducts")}
  </a>
);

export function NotFound() {
  return (
    <Page title={t("app.notFound")} status={404}>
      <ToAllProducts />
    </Page>
  );
}

/** What stands in place of a page that needs an account. */
export const SignInPage = ({ title, text }: { title: string; text?: string }) => (
  <Page title={title}>
    {text && <p>{text}</p>}
    <a class="button" href="/profile">
      {t("account.signIn")}
    </a>
  </Page>
);

/** What stands in place of the shop where it cannot be opened. */
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
