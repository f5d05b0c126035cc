import type { CampaignDay, CampaignStatistics } from "@souk/client";
import { createColumnHelper } from "@tanstack/react-table";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { DataTable } from "../components/data-table";
import { useFormat } from "../lib/format";

const column = createColumnHelper<CampaignDay>();

/** The statistics of each day with activity, latest first. */
export function CampaignDays({
  statistics: { daily, currency },
}: {
  statistics: CampaignStatistics;
}) {
  const { t } = useTranslation();
  const columns = useDayColumns(currency);
  return (
    <DataTable
      label={t("campaigns.byDay")}
      columns={columns}
      count={daily.length}
      rowAt={(place) => daily.at(-1 - place)}
      rowId={(day) => day.date}
    />
  );
}

function useDayColumns(currency: string) {
  const { t } = useTranslation();
  const format = useFormat();
  return useMemo(
    () => [
      column.accessor("date", {
        header: t("campaigns.day"),
        cell: (cell) => format.day(cell.getValue()),
      }),
      column.accessor("impressions", {
        header: t("campaigns.impressions"),
        meta: { numeric: true },
        cell: (cell) => format.number(cell.getValue()),
      }),
      column.accessor("clicks", {
        header: t("campaigns.clicks"),
        meta: { numeric: true },
        cell: (cell) => format.number(cell.getValue()),
      }),
      column.accessor("spend", {
        header: t("campaigns.spend"),
        meta: { numeric: true },
        cell: (cell) => format.money(cell.getValue(), currency),
      }),
      column.accessor("sales_count", {
        header: t("campaigns.sales"),
        meta: { numeric: true, wide: true },
        cell: (cell) => format.number(cell.getValue()),
      }),
      column.accessor("sales_amount", {
        header: t("campaigns.salesAmount"),
        meta: { numeric: true, wide: true },
        cell: (cell) => format.money(cell.getValue(), currency),
      }),
    ],
    [t, format, currency],
  );
}
