import { useNavigate, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "../components/button";
import { Empty } from "../components/empty";
import { FilterSelect, Filters } from "../components/filters";
import { Page } from "../components/page";
import { PAYMENT_STATUSES } from "../orders/statuses";
import { CommissionList } from "./commission-list";
import { DueFilter, useDueFilter } from "./due-filter";
import type { CommissionSearch } from "./search";

/** The earnings of a supplier. */
export function EarningsPage() {
  const { t } = useTranslation();
  const search = useSearch({ from: "/earnings" });
  const navigate = useNavigate({ from: "/earnings" });
  const choose = (change: CommissionSearch) =>
    navigate({ search: { ...search, ...change }, replace: true });
  const due = useDueFilter(search.due);
  return (
    <Page
      title={t("earnings.title")}
      lead={t("earnings.lead")}
      actions={<ButtonLink to="/payouts">{t("earnings.toPayouts")}</ButtonLink>}
    >
      <Filters>
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
        filter={{ payment_status: search.payment, ...due }}
        ofAll={false}
        empty={
          <Empty icon="earnings" title={t("earnings.none")}>
            {t("earnings.noneHint")}
          </Empty>
        }
      />
    </Page>
  );
}
