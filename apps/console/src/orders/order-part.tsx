import type { Order, OrderItem, OrderPart as Part } from "@souk/client";
import { useTranslation } from "react-i18next";
import { Card } from "../components/card";
import { useFormat } from "../lib/format";
import { nameIn, useSuppliers } from "../lib/names";
import { OrderBadge } from "./order-badge";
import { openPieces } from "./pieces";

/** The part of an order that one supplier or the operator sells. */
export function OrderPart({ order, part }: { order: Order; part: Part }) {
  const { t } = useTranslation();
  const format = useFormat();
  const suppliers = useSuppliers();
  const items = order.items.filter(({ supplier_id }) => supplier_id === part.supplier_id);
  if (items.length === 0) return null;
  return (
    <Card
      title={nameIn(suppliers.data, part.supplier_id) ?? t("orders.operator")}
      actions={<OrderBadge status={part.status} />}
    >
      <ul className="items">
        {items.map((item) => (
          <li key={item.id}>
            <span className="item-quantity">{format.number(item.quantity)} ×</span>
            <span className="item-name">
              {item.name}
              <PieceCounts item={item} />
            </span>
            <span className="item-amount">{format.money(item.amount, order.currency)}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** The number of pieces of an item in each state. */
function PieceCounts({ item }: { item: OrderItem }) {
  const { t } = useTranslation();
  const counts = [
    ["open", openPieces(item)],
    ["shipped", item.shipped_quantity - item.delivered_quantity - item.lost_quantity],
    ["delivered", item.delivered_quantity],
    ["cancelled", item.cancelled_quantity],
    ["returned", item.returned_quantity],
    ["lost", item.lost_quantity],
  ] as const;
  const texts = counts
    .filter(([, count]) => count > 0)
    .map(([name, count]) => t(`pieces.${name}`, { count }));
  return <small className="muted">{texts.join(" · ")}</small>;
}
