import { z } from "@hono/zod-openapi";
import { batchOf, eventError, eventIndex } from "../http/batches.ts";

/** Any value: one invalid event must not stop the others, so the database validates each event. */
const placementEvent = z.unknown().openapi("PlacementEvent", {
  type: "object",
  required: ["type"],
  additionalProperties: false,
  properties: {
    id: {
      type: "string",
      format: "uuid",
      description: "Your id of the event. The same event sent again is recognised by it.",
    },
    type: { type: "string", enum: ["impression", "click", "conversion"] },
    campaign_id: {
      type: "string",
      format: "uuid",
      description: "The campaign_id of the product's promotion. Not needed for a conversion.",
    },
    visitor_id: {
      type: "string",
      maxLength: 200,
      description:
        "For admins and clients: the visitor, by any name that stays the same. For a customer use the user id. Customers and suppliers report only themselves, whatever they send.",
    },
    placement: { type: "string", enum: ["search", "category", "similar", "top_sales"] },
    token: {
      type: "string",
      description:
        "The token of the promotion that was shown. Customers and suppliers must send it with impressions and clicks.",
    },
    occurred_at: {
      type: "string",
      format: "date-time",
      description:
        "Within the last 24 hours. Default: now. For customers and suppliers it is always now.",
    },
    order_id: {
      type: "string",
      format: "uuid",
      description: "For a conversion: the visitor's order.",
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
      .openapi({ description: "The event's id; for a click without one, its id in the ledger." }),
    status: z.enum(["accepted", "duplicate", "charged", "not_charged", "invalid"]).openapi({
      description:
        "accepted: counted. duplicate: already counted. charged: a click, counted and charged. not_charged: see reason. invalid: see error.",
    }),
    reason: z
      .enum([
        ...(["already_charged", "budget", "own_supplier", "not_a_customer"] as const),
        ...(["flood", "new_account", "no_token", "not_running"] as const),
      ])
      .optional()
      .openapi({
        description:
          "already_charged: a click of this visitor was charged in this hour. budget: the daily budget is used up; the click is counted. own_supplier: the visitor is a member of the supplier. not_a_customer: the visitor is another supplier, an admin or a client. flood: too many clicks per hour from the visitor or the IP address. new_account: the account is younger than the settings require. no_token: there is no token of a promotion that was shown to the caller in the last 24 hours. not_running: the campaign did not run at that time, or its category does not allow promotion.",
      }),
    price: z.number().optional().openapi({
      description: "The charge in the marketplace's currency; only for admins and clients.",
    }),
    sales: z
      .number()
      .int()
      .optional()
      .openapi({ description: "For a conversion: the number of order lines that follow a click." }),
    error: eventError.optional(),
  })
  .openapi("PlacementResult");

export const placementResults = z
  .object({
    results: z.array(result).openapi({ description: "One for each event, in the same order." }),
  })
  .openapi("PlacementResults");
