import type { CampaignStatistics } from "@souk/client";
import { useTranslation } from "react-i18next";
import { Figures } from "../components/figures";
import { useFormat } from "../lib/format";

/** The sums of a campaign's statistics. */
export function CampaignFigures({ statistics }: { statistics: CampaignStatistics }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { totals, currency } = statistics;
  const share = (ratio: number | null) => (ratio === null ? "–" : format.percent(ratio * 100));
  return (
    <>
      <Figures
        figures={[
          { name: t("campaigns.impressions"), value: format.number(totals.impressions) },
          { name: t("campaigns.clicks"), value: format.number(totals.clicks) },
          { name: t("campaigns.clickRate"), value: share(totals.ctr) },
          { name: t("campaigns.spend"), value: format.money(totals.spend, currency) },
          { name: t("campaigns.sales"), value: format.number(totals.sales_count) },
          { name: t("campaigns.salesAmount"), value: format.money(totals.sales_amount, currency) },
          { name: t("campaigns.return"), value: share(totals.roi) },
        ]}
      />
      <p className="muted">{t("campaigns.statisticsHint")}</p>
    </>
  );
}
