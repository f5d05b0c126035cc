import type { DeliveryMethod } from "@souk/client";
import type { CartItem } from "../cart/cart";
import { useShop } from "../lib/shop";
import { money, t } from "../lib/texts";
import { deliveryCosts } from "./delivery";

export function DeliveryChoice({
  methods,
  chosen,
  items,
  onChoose,
}: {
  methods: readonly DeliveryMethod[];
  chosen: DeliveryMethod | undefined;
  items: readonly CartItem[];
  onChoose(key: string): void;
}) {
  const { marketplace } = useShop();
  if (methods.length === 0) return null;
  return (
    <fieldset>
      <legend>{t("checkout.delivery")}</legend>
      {methods.map((method) => {
        const costs = deliveryCosts(items, method);
        const amount = costs.reduce((sum, cost) => sum + cost.amount, 0);
        return (
          <label key={method.key} class="choice">
            <input
              type="radio"
              name="delivery"
              checked={method === chosen}
              onChange={() => onChoose(method.key)}
            />
            <bdi>{method.name}</bdi>
            <span class="muted">
              {amount === 0 ? t("checkout.free") : money(amount, marketplace.currency)}{" "}
              {costs.length > 1 && t("checkout.parcels", { count: costs.length })}
            </span>
          </label>
        );
      })}
    </fieldset>
  );
}

export function PaymentChoice({ methods }: { methods: readonly string[] }) {
  if (methods.length === 0) return null;
  return (
    <fieldset>
      <legend>{t("checkout.payment")}</legend>
      {methods.map((method, i) => (
        <label key={method} class="choice">
          <input type="radio" name="payment" value={method} defaultChecked={i === 0} />
          {nameOf(method)}
        </label>
      ))}
    </fieldset>
  );
}

/** The name of a method. Shops may use any names; common ones are translated. */
function nameOf(method: string): string {
  if (method === "card") return t("payment.card");
  return method === "invoice" ? t("payment.invoice") : method;
}
