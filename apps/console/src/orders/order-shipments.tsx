import type { Order, Shipment } from "@souk/client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Badge } from "../components/badge";
import { Button } from "../components/button";
import { Card } from "../components/card";
import { ErrorNote } from "../components/error-note";
import { useFormat } from "../lib/format";
import { useSouk } from "../lib/souk";
import { useMay, useSession } from "../session/session";
import { EditShipment } from "./edit-shipment";
import { LoseShipment } from "./lose-shipment";
import { usePiecesText } from "./pieces-text";
import { shipmentsQuery } from "./queries";
import { SHIPMENT_TONES } from "./statuses";
import { useOrderAction } from "./use-order-action";
import { VoidShipment } from "./void-shipment";

export function OrderShipments({ order }: { order: Order }) {
  const { t } = useTranslation();
  const souk = useSouk();
  const shipments = useQuery(shipmentsQuery(souk, order.id));
  if (!shipments.data || shipments.data.shipments.length === 0) return null;
  return (
    <Card title={t("orders.shipments")}>
      <ul className="lines">
        {shipments.data.shipments.map((shipment) => (
          <ShipmentLine key={shipment.id} order={order} shipment={shipment} />
        ))}
      </ul>
    </Card>
  );
}

/** The dialogs for a shipment. */
const DIALOGS = { edit: EditShipment, lost: LoseShipment, void: VoidShipment };

function ShipmentLine({ order, shipment }: { order: Order; shipment: Shipment }) {
  const { t } = useTranslation();
  const format = useFormat();
  const piecesText = usePiecesText(order);
  const mayVoid = useMayVoid(shipment);
  const [dialog, setDialog] = useState<keyof typeof DIALOGS | null>(null);
  const deliver = useOrderAction((souk) =>
    souk.shipments.update(order.id, shipment.id, { status: "delivered" }),
  );
  const OpenDialog = dialog && DIALOGS[dialog];
  const isOnItsWay = shipment.status === "shipped";
  return (
    <li className="line-block">
      <div className="line-head">
        <Badge tone={SHIPMENT_TONES[shipment.status]}>
          {t(`shipmentStatus.${shipment.status}`)}
        </Badge>
        <span>{piecesText(shipment.items)}</span>
      </div>
      <small className="muted">
        {format.localTime(shipment.created_at_local)}
        {shipment.carrier && ` · ${shipment.carrier}`}
        {(shipment.tracking_number || shipment.tracking_url) && " · "}
        {shipment.tracking_url ? (
          <a href={shipment.tracking_url} target="_blank" rel="noreferrer">
            {shipment.tracking_number ?? t("fields.trackingUrl")}
          </a>
        ) : (
          shipment.tracking_number
        )}
        {shipment.resent && ` · ${t("orders.resent")}`}
      </small>
      {shipment.note && <p>{shipment.note}</p>}
      <div className="line-actions">
        {isOnItsWay && (
          <Button pending={deliver.isPending} onClick={() => deliver.mutate()}>
            {t("orders.markDelivered")}
          </Button>
        )}
        <Button variant="quiet" onClick={() => setDialog("edit")}>
          {t("orders.editShipment")}
        </Button>
        {isOnItsWay && (
          <Button variant="quiet" onClick={() => setDialog("lost")}>
            {t("orders.markLost")}
          </Button>
        )}
        {isOnItsWay && mayVoid && (
          <Button variant="quiet" onClick={() => setDialog("void")}>
            {t("orders.markVoid")}
          </Button>
        )}
      </div>
      {deliver.error && <ErrorNote error={deliver.error} />}
      {OpenDialog && (
        <OpenDialog order={order} shipment={shipment} onClose={() => setDialog(null)} />
      )}
    </li>
  );
}

/** Whether the person may void a shipment: its creator and admins may. */
function useMayVoid({ actor_id }: Shipment): boolean {
  const may = useMay();
  const { user } = useSession();
  return may("shipments.void") || actor_id === user.id;
}
