import type { Campaign } from "@souk/client";
import { Link } from "@tanstack/react-router";
import { createColumnHelper } from "@tanstack/react-table";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useFormat } from "../lib/format";
import { nameIn, useSuppliers } from "../lib/names";
import { useMay } from "../session/session";
import { CampaignBadge } from "./campaign-badge";
import { useCampaignPrice } from "./campaign-price";

const column = createColumnHelper<Campaign>();

/** The columns of a list of campaigns. A supplier's list omits the supplier. */
export function useCampaignColumns(products: ReadonlyMap<string, string>) {
  const { t } = useTranslation();
  const format = useFormat();
  const priceOf = useCampaignPrice();
  const suppliers = useSuppliers();
  const may = useMay();
  const showsSuppliers = may("campaigns.write:all");
  return useMemo(
    () => [
      column.accessor("product_id", {
        header: t("campaigns.product"),
        cell: ({ row: { original: campaign } }) => (
          <Link
            to="/campaigns/$campaignId"
            params={{ campaignId: campaign.id }}
            className="row-link clipped"
          >
            {products.get(campaign.product_id) ?? "…"}
          </Link>
        ),
      }),
      ...(showsSuppliers
        ? [
            column.accessor("supplier_id", {
              header: t("fields.supplier"),
              meta: { wide: true },
              cell: (cell) => (
                <span className="clipped">
                  {nameIn(suppliers.data, cell.getValue()) ?? t("orders.operator")}
                </span>
              ),
            }),
          ]
        : []),
      column.accessor("start_date", {
        header: t("overview.period"),
        meta: { wide: true },
        cell: ({ row: { original: campaign } }) =>
          format.dates(campaign.start_date, campaign.end_date),
      }),
      column.accessor("pricing_model", {
        header: t("campaigns.price"),
        meta: { wide: true },
        cell: ({ row: { original: campaign } }) => (
          <span className="two-lines">
            {priceOf(campaign)}
            <small className="muted">{t(`campaigns.models.${campaign.pricing_model}`)}</small>
          </span>
        ),
      }),
      column.accessor("status", {
        header: t("orders.status"),
        cell: (cell) => <CampaignBadge status={cell.getValue()} />,
      }),
    ],
    [t, format, priceOf, products, suppliers.data, showsSuppliers],
  );
}
