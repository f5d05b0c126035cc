import type { CampaignStatus } from "@souk/client";
import { useTranslation } from "react-i18next";
import { Badge } from "../components/badge";
import { CAMPAIGN_TONES } from "./statuses";

export function CampaignBadge({ status }: { status: CampaignStatus }) {
  const { t } = useTranslation();
  return <Badge tone={CAMPAIGN_TONES[status]}>{t(`campaignStatus.${status}`)}</Badge>;
}
