import { useMutation, useQuery } from "@tanstack/react-query";
import { useSouk } from "../lib/souk";

/** The tenants of the signed-in person. */
export function useTenants() {
  const souk = useSouk();
  return useQuery({
    queryKey: ["tenants"],
    queryFn: ({ signal }) => souk.auth.tenants({ limit: 100 }, { signal }),
  });
}

/** Switches to another tenant on a new page, which has none of the previous one's data and its own policy for pictures. */
export function useSwitchTenant() {
  const souk = useSouk();
  return useMutation({
    mutationFn: (tenantId: string) => souk.auth.switchTenant(tenantId),
    onSuccess: () => location.assign(import.meta.env.BASE_URL),
  });
}
