import { z } from "@hono/zod-openapi";
import { listQuery } from "../http/page.ts";
import { days, since } from "../values/times.ts";

/** The sums of statistics, with their ratios. */
export const sums = {
  impressions: z.number().int(),
  clicks: z.number().int().openapi({ description: "All valid clicks, charged or not." }),
  ctr: z
    .number()
    .nullable()
    .openapi({ description: "Clicks / impressions; null without impressions." }),
  spend: z.number(),
  sales_count: z.number().int().openapi({ description: "Number of order lines." }),
  sales_amount: z.number(),
  conversion_rate: z
    .number()
    .nullable()
    .openapi({ description: "Sales / clicks; null without clicks." }),
  roi: z
    .number()
    .nullable()
    .openapi({ description: "(sales_amount - spend) / spend; null if spend is 0." }),
};

const dailyStatistics = z
  .object({
    id: z.guid(),
    campaign_id: z.guid(),
    date: z.string().openapi({ example: "2026-11-21" }),
    impressions: z.number().int(),
    clicks: z.number().int(),
    spend: z.number(),
    sales_count: z.number().int(),
    sales_amount: z.number(),
  })
  .openapi("CampaignDay");

export const campaignStatistics = z
  .object({
    campaign_id: z.guid(),
    currency: z.string(),
    totals: z.object(sums),
    daily: z.array(dailyStatistics).openapi({
      description: "Days with activity, earliest first.",
    }),
  })
  .openapi("CampaignStatistics");

const chargeKind = z.enum(["click", "fee", "refund"]);

export const chargeQuery = listQuery(["created_at"]).extend({
  kind: chargeKind.optional(),
  ...days,
});

export const placementCharge = z
  .object({
    id: z.guid(),
    campaign_id: z.guid(),
    kind: chargeKind,
    amount: z.number().openapi({ description: "Refunds are negative." }),
    date: z.string().openapi({ description: "The day whose spend includes it." }),
    click_id: z.guid().nullable(),
    explanation: z
      .record(z.string(), z.unknown())
      .openapi({ description: "How the price was determined, or the reason for the refund." }),
    created_at: z.string(),
  })
  .openapi("PlacementCharge");

export const refund = z
  .strictObject({
    visitor_id: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .openapi({ description: "All clicks of this visitor in the last 32 days." }),
    click_ids: z.array(z.guid()).min(1).max(1000).optional(),
    since: since.optional().openapi({
      description:
        "Only clicks since this time, with its offset, or since the beginning of this day in the tenant's time zone, of the visitor or in click_ids.",
    }),
    note: z.string().max(2000).optional(),
  })
  .openapi("PlacementRefund", { description: "Either visitor_id or click_ids." });

export const refunded = z
  .object({
    campaign_id: z.guid(),
    clicks: z.number().int().openapi({ description: "Number of clicks that had been valid." }),
    refunded: z.number().int().openapi({ description: "Number of refunded charges." }),
    amount: z.number(),
  })
  .openapi("PlacementRefunded");
