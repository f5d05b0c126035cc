import { useQueries } from "@tanstack/react-query";
import { useSouk } from "./souk";

/** The names of customers or products by id, with one request per group of ids. */
export function useNamesOf(
  table: "customers" | "products",
  groups: readonly (readonly string[])[],
  isAllowed = true,
): ReadonlyMap<string, string> {
  const { supabase } = useSouk();
  return useQueries({
    queries: groups.map((group) => {
      const ids = [...new Set(group)].toSorted();
      return {
        queryKey: [table, "names", ids],
        enabled: ids.length > 0 && isAllowed,
        queryFn: async ({ signal }: { signal: AbortSignal }) => {
          const { data } = await supabase
            .from(table)
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
