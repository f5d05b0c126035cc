import { addMoney, type OfferedDeliveryMethod } from "@souk/client";
import { Fragment } from "preact";
import { amountOf, bySeller, type Cart, lineAmount, lineOf } from "../../shop/cart/cart";
import { SoldBy } from "../../shop/seller";
import { useShop } from "../../shop/shop";
import { money, t } from "../../ui/texts";
import { deliveryAmount, deliveryCosts } from "./delivery";

/** What is ordered from which seller, and its price. */
export function Summary({
  cart,
  method,
}: {
  cart: Cart;
  method: OfferedDeliveryMethod | undefined;
}) {
  const { marketplace } = useShop();
  const { currency } = marketplace;
  const costs = method ? deliveryCosts(cart.items, method, currency) : [];
  const delivery = deliveryAmount(costs, currency);
  const total = addMoney(currency, [amountOf(cart.items, currency), delivery]);
  return (
    <section aria-label={t("checkout.summary")} class="summary">
      {bySeller(cart.items).map(([supplier, items]) => (
        <Fragment key={supplier}>
          <SoldBy supplier={supplier} isOpen />
          {items.map((item) => (
            <p key={lineOf(item)} class="row between">
              <span>
                {t("order.pieces", { count: item.quantity })} <bdi>{item.name}</bdi>
              </span>
              <span>{money(lineAmount(item), currency)}</span>
            </p>
          ))}
        </Fragment>
      ))}
      {method && (
        <p class="row between">
          <span>{t("checkout.delivery")}</span>
          <span>{money(delivery, currency)}</span>
        </p>
      )}
      <p class="row between total">
        <span>{t("checkout.total")}</span>
        <strong>{money(total, currency)}</strong>
      </p>
    </section>
  );
}
