import type { PricingModel } from "@souk/client";
import { useTranslation } from "react-i18next";
import { TextField } from "../components/field";
import { numberFrom } from "../lib/numbers";

/** The amounts that a seller sets for a campaign, as they are typed. */
export interface Bids {
  bid: string;
  maxBid: string;
  budget: string;
}

/** The fields of the API for these amounts. An empty limit is none. */
export const amountsOf = ({ bid, maxBid, budget }: Bids, model: PricingModel) => ({
  bidAmount: numberFrom(bid) ?? 0,
  dailyBudget: numberFrom(budget) ?? null,
  ...(model === "auction" && { maxBid: numberFrom(maxBid) ?? null }),
});

interface BidFieldsProps {
  model: PricingModel;
  bids: Bids;
  onChange(bids: Bids): void;
  /** Says how low a bid may be. */
  hint?: string;
}

export function BidFields({ model, bids, onChange, hint }: BidFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <TextField
        name="bidAmount"
        label={t("campaigns.bid")}
        hint={hint}
        inputMode="decimal"
        required
        value={bids.bid}
        onChange={(bid) => onChange({ ...bids, bid })}
      />
      {model === "auction" && (
        <TextField
          name="maxBid"
          label={t("campaigns.maxBid")}
          hint={t("campaigns.maxBidHint")}
          inputMode="decimal"
          value={bids.maxBid}
          onChange={(maxBid) => onChange({ ...bids, maxBid })}
        />
      )}
      <TextField
        name="dailyBudget"
        label={t("campaigns.dailyBudget")}
        hint={t("campaigns.dailyBudgetHint")}
        inputMode="decimal"
        value={bids.budget}
        onChange={(budget) => onChange({ ...bids, budget })}
      />
    </>
  );
}
