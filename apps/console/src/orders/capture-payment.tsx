import type { Order, PaymentSession } from "@souk/client";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../components/dialog";
import { TextField } from "../components/field";
import { Form } from "../components/form";
import { useFormat } from "../lib/format";
import { toastDone } from "../lib/toasts";
import { useOrderAction } from "./use-order-action";

/** Records money that has arrived, or takes money that a service has reserved. */
export function CapturePayment({
  order,
  session,
  onClose,
}: {
  order: Order;
  session: PaymentSession;
  onClose(): void;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const [reference, setReference] = useState("");
  const { provider } = session;
  const isManual = provider === "manual";
  const capture = useOrderAction(
    (souk) => souk.payments.capture(session.id, { ...(reference && { reference }) }),
    {
      onDone: () => {
        toastDone(t("orders.captured"));
        onClose();
      },
    },
  );
  // A manual payment is captured at the present price.
  const amount = format.money(isManual ? order.owed_amount : session.amount, session.currency);
  return (
    <Dialog
      title={t(`orders.captureTitle.${provider}`)}
      lead={t(`orders.captureHint.${provider}`, { amount })}
      onClose={onClose}
    >
      <Form
        action={capture}
        onSubmit={() => capture.mutate()}
        submit={t(`orders.captureTitle.${provider}`)}
        onCancel={onClose}
      >
        {isManual && (
          <TextField
            name="reference"
            label={t("fields.reference")}
            hint={t("orders.transferHint")}
            value={reference}
            onChange={setReference}
          />
        )}
      </Form>
    </Dialog>
  );
}
