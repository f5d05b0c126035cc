import type { Checkout } from "@souk/client";
import { Fragment } from "preact";
import { bySeller } from "../../shop/cart/cart";
import { Totals } from "../../shop/cart/totals";
import { SoldBy } from "../../shop/seller";
import { Amounts } from "../../ui/amounts";
import { t } from "../../ui/texts";

/** What is ordered from which seller, and its price, as the checkout has it. */
export const Summary = ({ quote }: { quote: Checkout }) => (
  <section aria-label={t("checkout.summary")} class="summary">
    {bySeller(quote.items).map(([supplier, lines]) => (
      <Fragment key={supplier}>
        <SoldBy supplier={supplier} isOpen />
        <Amounts
          currency={quote.currency}
          rows={lines.map(({ quantity, name, amount }) => [
            [t("order.pieces", { count: quantity }), " ", <bdi key="name">{name}</bdi>],
            amount,
          ])}
        />
      </Fragment>
    ))}
    <Totals quote={quote} />
  </section>
);
