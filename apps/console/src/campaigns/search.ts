import type { CampaignStatus } from "@souk/client";
import { oneOf, textOf } from "../lib/search-params";
import { CAMPAIGN_STATUSES } from "./statuses";

/** The filters of the list of campaigns. */
export interface CampaignSearch {
  status?: CampaignStatus;
  supplier?: string;
}

/** Reads the filters from the URL. */
export const readCampaignSearch = (search: Record<string, unknown>): CampaignSearch => ({
  status: oneOf(CAMPAIGN_STATUSES, search.status),
  supplier: textOf(search.supplier),
});

/** The periods of a campaign's statistics, and their number of days. Without one, they are of the whole campaign. */
export const DAYS_OF = { today: 1, "7d": 7, "30d": 30, "90d": 90 } as const;
export type StatisticsPeriod = keyof typeof DAYS_OF;
export const STATISTICS_PERIODS = Object.keys(DAYS_OF) as StatisticsPeriod[];

export interface StatisticsSearch {
  period?: StatisticsPeriod;
}

/** Reads the period of the statistics from the URL. */
export const readStatisticsSearch = (search: Record<string, unknown>): StatisticsSearch => ({
  period: oneOf(STATISTICS_PERIODS, search.period),
});
