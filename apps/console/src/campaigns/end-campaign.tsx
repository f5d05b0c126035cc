import type { Campaign } from "@souk/client";
import { useTranslation } from "react-i18next";
import { Confirm } from "../components/confirm";
import { toastDone } from "../lib/toasts";
import { useCampaignAction } from "./use-campaign-action";

interface EndCampaignProps {
  campaign: Campaign;
  name: string;
  onClose(): void;
}

/** Ends a campaign before its time. */
export function EndCampaign({ campaign, name, onClose }: EndCampaignProps) {
  const { t } = useTranslation();
  const end = useCampaignAction(
    (souk) => souk.campaigns.update(campaign.id, { status: "cancelled" }),
    {
      onDone: () => {
        toastDone(t("campaigns.isEnded", { name }));
        onClose();
      },
    },
  );
  return (
    <Confirm
      title={t("campaigns.endTitle")}
      submit={t("campaigns.end")}
      action={end}
      onConfirm={() => end.mutate()}
      onClose={onClose}
    >
      {t("campaigns.endHint", { name })}
    </Confirm>
  );
}
