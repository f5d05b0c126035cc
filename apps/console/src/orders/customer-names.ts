import type { Order } from "@souk/client";
import { useQueries } from "@tanstack/react-query";
import { useSouk } from "../lib/souk";
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
  const { supabase } = useSouk();
  const may = useMay();
  return useQueries({
    queries: groups.map((group) => {
      const ids = [...new Set(group)].toSorted();
      return {
        queryKey: ["customers", "names", ids],
        enabled: ids.length > 0 && may("customers.read"),
        queryFn: async ({ signal }: { signal: AbortSignal }) => {
          const { data } = await supabase
            .from("customers")
            .select("id, name")
            .in("id", ids)
            .abortSignal(signal)
            .throwOnError();
          return data;
        },
      };
    }),
    combine: namesOf,
  });
}

const namesOf = (answers: readonly { data?: readonly { id: string; name: string }[] }[]) =>
  new Map(answers.flatMap(({ data }) => data ?? []).map(({ id, name }) => [id, name]));
