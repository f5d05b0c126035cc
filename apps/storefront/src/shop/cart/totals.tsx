import type { Checkout } from "@souk/client";
import { Amounts } from "../../ui/amounts";
import { t } from "../../ui/texts";

/** What a checkout costs, as the API has added it up. */
export const Totals = ({ quote: { totals, currency } }: { quote: Checkout }) => (
  <Amounts
    currency={currency}
    rows={totals.map(({ type, amount, included }) => [
      t(included ? "total.included" : `total.${type}`),
      amount,
      type === "total",
    ])}
  />
);
