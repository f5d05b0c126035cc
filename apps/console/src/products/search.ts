import type { ProductStatus } from "@souk/client";
import { oneOf, textOf } from "../lib/search-params";

/** The statuses of products in a list. */
export const PRODUCT_STATUSES = [
  "draft",
  "active",
  "inactive",
  "out_of_stock",
] as const satisfies readonly ProductStatus[];

const SORTS = ["name", "price", "updated_at"] as const;

/** The filters of the list of products. */
export interface ProductSearch {
  search?: string;
  status?: ProductStatus;
  category?: string;
  supplier?: string;
  sort?: (typeof SORTS)[number];
}

/** Reads the filters from the URL. */
export const readProductSearch = (search: Record<string, unknown>): ProductSearch => ({
  search: textOf(search.search),
  status: oneOf(PRODUCT_STATUSES, search.status),
  category: textOf(search.category),
  supplier: textOf(search.supplier),
  sort: oneOf(SORTS, search.sort),
});
