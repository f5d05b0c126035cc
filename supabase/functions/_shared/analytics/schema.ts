import { z } from "@hono/zod-openapi";
import { batchOf, eventError, eventIndex } from "../http/batches.ts";

const PERIODS = [
  "today",
  "yesterday",
  "7d",
  "30d",
  "90d",
  "1y",
  "last_week",
  "last_month",
  "last_quarter",
  "custom",
] as const;

/** The filters of every report. */
export const scopeQuery = {
  marketplace_id: z.guid().optional(),
  supplier_id: z
    .guid()
    .optional()
    .openapi({ description: "For admins and clients; suppliers see their own figures." }),
  category: z.guid().optional().openapi({ description: "With all categories below it." }),
};

/** The days of a report. */
export const periodQuery = {
  period: z.enum(PERIODS).default("30d").openapi({
    description:
      "Whole days of the tenant's time_zone. The last one is today, up to now; of yesterday and of the last calendar week, month or quarter it is their own.",
  }),
  from: z.iso
    .date()
    .optional()
    .openapi({ description: "The first day of the period custom.", example: "2026-11-01" }),
  to: z.iso
    .date()
    .optional()
    .openapi({ description: "The last day of the period custom.", example: "2026-11-21" }),
};

/** The fields of every report. */
export const heading = {
  period: z.enum(PERIODS),
  from: z.iso.date(),
  to: z.iso.date(),
  time_zone: z.string().openapi({ example: "Europe/Berlin" }),
  restated_at: z.string().nullable().openapi({
    description: "The last time that a day changed after it was over; null if none did.",
  }),
};

/** Any value: one invalid event must not stop the others, so the database validates each. */
const storefrontEvent = z.unknown().openapi("StorefrontEvent", {
  type: "object",
  required: ["type"],
  additionalProperties: false,
  properties: {
    id: {
      type: "string",
      format: "uuid",
      description: "Yours: the same event sent again within a day is a duplicate.",
    },
    type: { type: "string", enum: ["visit", "product_view", "add_to_cart", "checkout"] },
    marketplace_id: {
      type: "string",
      format: "uuid",
      description: "Required without a product_id, if the tenant has several.",
    },
    product_id: {
      type: "string",
      format: "uuid",
      description:
        "Required for product_view and add_to_cart. A checkout without one counts for no supplier: send one event for each product in the cart.",
    },
    visitor_id: {
      type: "string",
      maxLength: 200,
      description:
        "For admins and clients: the visitor, by any name that stays the same. For a customer or guest use the user id, so that their orders belong to the same visitor. Customers and guests report only themselves, whatever they send.",
    },
    user_agent: {
      type: "string",
      description: "The visitor's, if a server reports it. Default: the request's.",
    },
    occurred_at: {
      type: "string",
      format: "date-time",
      description: "Within the last 24 hours. Default: now.",
    },
  },
  example: { type: "product_view", product_id: "0f0f2a3e-2a77-4d1b-9a55-0c7a2b1d4e01" },
});

export const storefrontEvents = batchOf(storefrontEvent).openapi("StorefrontEvents");

const result = z
  .object({
    index: eventIndex,
    id: z.guid().optional().openapi({ description: "The event's id, if it was sent with one." }),
    status: z.enum(["accepted", "duplicate", "not_counted", "invalid"]).openapi({
      description:
        "accepted: counted. duplicate: it was there before. not_counted: see reason. invalid: see error.",
    }),
    reason: z.enum(["bot", "flood", "ignored", "member"]).optional().openapi({
      description:
        "bot: a declared bot. flood: more events than a visitor may report in a day. ignored: excluded by the tenant's settings. member: an admin, client or supplier of the tenant.",
    }),
    error: eventError.optional(),
  })
  .openapi("StorefrontResult");

export const storefrontResults = z
  .object({
    results: z.array(result).openapi({ description: "One for each event, in the same order." }),
  })
  .openapi("StorefrontResults");

export const funnel = z
  .object({
    ...heading,
    stages: z.array(
      z.object({
        name: z.enum(["visitors", "product_view", "add_to_cart", "checkout"]),
        count: z
          .number()
          .int()
          .openapi({ description: "Distinct visitors who reached the stage." }),
        conversion: z.number().nullable().openapi({
          description:
            "Percent of the stage before; 100 for the first, null if nobody reached the stage before.",
        }),
      }),
    ),
    bots: z.number().int().openapi({
      description: "Visitors who are not counted, because their programs declare themselves bots.",
    }),
  })
  .openapi("Funnel");
