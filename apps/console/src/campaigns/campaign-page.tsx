import type { Campaign } from "@souk/client";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ErrorNote } from "../components/error-note";
import { Loading } from "../components/loading";
import { Page } from "../components/page";
import { useFormat } from "../lib/format";
import { useLive } from "../lib/live";
import { useNamesOf } from "../lib/record-names";
import { useSouk } from "../lib/souk";
import { CampaignActions } from "./campaign-actions";
import { CampaignBadge } from "./campaign-badge";
import { CampaignFacts } from "./campaign-facts";
import { CampaignStatistics } from "./campaign-statistics";
import { campaignQuery } from "./queries";

export function CampaignPage() {
  const { campaignId } = useParams({ from: "/campaigns/$campaignId" });
  const souk = useSouk();
  const campaign = useQuery(campaignQuery(souk, campaignId));
  useLive("campaigns", ["campaigns"]);
  if (campaign.error) {
    return <ErrorNote error={campaign.error} onRetry={() => campaign.refetch()} />;
  }
  if (!campaign.data) return <Loading />;
  return <CampaignDetails campaign={campaign.data} />;
}

function CampaignDetails({ campaign }: { campaign: Campaign }) {
  const { t } = useTranslation();
  const format = useFormat();
  const product = useNamesOf("products", [[campaign.product_id]]).get(campaign.product_id);
  const name = product ?? t("campaigns.one");
  return (
    <Page
      title={name}
      aside={<CampaignBadge status={campaign.status} />}
      lead={format.dates(campaign.start_date, campaign.end_date)}
      back={{ to: "/campaigns", label: t("campaigns.title") }}
      actions={<CampaignActions campaign={campaign} name={name} />}
    >
      <div className="columns">
        <div className="column-main">
          <CampaignStatistics campaign={campaign} />
        </div>
        <div className="column-side">
          <CampaignFacts campaign={campaign} />
        </div>
      </div>
    </Page>
  );
}
