import type { Order, ReturnRequest } from "@souk/client";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../components/dialog";
import { SwitchField, TextField } from "../components/field";
import { Form } from "../components/form";
import { PickPieces, usePieces } from "./pick-pieces";
import { useOrderAction } from "./use-order-action";

interface ReceiveReturnProps {
  order: Order;
  request: ReturnRequest;
  onClose(): void;
}

/** Reports the received pieces of a return request, which may be fewer than requested. */
export function ReceiveReturn({ order, request, onClose }: ReceiveReturnProps) {
  const { t } = useTranslation();
  const pieces = usePieces(
    order.items,
    ({ id }) => request.items.find(({ item_id }) => item_id === id)?.quantity ?? 0,
  );
  const [restock, setRestock] = useState(true);
  const [note, setNote] = useState("");
  const receive = useOrderAction(
    (souk) =>
      souk.returns.receive(order.id, request.id, {
        items: pieces.chosen.map((piece) => ({ ...piece, restock })),
        ...(note && { note }),
      }),
    { onDone: onClose },
  );
  return (
    <Dialog
      title={t("orders.answerTitles.receive")}
      lead={t("orders.receiveHint")}
      onClose={onClose}
    >
      <Form
        action={receive}
        onSubmit={() => receive.mutate()}
        submit={t("orders.answerTitles.receive")}
        onCancel={onClose}
      >
        <PickPieces pieces={pieces} />
        <SwitchField
          name="restock"
          label={t("orders.restock")}
          hint={t("orders.restockHint")}
          checked={restock}
          onChange={setRestock}
        />
        <TextField name="note" label={t("fields.note")} value={note} onChange={setNote} />
      </Form>
    </Dialog>
  );
}
