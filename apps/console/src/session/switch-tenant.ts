import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useSouk } from "../lib/souk";

/** The tenants of the signed-in person. */
export function useTenants() {
  const souk = useSouk();
  return useQuery({
    queryKey: ["tenants"],
    queryFn: ({ signal }) => souk.auth.tenants({ limit: 100 }, { signal }),
  });
}

/** Switches to another tenant, and clears the data of the previous one. */
export function useSwitchTenant() {
  const souk = useSouk();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (tenantId: string) => souk.auth.switchTenant(tenantId),
    onSuccess: () => queries.resetQueries(),
  });
}
