import type { PayoutHold } from "@souk/client";
import { Link } from "@tanstack/react-router";
import { createColumnHelper } from "@tanstack/react-table";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { Empty, NothingFound } from "../components/empty";
import { PagedTable } from "../components/paged-table";
import { useFormat } from "../lib/format";
import { nameIn, useSuppliers } from "../lib/names";
import { usePagedList } from "../lib/paged-list";
import { useSouk } from "../lib/souk";
import { useMay } from "../session/session";
import { ReleaseHold } from "./hold-payouts";
import { holdsIn } from "./queries";
import type { PayoutSearch } from "./search";

const column = createColumnHelper<PayoutHold>();

/** What is held, newest first. Admins release it. */
export function HoldsTable({ search }: { search: PayoutSearch }) {
  const { t } = useTranslation();
  const souk = useSouk();
  const list = usePagedList(holdsIn(souk, search));
  const [releasing, setReleasing] = useState<PayoutHold | null>(null);
  const columns = useHoldColumns(setReleasing);
  return (
    <>
      <PagedTable
        label={t("payouts.tabs.holds")}
        list={list}
        rowId={(hold) => hold.id}
        columns={columns}
        empty={
          search.supplier ? (
            <NothingFound list="/payouts" search={{ tab: search.tab }} />
          ) : (
            <Empty icon="check" title={t("payouts.noHolds")}>
              {t("payouts.noHoldsHint")}
            </Empty>
          )
        }
      />
      {releasing && <ReleaseHold hold={releasing} onClose={() => setReleasing(null)} />}
    </>
  );
}

function useHoldColumns(onRelease: (hold: PayoutHold) => void) {
  const { t } = useTranslation();
  const format = useFormat();
  const suppliers = useSuppliers();
  const mayRelease = useMay()("payout_holds.write");
  return useMemo(
    () => [
      column.accessor("supplier_id", {
        header: t("fields.supplier"),
        cell: (cell) => <span className="clipped">{nameIn(suppliers.data, cell.getValue())}</span>,
      }),
      column.accessor("order_id", {
        header: t("payouts.order"),
        cell: (cell) => {
          const orderId = cell.getValue();
          if (!orderId) return t("payouts.allOrders");
          return (
            <Link to="/orders/$orderId" params={{ orderId }}>
              {t("payouts.toOrder")}
            </Link>
          );
        },
      }),
      column.accessor("reason", {
        header: t("fields.reason"),
        meta: { wide: true },
        cell: (cell) => <span className="clipped">{cell.getValue()}</span>,
      }),
      column.accessor("created_at", {
        header: t("common.since"),
        meta: { wide: true },
        cell: (cell) => format.date(cell.getValue()),
      }),
      ...(mayRelease
        ? [
            column.display({
              id: "actions",
              header: () => <span className="hidden">{t("common.actions")}</span>,
              meta: { numeric: true },
              cell: ({ row: { original: hold } }) => (
                <Button onClick={() => onRelease(hold)}>{t("payouts.release")}</Button>
              ),
            }),
          ]
        : []),
    ],
    [t, format, suppliers.data, onRelease, mayRelease],
  );
}
