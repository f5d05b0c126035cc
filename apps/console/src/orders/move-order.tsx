import type { Order, OrderStatus } from "@souk/client";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../components/dialog";
import { SelectField, TextField } from "../components/field";
import { Form } from "../components/form";
import { movesFrom } from "./statuses";
import { useOrderAction } from "./use-order-action";

/** Moves a whole order to another status by hand. */
export function MoveOrder({ order, onClose }: { order: Order; onClose(): void }) {
  const { t } = useTranslation();
  const moves = movesFrom(order.status);
  const [status, setStatus] = useState<OrderStatus>(moves[0] ?? order.status);
  const [note, setNote] = useState("");
  const move = useOrderAction(
    (souk) => souk.orders.changeStatus(order.id, { status, ...(note && { note }) }),
    onClose,
  );
  return (
    <Dialog title={t("orders.move")} lead={t("orders.moveHint")} onClose={onClose}>
      <Form
        action={move}
        onSubmit={() => move.mutate(undefined)}
        submit={t("orders.moveTo", { status: t(`orderStatus.${status}`) })}
        danger={status === "cancelled" || status === "returned"}
        onCancel={onClose}
      >
        <SelectField
          name="status"
          label={t("orders.status")}
          options={moves.map((value) => ({ value, label: t(`orderStatus.${value}`) }))}
          value={status}
          onChange={setStatus}
        />
        <TextField name="note" label={t("fields.note")} value={note} onChange={setNote} />
      </Form>
    </Dialog>
  );
}
