import type { LedgerLine } from "@souk/client";
import { Link } from "@tanstack/react-router";
import { createColumnHelper } from "@tanstack/react-table";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Badge } from "../components/badge";
import { useFormat } from "../lib/format";
import { nameIn, useSuppliers } from "../lib/names";
import { PayoutBadge } from "./payout-badge";

const column = createColumnHelper<LedgerLine>();

interface Shown {
  /** Whether the lines are of several suppliers. */
  ofAll: boolean;
  /** Whether the lines are of one payout, whose page shows its status. */
  ofPayout?: boolean;
}

/** The columns of lines of the ledger. */
export function useLedgerColumns({ ofAll, ofPayout = false }: Shown) {
  const { t } = useTranslation();
  const format = useFormat();
  const suppliers = useSuppliers();
  return useMemo(
    () => [
      column.accessor("kind", {
        header: t("payouts.kind"),
        cell: ({ row: { original: line } }) => (
          <span className="two-lines">
            {t(`payouts.kinds.${line.kind}`)}
            <small className="muted">{format.date(line.created_at)}</small>
          </span>
        ),
      }),
      column.display({
        id: "subject",
        header: t("payouts.subject"),
        cell: ({ row: { original: line } }) => <Subject line={line} />,
      }),
      ...(ofAll
        ? [
            column.accessor("supplier_id", {
              header: t("fields.supplier"),
              meta: { wide: true },
              cell: (cell) => (
                <span className="clipped">{nameIn(suppliers.data, cell.getValue())}</span>
              ),
            }),
          ]
        : []),
      column.accessor("quantity", {
        header: t("orders.pieces"),
        meta: { wide: true, numeric: true },
        cell: (cell) => {
          const quantity = cell.getValue();
          return quantity === null ? "–" : format.number(quantity);
        },
      }),
      column.accessor("due_at", {
        header: t("payouts.dueAt"),
        meta: { wide: true },
        cell: (cell) => {
          const due = cell.getValue();
          return due ? format.date(due) : "–";
        },
      }),
      ...(ofPayout
        ? []
        : [
            column.accessor("payout_status", {
              header: t("orders.status"),
              meta: { wide: true },
              cell: ({ row: { original: line } }) => <LineStatus line={line} />,
            }),
          ]),
      column.accessor("amount", {
        header: t("payouts.amount"),
        meta: { numeric: true },
        cell: ({ row: { original: line } }) => format.money(line.amount, line.currency),
      }),
    ],
    [t, format, suppliers.data, ofAll, ofPayout],
  );
}

/** What a line is about: its order with the item, the reason of an adjustment, or the day of a promotion. */
function Subject({ line }: { line: LedgerLine }) {
  const { fullDay } = useFormat();
  const about = line.item_name ?? line.reason ?? (line.date && fullDay(line.date));
  if (!line.order_id) return <span className="clipped">{about ?? "–"}</span>;
  return (
    <span className="two-lines">
      <Link to="/orders/$orderId" params={{ orderId: line.order_id }}>
        #{line.order_number}
      </Link>
      {about && <small className="muted clipped">{about}</small>}
    </span>
  );
}

/** Whether a line is open, held or in a payout, to which it then leads. */
function LineStatus({ line }: { line: LedgerLine }) {
  const { t } = useTranslation();
  if (line.payout_id && line.payout_status) {
    return (
      <Link to="/payouts/$payoutId" params={{ payoutId: line.payout_id }}>
        <PayoutBadge status={line.payout_status} />
      </Link>
    );
  }
  if (line.held) return <Badge tone="warn">{t("payouts.states.held")}</Badge>;
  const isDue = line.due_at !== null && Date.parse(line.due_at) <= Date.now();
  return (
    <Badge tone={isDue ? "info" : "neutral"}>
      {t(isDue ? "payouts.states.due" : "payouts.states.not_due")}
    </Badge>
  );
}
