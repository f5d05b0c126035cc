import type { Commission } from "@souk/client";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Figures } from "../components/figures";
import { PagedTable } from "../components/paged-table";
import { useFormat } from "../lib/format";
import { usePagedList } from "../lib/paged-list";
import { useSouk } from "../lib/souk";
import { useCommissionColumns } from "./commission-columns";

export interface CommissionFilter {
  supplier_id?: string;
  payment_status?: Commission["payment_status"];
  due_from?: string;
  due_to?: string;
}

/** Commissions: sales of suppliers, the marketplace's share, and the suppliers' earnings. */
export function CommissionList({
  filter,
  ofAll,
  empty,
}: {
  filter: CommissionFilter;
  ofAll: boolean;
  empty: ReactNode;
}) {
  const { t } = useTranslation();
  const souk = useSouk();
  const format = useFormat();
  const columns = useCommissionColumns(ofAll);
  const list = usePagedList({
    key: ["commissions", filter],
    readPage: (page, signal) => souk.commissions.list({ ...page, ...filter }, { signal }),
    rowsOf: (page) => page.commissions,
  });
  const totals = list.first?.totals ?? [];
  return (
    <>
      {totals.map(({ currency, ...total }) => (
        <Figures
          key={currency}
          figures={[
            { name: t("commissions.sales"), value: format.money(total.sales_amount, currency) },
            {
              name: t("commissions.commission"),
              value: format.money(total.commission_amount, currency),
            },
            ...(total.refunded_amount > 0
              ? [
                  {
                    name: t("commissions.refunds"),
                    value: format.money(total.refunded_amount, currency),
                  },
                ]
              : []),
            { name: t("commissions.payout"), value: format.money(total.payout_amount, currency) },
          ]}
        />
      ))}
      <PagedTable
        label={t("commissions.title")}
        list={list}
        rowId={({ order_id, supplier_id }) => `${order_id} ${supplier_id}`}
        columns={columns}
        empty={empty}
      />
    </>
  );
}
