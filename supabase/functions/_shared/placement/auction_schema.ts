import { z } from "@hono/zod-openapi";
import { promotion } from "../catalog/schema.ts";
import { limit, listQuery } from "../http/page.ts";

const placement = z.enum(["search", "category", "similar", "top_sales"]).openapi("Placement");

const region = z.string().min(1).max(64);

const amount = z.number();
const count = z.number().int();

export const slotQuery = z.object({
  categoryId: z.guid(),
  placement: placement.default("category"),
  region: region.optional().openapi({
    description: "Where the page is looked at; without it, only what is promoted everywhere.",
  }),
  limit: limit.openapi({
    description: "How long the page is, of which 30 % may be promoted: 100, at most 1000.",
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
              "What a click costs now. It and the bid: null for a supplier whose campaign it is not, and for customers.",
          }),
        })
        .openapi("Slot"),
    ),
  })
  .openapi("Slots");

export const auctionQuery = listQuery(["held_at"])
  .omit({ sort: true })
  .extend({
    category_id: z.guid().optional().openapi({ description: "The category that was asked for." }),
    placement: placement.optional(),
    campaign_id: z.guid().optional().openapi({ description: "In which this campaign stood." }),
  });

const held = z.object({
  id: z.guid(),
  placement,
  category_id: z.guid().nullable().openapi({ description: "Null: of the whole catalog." }),
  region: z.string().nullable(),
  held_at: z.string(),
  size: count.openapi({ description: "How many products the page had room for." }),
});

export const auction = held
  .extend({
    candidate_count: count.openapi({ description: "How many campaigns stood in it." }),
    placed_count: count.openapi({ description: "How many of them took a place." }),
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
          quality: z.number().nullable().openapi({ description: "Of its listing, 0 to 1." }),
          eligible: z.boolean().openapi({ description: "Whether it could take a place at all." }),
          reason: z
            .enum([
              ...(["outbid", "product", "bid", "budget", "stock", "status", "category"] as const),
              ...(["dates", "forbidden", "quality", "region"] as const),
            ])
            .nullable()
            .openapi({ description: "Why it took no place; null where it did." }),
          position: count.nullable(),
          price: amount.nullable().openapi({ description: "What a click there cost." }),
        })
        .openapi("AuctionCandidate"),
    ),
  })
  .openapi("AuctionDetails");

export const shareQuery = z.object({
  from: z.iso.date().optional().openapi({ description: "The first day, in UTC." }),
  to: z.iso.date().optional().openapi({ description: "The last day, in UTC." }),
});

const counts = z.object({
  held: count.openapi({ description: "Kept auctions in which the campaign stood." }),
  won: count.openapi({ description: "Those that brought it a place." }),
  lost_to_bid: count,
  lost_to_budget: count,
  lost_to_stock: count,
  lost_otherwise: count,
});

export const auctionShare = z
  .object({
    campaign_id: z.guid(),
    totals: counts.extend({
      win_rate: z.number().nullable().openapi({ description: "won / held; null where none was." }),
    }),
    daily: z.array(counts.extend({ date: z.string() })),
  })
  .openapi("AuctionShare");
