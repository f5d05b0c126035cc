import type { DeliveryMethod } from "@souk/client";
import { type Cart, cartTotal, lineOf } from "../cart/cart";
import { useShop } from "../lib/shop";
import { money, t } from "../lib/texts";
import { deliveryCosts } from "./delivery";

export function Summary({ cart, method }: { cart: Cart; method: DeliveryMethod | undefined }) {
  const { marketplace } = useShop();
  const { currency } = marketplace;
  const costs = method ? deliveryCosts(cart.items, method) : [];
  const delivery = costs.reduce((sum, { amount }) => sum + amount, 0);
  return (
    <section aria-label={t("checkout.summary")} class="summary">
      {cart.items.map((item) => (
        <p key={lineOf(item)} class="row between">
          <span>
            {t("order.pieces", { count: item.quantity })} <bdi>{item.name}</bdi>
          </span>
          <span>{money(item.price * item.quantity, currency)}</span>
        </p>
      ))}
      {method && (
        <p class="row between">
          <span>{t("checkout.delivery")}</span>
          <span>{money(delivery, currency)}</span>
        </p>
      )}
      <p class="row between total">
        <span>{t("checkout.total")}</span>
        <strong>{money(cartTotal(cart) + delivery, currency)}</strong>
      </p>
    </section>
  );
}
