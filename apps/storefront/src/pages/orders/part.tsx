import type { Shipment } from "@souk/client";
import { ActionButton } from "../../shop/action";
import { Legal } from "../../shop/seller";
import { useShop } from "../../shop/shop";
import { money, statusName, t, time } from "../../ui/texts";
import { ReturnForm } from "./return-form";
import type { PartProps } from "./use-order";

/** One supplier's part: its items, its shipments, and the customer's actions. */
export function Part({ part, whole, onChange }: PartProps) {
  const { marketplace } = useShop();
  const { order, suppliers } = whole;
  const items = order.items.filter(({ supplier_id }) => supplier_id === part.supplier_id);
  const name = suppliers.find(({ id }) => id === part.supplier_id)?.name ?? marketplace.name;
  if (items.length === 0) return null;
  return (
    <section class="part">
      <h2 class="row between">
        <bdi>{name}</bdi>
        <span class="state">{statusName(part.status)}</span>
      </h2>
      <ul>
        {items.map((item) => (
          <li key={item.id} class="row between">
            <span>
              {t("order.pieces", { count: item.quantity })} <bdi>{item.name}</bdi>{" "}
              {item.starts_at_local && <span class="muted">{time(item.starts_at_local)}</span>}
              {item.cancelled_quantity > 0 && (
                <span class="muted">
                  {t("order.cancelled", { count: item.cancelled_quantity })}
                </span>
              )}
              {item.returned_quantity > 0 && (
                <span class="muted">{t("order.returned", { count: item.returned_quantity })}</span>
              )}
            </span>
            <span>{money(item.amount, order.currency)}</span>
          </li>
        ))}
      </ul>
      <Legal legal={part.legal} />
      <Shipments
        shipments={whole.shipments.filter((one) => one.supplier_id === part.supplier_id)}
      />
      {(part.status === "pending" || part.status === "confirmed") && (
        <Cancel part={part} whole={whole} onChange={onChange} />
      )}
      <ReturnForm part={part} whole={whole} onChange={onChange} />
    </section>
  );
}

function Cancel({ part, whole: { order }, onChange }: PartProps) {
  const { souk } = useShop();
  async function cancel() {
    const items = order.items
      .filter(({ supplier_id }) => supplier_id === part.supplier_id)
      .map((item) => ({
        item_id: item.id,
        quantity: item.quantity - item.shipped_quantity - item.cancelled_quantity,
      }))
      .filter(({ quantity }) => quantity > 0);
    await souk.orders.cancelItems(order.id, { items });
    onChange();
  }
  return <ActionButton act={cancel}>{t("order.cancel")}</ActionButton>;
}

/** The parcels on their way. */
function Shipments({ shipments }: { shipments: readonly Shipment[] }) {
  return (
    <ul>
      {shipments.map(({ id, status, carrier, tracking_number, tracking_url, created_at_local }) => (
        <li key={id}>
          {t(`shipment.${status}`, { time: time(created_at_local) })} <bdi>{carrier}</bdi>{" "}
          {tracking_url ? (
            <a href={tracking_url} target="_blank" rel="noreferrer">
              {tracking_number ?? t("shipment.track")}
            </a>
          ) : (
            <bdi>{tracking_number}</bdi>
          )}
        </li>
      ))}
    </ul>
  );
}
