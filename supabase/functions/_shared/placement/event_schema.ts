import { z } from "@hono/zod-openapi";
import { batchOf, eventError, eventIndex } from "../http/batches.ts";

/** Anything at all: one bad event must not stop the others, so the database tells of each what is wrong. */
const placementEvent = z.unknown().openapi("PlacementEvent", {
  type: "object",
  required: ["type"],
  additionalProperties: false,
  properties: {
    id: {
      type: "string",
      format: "uuid",
      description: "Yours: the same event sent again is known by it.",
    },
    type: { type: "string", enum: ["impression", "click", "conversion"] },
    campaign_id: {
      type: "string",
      format: "uuid",
      description: "As in the product's promotion. A conversion needs none.",
    },
    visitor_id: {
      type: "string",
      maxLength: 200,
      description:
        "For admins and clients: who saw it, by any name that stays the same; of a customer best the user's id. Customers and suppliers are themselves, whatever is sent.",
    },
    placement: { type: "string", enum: ["search", "category", "similar", "top_sales"] },
    token: {
      type: "string",
      description:
        "The promotion's, as it was shown: needed of customers and suppliers for impressions and clicks.",
    },
    occurred_at: {
      type: "string",
      format: "date-time",
      description:
        "Within the last 24 hours; now where it is left out, and always for customers and suppliers.",
    },
    order_id: {
      type: "string",
      format: "uuid",
      description: "Of a conversion: the order that the visitor placed.",
    },
  },
  example: {
    type: "click",
    campaign_id: "0f0f2a3e-2a77-4d1b-9a55-0c7a2b1d4e01",
    visitor_id: "visitor-1",
    placement: "search",
  },
});

export const placementEvents = batchOf(placementEvent).openapi("PlacementEvents");

const result = z
  .object({
    index: eventIndex,
    id: z
      .guid()
      .optional()
      .openapi({ description: "The event's; of a click without one, what the ledger calls it." }),
    status: z.enum(["accepted", "duplicate", "charged", "not_charged", "invalid"]).openapi({
      description:
        "accepted: counted. duplicate: it was there before. charged: a click, counted and charged. not_charged: see reason. invalid: see error.",
    }),
    reason: z
      .enum([
        ...(["already_charged", "budget", "own_supplier", "not_a_customer"] as const),
        ...(["flood", "new_account", "no_token", "not_running"] as const),
      ])
      .optional()
      .openapi({
        description:
          "already_charged: the visitor's click of this hour was. budget: the day's is used up; the click is counted. own_supplier: of somebody who acts for the supplier. not_a_customer: of another supplier, an admin or a client. flood: more clicks in an hour than a visitor makes, or than come from one address. new_account: of an account that is younger than it has to be. no_token: without the token of a promotion that this caller was shown there in the last 24 hours. not_running: the campaign did not run then, or its category was forbidden.",
      }),
    price: z.number().optional().openapi({
      description: "What was charged, in the marketplace's currency; for admins and clients.",
    }),
    sales: z
      .number()
      .int()
      .optional()
      .openapi({ description: "Of a conversion: how many lines of the order belong to a click." }),
    error: eventError.optional(),
  })
  .openapi("PlacementResult");

export const placementResults = z
  .object({
    results: z.array(result).openapi({ description: "One for each event, in their sequence." }),
  })
  .openapi("PlacementResults");
