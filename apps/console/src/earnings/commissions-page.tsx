import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button, ButtonLink } from "../components/button";
import { Empty } from "../components/empty";
import { FilterSelect, Filters } from "../components/filters";
import { Page } from "../components/page";
import { useSuppliers } from "../lib/names";
import { PAYMENT_STATUSES } from "../orders/statuses";
import { CommissionList } from "./commission-list";
import { DueFilter, useDueFilter } from "./due-filter";
import { RatesDialog } from "./rates-dialog";
import type { CommissionSearch } from "./search";

/** The marketplace's commissions, and the amounts to pay out. */
export function CommissionsPage() {
  const { t } = useTranslation();
  const suppliers = useSuppliers();
  const search = useSearch({ from: "/commissions" });
  const navigate = useNavigate({ from: "/commissions" });
  const choose = (change: CommissionSearch) =>
    navigate({ search: { ...search, ...change }, replace: true });
  const due = useDueFilter(search.due);
  const [areRatesOpen, setRatesOpen] = useState(false);
  return (
    <Page
      title={t("commissions.title")}
      lead={t("commissions.lead")}
      actions={
        <>
          <ButtonLink to="/payouts">{t("earnings.toPayouts")}</ButtonLink>
          <Button onClick={() => setRatesOpen(true)}>{t("commissions.rates")}</Button>
        </>
      }
    >
      <Filters>
        <FilterSelect
          label={t("fields.supplier")}
          all={t("commissions.allSuppliers")}
          options={(suppliers.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          value={search.supplier}
          onChange={(supplier) => choose({ supplier })}
        />
        <FilterSelect
          label={t("orders.payment")}
          all={t("orders.anyPayment")}
          options={PAYMENT_STATUSES.map((value) => ({ value, label: t(`paymentStatus.${value}`) }))}
          value={search.payment}
          onChange={(payment) => choose({ payment })}
        />
        <DueFilter value={search.due} onChange={(due) => choose({ due })} />
      </Filters>
      <CommissionList
        filter={{ supplier_id: search.supplier, payment_status: search.payment, ...due }}
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
