import type { Order, PaymentSession, Refund } from "@souk/client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { Card } from "../components/card";
import { Confirm } from "../components/confirm";
import { ErrorNote } from "../components/error-note";
import { useFormat } from "../lib/format";
import { useSouk } from "../lib/souk";
import { PaymentSessions, Refunds } from "./payment-sessions";
import { paymentSessionsQuery, refundsQuery } from "./queries";
import { RecordPayment } from "./record-payment";
import { RecordRefund } from "./record-refund";
import { useOrderAction } from "./use-order-action";

/** The payments and refunds of an order: those that were begun, and those that were reported. */
export function OrderPayments({ order }: { order: Order }) {
  const { t } = useTranslation();
  const format = useFormat();
  const souk = useSouk();
  const begun = useQuery(paymentSessionsQuery(souk, order.id));
  const asked = useQuery(refundsQuery(souk, order.id));
  const sessions = begun.data?.payment_sessions ?? [];
  const refunds = asked.data?.refunds ?? [];
  // Who took a payment, and who gives a refund, decide what can be done with it.
  const isRead = begun.data !== undefined && asked.data !== undefined;
  const paying = sessions.find(({ status }) => status === "paid");
  const [report, setReport] = useState<"paid" | "refunded" | null>(null);
  const [undoing, setUndoing] = useState<UndoablePayment | null>(null);
  const isToPay = order.payment_status === "pending" || order.payment_status === "failed";
  const isOver = order.status === "cancelled" || order.status === "returned";
  return (
    <Card title={t("orders.payments")}>
      {begun.error && <ErrorNote error={begun.error} onRetry={() => begun.refetch()} />}
      {asked.error && <ErrorNote error={asked.error} onRetry={() => asked.refetch()} />}
      {order.payments.length + sessions.length === 0 && (
        <p className="muted">{t("orders.noPayments")}</p>
      )}
      <PaymentSessions order={order} sessions={sessions} />
      <Refunds refunds={refunds} />
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
              {isRead && canBeUndone(order, payment, [...sessions, ...refunds]) && (
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
          <Button disabled={!begun.data} onClick={() => setReport("refunded")}>
            {t(paying ? "orders.refund" : "orders.recordRefund")}
          </Button>
        )}
      </div>
      {report === "paid" && <RecordPayment order={order} onClose={() => setReport(null)} />}
      {report === "refunded" && (
        <RecordRefund order={order} paying={paying} onClose={() => setReport(null)} />
      )}
      {undoing && <UndoPayment order={order} payment={undoing} onClose={() => setUndoing(null)} />}
    </Card>
  );
}

type Payment = Order["payments"][number];
/** A payment or a refund that can be undone. */
type UndoablePayment = Payment & { status: "paid" | "refunded" };

/** The status that is reported when a payment or a refund is undone. */
const UNDOING = { paid: "payment_reversed", refunded: "refund_failed" } as const;

function canBeUndone(
  order: Order,
  payment: Payment,
  taken: readonly (PaymentSession | Refund)[],
): payment is UndoablePayment {
  const { status, reference } = payment;
  if (status !== "paid" && status !== "refunded") return false;
  // Stripe reports itself what becomes of its payments and refunds.
  if (taken.some((one) => one.provider === "stripe" && [one.id, one.reference].includes(reference)))
    return false;
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
