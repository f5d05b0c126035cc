import type { Shipment } from "@souk/client";
import { t, time } from "../lib/texts";

/** The shipments of a part. */
export function Shipments({ shipments }: { shipments: readonly Shipment[] }) {
  return (
    <ul>
      {shipments.map(({ id, status, carrier, tracking_number, tracking_url, created_at }) => (
        <li key={id}>
          {t(`shipment.${status}`, { time: time(created_at) })} <bdi>{carrier}</bdi>{" "}
          {tracking_url ? (
            <a href={tracking_url} target="_blank" rel="noreferrer">
              {tracking_number ?? t("shipment.track")}
            </a>
          ) : (
            <bdi>{tracking_number}</bdi>
          )}
        </li>
      ))}
    </ul>
  );
}
