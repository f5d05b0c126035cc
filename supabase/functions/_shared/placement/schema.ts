import { z } from "@hono/zod-openapi";
import { currency } from "../marketplaces/schema.ts";
import { Enums } from "../values/enums.generated.ts";
import { visible } from "../values/names.ts";

export const pricingModel = z.enum(Enums.pricing_model).openapi("PricingModel", {
  description:
    "fixed: a fee for the period. auction: per click, and the bid may rise by itself up to maxBid. cpc: per click. hybrid: a fee and clicks.",
});

export const campaignStatus = z.enum(Enums.campaign_status).openapi("CampaignStatus");

const label = z.enum(["TOP", "Advertisement", "Promoted"]);

/** An amount of money in a request. The database refuses more than two decimals. */
const amount = z.number().min(0).max(9_999_999_999.99);

export const newCampaign = z
  .strictObject({
    productId: z.guid(),
    categoryId: z.guid().openapi({
      description: "The category in which the product is promoted: its own, or one above it.",
    }),
    duration: z.number().int().min(1).max(365).openapi({
      description: "Whole days of 24 hours. fixed and hybrid: 1, 7, 30 or 90.",
      example: 7,
    }),
    bidAmount: amount.openapi({
      description:
        "Highest price of a click, at least the category's minBid. It determines the rank. fixed: at least the price of a day, which is then stored.",
      example: 0.5,
    }),
    pricingModel: pricingModel.default("auction"),
    dailyBudget: amount.nullish().openapi({
      description:
        "Highest cost of a day of the tenant's time zone: at least the bid, for hybrid plus the day's fee. Not used for fixed.",
    }),
    startDate: z.iso.datetime({ offset: true }).optional().openapi({
      description: "Start of the campaign, within a year. Default, and at the earliest: now.",
    }),
    maxBid: amount
      .nullish()
      .openapi({ description: "auction only: limit of automatic bid increases." }),
    regions: z
      .array(z.string().min(1).max(64))
      .max(100)
      .nullish()
      .openapi({ description: "Regions, by the frontend's names. Empty: all regions." }),
    labels: z
      .array(label)
      .optional()
      .openapi({ description: "Labels that mark the promotion. Default: Promoted." }),
    highlighted: z
      .boolean()
      .default(false)
      .openapi({ description: "Whether the shop should highlight it." }),
    pinned: z
      .boolean()
      .default(false)
      .openapi({ description: "Whether the shop should keep it at the top." }),
  })
  .openapi("NewCampaign");

export const campaignChanges = z
  .strictObject({
    status: z.enum(["paused", "active", "cancelled"]).openapi({ description: "active resumes." }),
    bidAmount: amount,
    maxBid: amount.nullable(),
    dailyBudget: amount.nullable(),
  })
  .partial()
  .openapi("CampaignChanges");

export const review = z
  .strictObject({ note: z.string().max(2000).optional() })
  .openapi("CampaignReview");

export const campaign = z
  .object({
    id: z.guid(),
    tenant_id: z.guid(),
    supplier_id: z.guid().nullable().openapi({ description: "Null for the operator's own." }),
    marketplace_id: z.guid(),
    currency: z.string().openapi({ description: "That of the marketplace." }),
    product_id: z.guid(),
    category_id: z
      .guid()
      .nullable()
      .openapi({ description: "Null if the campaign has ended and its category was deleted." }),
    pricing_model: pricingModel,
    start_date: z.string(),
    end_date: z.string(),
    daily_budget: z.number().nullable(),
    bid_amount: z.number(),
    max_bid: z.number().nullable(),
    fee: z.number().openapi({ description: "Fee for the whole period, charged daily." }),
    regions: z.array(z.string()).nullable(),
    labels: z.array(label),
    highlighted: z.boolean(),
    pinned: z.boolean(),
    status: campaignStatus,
    note: z.string().nullable().openapi({ description: "The reason for its rejection or end." }),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("Campaign");

const minBid = z.number().min(0.01).max(9_999_999_999.99);

const placementPrice = z
  .strictObject({ currency, basePrice: amount, minBid })
  .openapi("PlacementPrice");

const configuration = {
  name: visible(200).openapi({ description: "The category's own." }),
  basePrice: amount.openapi({
    description:
      "A day of a fee (fixed, hybrid), in the currency of the tenant's oldest marketplace.",
  }),
  maxSlots: z
    .number()
    .int()
    .min(1)
    .max(100)
    .openapi({ description: "Number of promoted products in a page. Usual: 3 to 10." }),
  auctionEnabled: z.boolean().openapi({ description: "Whether auction and hybrid are offered." }),
  minBid: minBid.openapi({
    description: "The least bid for a click, in the currency of the tenant's oldest marketplace.",
  }),
  prices: z.array(placementPrice).max(200).openapi({
    description:
      "basePrice and minBid in each currency. A product whose currency the list lacks cannot be promoted in the category. If sent, it replaces the prices in all currencies but that of the tenant's oldest marketplace, which stays unless the list has it.",
  }),
  forbidden: z
    .boolean()
    .openapi({ description: "Nothing is promoted here, nor in the categories below." }),
  rotationMinutes: z
    .number()
    .int()
    .min(1)
    .max(10_080)
    .openapi({ description: "How often equal bids change places (displayPriority rotation)." }),
  displayPriority: z
    .enum(["quality", "rotation", "newest"])
    .openapi({ description: "Which of equal bids comes first." }),
  minQuality: z
    .number()
    .min(0)
    .max(1)
    .openapi({ description: "How well a promoted product has to be described." }),
};

export const placementCategory = z
  .object({ categoryId: z.guid(), ...configuration })
  .openapi("PlacementCategory");

export const placementCategoryChanges = z
  .strictObject({ categoryId: z.guid(), ...configuration })
  .partial()
  .openapi("PlacementCategoryChanges", {
    description:
      "Fields that are not sent stay as they are. categoryId, if sent, must be the one in the path.",
  });

const settings = {
  auction_log_share: z
    .number()
    .min(0)
    .max(1)
    .openapi({ description: "Share of auctions that are recorded: 0.1 is a tenth." }),
  clicks_per_visitor_and_hour: z
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .openapi({ description: "Largest number of clicks of one visitor per hour that count." }),
  clicks_per_address_and_hour: z.number().int().min(1).max(1_000_000).openapi({
    description:
      "Largest number of clicks of one campaign from one IP address per hour that count.",
  }),
  click_account_age_minutes: z.number().int().min(0).max(100_000).openapi({
    description:
      "Clicks of younger accounts do not count unless their e-mail address is confirmed.",
  }),
};

export const placementSettings = z.object(settings).openapi("PlacementSettings");

export const placementSettingsChanges = z
  .strictObject(settings)
  .partial()
  .openapi("PlacementSettingsChanges");
