import { Waiting } from "../../shop/messages";
import { useShop } from "../../shop/shop";
import { useAnswer } from "../../shop/use-answer";
import { money, statusName, t, time } from "../../ui/texts";

/** The orders of the visitor, newest first. */
export function OrderList() {
  const { souk, marketplace } = useShop();
  const orders = useAnswer(
    "orders",
    (signal) => souk.orders.list({ marketplace_id: marketplace.id, limit: 50 }, { signal }),
    [],
  );
  if (!orders.value) return <Waiting {...orders} />;
  return (
    <section aria-labelledby="orders">
      <h2 id="orders">{t("order.all")}</h2>
      {orders.value.total === 0 && <p>{t("order.none")}</p>}
      <ul class="lines">
        {orders.value.orders.map(
          ({ id, number, status, total_amount, currency, created_at_local }) => (
            <li key={id} class="row between">
              <a href={`/orders/${id}`}>{t("order.title", { number })}</a>
              <span class="muted">{time(created_at_local)}</span>
              <span class="state">{statusName(status)}</span>
              <strong>{money(total_amount, currency)}</strong>
            </li>
          ),
        )}
      </ul>
    </section>
  );
}
