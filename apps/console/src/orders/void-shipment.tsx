import type { Order, Shipment } from "@souk/client";
import { useTranslation } from "react-i18next";
import { Confirm } from "../components/confirm";
import { useOrderAction } from "./use-order-action";

interface VoidShipmentProps {
  order: Order;
  shipment: Shipment;
  onClose(): void;
}

/** Voids a shipment that was created by mistake. Its pieces can be shipped again. */
export function VoidShipment({ order, shipment, onClose }: VoidShipmentProps) {
  const { t } = useTranslation();
  const undo = useOrderAction(
    (souk) => souk.shipments.update(order.id, shipment.id, { status: "void" }),
    { onDone: onClose },
  );
  return (
    <Confirm
      title={t("orders.void")}
      submit={t("orders.void")}
      action={undo}
      onConfirm={() => undo.mutate()}
      onClose={onClose}
    >
      {t("orders.voidHint")}
    </Confirm>
  );
}
