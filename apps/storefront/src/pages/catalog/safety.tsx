import type { Product } from "@souk/client";
import { Facts } from "../../shop/seller";
import { t } from "../../ui/texts";

/** Who answers for a product, and its warnings, as the EU's GPSR requires of an offer. */
export function Safety({ safety }: { safety: Product["safety"] }) {
  if (!safety) return null;
  const { manufacturer, responsible_person, warnings } = safety;
  return (
    <details class="seller" open={Boolean(warnings)}>
      <summary>{t("product.safety")}</summary>
      <Facts
        facts={[
          [t("product.warnings"), warnings],
          [t("product.manufacturer"), contactOf(manufacturer)],
          [t("product.responsible"), contactOf(responsible_person)],
        ]}
      />
    </details>
  );
}

type Trader = NonNullable<Product["safety"]>["manufacturer"];

const contactOf = (trader: Trader) =>
  trader && [trader.name, trader.address, trader.email].filter(Boolean).join("\n");
