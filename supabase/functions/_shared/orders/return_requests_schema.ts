import { z } from "@hono/zod-openapi";
import { localText } from "../values/times.ts";
import { someItem, someItems } from "./pieces_schema.ts";
import { orderStatus, returnRequestStatus } from "./statuses.ts";

const words = z.string().max(2000);

export const newReturnRequest = z
  .strictObject({
    items: someItems.openapi({
      description: "Items of one supplier, delivered within return_days.",
    }),
    reason: words.optional(),
  })
  .openapi("NewReturnRequest");

export const returnAnswer = z.strictObject({ note: words.optional() }).openapi("ReturnAnswer");

export const receivedReturn = z
  .strictObject({
    items: z
      .array(
        someItem.extend({
          restock: z.boolean().optional().openapi({
            description: "Whether the pieces go into stock. Default: true.",
          }),
        }),
      )
      .min(1)
      .max(500)
      .optional()
      .openapi({ description: "The received items, at most those requested. Default: all." }),
    note: words.optional(),
  })
  .openapi("ReceivedReturn");

export const returnRequest = z
  .object({
    id: z.guid(),
    tenant_id: z.guid(),
    order_id: z.guid(),
    supplier_id: z.guid().nullable(),
    status: returnRequestStatus,
    items: z.array(
      z.object({
        item_id: z.guid(),
        quantity: z.number().int(),
        received_quantity: z.number().int(),
      }),
    ),
    reason: z.string().nullable(),
    note: z.string().nullable().openapi({ description: "The note of the last answer." }),
    actor_id: z.guid().nullable().openapi({ description: "The user who created it." }),
    created_at: z.string(),
    updated_at: z.string(),
    created_at_local: localText,
    updated_at_local: localText,
  })
  .openapi("ReturnRequest");

/** A return request in the response to its creation or change. */
export const movedReturnRequest = returnRequest
  .extend({ order_status: orderStatus.openapi({ description: "The order's current status." }) })
  .openapi("MovedReturnRequest");
