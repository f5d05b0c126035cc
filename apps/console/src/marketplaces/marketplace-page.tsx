import { Tabs } from "@base-ui/react/tabs";
import type { Marketplace } from "@souk/client";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Card } from "../components/card";
import { ErrorNote } from "../components/error-note";
import { Loading } from "../components/loading";
import { Page } from "../components/page";
import { useSouk } from "../lib/souk";
import { BrandingForm } from "./branding-form";
import { BusinessForm } from "./business-form";
import { DeliveryForm } from "./delivery-form";
import { GeneralForm } from "./general-form";
import { MarketplaceBadge } from "./marketplace-badge";
import { MarketplaceMoves } from "./marketplace-moves";
import { SeoForm } from "./seo-form";
import { useMarketplaceEditing } from "./use-change";

const FORMS = {
  general: GeneralForm,
  branding: BrandingForm,
  seo: SeoForm,
  business: BusinessForm,
  delivery: DeliveryForm,
};
const NAMES = ["general", "branding", "seo", "business", "delivery"] as const;

export function MarketplacePage() {
  const { marketplaceId } = useParams({ from: "/marketplaces/$marketplaceId" });
  const souk = useSouk();
  const marketplace = useQuery({
    queryKey: ["marketplaces", "one", marketplaceId],
    queryFn: ({ signal }) => souk.marketplaces.get(marketplaceId, { signal }),
  });
  if (marketplace.error) {
    return <ErrorNote error={marketplace.error} onRetry={() => marketplace.refetch()} />;
  }
  if (!marketplace.data) return <Loading />;
  return <MarketplaceSettings key={marketplaceId} marketplace={marketplace.data} />;
}

function MarketplaceSettings({ marketplace }: { marketplace: Marketplace }) {
  const { t } = useTranslation();
  const editing = useMarketplaceEditing(marketplace);
  return (
    <Page
      title={marketplace.name}
      aside={<MarketplaceBadge status={marketplace.status} />}
      lead={marketplace.domain}
      back={{ to: "/marketplaces", label: t("marketplaces.title") }}
      actions={<MarketplaceMoves editing={editing} />}
    >
      <Tabs.Root defaultValue="general">
        <Tabs.List className="tabs">
          {NAMES.map((name) => (
            <Tabs.Tab key={name} value={name} className="tab">
              {t(`marketplaces.tabs.${name}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {NAMES.map((name) => {
          const SettingsForm = FORMS[name];
          return (
            <Tabs.Panel key={name} value={name}>
              <Card>
                <SettingsForm editing={editing} />
              </Card>
            </Tabs.Panel>
          );
        })}
      </Tabs.Root>
    </Page>
  );
}
