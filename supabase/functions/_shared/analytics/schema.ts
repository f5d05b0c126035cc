import { z } from "@hono/zod-openapi";
import { batchOf, eventError, eventIndex } from "../http/batches.ts";

const PERIODS = ["today", "yesterday", "7d", "30d", "90d", "1y", "custom"] as const;

/** Of whose sales and products a figure tells. */
export const scopeQuery = {
  marketplace_id: z.guid().optional(),
  supplier_id: z
    .guid()
    .optional()
    .openapi({ description: "For admins and clients; suppliers see their own." }),
  category: z.guid().optional().openapi({ description: "With all categories below it." }),
};

/** Of which days. */
export const periodQuery = {
  period: z.enum(PERIODS).default("30d").openapi({
    description: "Whole days of the tenant's time_zone, the last of them today up to now.",
  }),
  from: z.iso
    .date()
    .optional()
    .openapi({ description: "Of the period custom: the first day.", example: "2026-11-01" }),
  to: z.iso
    .date()
    .optional()
    .openapi({ description: "Of the period custom: the last day.", example: "2026-11-21" }),
};

/** What every answer says of itself. */
export const heading = {
  period: z.enum(PERIODS),
  from: z.iso.date(),
  to: z.iso.date(),
  time_zone: z.string().openapi({ example: "Europe/Berlin" }),
  restated_at: z.string().nullable().openapi({
    description: "When a day changed that was over, the last time; null where none did.",
  }),
};

/** Anything at all: one bad event must not stop the others, so the database tells of each what is wrong. */
const storefrontEvent = z.unknown().openapi("StorefrontEvent", {
  type: "object",
  required: ["type"],
  additionalProperties: false,
  properties: {
    id: {
      type: "string",
      format: "uuid",
      description: "Yours: the same event sent again is known by it, for a day at least.",
    },
    type: { type: "string", enum: ["visit", "product_view", "add_to_cart", "checkout"] },
    marketplace_id: {
      type: "string",
      format: "uuid",
      description: "Needed without a product_id, where the tenant has several.",
    },
    product_id: {
      type: "string",
      format: "uuid",
      description:
        "Needed of product_view and add_to_cart. A checkout without one is of no supplier's products: send one for each product in the cart.",
    },
    visitor_id: {
      type: "string",
      maxLength: 200,
      description:
        "For admins and clients: who it was, by any name that stays the same; of a customer or guest the user's id, by which orders are theirs. Customers and guests are themselves, whatever is sent.",
    },
    user_agent: {
      type: "string",
      description: "The visitor's, where a server reports it; else the request's.",
    },
    occurred_at: {
      type: "string",
      format: "date-time",
      description: "Within the last 24 hours; now where it is left out.",
    },
  },
  example: { type: "product_view", product_id: "0f0f2a3e-2a77-4d1b-9a55-0c7a2b1d4e01" },
});

export const storefrontEvents = batchOf(storefrontEvent).openapi("StorefrontEvents");

const result = z
  .object({
    index: eventIndex,
    id: z.guid().optional().openapi({ description: "The event's, where it was sent with one." }),
    status: z.enum(["accepted", "duplicate", "not_counted", "invalid"]).openapi({
      description:
        "accepted: counted. duplicate: it was there before. not_counted: see reason. invalid: see error.",
    }),
    reason: z.enum(["bot", "flood", "ignored", "member"]).optional().openapi({
      description:
        "bot: of a program that calls itself one. flood: more than a visitor does in a day. ignored: the tenant's settings leave it out. member: of a supplier, an admin or a client of the tenant.",
    }),
    error: eventError.optional(),
  })
  .openapi("StorefrontResult");

export const storefrontResults = z
  .object({
    results: z.array(result).openapi({ description: "One for each event, in their sequence." }),
  })
  .openapi("StorefrontResults");

export const funnel = z
  .object({
    ...heading,
    stages: z.array(
      z.object({
        name: z.enum(["visitors", "product_view", "add_to_cart", "checkout"]),
        count: z.number().int().openapi({ description: "Distinct visitors who came so far." }),
        conversion: z.number().nullable().openapi({
          description: "Percent of the stage before; 100 for the first, null of nobody.",
        }),
      }),
    ),
    bots: z
      .number()
      .int()
      .openapi({ description: "Visitors who were left out, since they call themselves programs." }),
  })
  .openapi("Funnel");
