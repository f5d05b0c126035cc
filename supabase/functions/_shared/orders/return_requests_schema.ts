import { z } from "@hono/zod-openapi";
import { someItem, someItems } from "./pieces_schema.ts";
import { orderStatus, returnRequestStatus } from "./statuses.ts";

const words = z.string().max(2000);

export const newReturnRequest = z
  .strictObject({
    items: someItems.openapi({ description: "Of one supplier, delivered not too long ago." }),
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
            description: "Whether the pieces can be sold again. True if left out.",
          }),
        }),
      )
      .min(1)
      .max(500)
      .optional()
      .openapi({ description: "What came back, which may be less. Left out, all of it." }),
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
    note: z.string().nullable().openapi({ description: "What was answered last." }),
    actor_id: z.guid().nullable().openapi({ description: "Who asked." }),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("ReturnRequest");

/** As it is answered to whoever asks, answers or receives. */
export const movedReturnRequest = returnRequest
  .extend({ order_status: orderStatus.openapi({ description: "Of the order, as it is now." }) })
  .openapi("MovedReturnRequest");
