import type { Campaign } from "@souk/client";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { useFormat } from "../lib/format";

/** Returns a function that says what a campaign costs: its fee, its bid for a click, or both. */
export function useCampaignPrice() {
  const { t } = useTranslation();
  const format = useFormat();
  return useCallback(
    ({ pricing_model, fee, bid_amount, currency }: Campaign): string => {
      const amounts = {
        fee: format.money(fee, currency),
        bid: format.money(bid_amount, currency),
      };
      if (pricing_model === "fixed") return t("campaigns.prices.fee", amounts);
      return t(
        pricing_model === "hybrid" ? "campaigns.prices.both" : "campaigns.prices.bid",
        amounts,
      );
    },
    [t, format],
  );
}
