import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { categoriesOf } from "../shop/categories";
import { CategoryLinks } from "../shop/category-links";
import { useShop } from "../shop/shop";
import { useAnswer } from "../shop/use-answer";
import { t } from "../ui/texts";

/** The first two levels of the tree of categories, which works without scripts. Escape closes it. */
export function CategoryMenu() {
  const { souk } = useShop();
  const menu = useRef<HTMLDetailsElement>(null);
  const [path] = useLocation();
  const { value: categories = [] } = useAnswer("categories", () => categoriesOf(souk), []);

  function close() {
    if (menu.current) menu.current.open = false;
  }
  // A link of the menu has been followed.
  useEffect(close, [path]);

  return (
    <details
      class="categories"
      ref={menu}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !menu.current?.open) return;
        close();
        menu.current.querySelector("summary")?.focus();
      }}
      onFocusOut={({ currentTarget, relatedTarget }) => {
        if (relatedTarget && !currentTarget.contains(relatedTarget as Node)) close();
      }}
    >
      <summary>{t("app.categories")}</summary>
      <nav aria-label={t("app.categories")}>
        <ul>
          <li>
            <a href="/search">{t("app.allProducts")}</a>
          </li>
          <CategoryLinks tree={categories} levels={2} />
        </ul>
      </nav>
    </details>
  );
}
