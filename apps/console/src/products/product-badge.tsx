import type { ProductStatus } from "@souk/client";
import { useTranslation } from "react-i18next";
import { Badge, type Tone } from "../components/badge";

const TONES: Record<ProductStatus, Tone> = {
  draft: "neutral",
  active: "good",
  inactive: "neutral",
  out_of_stock: "bad",
  discontinued: "neutral",
};

export function ProductBadge({ status }: { status: ProductStatus }) {
  const { t } = useTranslation();
  return <Badge tone={TONES[status]}>{t(`productStatus.${status}`)}</Badge>;
}
