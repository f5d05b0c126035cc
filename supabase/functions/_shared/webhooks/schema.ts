import { z } from "@hono/zod-openapi";
import { productStatus } from "../catalog/schema.ts";
import { contentStatus } from "../content/schema.ts";
import { discountStatus } from "../discounts/schema.ts";
import { eventName } from "../events/schema.ts";
import { deprecate } from "../http/deprecation.ts";
import {
  orderStatus,
  paymentReport,
  paymentStatus,
  returnRequestStatus,
  shipmentStatus,
} from "../orders/statuses.ts";
import { payoutStatus } from "../payouts/schema.ts";
import { refusedAtSight } from "./reach.ts";
import { mayBeSet } from "./sign.ts";

/** An old name, from before the list of event names. */
export const paymentCompleted = {
  since: "2026-11-21",
  instead: "Use payment.succeeded, which has the same meaning.",
};

/** An event name in a request. */
export const wantedEvent = z.union([
  eventName,
  deprecate(z.literal("payment.completed"), paymentCompleted),
]);

/** Every status of the records in events, as in private.event_statuses of the database. */
export const eventStatus = z.enum([
  ...new Set([
    ...orderStatus.options,
    ...paymentStatus.options,
    ...paymentReport.options,
    ...shipmentStatus.options,
    ...returnRequestStatus.options,
    ...productStatus.options,
    ...contentStatus.options,
    ...discountStatus.options,
    ...payoutStatus.options,
  ]),
]);

const headers = z
  .record(
    z.string(),
    z
      .string()
      .regex(
        /^[!-~]([ -~]{0,998}[!-~])?$/,
        "must have 1 to 1000 printable ASCII characters and no space at its ends",
      ),
  )
  .superRefine((all, context) => {
    const names = Object.keys(all);
    const refuse = (message: string, ...path: string[]) =>
      context.addIssue({ code: "custom", message, path });
    if (names.length > 10) refuse("must have at most 10 headers");
    const seen = new Set<string>();
    for (const name of names) {
      if (name.length > 100 || !mayBeSet(name))
        refuse("is not a header name, or is reserved", name);
      else if (seen.has(name.toLowerCase())) refuse("is present twice", name);
      seen.add(name.toLowerCase());
    }
  })
  .openapi({
    description:
      "Up to 10 headers for every delivery, such as Authorization. Their values are secret; header_names shows the names. Host, User-Agent, Content-*, Webhook-*, X-Webhook-* and headers of the connection are reserved.",
    example: { Authorization: "Bearer of-the-receiver" },
  });

/** The form of Standard Webhooks. Libraries decode invalid base64 in different ways. */
const STANDARD_SECRET =
  /^whsec_([A-Za-z0-9+/]{4}){5,}([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;

const secret = z
  .string()
  .min(16)
  .max(256)
  .refine(
    (text) => !text.startsWith("whsec_") || STANDARD_SECRET.test(text),
    "must have the base64 of at least 16 bytes after whsec_",
  )
  .openapi({
    description: "Signs the deliveries: 16 to 256 characters. Generated if none is sent.",
  });

const filter = z
  .strictObject({
    marketplace_ids: z.array(z.guid()).min(1).max(100).nullable().default(null),
    statuses: z.array(eventStatus).min(1).nullable().default(null),
  })
  .nullable()
  .openapi({
    description:
      "Selects events about records in one of the marketplaces and in one of the statuses, at the time of the event. A list that is null selects all. A record without a marketplace or status (a user) passes.",
  });

const fields = {
  url: z
    .url({ protocol: /^https?$/, error: "must be an http or https URL", abort: true })
    .max(2000)
    .superRefine((url, context) => {
      const message = refusedAtSight(url);
      if (message) context.addIssue({ code: "custom", message });
    })
    .openapi({
      description:
        "HTTPS recommended. It must not have credentials, and its host must be on the public internet. The address is checked here; the addresses of the host name are checked before each attempt.",
      example: "https://shop.example.com/hooks",
    }),
  events: z.array(wantedEvent).min(1),
  description: z.string().max(500),
  filter,
  headers,
  active: z.boolean(),
};

export const newWebhook = z
  .strictObject({
    ...fields,
    description: fields.description.default(""),
    filter: fields.filter.default(null),
    headers: fields.headers.default({}),
    secret: secret.optional(),
    active: fields.active.default(true),
  })
  .openapi("NewWebhook");

export const webhook = z
  .object({
    id: z.guid(),
    tenant_id: z.guid(),
    url: z.string(),
    description: z.string(),
    events: z.array(eventName),
    filter: z
      .object({
        marketplace_ids: z.array(z.guid()).nullable(),
        statuses: z.array(z.string()).nullable(),
      })
      .nullable(),
    header_names: z
      .array(z.string())
      .openapi({ description: "The names of the deliveries' headers. The values are not shown." }),
    active: z.boolean(),
    disabled_reason: z.enum(["gone", "failing"]).nullable().openapi({
      description:
        "The reason if it was switched off automatically. gone: the receiver answered 410; failing: every attempt failed for a day.",
    }),
    failing_since: z
      .string()
      .nullable()
      .openapi({ description: "Every attempt has failed since this time." }),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("Webhook");

/** Fields that cannot be changed. A caller may send them back unchanged. */
const { id, tenant_id, header_names, disabled_reason, failing_since, created_at, updated_at } =
  webhook.shape;

export const webhookChanges = z
  .strictObject({
    ...fields,
    ...{ id, tenant_id, header_names, disabled_reason, failing_since, created_at, updated_at },
    secret: z
      .undefined({ error: "must be changed by POST /api/webhooks/{id}/rotate-secret" })
      .openapi({
        type: "null",
        not: {},
        description: "Must not be sent. Rotate the secret instead.",
      }),
  })
  .partial()
  .openapi("WebhookChanges", {
    description:
      "filter and headers are replaced as a whole. Other fields of the record are ignored and may be sent back. Change the secret by rotating it.",
  });

export const createdWebhook = webhook
  .extend({
    secret: z.string().nullable().openapi({
      description:
        "Shown only once. Null only if an Idempotency-Key is repeated after the secret of the first response has stopped signing.",
    }),
  })
  .openapi("CreatedWebhook");

export const rotation = z.strictObject({ secret: secret.optional() }).openapi("SecretRotation");

export const rotatedWebhook = createdWebhook
  .extend({
    previous_secret_until: z
      .string()
      .nullable()
      .openapi({ description: "Time until which the previous secret signs too." }),
  })
  .openapi("RotatedWebhook");

export const webhookTest = z.strictObject({ event: wantedEvent }).openapi("WebhookTest");

export const testResult = z
  .object({
    success: z.boolean(),
    response_code: z.number().int().nullable(),
    response_time: z.number().openapi({ description: "Duration in milliseconds." }),
    error: z.string().nullable(),
  })
  .openapi("WebhookTestResult");
