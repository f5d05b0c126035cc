import type { Category, SoukClient } from "@souk/client";
import { queryOptions } from "@tanstack/react-query";
import { pagedList } from "../lib/queries";
import type { ProductSearch } from "./search";

export const productsQuery = (
  souk: SoukClient,
  { search, status, category, supplier, sort }: ProductSearch,
) =>
  pagedList(["products", "list", search, status, category, supplier, sort], (page, signal) =>
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
  );

export const productQuery = (souk: SoukClient, id: string) =>
  queryOptions({
    queryKey: ["products", "one", id],
    queryFn: ({ signal }) => souk.products.get(id, { signal }),
  });

export const categoriesQuery = (souk: SoukClient) =>
  queryOptions({
    queryKey: ["categories"],
    queryFn: ({ signal }) => souk.categories.list({ signal }),
  });

export interface PlacedCategory {
  category: Category;
  /** How many categories are above it. */
  depth: number;
  /** Those above it, the top one first. */
  above: readonly Category[];
}

/** A tree of categories as a list, each before those below it. */
export function inOrder(
  tree: readonly Category[],
  above: readonly Category[] = [],
): PlacedCategory[] {
  return tree.flatMap((category) => [
    { category, depth: above.length, above },
    ...inOrder(category.children, [...above, category]),
  ]);
}
