import { z } from "@hono/zod-openapi";
import { limit } from "../http/page.ts";

/** Every event there is; the database has the same list in private.event_types. */
export const eventName = z
  .enum([
    "order.created",
    "order.status_changed",
    "order.cancelled",
    "order.completed",
    "order.items_cancelled",
    "shipment.created",
    "shipment.delivered",
    "shipment.lost",
    "return.requested",
    "return.approved",
    "return.rejected",
    "return.received",
    "payment.succeeded",
    "payment.failed",
    "payment.refunded",
    "payment.refund_failed",
    "product.created",
    "product.updated",
    "product.out_of_stock",
    "user.registered",
    "user.verified",
    "content.created",
    "content.status_changed",
    "content.published",
    "content.deleted",
    "analytics.mismatch",
    "webhook.failing",
    "webhook.disabled",
  ])
  .openapi("EventName");

export type EventName = z.infer<typeof eventName>;

export const eventQuery = z.object({
  after: z
    .string()
    .max(100)
    .optional()
    .openapi({ description: "The `next` of the page before; without it, from the beginning." }),
  limit,
  name: eventName.optional(),
  since: z.iso.datetime({ offset: true }).optional().openapi({
    description: "Only what happened then or later: where to begin without a cursor.",
  }),
});

/** Looser than the event's own schema: what is kept may be older than its newest field. */
const event = z
  .looseObject({
    id: z.guid(),
    event: eventName,
    timestamp: z.string(),
    truncated: z.literal(true).optional().openapi({
      description:
        "The body was too large (docs/limits.md): the records in `data` have their short fields alone.",
    }),
    data: z.record(z.string(), z.unknown()),
  })
  .openapi("Event", {
    description: "A body as webhooks carry it; /api/event-types has the schema of each name.",
  });

export const eventPage = z
  .object({
    events: z.array(event),
    next: z.string().openapi({
      description: "Where to go on, whether or not there is more yet. To be kept, not to be read.",
    }),
    more: z.boolean().openapi({ description: "Whether there may be more right now." }),
  })
  .openapi("EventPage");

const jsonObject = z.record(z.string(), z.unknown());

export const eventTypeList = z
  .object({
    event_types: z.array(
      z
        .object({
          name: eventName,
          description: z.string(),
          example: jsonObject.openapi({ description: "A whole body." }),
          schema: jsonObject.openapi({
            description: "The JSON Schema of the whole body, draft 2020-12. New fields may come.",
          }),
        })
        .openapi("EventType"),
    ),
  })
  .openapi("EventTypeList");
