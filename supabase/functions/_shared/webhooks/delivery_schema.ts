import { z } from "@hono/zod-openapi";
import { eventName } from "../events/schema.ts";
import { listQuery } from "../http/page.ts";

const deliveryStatus = z
  .enum(["pending", "retrying", "success", "failed"])
  .openapi("DeliveryStatus");

const moment = z.iso.datetime({ offset: true });

export const deliveryQuery = listQuery(["created_at"]).extend({
  status: deliveryStatus.optional(),
  event: eventName.optional(),
  since: moment
    .optional()
    .openapi({ description: "A time with its offset: of events from then on." }),
});

export const delivery = z
  .object({
    id: z.guid().openapi({ description: "X-Webhook-ID, the same at every attempt." }),
    event: eventName,
    status: deliveryStatus,
    response_code: z.number().int().nullable(),
    attempts: z.number().int(),
    error: z.string().nullable(),
    next_attempt_at: z.string().nullable(),
    created_at: z.string().openapi({ description: "When its event happened." }),
  })
  .openapi("Delivery");

const attempt = z
  .object({
    attempt: z.number().int().openapi({ description: "1 for the first." }),
    started_at: z.string(),
    duration_ms: z.number().openapi({ description: "Milliseconds." }),
    response_code: z.number().int().nullable(),
    response_body: z
      .string()
      .nullable()
      .openapi({ description: "The first kilobyte of what the receiver answered, as text." }),
    error: z.string().nullable(),
  })
  .openapi("DeliveryAttempt");

export const deliveryDetails = delivery
  .extend({
    request: z
      .record(z.string(), z.unknown())
      .nullable()
      .openapi({ description: "The body that is sent; null when its event is forgotten." }),
    history: z.array(attempt).openapi({ description: "Every attempt, the first one first." }),
  })
  .openapi("DeliveryDetails");

export const recovery = z
  .strictObject({
    since: moment.openapi({ description: "A time with its offset: of events from then on." }),
  })
  .openapi("Recovery");

export const recovered = z
  .object({
    recovered: z.number().int().openapi({ description: "How many are sent again." }),
    more: z.boolean().openapi({ description: "Whether there may be more: then ask again." }),
  })
  .openapi("Recovered");
