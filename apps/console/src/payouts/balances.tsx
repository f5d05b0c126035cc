import type { LedgerBalance } from "@souk/client";
import { createColumnHelper } from "@tanstack/react-table";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { DataTable } from "../components/data-table";
import { Empty, NothingFound } from "../components/empty";
import { Figures } from "../components/figures";
import { useFormat } from "../lib/format";
import { nameIn, useSuppliers } from "../lib/names";
import type { PayoutSearch } from "./search";

const column = createColumnHelper<LedgerBalance>();

/** What balances consist of: open lines, then payouts. */
const STATES = ["due", "not_due", "held", "pending", "paid"] as const;

/** The balances of one supplier, in each of its currencies. */
export function OwnBalances({ balances }: { balances: readonly LedgerBalance[] }) {
  const { t } = useTranslation();
  const { money } = useFormat();
  return balances.map((balance) => (
    <Figures
      key={balance.currency}
      figures={STATES.map((state) => ({
        name: t(`payouts.states.${state}`),
        value: money(balance[state], balance.currency),
      }))}
    />
  ));
}

/** The balances of suppliers, as a table. */
export function Balances({
  balances,
  search,
  onPayOut,
}: {
  balances: readonly LedgerBalance[];
  /** What the balances are filtered by. */
  search: PayoutSearch;
  /** Called with the supplier who is to be paid what is due. */
  onPayOut?: (supplierId: string) => void;
}) {
  const { t } = useTranslation();
  const columns = useBalanceColumns(onPayOut);
  if (balances.length === 0) {
    return search.supplier ? (
      <NothingFound list="/payouts" search={{ tab: search.tab }} />
    ) : (
      <Empty icon="payouts" title={t("payouts.noBalances")}>
        {t("payouts.noBalancesHint")}
      </Empty>
    );
  }
  return (
    <DataTable
      label={t("payouts.tabs.balances")}
      columns={columns}
      count={balances.length}
      rowAt={(place) => balances[place]}
      rowId={({ supplier_id, currency }) => `${supplier_id} ${currency}`}
    />
  );
}

function useBalanceColumns(onPayOut: ((supplierId: string) => void) | undefined) {
  const { t } = useTranslation();
  const { money } = useFormat();
  const suppliers = useSuppliers();
  return useMemo(
    () => [
      column.accessor("supplier_id", {
        header: t("fields.supplier"),
        cell: (cell) => <span className="clipped">{nameIn(suppliers.data, cell.getValue())}</span>,
      }),
      ...STATES.map((state) =>
        column.accessor(state, {
          header: t(`payouts.states.${state}`),
          meta: { numeric: true, wide: state !== "due" },
          cell: ({ row: { original: balance } }) => money(balance[state], balance.currency),
        }),
      ),
      ...(onPayOut
        ? [
            column.display({
              id: "actions",
              header: () => <span className="hidden">{t("common.actions")}</span>,
              meta: { numeric: true, wide: true },
              cell: ({ row: { original: balance } }) =>
                balance.due > 0 && (
                  <Button onClick={() => onPayOut(balance.supplier_id)}>
                    {t("payouts.payOut")}
                  </Button>
                ),
            }),
          ]
        : []),
    ],
    [t, money, suppliers.data, onPayOut],
  );
}
