import type { Order } from "@souk/client";
import { createColumnHelper } from "@tanstack/react-table";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useFormat } from "../lib/format";
import { OrderBadge, PaymentBadge } from "./order-badge";

const column = createColumnHelper<Order>();

/** The columns of a list of orders. */
export function useOrderColumns() {
  const { t } = useTranslation();
  const format = useFormat();
  return useMemo(
    () => [
      column.accessor("number", {
        header: t("orders.number"),
        cell: ({ row: { original: order } }) => (
          <Link to="/orders/$orderId" params={{ orderId: order.id }} className="row-link">
            #{order.number}
          </Link>
        ),
      }),
      column.accessor("created_at", {
        header: t("orders.placed"),
        meta: { wide: true },
        cell: (cell) => format.time(cell.getValue()),
      }),
      column.display({
        id: "customer",
        header: t("orders.customer"),
        meta: { wide: true },
        cell: ({ row }) => row.original.contact?.name ?? row.original.contact?.email ?? "–",
      }),
      column.accessor((order) => order.items.reduce((sum, { quantity }) => sum + quantity, 0), {
        id: "pieces",
        header: t("orders.pieces"),
        meta: { wide: true, numeric: true },
        cell: (cell) => format.number(cell.getValue()),
      }),
      column.accessor("status", {
        header: t("orders.status"),
        cell: (cell) => <OrderBadge status={cell.getValue()} />,
      }),
      column.accessor("payment_status", {
        header: t("orders.payment"),
        meta: { wide: true },
        cell: (cell) => <PaymentBadge status={cell.getValue()} />,
      }),
      column.accessor("total_amount", {
        header: t("orders.total"),
        meta: { numeric: true },
        cell: ({ row: { original: order } }) => format.money(order.total_amount, order.currency),
      }),
    ],
    [t, format],
  );
}
