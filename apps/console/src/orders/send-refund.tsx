import type { NewRefund, Order, PaymentSession } from "@souk/client";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../components/dialog";
import { SelectField, TextField } from "../components/field";
import { Form } from "../components/form";
import { toastDone } from "../lib/toasts";
import { useOrderAction } from "./use-order-action";

const BEARERS = ["operator", "supplier"] as const;

/** A dialog that refunds by the service that took the payment. */
export function SendRefund({
  order,
  session: { provider },
  refund,
  onClose,
  children,
}: {
  order: Order;
  /** The session by which the order is paid. */
  session: PaymentSession;
  /** The amounts, and what they are for. */
  refund: NewRefund;
  onClose(): void;
  /** The fields of the amounts. */
  children: ReactNode;
}) {
  const { t } = useTranslation();
  const [borne_by, setBearer] = useState<(typeof BEARERS)[number]>("operator");
  const [reason, setReason] = useState("");
  const send = useOrderAction(
    (souk) => souk.orders.refund(order.id, { ...refund, borne_by, ...(reason && { reason }) }),
    {
      onDone: () => {
        toastDone(t("orders.refunded"));
        onClose();
      },
    },
  );
  return (
    <Dialog title={t("orders.refund")} lead={t(`orders.refundBy.${provider}`)} onClose={onClose}>
      <Form
        action={send}
        onSubmit={() => send.mutate()}
        submit={t("orders.refund")}
        onCancel={onClose}
      >
        {children}
        <SelectField
          name="borne_by"
          label={t("discounts.bearer")}
          options={BEARERS.map((value) => ({ value, label: t(`discounts.bearers.${value}`) }))}
          value={borne_by}
          onChange={setBearer}
        />
        <TextField
          name="reason"
          label={t("fields.reason")}
          hint={t("orders.shipmentNoteHint")}
          value={reason}
          onChange={setReason}
        />
      </Form>
    </Dialog>
  );
}
