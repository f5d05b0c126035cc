import { z } from "@hono/zod-openapi";
import { deprecate } from "../http/deprecation.ts";

/** Every event there is; the database has the same list in private.event_types. */
export const eventName = z
  .enum([
    "order.created",
    "order.status_changed",
    "order.cancelled",
    "order.completed",
    "payment.succeeded",
    "payment.failed",
    "payment.refunded",
    "product.created",
    "product.updated",
    "product.out_of_stock",
    "user.registered",
    "user.verified",
    "content.created",
    "content.status_changed",
    "content.published",
    "content.deleted",
  ])
  .openapi("EventName");

/** A name from before there was a list of them. */
export const paymentCompleted = {
  since: "2026-11-21",
  instead: "It means payment.succeeded: use that name.",
};

const url = z
  .url({ protocol: /^https?$/ })
  .max(2000)
  .openapi({ description: "HTTPS recommended.", example: "https://shop.example.com/hooks" });

export const newWebhook = z
  .object({
    url,
    events: z
      .array(z.union([eventName, deprecate(z.literal("payment.completed"), paymentCompleted)]))
      .min(1),
    secret: z.string().min(16).max(256).optional().openapi({
      description: "Signs the deliveries. Made here where none is sent.",
    }),
    active: z.boolean().default(true),
  })
  .openapi("NewWebhook");

export const webhook = z
  .object({
    id: z.uuid(),
    tenant_id: z.uuid(),
    url: z.string(),
    events: z.array(eventName),
    active: z.boolean(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("Webhook");

export const createdWebhook = webhook
  .extend({ secret: z.string().openapi({ description: "Shown this once." }) })
  .openapi("CreatedWebhook");

export const deliveryStatus = z
  .enum(["pending", "retrying", "success", "failed"])
  .openapi("DeliveryStatus");

export const delivery = z
  .object({
    id: z.uuid().openapi({ description: "X-Webhook-ID, the same at every attempt." }),
    event: eventName,
    status: deliveryStatus,
    response_code: z.number().int().nullable(),
    attempts: z.number().int(),
    error: z.string().nullable(),
    next_attempt_at: z.string().nullable(),
    created_at: z.string(),
  })
  .openapi("Delivery");
