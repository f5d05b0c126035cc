import type { Order } from "@souk/client";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../components/dialog";
import { TextField } from "../components/field";
import { Form } from "../components/form";
import { PickPieces, usePieces } from "./pick-pieces";
import { piecesArrived } from "./pieces";
import { SellerField, useSeller } from "./seller-field";
import { useOrderAction } from "./use-order-action";

/** Requests a return for the customer, who may have asked by phone or mail. */
export function RequestReturn({ order, onClose }: { order: Order; onClose(): void }) {
  const { t } = useTranslation();
  const seller = useSeller(order, piecesArrived);
  const pieces = usePieces(seller.items, piecesArrived);
  const [reason, setReason] = useState("");
  const request = useOrderAction(
    (souk) => souk.returns.request(order.id, { items: pieces.chosen, ...(reason && { reason }) }),
    { onDone: onClose },
  );
  return (
    <Dialog
      title={t("orders.requestReturn")}
      lead={t("orders.requestReturnHint")}
      onClose={onClose}
    >
      <Form
        action={request}
        onSubmit={() => request.mutate()}
        submit={t("orders.requestReturn")}
        onCancel={onClose}
      >
        <SellerField seller={seller} />
        <PickPieces pieces={pieces} />
        <TextField name="reason" label={t("fields.reason")} value={reason} onChange={setReason} />
      </Form>
    </Dialog>
  );
}
