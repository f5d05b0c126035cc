import type { Order } from "@souk/client";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../components/dialog";
import { TextField } from "../components/field";
import { Form } from "../components/form";
import { PickPieces, usePieces } from "./pick-pieces";
import { openPieces } from "./pieces";
import { useOrderAction } from "./use-order-action";

/** Cancels pieces that are not shipped. */
export function CancelItems({ order, onClose }: { order: Order; onClose(): void }) {
  const { t } = useTranslation();
  const pieces = usePieces(order.items, openPieces);
  const [reason, setReason] = useState("");
  const cancel = useOrderAction(
    (souk) =>
      souk.orders.cancelItems(order.id, { items: pieces.chosen, ...(reason && { reason }) }),
    { onDone: onClose },
  );
  return (
    <Dialog title={t("orders.cancelItems")} lead={t("orders.cancelHint")} onClose={onClose}>
      <Form
        action={cancel}
        onSubmit={() => cancel.mutate()}
        submit={t("orders.cancelItems")}
        danger
        onCancel={onClose}
      >
        <PickPieces pieces={pieces} />
        <TextField name="reason" label={t("fields.reason")} value={reason} onChange={setReason} />
      </Form>
    </Dialog>
  );
}
