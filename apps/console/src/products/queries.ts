import type { Category, ProductList, SoukClient } from "@souk/client";
import { queryOptions } from "@tanstack/react-query";
import type { PageQuery } from "../lib/paged-list";
import type { ProductSearch } from "./search";

export const productsIn = (
  souk: SoukClient,
  { search, status, category, supplier, sort }: ProductSearch,
) => ({
  key: ["products", "list", search, status, category, supplier, sort],
  readPage: (page: PageQuery, signal: AbortSignal) =>
    souk.products.list(
      {
        ...page,
        search,
        status,
        category,
        supplier_id: supplier,
        sort,
        order: sort && (sort === "updated_at" ? "desc" : "asc"),
      },
      { signal },
    ),
  rowsOf: (page: ProductList) => page.products,
});

export const productQuery = (souk: SoukClient, id: string) =>
  queryOptions({
    queryKey: ["products", "one", id],
    queryFn: ({ signal }) => souk.products.get(id, {}, { signal }),
  });

export const categoriesQuery = (souk: SoukClient) =>
  queryOptions({
    queryKey: ["categories"],
    queryFn: ({ signal }) => souk.categories.list({ signal }),
  });

export interface PlacedCategory {
  category: Category;
  /** The number of categories above it. */
  depth: number;
  /** The categories above it, top one first. */
  above: readonly Category[];
}

/** Flattens a tree of categories: each comes before its subcategories. */
export function inOrder(
  tree: readonly Category[],
  above: readonly Category[] = [],
): PlacedCategory[] {
  return tree.flatMap((category) => [
    { category, depth: above.length, above },
    ...inOrder(category.children, [...above, category]),
  ]);
}
