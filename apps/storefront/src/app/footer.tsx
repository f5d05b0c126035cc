import { LANGUAGE_NAMES } from "@souk/client";
import { useShop } from "../shop/shop";
import { useAnswer } from "../shop/use-answer";
import { type Language, t } from "../ui/texts";
import { ConsentButton } from "./consent";

/** The pages about the shop, and the choice of the language. */
export function Footer() {
  const { souk, marketplace, language, chooseLanguage } = useShop();
  const pages = useAnswer(
    "content pages",
    (signal) =>
      souk
        .content("static_pages")
        .list({ marketplace_id: marketplace.id, language, limit: 6 }, { signal }),
    [language],
  );
  return (
    <footer class="footer">
      <div class="bar">
        <nav aria-label={t("app.about")}>
          <ul class="row">
            <li>
              <a href="/search">{t("app.allProducts")}</a>
            </li>
            {pages.value?.content.map(({ id, slug, title }) => (
              <li key={id}>
                <a href={`/static_pages/${slug}`}>{String(title)}</a>
              </li>
            ))}
          </ul>
        </nav>
        <ConsentButton />
        <label class="row">
          <span>{t("app.language")}</span>
          <select
            value={language}
            onChange={(event) => chooseLanguage(event.currentTarget.value as Language)}
          >
            {Object.entries(LANGUAGE_NAMES).map(([code, name]) => (
              <option key={code} value={code} lang={code}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </div>
    </footer>
  );
}
