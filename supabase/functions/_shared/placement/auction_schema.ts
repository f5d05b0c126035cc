import { z } from "@hono/zod-openapi";
import { promotion } from "../catalog/schema.ts";
import { limit, listQuery } from "../http/page.ts";
import { days } from "../values/times.ts";

const placement = z.enum(["search", "category", "similar", "top_sales"]).openapi("Placement");

const region = z.string().min(1).max(64);

const amount = z.number();
const count = z.number().int();

export const slotQuery = z.object({
  categoryId: z.guid(),
  placement: placement.default("category"),
  region: region.optional().openapi({
    description: "The visitor's region. Without it, only campaigns without regions are shown.",
  }),
  limit: limit.openapi({
    description:
      "Number of products in the page, of which 30 % may be promoted. Default: 100; at most 1000.",
  }),
});

export const slots = z
  .object({
    category_id: z.guid(),
    placement,
    region: z.string().nullable(),
    slots: z.array(
      promotion
        .extend({
          product_id: z.guid(),
          product_name: z.string(),
          bid_amount: amount.nullable(),
          price: amount.nullable().openapi({
            description:
              "The current price of a click. The price and the bid are null for customers and for suppliers of other campaigns.",
          }),
        })
        .openapi("Slot"),
    ),
  })
  .openapi("Slots");

export const auctionQuery = listQuery(["held_at"])
  .omit({ sort: true })
  .extend({
    category_id: z.guid().optional().openapi({ description: "The category of the request." }),
    placement: placement.optional(),
    campaign_id: z
      .guid()
      .optional()
      .openapi({ description: "Only auctions in which this campaign took part." }),
  });

const held = z.object({
  id: z.guid(),
  placement,
  category_id: z.guid().nullable().openapi({ description: "Null for the whole catalog." }),
  region: z.string().nullable(),
  held_at: z.string(),
  size: count.openapi({ description: "Number of products in the page." }),
});

export const auction = held
  .extend({
    candidate_count: count.openapi({ description: "Number of campaigns that took part." }),
    placed_count: count.openapi({ description: "Number of campaigns that won a slot." }),
  })
  .openapi("Auction");

export const auctionDetails = held
  .extend({
    candidates: z.array(
      z
        .object({
          campaign_id: z.guid(),
          product_id: z.guid(),
          bid_amount: amount,
          quality: z
            .number()
            .nullable()
            .openapi({ description: "Quality of the product's description, 0 to 1." }),
          eligible: z
            .boolean()
            .openapi({ description: "Whether the campaign was eligible for a slot." }),
          reason: z
            .enum([
              ...(["outbid", "product", "bid", "budget", "stock", "status", "category"] as const),
              ...(["dates", "forbidden", "quality", "region"] as const),
            ])
            .nullable()
            .openapi({ description: "The reason why it won no slot; null if it won one." }),
          position: count.nullable(),
          price: amount.nullable().openapi({ description: "The price of a click in this slot." }),
        })
        .openapi("AuctionCandidate"),
    ),
  })
  .openapi("AuctionDetails");

export const shareQuery = z.object(days);

const counts = z.object({
  held: count.openapi({
    description: "Number of recorded auctions in which the campaign took part.",
  }),
  won: count.openapi({ description: "Number of them in which it won a slot." }),
  lost_to_bid: count,
  lost_to_budget: count,
  lost_to_stock: count,
  lost_otherwise: count,
});

export const auctionShare = z
  .object({
    campaign_id: z.guid(),
    totals: counts.extend({
      win_rate: z.number().nullable().openapi({ description: "won / held; null if held is 0." }),
    }),
    daily: z.array(counts.extend({ date: z.string() })),
  })
  .openapi("AuctionShare");
