import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useSouk } from "../lib/souk";

/** The tenants of the person who is signed in. */
export function useTenants() {
  const souk = useSouk();
  return useQuery({
    queryKey: ["tenants"],
    queryFn: ({ signal }) => souk.auth.tenants({ limit: 100 }, { signal }),
  });
}

/** Goes on in another tenant. Everything that was read belongs to the one before. */
export function useSwitchTenant() {
  const souk = useSouk();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (tenantId: string) => souk.auth.switchTenant(tenantId),
    onSuccess: () => queries.resetQueries(),
  });
}
