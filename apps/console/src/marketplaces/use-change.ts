import type { Marketplace, MarketplaceBusiness, MarketplaceChanges } from "@souk/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useSouk } from "../lib/souk";
import { toastDone } from "../lib/toasts";

/** Changes a marketplace, and shows that it is saved unless `isSilent`. */
export function useChangeMarketplace({ id }: Marketplace, { isSilent = false } = {}) {
  const { t } = useTranslation();
  const souk = useSouk();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (changes: MarketplaceChanges) => souk.marketplaces.update(id, changes),
    onSuccess: async (marketplace) => {
      queries.setQueryData(["marketplaces", "one", id], marketplace);
      await queries.invalidateQueries({ queryKey: ["marketplaces"] });
      if (!isSilent) toastDone(t("common.saved"));
    },
  });
}

/** Changes some business settings. The API replaces the whole group, so the others are sent, too. */
export function useChangeBusiness(marketplace: Marketplace) {
  const change = useChangeMarketplace(marketplace);
  return {
    ...change,
    save: (business: MarketplaceBusiness) =>
      change.mutate({
        settings: { business: { ...marketplace.settings.business, ...business } },
      }),
  };
}
