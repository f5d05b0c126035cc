import type { ListedProduct } from "@souk/client";
import { money, t } from "../ui/texts";

type Offer = Pick<ListedProduct, "compare_at_price" | "lowest_price_30d">;

/** What a price is compared with, struck through, and the lowest price before a reduction, which EU law requires. */
export function ComparedPrice({ offer, currency }: { offer: Offer; currency: string }) {
  const { compare_at_price, lowest_price_30d } = offer;
  if (compare_at_price === null) return null;
  return (
    <span class="muted">
      {t("product.insteadOf")} <s>{money(compare_at_price, currency)}</s>{" "}
      {lowest_price_30d !== null &&
        t("product.lowest", { price: money(lowest_price_30d, currency) })}
    </span>
  );
}
