import { useQuery } from "@tanstack/react-query";
import { useSouk } from "./souk";

/** All marketplaces of the tenant. */
export function useMarketplaces() {
  const souk = useSouk();
  return useQuery({
    queryKey: ["marketplaces", "all"],
    queryFn: ({ signal }) => Array.fromAsync(souk.marketplaces.listAll({ limit: 100 }, { signal })),
  });
}

/** All suppliers of the tenant. */
export function useSuppliers() {
  const souk = useSouk();
  return useQuery({
    queryKey: ["suppliers", "all"],
    queryFn: ({ signal }) => Array.fromAsync(souk.suppliers.listAll({ limit: 100 }, { signal })),
  });
}

/** The name of the record with this id; null without an id. */
export function nameIn(
  records: readonly { id: string; name: string }[] | undefined,
  id: string | null,
): string | null {
  return records?.find((record) => record.id === id)?.name ?? null;
}
