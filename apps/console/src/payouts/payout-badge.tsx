import type { PayoutStatus } from "@souk/client";
import { useTranslation } from "react-i18next";
import { Badge } from "../components/badge";
import { PAYOUT_TONES } from "./statuses";

export function PayoutBadge({ status }: { status: PayoutStatus }) {
  const { t } = useTranslation();
  return <Badge tone={PAYOUT_TONES[status]}>{t(`payouts.statuses.${status}`)}</Badge>;
}
