import { z } from "@hono/zod-openapi";
import { limit } from "../http/page.ts";
import { since } from "../values/times.ts";

/** Every event name, as in private.event_types of the database. */
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
  after: z.string().max(100).optional().openapi({
    description: "The `next` of the previous page. Without it, the list starts at the first event.",
  }),
  limit,
  name: eventName.optional(),
  since: since.optional().openapi({
    description:
      "Only events since this time, with its offset, or since the beginning of this day in the tenant's time zone. Use it to start without a cursor.",
  }),
});

/** Looser than the event type's schema, because stored events may be older than its newest field. */
const event = z
  .looseObject({
    id: z.guid(),
    event: eventName,
    timestamp: z.string(),
    truncated: z.literal(true).optional().openapi({
      description:
        "The body was too large (docs/limits.md): the records in `data` have only their short fields.",
    }),
    data: z.record(z.string(), z.unknown()),
  })
  .openapi("Event", {
    description: "The same body as in webhooks. /api/event-types has the schema of each event.",
  });

export const eventPage = z
  .object({
    events: z.array(event),
    next: z.string().openapi({
      description:
        "The cursor for the next page, also if there are no more events yet. It is opaque.",
    }),
    more: z.boolean().openapi({ description: "Whether more events may follow now." }),
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
          example: jsonObject.openapi({ description: "A complete body." }),
          schema: jsonObject.openapi({
            description:
              "The JSON Schema of the whole body, draft 2020-12. Fields may be added later.",
          }),
        })
        .openapi("EventType"),
    ),
  })
  .openapi("EventTypeList");
