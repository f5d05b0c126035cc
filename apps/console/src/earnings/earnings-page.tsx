import { useNavigate, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Empty } from "../components/empty";
import { FilterSelect, Filters } from "../components/filters";
import { Page } from "../components/page";
import { PAYMENT_STATUSES } from "../orders/statuses";
import { CommissionList } from "./commission-list";

/** The earnings of a supplier. */
export function EarningsPage() {
  const { t } = useTranslation();
  const { payment } = useSearch({ from: "/earnings" });
  const navigate = useNavigate({ from: "/earnings" });
  return (
    <Page title={t("earnings.title")} lead={t("earnings.lead")}>
      <Filters>
        <FilterSelect
          label={t("orders.payment")}
          all={t("orders.anyPayment")}
          options={PAYMENT_STATUSES.map((value) => ({ value, label: t(`paymentStatus.${value}`) }))}
          value={payment}
          onChange={(chosen) => navigate({ search: { payment: chosen }, replace: true })}
        />
      </Filters>
      <CommissionList
        filter={{ payment_status: payment }}
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
