import type { Order } from "@souk/client";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { Card } from "../components/card";
import { Confirm } from "../components/confirm";
import { useFormat } from "../lib/format";
import { RecordPayment } from "./record-payment";
import { RecordRefund } from "./record-refund";
import { useOrderAction } from "./use-order-action";

/** The reported payments and refunds of an order. */
export function OrderPayments({ order }: { order: Order }) {
  const { t } = useTranslation();
  const format = useFormat();
  const [report, setReport] = useState<"paid" | "refunded" | null>(null);
  const [undoing, setUndoing] = useState<UndoablePayment | null>(null);
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
                {payment.reference} · {format.localTime(payment.created_at_local)}
              </small>
            </span>
            <span className="line-actions">
              {canBeUndone(order, payment) && (
                <Button variant="quiet" onClick={() => setUndoing(payment)}>
                  {t(`orders.undone.${payment.status}`)}
                </Button>
              )}
              {format.money(payment.amount, payment.currency)}
            </span>
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
      {report === "paid" && <RecordPayment order={order} onClose={() => setReport(null)} />}
      {report === "refunded" && <RecordRefund order={order} onClose={() => setReport(null)} />}
      {undoing && <UndoPayment order={order} payment={undoing} onClose={() => setUndoing(null)} />}
    </Card>
  );
}

type Payment = Order["payments"][number];
/** A payment or a refund that can be undone. */
type UndoablePayment = Payment & { status: "paid" | "refunded" };

/** The status that is reported when a payment or a refund is undone. */
const UNDOING = { paid: "payment_reversed", refunded: "refund_failed" } as const;

function canBeUndone(order: Order, payment: Payment): payment is UndoablePayment {
  const { status, reference } = payment;
  if (status !== "paid" && status !== "refunded") return false;
  return !order.payments.some(
    (one) => one.status === UNDOING[status] && one.reference === reference,
  );
}

/** Reports that a payment was reversed, or that a refund failed. */
function UndoPayment({
  order,
  payment: { status, reference },
  onClose,
}: {
  order: Order;
  payment: UndoablePayment;
  onClose(): void;
}) {
  const { t } = useTranslation();
  const undo = useOrderAction(
    (souk) => souk.payments.record(order.id, { status: UNDOING[status], reference }),
    { onDone: onClose },
  );
  return (
    <Confirm
      title={t(`paymentStatus.${UNDOING[status]}`)}
      submit={t(`paymentStatus.${UNDOING[status]}`)}
      action={undo}
      onConfirm={() => undo.mutate()}
      onClose={onClose}
    >
      {t(`orders.undoneHint.${status}`)}
    </Confirm>
  );
}
