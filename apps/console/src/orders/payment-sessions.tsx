import type { Order, PaymentSession, Refund } from "@souk/client";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Badge, type Tone } from "../components/badge";
import { Button } from "../components/button";
import { useFormat } from "../lib/format";
import { CapturePayment } from "./capture-payment";

const SESSION_TONES: Record<PaymentSession["status"], Tone> = {
  open: "warn",
  processing: "info",
  authorized: "info",
  paid: "good",
  cancelled: "neutral",
  refused: "bad",
  reversed: "bad",
};

const REFUND_TONES: Record<Refund["status"], Tone> = {
  pending: "info",
  succeeded: "good",
  failed: "bad",
};

/** The payments that the buyer has begun, the newest first. */
export function PaymentSessions({
  order,
  sessions,
}: {
  order: Order;
  sessions: readonly PaymentSession[];
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const [captured, setCaptured] = useState<PaymentSession | null>(null);
  return (
    <>
      <ul className="lines">
        {sessions.map((session) => (
          <li key={session.id} className="line-block">
            <div className="line-head">
              <Badge tone={SESSION_TONES[session.status]}>
                {t(`orders.sessionStatus.${session.status}`)}
              </Badge>
              <span>{t(`orders.begun.${session.provider}`)}</span>
            </div>
            <small className="muted">
              {format.money(session.amount, session.currency)} ·{" "}
              {session.reference && `${session.reference} · `}
              {format.time(session.created_at)}
            </small>
            <div className="line-actions">
              {canBeCaptured(order, session) && (
                <Button onClick={() => setCaptured(session)}>
                  {t(`orders.capture.${session.provider}`)}
                </Button>
              )}
            </div>
          </li>
        ))}
      </ul>
      {captured && (
        <CapturePayment order={order} session={captured} onClose={() => setCaptured(null)} />
      )}
    </>
  );
}

function canBeCaptured(order: Order, { provider, status }: PaymentSession): boolean {
  const isToPay = order.payment_status === "pending" || order.payment_status === "failed";
  const isOver = order.status === "cancelled" || order.status === "returned";
  return isToPay && !isOver && status === (provider === "manual" ? "open" : "authorized");
}

/** The refunds that a payment service was asked for, the newest first. */
export function Refunds({ refunds }: { refunds: readonly Refund[] }) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <ul className="lines">
      {refunds.map((refund) => (
        <li key={refund.id} className="line-block">
          <div className="line-head">
            <Badge tone={REFUND_TONES[refund.status]}>
              {t(`orders.refundStatus.${refund.status}`)}
            </Badge>
            <span>
              {t("orders.refund")}: {format.money(refund.amount, refund.currency)}
            </span>
          </div>
          <small className="muted">
            {refund.reference && `${refund.reference} · `}
            {format.time(refund.created_at)}
          </small>
          {!refund.is_booked && <p>{t("orders.givenBack")}</p>}
          {refund.reason && <p>{refund.reason}</p>}
          {/* The service's own words, in its language. */}
          {refund.error && <p className="muted">{refund.error}</p>}
        </li>
      ))}
    </ul>
  );
}
