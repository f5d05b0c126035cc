import type { Order, Shipment } from "@souk/client";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../components/dialog";
import { SwitchField } from "../components/field";
import { Form } from "../components/form";
import { useOrderAction } from "./use-order-action";

interface LoseShipmentProps {
  order: Order;
  shipment: Shipment;
  onClose(): void;
}

/** Reports a lost shipment, with or without a replacement. */
export function LoseShipment({ order, shipment, onClose }: LoseShipmentProps) {
  const { t } = useTranslation();
  const [resend, setResend] = useState(false);
  const lose = useOrderAction(
    (souk) =>
      souk.shipments.update(order.id, shipment.id, {
        status: "lost",
        ...(resend && { resend }),
      }),
    { onDone: onClose },
  );
  return (
    <Dialog title={t("orders.lost")} lead={t("orders.lostHint")} onClose={onClose}>
      <Form
        action={lose}
        onSubmit={() => lose.mutate()}
        submit={t("orders.lost")}
        danger={!resend}
        onCancel={onClose}
      >
        <SwitchField
          name="resend"
          label={t("orders.resend")}
          hint={t("orders.resendHint")}
          checked={resend}
          onChange={setResend}
        />
      </Form>
    </Dialog>
  );
}
