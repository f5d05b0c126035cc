import type { AnswerOf, SoukClient } from "@souk/client";
import { queryOptions } from "@tanstack/react-query";
import type { PageQuery } from "../lib/paged-list";
import { type CampaignSearch, DAYS_OF, type StatisticsPeriod } from "./search";

const DAY_MS = 86_400_000;

export const campaignsIn = (souk: SoukClient, { status, supplier }: CampaignSearch) => ({
  key: ["campaigns", "list", status, supplier],
  readPage: (page: PageQuery, signal: AbortSignal) =>
    souk.campaigns.list({ ...page, status, supplier_id: supplier }, { signal }),
  rowsOf: (page: AnswerOf<"get", "/api/v1/top-placement/campaigns">) => page.campaigns,
});

export const campaignQuery = (souk: SoukClient, id: string) =>
  queryOptions({
    queryKey: ["campaigns", "one", id],
    queryFn: ({ signal }) => souk.campaigns.get(id, { signal }),
  });

/** The statistics of a campaign in a period that ends today, or of the whole campaign. Days are the tenant's. */
export const statisticsQuery = (souk: SoukClient, id: string, period?: StatisticsPeriod) =>
  queryOptions({
    queryKey: ["campaigns", "statistics", id, period],
    queryFn: async ({ signal }) => {
      if (!period) return await souk.campaigns.stats(id, {}, { signal });
      const { time_zone } = await souk.tenant.get({ signal });
      return await souk.campaigns.stats(id, { from: firstDayOf(period, time_zone) }, { signal });
    },
  });

/** The first day of a period that ends today in a time zone: `2026-11-21`. */
function firstDayOf(period: StatisticsPeriod, timeZone: string): string {
  const today = new Intl.DateTimeFormat("en-CA", { timeZone }).format(new Date());
  return new Date(Date.parse(today) - (DAYS_OF[period] - 1) * DAY_MS).toISOString().slice(0, 10);
}
