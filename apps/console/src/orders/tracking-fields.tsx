import type { Shipment } from "@souk/client";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { TextField } from "../components/field";

/** The form values for a shipment's tracking, initially those of the given shipment. */
export function useTracking(shipment?: Shipment) {
  const [value, setValue] = useState({
    carrier: shipment?.carrier ?? "",
    tracking_number: shipment?.tracking_number ?? "",
    tracking_url: shipment?.tracking_url ?? "",
    note: shipment?.note ?? "",
  });
  return {
    value,
    set: (field: keyof typeof value) => (text: string) => setValue({ ...value, [field]: text }),
  };
}

export function TrackingFields({ tracking }: { tracking: ReturnType<typeof useTracking> }) {
  const { t } = useTranslation();
  const { value, set } = tracking;
  return (
    <>
      <div className="field-row">
        <TextField
          name="carrier"
          label={t("fields.carrier")}
          value={value.carrier}
          onChange={set("carrier")}
        />
        <TextField
          name="tracking_number"
          label={t("fields.trackingNumber")}
          value={value.tracking_number}
          onChange={set("tracking_number")}
        />
      </div>
      <TextField
        name="tracking_url"
        label={t("fields.trackingUrl")}
        type="url"
        placeholder="https://"
        value={value.tracking_url}
        onChange={set("tracking_url")}
      />
      <TextField
        name="note"
        label={t("fields.note")}
        hint={t("orders.shipmentNoteHint")}
        value={value.note}
        onChange={set("note")}
      />
    </>
  );
}
