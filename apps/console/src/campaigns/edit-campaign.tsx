import type { Campaign } from "@souk/client";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../components/dialog";
import { Form } from "../components/form";
import { changedIn } from "../lib/edits";
import { typedNumber } from "../lib/numbers";
import { toastDone } from "../lib/toasts";
import { amountsOf, BidFields, type Bids } from "./bid-fields";
import { useCampaignAction } from "./use-campaign-action";

const typed = (amount: number | null) => (amount === null ? "" : typedNumber(amount));

/** Changes the bids and the daily budget of a campaign. */
export function EditCampaign({ campaign, onClose }: { campaign: Campaign; onClose(): void }) {
  const { t } = useTranslation();
  const { currency, pricing_model } = campaign;
  const [before] = useState<Bids>({
    bid: typed(campaign.bid_amount),
    maxBid: typed(campaign.max_bid),
    budget: typed(campaign.daily_budget),
  });
  const [bids, setBids] = useState(before);
  const save = useCampaignAction(
    (souk) =>
      souk.campaigns.update(
        campaign.id,
        changedIn(amountsOf(before, pricing_model), amountsOf(bids, pricing_model)),
      ),
    {
      onDone: () => {
        toastDone(t("common.saved"));
        onClose();
      },
    },
  );
  return (
    <Dialog
      title={t("campaigns.editTerms")}
      lead={t("campaigns.amountsIn", { currency })}
      onClose={onClose}
    >
      <Form action={save} onSubmit={() => save.mutate()} onCancel={onClose}>
        <BidFields model={pricing_model} bids={bids} onChange={setBids} />
      </Form>
    </Dialog>
  );
}
