import type { OrderItem } from "@souk/client";
import { ActionForm } from "../../shop/action";
import { useShop } from "../../shop/shop";
import { Field } from "../../ui/field";
import { t } from "../../ui/texts";
import type { PartProps, WholeOrder } from "./use-order";

/** The return requests of a part, and a form for another one while pieces can be returned. */
export function ReturnForm({ part, whole, onChange }: PartProps) {
  const { souk } = useShop();
  const requests = whole.returns.filter(({ supplier_id }) => supplier_id === part.supplier_id);
  const items = whole.order.items.filter(
    (item) => item.supplier_id === part.supplier_id && returnable(item, whole) > 0,
  );
  async function request(text: (name: string) => string) {
    const pieces = items.map(({ id }) => ({ item_id: id, quantity: Number(text(id)) }));
    await souk.returns.request(whole.order.id, {
      items: pieces.filter(({ quantity }) => quantity > 0),
      reason: text("reason") || undefined,
    });
    onChange();
  }

  return (
    <>
      <ul>
        {requests.map(({ id, status, note }) => (
          <li key={id}>
            {t(`return.${status}`)} <bdi>{note}</bdi>
          </li>
        ))}
      </ul>
      {items.length > 0 && (
        <details>
          <summary>{t("return.title")}</summary>
          <ActionForm title={t("return.title")} submit={t("return.request")} onSubmit={request}>
            {items.map((item) => (
              <Field
                key={item.id}
                label={item.name}
                name={item.id}
                type="number"
                min={0}
                max={returnable(item, whole)}
                defaultValue={String(returnable(item, whole))}
              />
            ))}
            <Field label={t("return.reason")} name="reason" />
          </ActionForm>
        </details>
      )}
    </>
  );
}

/**
 * The number of delivered pieces of an item that can be returned. Items that were not shipped, such as files, cannot be
 * returned.
 */
function returnable(item: OrderItem, { shipments, returns }: WholeOrder): number {
  const wasShipped = shipments.some(({ items }) =>
    items.some(({ item_id }) => item_id === item.id),
  );
  if (!wasShipped) return 0;
  const open = returns
    .filter(({ status }) => status === "requested" || status === "approved")
    .flatMap(({ items }) => items.filter(({ item_id }) => item_id === item.id))
    .reduce((sum, { quantity }) => sum + quantity, 0);
  return item.delivered_quantity - item.returned_quantity - open;
}
