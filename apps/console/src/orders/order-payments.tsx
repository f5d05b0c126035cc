import type { NewPayment, Order } from "@souk/client";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { Card } from "../components/card";
import { Dialog } from "../components/dialog";
import { TextField } from "../components/field";
import { Form } from "../components/form";
import { numberFrom, useFormat } from "../lib/format";
import { toastDone } from "../lib/toasts";
import { useOrderAction } from "./use-order-action";

/** What a payment service, or the till, reported of an order. */
export function OrderPayments({ order }: { order: Order }) {
  const { t } = useTranslation();
  const format = useFormat();
  const [report, setReport] = useState<"paid" | "refunded" | null>(null);
  const isToPay = order.payment_status === "pending" || order.payment_status === "failed";
  const isOver = order.status === "cancelled" || order.status === "returned";
  return (
    <Card title={t("orders.payments")}>
      {order.payments.length === 0 && <p className="muted">{t("orders.noPayments")}</p>}
      <ul className="lines">
        {order.payments.map((payment) => (
          <li key={payment.id}>
            <span>
              {t(`paymentStatus.${payment.status}`)}
              <small className="muted">
                {payment.reference} · {format.time(payment.created_at)}
              </small>
            </span>
            <span>{format.money(payment.amount, payment.currency)}</span>
          </li>
        ))}
      </ul>
      <div className="card-foot">
        {isToPay && !isOver && (
          <Button onClick={() => setReport("paid")}>{t("orders.recordPayment")}</Button>
        )}
        {order.payment_status === "paid" && (
          <Button onClick={() => setReport("refunded")}>{t("orders.recordRefund")}</Button>
        )}
      </div>
      {report && <RecordPayment order={order} status={report} onClose={() => setReport(null)} />}
    </Card>
  );
}

function RecordPayment({
  order,
  status,
  onClose,
}: {
  order: Order;
  status: NewPayment["status"];
  onClose(): void;
}) {
  const { t } = useTranslation();
  const due = status === "paid" ? order.total_amount : order.refund_due;
  const [amount, setAmount] = useState(due > 0 ? String(due) : "");
  const [reference, setReference] = useState("");
  const record = useOrderAction(
    (souk) =>
      souk.payments.record(order.id, { status, amount: numberFrom(amount) ?? 0, reference }),
    () => {
      toastDone(t("orders.recorded"));
      onClose();
    },
  );
  const title = status === "paid" ? t("orders.recordPayment") : t("orders.recordRefund");
  return (
    <Dialog title={title} lead={t("orders.recordHint")} onClose={onClose}>
      <Form
        action={record}
        onSubmit={() => record.mutate(undefined)}
        submit={title}
        onCancel={onClose}
      >
        <TextField
          name="amount"
          label={t("orders.amountIn", { currency: order.currency })}
          inputMode="decimal"
          required
          value={amount}
          onChange={setAmount}
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
