import type { Campaign } from "@souk/client";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Card } from "../components/card";
import { ErrorNote } from "../components/error-note";
import { FilterSelect, Filters } from "../components/filters";
import { Loading } from "../components/loading";
import { useSouk } from "../lib/souk";
import { CampaignDays } from "./campaign-days";
import { CampaignFigures } from "./campaign-figures";
import { statisticsQuery } from "./queries";
import { STATISTICS_PERIODS } from "./search";

/** The statistics of a campaign in a period, as sums and by day. */
export function CampaignStatistics({ campaign }: { campaign: Campaign }) {
  const { t } = useTranslation();
  const souk = useSouk();
  const { period } = useSearch({ from: "/campaigns/$campaignId" });
  const navigate = useNavigate({ from: "/campaigns/$campaignId" });
  const statistics = useQuery(statisticsQuery(souk, campaign.id, period));
  return (
    <>
      <Card
        title={t("campaigns.statistics")}
        actions={
          <Filters>
            <FilterSelect
              label={t("overview.period")}
              all={t("campaigns.wholePeriod")}
              options={STATISTICS_PERIODS.map((value) => ({
                value,
                label: t(`overview.periods.${value}`),
              }))}
              value={period}
              onChange={(chosen) => navigate({ search: { period: chosen }, replace: true })}
            />
          </Filters>
        }
      >
        {statistics.error && (
          <ErrorNote error={statistics.error} onRetry={() => statistics.refetch()} />
        )}
        {statistics.isPending && <Loading />}
        {statistics.data && <CampaignFigures statistics={statistics.data} />}
      </Card>
      {statistics.data && statistics.data.daily.length > 0 && (
        <CampaignDays statistics={statistics.data} />
      )}
    </>
  );
}
