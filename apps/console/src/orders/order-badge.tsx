import type { OrderStatus, PaymentStatus } from "@souk/client";
import { useTranslation } from "react-i18next";
import { Badge } from "../components/badge";
import { ORDER_TONES, PAYMENT_TONES } from "./statuses";

export function OrderBadge({ status }: { status: OrderStatus }) {
  const { t } = useTranslation();
  return <Badge tone={ORDER_TONES[status]}>{t(`orderStatus.${status}`)}</Badge>;
}

export function PaymentBadge({ status }: { status: PaymentStatus }) {
  const { t } = useTranslation();
  return <Badge tone={PAYMENT_TONES[status]}>{t(`paymentStatus.${status}`)}</Badge>;
}
