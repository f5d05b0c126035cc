import { Waiting } from "../../shop/messages";
import { Page } from "../../shop/page";
import { useShop } from "../../shop/shop";
import { useAnswer } from "../../shop/use-answer";
import { t } from "../../ui/texts";
import { categoriesOf, facetsFor } from "./categories";
import { chosenIn, Facets } from "./facets";
import { Pages } from "./pages";
import { ProductGrid } from "./product-grid";
import { useSearchParams } from "./search-params";
import { Sorting, sortingOf } from "./sorting";

/** Products per page. */
const LIMIT = 24;

/** The products of a search or a category, filtered, sorted and paged by the URL. */
export function ListPage({ category }: { category?: string }) {
  const { souk, marketplace } = useShop();
  const { params } = useSearchParams();
  const query = params.get("query") ?? "";
  const found = useAnswer(
    async (signal) => {
      const categories = await categoriesOf(souk);
      const chosen = chosenIn(params);
      const list = await souk.products.list(
        {
          ...chosen,
          marketplace_id: marketplace.id,
          category: chosen.category.length === 0 && category ? category : chosen.category,
          facets: facetsFor(categories, category),
          search: query || undefined,
          price_min: numberIn(params.get("price_min")),
          price_max: numberIn(params.get("price_max")),
          ...sortingOf(params.get("sort")),
          page: numberIn(params.get("page")) ?? 1,
          limit: LIMIT,
        },
        { signal },
      );
      return { ...list, name: categories.find(({ id }) => id === category)?.name };
    },
    [category, params.toString()],
  );
  const title = query ? t("list.found", { query }) : (found.value?.name ?? t("app.allProducts"));

  return (
    <Page title={title} wide>
      {found.value ? (
        <div class="listing">
          <Facets filters={found.value.filters} currency={marketplace.currency} />
          <div>
            <div class="row between">
              <p role="status">{t("list.count", { count: found.value.total })}</p>
              <Sorting />
            </div>
            <ProductGrid products={found.value.products} />
            <Pages {...found.value} />
          </div>
        </div>
      ) : (
        <Waiting {...found} />
      )}
    </Page>
  );
}

const numberIn = (text: string | null): number | undefined =>
  text !== null && /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
