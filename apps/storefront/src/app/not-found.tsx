import { t } from "../lib/texts";
import { Page } from "./page";

export function NotFound() {
  return (
    <Page title={t("app.notFound")}>
      <a class="button" href="/search">
        {t("app.allProducts")}
      </a>
    </Page>
  );
}
