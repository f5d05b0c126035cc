import { oneOf, textOf } from "../lib/search-params";

export const HAVING_ORDERS = ["yes", "no"] as const;

/** The filters of the list of customers. */
export interface CustomerSearch {
  search?: string;
  ordered?: (typeof HAVING_ORDERS)[number];
}

/** Reads the filters from the URL. */
export const readCustomerSearch = (search: Record<string, unknown>): CustomerSearch => ({
  search: textOf(search.search),
  ordered: oneOf(HAVING_ORDERS, search.ordered),
});
