import { addMoney, type Order } from "@souk/client";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../components/dialog";
import { TextField } from "../components/field";
import { Form } from "../components/form";
import { numberFrom, typedNumber } from "../lib/numbers";
import { toastDone } from "../lib/toasts";
import { dueParts } from "./refund-parts";
import { useOrderAction } from "./use-order-action";

const amountIn = (typed: string | undefined) => numberFrom(typed ?? "") ?? 0;

/** Records a refund by what it is for. What it does not name is goodwill, and stays due. */
export function RecordRefund({ order, onClose }: { order: Order; onClose(): void }) {
  const { t } = useTranslation();
  const { currency } = order;
  const [due] = useState(() => dueParts(order));
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(Object.entries(due.items).map(([id, amount]) => [id, typedNumber(amount)])),
  );
  const [delivery, setDelivery] = useState(due.delivery > 0 ? typedNumber(due.delivery) : "");
  const [goodwill, setGoodwill] = useState("");
  const [reference, setReference] = useState("");
  const items = order.items
    .map(({ id }) => ({ item_id: id, amount: amountIn(typed[id]) }))
    .filter(({ amount }) => amount !== 0);
  const delivery_amount = amountIn(delivery);
  const record = useOrderAction(
    (souk) =>
      souk.payments.record(order.id, {
        status: "refunded",
        amount: addMoney(currency, [
          ...items.map(({ amount }) => amount),
          delivery_amount,
          amountIn(goodwill),
        ]),
        reference,
        ...(items.length > 0 && { items }),
        ...(delivery_amount !== 0 && { delivery_amount }),
      }),
    {
      onDone: () => {
        toastDone(t("orders.recorded"));
        onClose();
      },
    },
  );
  /** The field of an item in the request, which has the items with an amount only. */
  const nameOf = (id: string) => {
    const place = items.findIndex(({ item_id }) => item_id === id);
    return place === -1 ? id : `items[${place}].amount`;
  };
  return (
    <Dialog title={t("orders.recordRefund")} lead={t("orders.recordHint")} onClose={onClose}>
      <Form
        action={record}
        onSubmit={() => record.mutate()}
        submit={t("orders.recordRefund")}
        onCancel={onClose}
      >
        <p className="muted">
          {t("orders.amountIn", { currency })}. {t("orders.refundHint")}
        </p>
        {order.items.map(({ id, name }) => (
          <TextField
            key={id}
            name={nameOf(id)}
            label={name}
            inputMode="decimal"
            value={typed[id] ?? ""}
            onChange={(amount) => setTyped({ ...typed, [id]: amount })}
          />
        ))}
        {order.delivery_amount > 0 && (
          <TextField
            name="delivery_amount"
            label={t("orders.delivery")}
            inputMode="decimal"
            value={delivery}
            onChange={setDelivery}
          />
        )}
        <TextField
          name="amount"
          label={t("orders.goodwill")}
          hint={t("orders.goodwillHint")}
          inputMode="decimal"
          value={goodwill}
          onChange={setGoodwill}
        />
        <TextField
          name="reference"
          label={t("fields.reference")}
          hint={t("orders.referenceHint")}
          required
          value={reference}
          onChange={setReference}
        />
      </Form>
    </Dialog>
  );
}
