import { useNavigate, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "../components/button";
import { Empty, NothingFound } from "../components/empty";
import { FilterSelect, Filters } from "../components/filters";
import { Page } from "../components/page";
import { PagedTable } from "../components/paged-table";
import { useLive } from "../lib/live";
import { useSuppliers } from "../lib/names";
import { usePagedList } from "../lib/paged-list";
import { useNamesOf } from "../lib/record-names";
import { useSouk } from "../lib/souk";
import { useMay } from "../session/session";
import { useCampaignColumns } from "./campaign-columns";
import { campaignsIn } from "./queries";
import type { CampaignSearch } from "./search";
import { CAMPAIGN_STATUSES } from "./statuses";

/** The campaigns of the tenant; for suppliers, their own. */
export function CampaignsPage() {
  const { t } = useTranslation();
  const souk = useSouk();
  const may = useMay();
  const search = useSearch({ from: "/campaigns" });
  const navigate = useNavigate({ from: "/campaigns" });
  const suppliers = useSuppliers();
  const list = usePagedList(campaignsIn(souk, search));
  const products = useNamesOf(
    "products",
    list.pages.map((page) => page.map(({ product_id }) => product_id)),
  );
  const columns = useCampaignColumns(products);
  useLive("campaigns", ["campaigns"]);
  const choose = (change: CampaignSearch) =>
    navigate({ search: { ...search, ...change }, replace: true });
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  return (
    <Page title={t("campaigns.title")} lead={t("campaigns.lead")}>
      <Filters>
        <FilterSelect
          label={t("orders.status")}
          all={t("orders.anyStatus")}
          options={CAMPAIGN_STATUSES.map((value) => ({
            value,
            label: t(`campaignStatus.${value}`),
          }))}
          value={search.status}
          onChange={(status) => choose({ status })}
        />
        {may("campaigns.write:all") && (
          <FilterSelect
            label={t("fields.supplier")}
            all={t("commissions.allSuppliers")}
            options={(suppliers.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
            value={search.supplier}
            onChange={(supplier) => choose({ supplier })}
          />
        )}
      </Filters>
      <PagedTable
        label={t("campaigns.title")}
        list={list}
        rowId={(campaign) => campaign.id}
        columns={columns}
        empty={
          isFiltered ? (
            <NothingFound list="/campaigns" />
          ) : (
            <Empty
              icon="campaigns"
              title={t("campaigns.none")}
              action={
                <ButtonLink to="/products" variant="primary">
                  {t("campaigns.toProducts")}
                </ButtonLink>
              }
            >
              {t("campaigns.noneHint")}
            </Empty>
          )
        }
      />
    </Page>
  );
}
