import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../components/button";
import { Empty } from "../components/empty";
import { FilterSelect, Filters } from "../components/filters";
import { Page } from "../components/page";
import { useSuppliers } from "../lib/names";
import { PAYMENT_STATUSES } from "../orders/statuses";
import { type CommissionFilter, CommissionList } from "./commission-list";
import { RatesDialog } from "./rates-dialog";

/** What the marketplace keeps of its suppliers' sales, and what is to be paid out. */
export function CommissionsPage() {
  const { t } = useTranslation();
  const suppliers = useSuppliers();
  const [filter, setFilter] = useState<CommissionFilter>({});
  const [areRatesOpen, setRatesOpen] = useState(false);
  return (
    <Page
      title={t("commissions.title")}
      lead={t("commissions.lead")}
      actions={<Button onClick={() => setRatesOpen(true)}>{t("commissions.rates")}</Button>}
    >
      <Filters>
        <FilterSelect
          label={t("fields.supplier")}
          all={t("commissions.allSuppliers")}
          options={(suppliers.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          value={filter.supplier_id}
          onChange={(supplier_id) => setFilter({ ...filter, supplier_id })}
        />
        <FilterSelect
          label={t("orders.payment")}
          all={t("orders.anyPayment")}
          options={PAYMENT_STATUSES.map((value) => ({ value, label: t(`paymentStatus.${value}`) }))}
          value={filter.payment_status}
          onChange={(payment_status) => setFilter({ ...filter, payment_status })}
        />
      </Filters>
      <CommissionList
        filter={filter}
        ofAll
        empty={
          <Empty icon="earnings" title={t("commissions.none")}>
            {t("commissions.noneHint")}
          </Empty>
        }
      />
      {areRatesOpen && <RatesDialog onClose={() => setRatesOpen(false)} />}
    </Page>
  );
}
