import type { Order } from "@souk/client";
import { useTranslation } from "react-i18next";
import { Dialog } from "../components/dialog";
import { Form } from "../components/form";
import { toastDone } from "../lib/toasts";
import { PickPieces, usePieces } from "./pick-pieces";
import { openPieces } from "./pieces";
import { SellerField, useSeller } from "./seller-field";
import { TrackingFields, useTracking } from "./tracking-fields";
import { useOrderAction } from "./use-order-action";

/** Ships items of one supplier. A shipment cannot contain items of several. */
export function ShipItems({ order, onClose }: { order: Order; onClose(): void }) {
  const { t } = useTranslation();
  const seller = useSeller(order, openPieces);
  const pieces = usePieces(seller.items, openPieces);
  const tracking = useTracking();
  const ship = useOrderAction(
    (souk) => {
      const filled = Object.entries(tracking.value).filter(([, text]) => text !== "");
      return souk.shipments.create(order.id, {
        items: pieces.chosen,
        ...Object.fromEntries(filled),
      });
    },
    {
      onDone: () => {
        toastDone(t("orders.shipped", { number: order.number }));
        onClose();
      },
    },
  );
  return (
    <Dialog title={t("orders.ship")} lead={t("orders.shipHint")} onClose={onClose}>
      <Form
        action={ship}
        onSubmit={() => ship.mutate()}
        submit={t("orders.ship")}
        onCancel={onClose}
      >
        <SellerField seller={seller} />
        <PickPieces pieces={pieces} />
        <TrackingFields tracking={tracking} />
      </Form>
    </Dialog>
  );
}
