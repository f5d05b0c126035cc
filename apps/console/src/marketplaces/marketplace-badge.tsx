import type { MarketplaceStatus } from "@souk/client";
import { useTranslation } from "react-i18next";
import { Badge, type Tone } from "../components/badge";

const TONES: Record<MarketplaceStatus, Tone> = {
  draft: "neutral",
  active: "good",
  inactive: "warn",
  suspended: "bad",
};

export function MarketplaceBadge({ status }: { status: MarketplaceStatus }) {
  const { t } = useTranslation();
  return <Badge tone={TONES[status]}>{t(`marketplaces.statuses.${status}`)}</Badge>;
}
