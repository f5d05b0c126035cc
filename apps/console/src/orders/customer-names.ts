import type { Order } from "@souk/client";
import { useNamesOf } from "../lib/record-names";
import { useMay } from "../session/session";

/**
 * The names of the customers of some pages of orders, by id. An order only contains the id, so the customers are read
 * with one request per page.
 */
export const useCustomerNames = (pages: readonly (readonly Order[])[]) =>
  useNamesOfCustomers(pages.map((orders) => orders.map(({ customer_id }) => customer_id)));

/** The names of customers by id, with one request per group. */
export function useNamesOfCustomers(
  groups: readonly (readonly string[])[],
): ReadonlyMap<string, string> {
  const may = useMay();
  return useNamesOf("customers", groups, may("customers.read"));
}
