import { addMoney, type Order, type PaymentSession } from "@souk/client";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { TextField } from "../components/field";
import { numberFrom, typedNumber } from "../lib/numbers";
import { ReportPayment } from "./report-payment";
import { SendRefund } from "./send-refund";

const amountIn = (typed: string | undefined) => numberFrom(typed ?? "") ?? 0;

/** What is due for the deliveries of all parts, as it is typed. */
function dueForDelivery({ currency, refund_due_for: { deliveries } }: Order): string {
  const amount = addMoney(
    currency,
    deliveries.map((one) => one.amount),
  );
  return amount > 0 ? typedNumber(amount) : "";
}

/**
 * Refunds by the service that took the payment, or records a refund that was made elsewhere, by what it is for. What it
 * does not name is goodwill, and stays due.
 */
export function RecordRefund({
  order,
  paying,
  onClose,
}: {
  order: Order;
  /** The session by which the order is paid; undefined if its payment was reported. */
  paying: PaymentSession | undefined;
  onClose(): void;
}) {
  const { t } = useTranslation();
  const { currency } = order;
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(
      order.refund_due_for.items.map(({ item_id, amount }) => [item_id, typedNumber(amount)]),
    ),
  );
  const [delivery, setDelivery] = useState(() => dueForDelivery(order));
  const [goodwill, setGoodwill] = useState("");
  const items = order.items
    .map(({ id }) => ({ item_id: id, amount: amountIn(typed[id]) }))
    .filter(({ amount }) => amount !== 0);
  const delivery_amount = amountIn(delivery);
  /** The field of an item in the request, which has the items with an amount only. */
  const nameOf = (id: string) => {
    const place = items.findIndex(({ item_id }) => item_id === id);
    return place === -1 ? id : `items[${place}].amount`;
  };
  const refund = {
    amount: addMoney(currency, [
      ...items.map(({ amount }) => amount),
      delivery_amount,
      amountIn(goodwill),
    ]),
    ...(items.length > 0 && { items }),
    ...(delivery_amount !== 0 && { delivery_amount }),
  };
  const fields = (
    <>
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
    </>
  );
  if (paying) {
    return (
      <SendRefund order={order} session={paying} refund={refund} onClose={onClose}>
        {fields}
      </SendRefund>
    );
  }
  return (
    <ReportPayment
      order={order}
      title={t("orders.recordRefund")}
      report={{ status: "refunded", ...refund }}
      onClose={onClose}
    >
      {fields}
    </ReportPayment>
  );
}
