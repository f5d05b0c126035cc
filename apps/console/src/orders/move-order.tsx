import type { OrderStatus } from "@souk/client";
import type { UseMutationResult } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../components/dialog";
import { SelectField, TextField } from "../components/field";
import { Form } from "../components/form";

interface MoveOrderProps {
  /** The statuses to choose from. */
  moves: readonly OrderStatus[];
  move: UseMutationResult<unknown, Error, { status: OrderStatus; note?: string }>;
  onClose(): void;
}

/** Moves a whole order to another status by hand. */
export function MoveOrder({ moves, move, onClose }: MoveOrderProps) {
  const { t } = useTranslation();
  const [status, setStatus] = useState<OrderStatus>(moves[0] ?? "confirmed");
  const [note, setNote] = useState("");
  return (
    <Dialog title={t("orders.move")} lead={t("orders.moveHint")} onClose={onClose}>
      <Form
        action={move}
        onSubmit={() => move.mutate({ status, ...(note && { note }) })}
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
