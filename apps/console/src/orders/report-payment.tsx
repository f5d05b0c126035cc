import type { NewPayment, Order } from "@souk/client";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../components/dialog";
import { TextField } from "../components/field";
import { Form } from "../components/form";
import { toastDone } from "../lib/toasts";
import { useOrderAction } from "./use-order-action";

interface ReportPaymentProps {
  order: Order;
  title: string;
  /** The report without the reference, which the dialog asks for. */
  report: Omit<NewPayment, "reference">;
  onClose(): void;
  /** The fields of the amounts. */
  children: ReactNode;
}

/** A dialog that reports a payment or a refund of an order. */
export function ReportPayment({ order, title, report, onClose, children }: ReportPaymentProps) {
  const { t } = useTranslation();
  const [reference, setReference] = useState("");
  const record = useOrderAction(
    (souk) => souk.payments.record(order.id, { ...report, reference }),
    {
      onDone: () => {
        toastDone(t("orders.recorded"));
        onClose();
      },
    },
  );
  return (
    <Dialog title={title} lead={t("orders.recordHint")} onClose={onClose}>
      <Form action={record} onSubmit={() => record.mutate()} submit={title} onCancel={onClose}>
        {children}
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
