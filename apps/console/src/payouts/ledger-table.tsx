import { useTranslation } from "react-i18next";
import { Empty, NothingFound } from "../components/empty";
import { FilterSelect } from "../components/filters";
import { PagedTable } from "../components/paged-table";
import { usePagedList } from "../lib/paged-list";
import { useSouk } from "../lib/souk";
import { useMay } from "../session/session";
import { useLedgerColumns } from "./ledger-columns";
import { type Filtered, SupplierFilter } from "./payout-filters";
import { ledgerIn } from "./queries";
import { LEDGER_KINDS } from "./statuses";

/** The lines of the ledger, newest first. */
export function LedgerTable({ search, onChoose }: Filtered) {
  const { t } = useTranslation();
  const souk = useSouk();
  const list = usePagedList(ledgerIn(souk, search));
  const columns = useLedgerColumns({ ofAll: useMay()("ledger.read:all") });
  return (
    <>
      <SupplierFilter search={search} onChoose={onChoose}>
        <FilterSelect
          label={t("payouts.kind")}
          all={t("payouts.anyKind")}
          options={LEDGER_KINDS.map((value) => ({ value, label: t(`payouts.kinds.${value}`) }))}
          value={search.kind}
          onChange={(kind) => onChoose({ kind })}
        />
      </SupplierFilter>
      <PagedTable
        label={t("payouts.tabs.ledger")}
        list={list}
        rowId={(line) => line.id}
        columns={columns}
        empty={
          search.supplier || search.kind ? (
            <NothingFound list="/payouts" search={{ tab: search.tab }} />
          ) : (
            <Empty icon="payouts" title={t("payouts.noLines")}>
              {t("payouts.noLinesHint")}
            </Empty>
          )
        }
      />
    </>
  );
}
