import type { Order } from "@souk/client";
import { useQueries } from "@tanstack/react-query";
import { useSouk } from "../lib/souk";
import { useMay } from "../session/session";

/**
 * The names of the customers of some pages of orders, by their ids. An order has no more than the id, so the table of
 * customers is read: one request for each page.
 */
export function useCustomerNames(
  pages: readonly (readonly Order[])[],
): ReadonlyMap<string, string> {
  const { supabase } = useSouk();
  const may = useMay();
  return useQueries({
    queries: pages.map((orders) => {
      const ids = [...new Set(orders.map(({ customer_id }) => customer_id))].toSorted();
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
