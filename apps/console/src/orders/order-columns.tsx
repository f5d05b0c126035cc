import type { Order } from "@souk/client";
import { Link } from "@tanstack/react-router";
import { createColumnHelper } from "@tanstack/react-table";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useFormat } from "../lib/format";
import { useMay } from "../session/session";
import { OrderBadge, PaymentBadge } from "./order-badge";

const column = createColumnHelper<Order>();

/** The columns of a list of orders. Suppliers do not see the customer, and see the status of their own part. */
export function useOrderColumns(customers: ReadonlyMap<string, string>) {
  const { t } = useTranslation();
  const format = useFormat();
  const may = useMay();
  const showsCustomers = may("customers.read");
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
        cell: ({ row }) => format.localTime(row.original.created_at_local),
      }),
      ...(showsCustomers
        ? [
            column.accessor(
              ({ contact, customer_id }) => contact?.name ?? customers.get(customer_id),
              {
                id: "customer",
                header: t("orders.customer"),
                meta: { wide: true },
                cell: (cell) => <span className="clipped">{cell.getValue() || "–"}</span>,
              },
            ),
          ]
        : []),
      column.accessor((order) => order.items.reduce((sum, { quantity }) => sum + quantity, 0), {
        id: "pieces",
        header: t("orders.pieces"),
        meta: { wide: true, numeric: true },
        cell: (cell) => format.number(cell.getValue()),
      }),
      column.accessor(
        ({ status, parts }) => (showsCustomers ? status : (parts[0]?.status ?? status)),
        {
          id: "status",
          header: t("orders.status"),
          cell: (cell) => <OrderBadge status={cell.getValue()} />,
        },
      ),
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
    [t, format, customers, showsCustomers],
  );
}
