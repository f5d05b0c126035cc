import type { NewShipment, Order } from "@souk/client";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dialog } from "../components/dialog";
import { SelectField, TextField } from "../components/field";
import { Form } from "../components/form";
import { nameIn, useSuppliers } from "../lib/names";
import { toastDone } from "../lib/toasts";
import { PickPieces, usePieces } from "./pick-pieces";
import { openPieces } from "./pieces";
import { useOrderAction } from "./use-order-action";

const OPERATOR = "operator";

/** Ships items of one supplier, as a shipment has no others. */
export function ShipItems({ order, onClose }: { order: Order; onClose(): void }) {
  const { t } = useTranslation();
  const suppliers = useSuppliers();
  const sellers = [
    ...new Set(
      order.items
        .filter((item) => openPieces(item) > 0)
        .map((item) => item.supplier_id ?? OPERATOR),
    ),
  ];
  const [seller, setSeller] = useState(sellers[0] ?? OPERATOR);
  const pieces = usePieces(
    order.items.filter((item) => (item.supplier_id ?? OPERATOR) === seller),
    openPieces,
  );
  const [tracking, setTracking] = useState({ carrier: "", tracking_number: "", tracking_url: "" });
  const set = (field: keyof typeof tracking) => (text: string) =>
    setTracking({ ...tracking, [field]: text });
  const ship = useOrderAction(
    (souk) => {
      const shipment: NewShipment = { items: pieces.chosen };
      if (tracking.carrier) shipment.carrier = tracking.carrier;
      if (tracking.tracking_number) shipment.tracking_number = tracking.tracking_number;
      if (tracking.tracking_url) shipment.tracking_url = tracking.tracking_url;
      return souk.shipments.create(order.id, shipment);
    },
    () => {
      toastDone(t("orders.shipped", { number: order.number }));
      onClose();
    },
  );
  return (
    <Dialog title={t("orders.ship")} lead={t("orders.shipHint")} onClose={onClose}>
      <Form
        action={ship}
        onSubmit={() => ship.mutate(undefined)}
        submit={t("orders.ship")}
        onCancel={onClose}
      >
        {sellers.length > 1 && (
          <SelectField
            name="supplier_id"
            label={t("orders.part")}
            options={sellers.map((value) => ({
              value,
              label: nameIn(suppliers.data, value) ?? t("orders.operator"),
            }))}
            value={seller}
            onChange={setSeller}
          />
        )}
        <PickPieces pieces={pieces} />
        <div className="field-row">
          <TextField
            name="carrier"
            label={t("fields.carrier")}
            value={tracking.carrier}
            onChange={set("carrier")}
          />
          <TextField
            name="tracking_number"
            label={t("fields.trackingNumber")}
            value={tracking.tracking_number}
            onChange={set("tracking_number")}
          />
        </div>
        <TextField
          name="tracking_url"
          label={t("fields.trackingUrl")}
          type="url"
          placeholder="https://"
          value={tracking.tracking_url}
          onChange={set("tracking_url")}
        />
      </Form>
    </Dialog>
  );
}
