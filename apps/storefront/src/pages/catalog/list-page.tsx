import { type Category, categoriesOf, facetsFor, withBelow } from "../../shop/categories";
import { CategoryLinks } from "../../shop/category-links";
import { NotFound, Waiting } from "../../shop/messages";
import { Page } from "../../shop/page";
import type { PageHead } from "../../shop/platform";
import { Legal } from "../../shop/seller";
import { useShop } from "../../shop/shop";
import { useAnswer } from "../../shop/use-answer";
import { isMissing } from "../../ui/errors";
import { t } from "../../ui/texts";
import { chosenIn, Facets } from "./facets";
import { Pages } from "./pages";
import { ProductGrid } from "./product-grid";
import { useSearchParams } from "./search-params";
import { Sorting, sortingOf } from "./sorting";

/** Products per page. */
const LIMIT = 24;

/** The products of a search, a category or a seller, filtered, sorted and paged by the URL. */
export function ListPage({ category, seller }: { category?: string; seller?: string }) {
  const { souk, marketplace } = useShop();
  const { params } = useSearchParams();
  const query = params.get("query") ?? "";
  const found = useAnswer(
    "list",
    async (signal) => {
      const [categories, supplier] = await Promise.all([
        categoriesOf(souk),
        seller === undefined ? undefined : souk.suppliers.get(seller, { signal }),
      ]);
      const top = withBelow(categories).find(({ id }) => id === category);
      if (category !== undefined && !top) return null;
      const chosen = chosenIn(params);
      const list = await souk.products.list(
        {
          ...chosen,
          marketplace_id: marketplace.id,
          supplier_id: seller,
          category: chosen.category.length === 0 && category ? category : chosen.category,
          facets: facetsFor(top ? [top] : categories),
          search: query || undefined,
          price_min: numberIn(params.get("price_min")),
          price_max: numberIn(params.get("price_max")),
          ...sortingOf(params.get("sort")),
          page: numberIn(params.get("page")) ?? 1,
          limit: LIMIT,
        },
        { signal },
      );
      return { list, top, supplier };
    },
    [category, seller, params.toString()],
  );
  if (found.value === null || isMissing(found.error)) return <NotFound />;
  const { list, top, supplier } = found.value ?? {};
  const title = query
    ? t("list.found", { query })
    : (top?.name ?? supplier?.name ?? t("app.allProducts"));

  return (
    <Page title={title} headOf={headOf(top, params)} wide>
      {supplier?.logo && <img class="logo" src={supplier.logo} alt="" />}
      {supplier?.verified && <p class="muted">{t("seller.verified")}</p>}
      {supplier?.description && <p class="paragraphs">{supplier.description}</p>}
      {supplier && <Legal legal={supplier.legal} />}
      {top && top.children.length > 0 && (
        <nav aria-label={t("list.subcategories")}>
          <ul class="row labels">
            <CategoryLinks tree={top.children} />
          </ul>
        </nav>
      )}
      {list ? (
        <div class="listing">
          <Facets filters={list.filters} currency={marketplace.currency} />
          <div>
            <div class="row between">
              <p role="status">{t("list.count", { count: list.total })}</p>
              <Sorting />
            </div>
            <ProductGrid products={list.products} />
            <Pages {...list} />
          </div>
        </div>
      ) : (
        <Waiting {...found} />
      )}
    </Page>
  );
}

/** The template with the head of a list. Later pages of a category are not the page that its head names. */
function headOf(top: Category | undefined, params: URLSearchParams): PageHead["headOf"] {
  if (params.has("query")) return { type: "search_results" };
  const isFirst = (params.get("page") ?? "1") === "1";
  return top && isFirst ? { type: "category", category_id: top.id } : undefined;
}

const numberIn = (text: string | null): number | undefined =>
  text !== null && /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
