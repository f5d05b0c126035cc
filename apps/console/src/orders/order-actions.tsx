import type { Order, OrderStatus } from "@souk/client";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { Icon } from "../components/icon";
import { useMay } from "../session/session";
import { CancelItems } from "./cancel-items";
import { MoveOrder } from "./move-order";
import { openPieces } from "./pieces";
import { ShipItems } from "./ship-items";
import { movesFrom } from "./statuses";
import { useOrderAction } from "./use-order-action";

/** What can be done with an order now, by the person who sees it. */
export function OrderActions({ order }: { order: Order }) {
  const { t } = useTranslation();
  const may = useMay();
  const [dialog, setDialog] = useState<"ship" | "cancel" | "move" | null>(null);
  const move = useOrderAction((souk, status: OrderStatus) =>
    souk.orders.changeStatus(order.id, { status }),
  );
  const isOpen = order.items.some((item) => openPieces(item) > 0);
  const mayMove = may("orders.move") && movesFrom(order.status).length > 0;
  const close = () => setDialog(null);
  return (
    <>
      {isOpen && may("orders.cancelItems") && (
        <Button onClick={() => setDialog("cancel")}>{t("orders.cancelItems")}</Button>
      )}
      {mayMove && <Button onClick={() => setDialog("move")}>{t("orders.move")}</Button>}
      {order.status === "pending" && may("orders.move") && (
        <Button pending={move.isPending} onClick={() => move.mutate("confirmed")}>
          <Icon name="check" />
          {t("orders.confirm")}
        </Button>
      )}
      {isOpen && may("orders.ship") && (
        <Button variant="primary" onClick={() => setDialog("ship")}>
          <Icon name="truck" />
          {t("orders.ship")}
        </Button>
      )}
      {dialog === "ship" && <ShipItems order={order} onClose={close} />}
      {dialog === "cancel" && <CancelItems order={order} onClose={close} />}
      {dialog === "move" && <MoveOrder order={order} onClose={close} />}
    </>
  );
}
