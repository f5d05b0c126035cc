import { ApiError, type Order, type OrderStatus } from "@souk/client";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { Icon } from "../components/icon";
import { messageOf } from "../lib/errors";
import { toastError } from "../lib/toasts";
import { useMay, useSession } from "../session/session";
import { CancelItems } from "./cancel-items";
import { MoveOrder } from "./move-order";
import { openPieces } from "./pieces";
import { ShipItems } from "./ship-items";
import { movesOf } from "./statuses";
import { useOrderAction } from "./use-order-action";

/** The actions on an order that are possible now for the person. */
export function OrderActions({ order }: { order: Order }) {
  const { t } = useTranslation();
  const may = useMay();
  const { role } = useSession();
  const [dialog, setDialog] = useState<"ship" | "cancel" | "move" | null>(null);
  // A supplier learns only from a refusal that the order contains items of others.
  const [isShared, setShared] = useState(false);
  const close = () => setDialog(null);
  const move = useOrderAction(
    (souk, change: { status: OrderStatus; note?: string }) =>
      souk.orders.changeStatus(order.id, change),
    {
      onDone: close,
      onError: (error) => {
        if (error instanceof ApiError && error.status === 403) {
          setShared(true);
          close();
          toastError(t("orders.isShared"), t("orders.isSharedHint"));
        } else if (dialog === null) toastError(t("common.failed"), messageOf(error));
      },
    },
  );
  const isOpen = order.items.some((item) => openPieces(item) > 0);
  const moves = isShared ? [] : movesOf(order, role);
  return (
    <>
      {isOpen && may("orders.cancel") && (
        <Button onClick={() => setDialog("cancel")}>{t("orders.cancelItems")}</Button>
      )}
      {moves.length > 0 && (
        <Button
          onClick={() => {
            move.reset();
            setDialog("move");
          }}
        >
          {t("orders.move")}
        </Button>
      )}
      {moves.includes("confirmed") && (
        <Button pending={move.isPending} onClick={() => move.mutate({ status: "confirmed" })}>
          <Icon name="check" />
          {t("orders.confirm")}
        </Button>
      )}
      {isOpen && may("shipments.write") && (
        <Button variant="primary" onClick={() => setDialog("ship")}>
          <Icon name="truck" />
          {t("orders.ship")}
        </Button>
      )}
      {dialog === "ship" && <ShipItems order={order} onClose={close} />}
      {dialog === "cancel" && <CancelItems order={order} onClose={close} />}
      {dialog === "move" && <MoveOrder moves={moves} move={move} onClose={close} />}
    </>
  );
}
