import type { Checkout } from "@souk/client";
import { Fragment } from "preact";
import { bySeller } from "../../shop/cart/cart";
import { SoldBy } from "../../shop/seller";
import { money, t } from "../../ui/texts";

/** What is ordered from which seller, and its price, as the checkout has it. */
export function Summary({ quote: { items, totals, currency } }: { quote: Checkout }) {
  return (
    <section aria-label={t("checkout.summary")} class="summary">
      {bySeller(items).map(([supplier, lines]) => (
        <Fragment key={supplier}>
          <SoldBy supplier={supplier} isOpen />
          {lines.map((line) => (
            <p key={items.indexOf(line)} class="row between">
              <span>
                {t("order.pieces", { count: line.quantity })} <bdi>{line.name}</bdi>
              </span>
              <span>{line.amount !== null && money(line.amount, currency)}</span>
            </p>
          ))}
        </Fragment>
      ))}
      {totals.map(({ type, amount, included }) => (
        <p key={type} class={type === "total" ? "row between total" : "row between"}>
          <span>{t(included ? "total.included" : `total.${type}`)}</span>
          {type === "total" ? (
            <strong>{money(amount, currency)}</strong>
          ) : (
            <span>{money(amount, currency)}</span>
          )}
        </p>
      ))}
    </section>
  );
}
