import { useTranslation } from "react-i18next";
import { Empty, NothingFound } from "../components/empty";
import { FilterSelect } from "../components/filters";
import { PagedTable } from "../components/paged-table";
import { usePagedList } from "../lib/paged-list";
import { useSouk } from "../lib/souk";
import { useMay } from "../session/session";
import { usePayoutColumns } from "./payout-columns";
import { type Filtered, SupplierFilter } from "./payout-filters";
import { payoutsIn } from "./queries";
import { PAYOUT_STATUSES } from "./statuses";

/** Payouts, newest first. */
export function PayoutsTable({ search, onChoose }: Filtered) {
  const { t } = useTranslation();
  const souk = useSouk();
  const list = usePagedList(payoutsIn(souk, search));
  const columns = usePayoutColumns(useMay()("payouts.read:all"));
  return (
    <>
      <SupplierFilter search={search} onChoose={onChoose}>
        <FilterSelect
          label={t("orders.status")}
          all={t("orders.anyStatus")}
          options={PAYOUT_STATUSES.map((value) => ({
            value,
            label: t(`payouts.statuses.${value}`),
          }))}
          value={search.status}
          onChange={(status) => onChoose({ status })}
        />
      </SupplierFilter>
      <PagedTable
        label={t("payouts.tabs.payouts")}
        list={list}
        rowId={(payout) => payout.id}
        columns={columns}
        empty={
          search.supplier || search.status ? (
            <NothingFound list="/payouts" search={{ tab: search.tab }} />
          ) : (
            <Empty icon="payouts" title={t("payouts.none")}>
              {t("payouts.noneHint")}
            </Empty>
          )
        }
      />
    </>
  );
}
