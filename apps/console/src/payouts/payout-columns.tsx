import type { Payout } from "@souk/client";
import { Link } from "@tanstack/react-router";
import { createColumnHelper } from "@tanstack/react-table";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useFormat } from "../lib/format";
import { nameIn, useSuppliers } from "../lib/names";
import { PayoutBadge } from "./payout-badge";

const column = createColumnHelper<Payout>();

/** The columns of payouts. With `ofAll`, one of them is the supplier. */
export function usePayoutColumns(ofAll: boolean) {
  const { t } = useTranslation();
  const format = useFormat();
  const suppliers = useSuppliers();
  return useMemo(
    () => [
      column.accessor("created_at", {
        header: t("payouts.made"),
        cell: ({ row: { original: payout } }) => (
          <Link to="/payouts/$payoutId" params={{ payoutId: payout.id }} className="row-link">
            {format.date(payout.created_at)}
          </Link>
        ),
      }),
      ...(ofAll
        ? [
            column.accessor("supplier_id", {
              header: t("fields.supplier"),
              cell: (cell) => (
                <span className="clipped">{nameIn(suppliers.data, cell.getValue())}</span>
              ),
            }),
          ]
        : []),
      column.accessor("status", {
        header: t("orders.status"),
        cell: (cell) => <PayoutBadge status={cell.getValue()} />,
      }),
      column.accessor("reference", {
        header: t("fields.reference"),
        meta: { wide: true },
        cell: (cell) => <span className="clipped">{cell.getValue() ?? "–"}</span>,
      }),
      column.accessor("lines", {
        header: t("payouts.lines"),
        meta: { wide: true, numeric: true },
        cell: (cell) => format.number(cell.getValue()),
      }),
      column.accessor("amount", {
        header: t("payouts.amount"),
        meta: { numeric: true },
        cell: ({ row: { original: payout } }) => format.money(payout.amount, payout.currency),
      }),
    ],
    [t, format, suppliers.data, ofAll],
  );
}
