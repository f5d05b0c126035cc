import type { Order } from "@souk/client";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../components/dialog";
import { TextField } from "../components/field";
import { Form } from "../components/form";
import { PickPieces, usePieces } from "./pick-pieces";
import { piecesOutside } from "./pieces";
import { useOrderAction } from "./use-order-action";

/** Returns pieces to the stock without a request. */
export function TakeBack({ order, onClose }: { order: Order; onClose(): void }) {
  const { t } = useTranslation();
  const pieces = usePieces(order.items, piecesOutside);
  const [note, setNote] = useState("");
  const takeBack = useOrderAction(
    (souk) => souk.orders.returnItems(order.id, { items: pieces.chosen, ...(note && { note }) }),
    { onDone: onClose },
  );
  return (
    <Dialog title={t("orders.takeBack")} lead={t("orders.takeBackHint")} onClose={onClose}>
      <Form
        action={takeBack}
        onSubmit={() => takeBack.mutate()}
        submit={t("orders.takeBack")}
        onCancel={onClose}
      >
        <PickPieces pieces={pieces} />
        <TextField name="note" label={t("fields.note")} value={note} onChange={setNote} />
      </Form>
    </Dialog>
  );
}
