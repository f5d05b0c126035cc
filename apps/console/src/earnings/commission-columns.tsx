import type { Commission } from "@souk/client";
import { Link } from "@tanstack/react-router";
import { createColumnHelper } from "@tanstack/react-table";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useFormat } from "../lib/format";
import { nameIn, useSuppliers } from "../lib/names";
import { OrderBadge, PaymentBadge } from "../orders/order-badge";

const column = createColumnHelper<Commission>();

/** The columns of commissions. With `ofAll`, one of them is the supplier. */
export function useCommissionColumns(ofAll: boolean) {
  const { t } = useTranslation();
  const format = useFormat();
  const suppliers = useSuppliers();
  return useMemo(
    () => [
      column.accessor("number", {
        header: t("orders.number"),
        cell: ({ row: { original: line } }) => (
          <Link to="/orders/$orderId" params={{ orderId: line.order_id }} className="row-link">
            #{line.number}
          </Link>
        ),
      }),
      ...(ofAll
        ? [
            column.accessor("supplier_id", {
              header: t("fields.supplier"),
              meta: { wide: true },
              cell: (cell) => nameIn(suppliers.data, cell.getValue()),
            }),
          ]
        : []),
      column.accessor("created_at", {
        header: t("orders.placed"),
        meta: { wide: true },
        cell: (cell) => format.date(cell.getValue()),
      }),
      column.accessor("status", {
        header: t("orders.status"),
        meta: { wide: true },
        cell: (cell) => <OrderBadge status={cell.getValue()} />,
      }),
      column.accessor("payment_status", {
        header: t("orders.payment"),
        meta: { wide: true },
        cell: (cell) => <PaymentBadge status={cell.getValue()} />,
      }),
      column.accessor("due_at", {
        header: t("commissions.due"),
        meta: { wide: true },
        cell: (cell) => {
          const due = cell.getValue();
          return due && format.date(due);
        },
      }),
      column.accessor("sales_amount", {
        header: t("commissions.sales"),
        meta: { wide: true, numeric: true },
        cell: ({ row: { original: line } }) => format.money(line.sales_amount, line.currency),
      }),
      column.accessor("commission_amount", {
        header: t("commissions.commission"),
        meta: { numeric: true },
        cell: ({ row: { original: line } }) => format.money(line.commission_amount, line.currency),
      }),
      column.accessor("payout_amount", {
        header: t("commissions.payout"),
        meta: { numeric: true },
        cell: ({ row: { original: line } }) => format.money(line.payout_amount, line.currency),
      }),
    ],
    [t, format, suppliers.data, ofAll],
  );
}
