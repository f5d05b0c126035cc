import type { Order, Shipment, ShipmentChanges } from "@souk/client";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Badge } from "../components/badge";
import { Button } from "../components/button";
import { Card } from "../components/card";
import { ErrorNote } from "../components/error-note";
import { useFormat } from "../lib/format";
import { useSouk } from "../lib/souk";
import { shipmentsQuery } from "./queries";
import { SHIPMENT_TONES } from "./statuses";
import { useOrderAction } from "./use-order-action";

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

function ShipmentLine({ order, shipment }: { order: Order; shipment: Shipment }) {
  const { t } = useTranslation();
  const format = useFormat();
  const change = useOrderAction((souk, changes: ShipmentChanges) =>
    souk.shipments.update(order.id, shipment.id, changes),
  );
  const pieces = shipment.items
    .map(({ item_id, quantity }) => {
      const name = order.items.find(({ id }) => id === item_id)?.name;
      return `${format.number(quantity)} × ${name}`;
    })
    .join(", ");
  return (
    <li className="line-block">
      <div className="line-head">
        <Badge tone={SHIPMENT_TONES[shipment.status]}>
          {t(`shipmentStatus.${shipment.status}`)}
        </Badge>
        <span>{pieces}</span>
      </div>
      <small className="muted">
        {format.time(shipment.created_at)}
        {shipment.carrier && ` · ${shipment.carrier}`}
        {shipment.tracking_number && " · "}
        {shipment.tracking_url ? (
          <a href={shipment.tracking_url} target="_blank" rel="noreferrer">
            {shipment.tracking_number ?? t("fields.trackingUrl")}
          </a>
        ) : (
          shipment.tracking_number
        )}
      </small>
      {shipment.status === "shipped" && (
        <div className="line-actions">
          <Button pending={change.isPending} onClick={() => change.mutate({ status: "delivered" })}>
            {t("orders.markDelivered")}
          </Button>
          <Button variant="quiet" onClick={() => change.mutate({ status: "lost" })}>
            {t("orders.markLost")}
          </Button>
          <Button variant="quiet" onClick={() => change.mutate({ status: "void" })}>
            {t("orders.markVoid")}
          </Button>
        </div>
      )}
      {change.error && <ErrorNote error={change.error} />}
    </li>
  );
}
