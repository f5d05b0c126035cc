import { z } from "@hono/zod-openapi";
import { eventName } from "../events/schema.ts";
import { listQuery } from "../http/page.ts";
import { Enums } from "../values/enums.generated.ts";
import { since } from "../values/times.ts";

const deliveryStatus = z.enum(Enums.delivery_status).openapi("DeliveryStatus");

export const deliveryQuery = listQuery(["created_at"]).extend({
  status: deliveryStatus.optional(),
  event: eventName.optional(),
  since: since.optional(),
});

export const delivery = z
  .object({
    id: z.guid().openapi({ description: "The value of X-Webhook-ID, the same in every attempt." }),
    event: eventName,
    status: deliveryStatus,
    response_code: z.number().int().nullable(),
    attempts: z.number().int(),
    error: z.string().nullable(),
    next_attempt_at: z.string().nullable(),
    created_at: z.string().openapi({ description: "Time of the event." }),
  })
  .openapi("Delivery");

const attempt = z
  .object({
    attempt: z.number().int().openapi({ description: "Number of the attempt, from 1." }),
    started_at: z.string(),
    duration_ms: z.number().openapi({ description: "Duration in milliseconds." }),
    response_code: z.number().int().nullable(),
    response_body: z
      .string()
      .nullable()
      .openapi({ description: "The first 1024 bytes of the receiver's response, as text." }),
    error: z.string().nullable(),
  })
  .openapi("DeliveryAttempt");

export const deliveryDetails = delivery
  .extend({
    request: z
      .record(z.string(), z.unknown())
      .nullable()
      .openapi({ description: "The body of the request; null if the event is no longer stored." }),
    history: z.array(attempt).openapi({ description: "All attempts, oldest first." }),
  })
  .openapi("DeliveryDetails");

export const recovery = z
  .strictObject({
    since: since.openapi({
      description:
        "Only deliveries of events since this time, with its offset, or since the beginning of this day in the tenant's time zone.",
    }),
  })
  .openapi("Recovery");

export const recovered = z
  .object({
    recovered: z
      .number()
      .int()
      .openapi({ description: "Number of deliveries that are sent again." }),
    more: z
      .boolean()
      .openapi({ description: "Whether more deliveries may follow. If true, repeat the request." }),
  })
  .openapi("Recovered");
