import type { Order, Shipment, ShipmentChanges } from "@souk/client";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../components/dialog";
import { Form } from "../components/form";
import { changedIn } from "../lib/edits";
import { toastDone } from "../lib/toasts";
import { TrackingFields, useTracking } from "./tracking-fields";
import { useOrderAction } from "./use-order-action";

interface EditShipmentProps {
  order: Order;
  shipment: Shipment;
  onClose(): void;
}

/** Changes the tracking data of a shipment. */
export function EditShipment({ order, shipment, onClose }: EditShipmentProps) {
  const { t } = useTranslation();
  const [read] = useState(shipment);
  const tracking = useTracking(read);
  const save = useOrderAction(
    (souk) => {
      const { carrier, tracking_number, tracking_url, note } = tracking.value;
      const typed: ShipmentChanges = {
        carrier: carrier || null,
        tracking_number: tracking_number || null,
        tracking_url: tracking_url || null,
        note: note || null,
      };
      return souk.shipments.update(order.id, shipment.id, changedIn<ShipmentChanges>(read, typed));
    },
    {
      onDone: () => {
        toastDone(t("common.saved"));
        onClose();
      },
    },
  );
  return (
    <Dialog title={t("orders.editShipment")} onClose={onClose}>
      <Form action={save} onSubmit={() => save.mutate()} onCancel={onClose}>
        <TrackingFields tracking={tracking} />
      </Form>
    </Dialog>
  );
}
