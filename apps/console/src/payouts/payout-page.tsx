import type { Payout } from "@souk/client";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Card } from "../components/card";
import { ErrorNote } from "../components/error-note";
import { Facts } from "../components/facts";
import { Loading } from "../components/loading";
import { Page } from "../components/page";
import { useFormat } from "../lib/format";
import { nameIn, useSuppliers } from "../lib/names";
import { useSouk } from "../lib/souk";
import { PayoutActions } from "./payout-actions";
import { PayoutBadge } from "./payout-badge";
import { PayoutLines } from "./payout-lines";
import { payoutQuery, statementQuery } from "./queries";

export function PayoutPage() {
  const { payoutId } = useParams({ from: "/payouts/$payoutId" });
  const souk = useSouk();
  const payout = useQuery(payoutQuery(souk, payoutId));
  if (!payout.data) {
    return payout.error ? (
      <ErrorNote error={payout.error} onRetry={() => payout.refetch()} />
    ) : (
      <Loading />
    );
  }
  return <PayoutDetails payout={payout.data} />;
}

function PayoutDetails({ payout }: { payout: Payout }) {
  const { t } = useTranslation();
  const format = useFormat();
  const suppliers = useSuppliers();
  return (
    <Page
      title={t("payouts.ofAmount", { amount: format.money(payout.amount, payout.currency) })}
      aside={<PayoutBadge status={payout.status} />}
      lead={nameIn(suppliers.data, payout.supplier_id)}
      back={{ to: "/payouts", label: t("payouts.title") }}
      actions={<PayoutActions payout={payout} />}
    >
      <div className="columns">
        <div className="column-main">
          <PayoutLines payout={payout} />
        </div>
        <div className="column-side">
          <PayoutSums payout={payout} />
          <PayoutFacts payout={payout} />
        </div>
      </div>
    </Page>
  );
}

/** What a payout consists of, by kind of line. */
function PayoutSums({ payout: { id, currency, amount } }: { payout: Payout }) {
  const { t } = useTranslation();
  const { money } = useFormat();
  const souk = useSouk();
  const statement = useQuery(statementQuery(souk, id));
  return (
    <Card title={t("payouts.sums")}>
      {statement.error && <ErrorNote error={statement.error} onRetry={() => statement.refetch()} />}
      <Facts
        facts={[
          ...(statement.data?.sums ?? []).map(
            (sum) => [t(`payouts.kinds.${sum.kind}`), money(sum.amount, currency)] as const,
          ),
          [t("payouts.amount"), <strong key="amount">{money(amount, currency)}</strong>],
        ]}
      />
    </Card>
  );
}

/** When a payout was made, and how it ended. */
function PayoutFacts({ payout }: { payout: Payout }) {
  const { t } = useTranslation();
  const { time } = useFormat();
  const timeOf = (at: string | null) => at && time(at);
  // `until` of a whole day is the midnight after it.
  const lastMoment = new Date(Date.parse(payout.until) - 1).toISOString();
  return (
    <Card title={t("payouts.details")}>
      <Facts
        facts={[
          [t("payouts.made"), time(payout.created_at)],
          [t("payouts.until"), time(lastMoment)],
          [t("payouts.statuses.paid"), timeOf(payout.paid_at)],
          [t("fields.reference"), payout.reference],
          [t("payouts.statuses.failed"), timeOf(payout.failed_at)],
          [t("payouts.statuses.reversed"), timeOf(payout.reversed_at)],
          [t("fields.reason"), payout.reason],
        ]}
      />
    </Card>
  );
}
