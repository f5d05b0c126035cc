import type { Order, Shipment } from "@souk/client";
import { useTranslation } from "react-i18next";
import { Dialog } from "../components/dialog";
import { Form } from "../components/form";
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
  const tracking = useTracking(shipment);
  const save = useOrderAction(
    (souk) => {
      const { carrier, tracking_number, tracking_url, note } = tracking.value;
      return souk.shipments.update(order.id, shipment.id, {
        carrier: carrier || null,
        tracking_number: tracking_number || null,
        tracking_url: tracking_url || null,
        note: note || null,
      });
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
