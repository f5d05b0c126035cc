import { z } from "@hono/zod-openapi";
import { productStatus } from "../catalog/schema.ts";
import { contentStatus } from "../content/schema.ts";
import { eventName } from "../events/schema.ts";
import { deprecate } from "../http/deprecation.ts";
import {
  orderStatus,
  paymentReport,
  paymentStatus,
  returnRequestStatus,
  shipmentStatus,
} from "../orders/statuses.ts";
import { refusedAtSight } from "./reach.ts";
import { mayBeSet } from "./sign.ts";

/** A name from before there was a list of them. */
export const paymentCompleted = {
  since: "2026-11-21",
  instead: "It means payment.succeeded: use that name.",
};

/** The name of an event as callers may write it. */
export const wantedEvent = z.union([
  eventName,
  deprecate(z.literal("payment.completed"), paymentCompleted),
]);

/** Every status of the records that events tell of, as in private.event_statuses of the database. */
export const eventStatus = z.enum([
  ...new Set([
    ...orderStatus.options,
    ...paymentStatus.options,
    ...paymentReport.options,
    ...shipmentStatus.options,
    ...returnRequestStatus.options,
    ...productStatus.options,
    ...contentStatus.options,
  ]),
]);

const headers = z
  .record(
    z.string(),
    z
      .string()
      .regex(
        /^[!-~]([ -~]{0,998}[!-~])?$/,
        "A value is 1 to 1000 printable characters of ASCII, and begins and ends with no space.",
      ),
  )
  .superRefine((all, context) => {
    const names = Object.keys(all);
    const refuse = (message: string, ...path: string[]) =>
      context.addIssue({ code: "custom", message, path });
    if (names.length > 10) refuse("A registration has at most 10 headers of its own.");
    const seen = new Set<string>();
    for (const name of names) {
      if (name.length > 100 || !mayBeSet(name))
        refuse("This is no name of a header, or of one that is ours to set.", name);
      else if (seen.has(name.toLowerCase())) refuse("This header is there twice.", name);
      seen.add(name.toLowerCase());
    }
  })
  .openapi({
    description:
      "Up to 10 headers that every delivery carries, such as Authorization. Kept secret: what is shown is header_names. Not Host, User-Agent, Content-*, Webhook-*, X-Webhook-* nor those of the connection.",
    example: { Authorization: "Bearer of-the-receiver" },
  });

/** The form of Standard Webhooks. What is no base64 would be read in as many ways as there are libraries. */
const STANDARD_SECRET =
  /^whsec_([A-Za-z0-9+/]{4}){5,}([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;

const secret = z
  .string()
  .min(16)
  .max(256)
  .refine(
    (text) => !text.startsWith("whsec_") || STANDARD_SECRET.test(text),
    "After whsec_ a secret is the base64 of 16 bytes or more.",
  )
  .openapi({
    description: "Signs the deliveries: 16 to 256 characters. Made here where none is sent.",
  });

const filter = z
  .strictObject({
    marketplace_ids: z.array(z.guid()).min(1).max(100).nullable().default(null),
    statuses: z.array(eventStatus).min(1).nullable().default(null),
  })
  .nullable()
  .openapi({
    description:
      "Which of these events: those about a record of one of the marketplaces, in one of the statuses, as it was then. A list that is null asks for nothing, and a record without a marketplace or a status (a user) passes.",
  });

const said = {
  url: z
    .url({ protocol: /^https?$/, error: "This is no address of http or https.", abort: true })
    .max(2000)
    .superRefine((url, context) => {
      const message = refusedAtSight(url);
      if (message) context.addIssue({ code: "custom", message });
    })
    .openapi({
      description:
        "HTTPS recommended. Without credentials, and of a host on the public internet: what can be seen is refused here, and what its name stands for is looked at before each attempt.",
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
    ...said,
    description: said.description.default(""),
    filter: said.filter.default(null),
    headers: said.headers.default({}),
    secret: secret.optional(),
    active: said.active.default(true),
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
      .openapi({ description: "Of the headers that deliveries carry; the values are not shown." }),
    active: z.boolean(),
    disabled_reason: z.enum(["gone", "failing"]).nullable().openapi({
      description:
        "Why it was switched off, if nobody did so by hand: the receiver answered 410, or every attempt failed for a day.",
    }),
    failing_since: z
      .string()
      .nullable()
      .openapi({ description: "No attempt has gone well since then." }),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("Webhook");

/** What is not the caller's to change, and is sent back by whoever changes the record as it was read. */
const { id, tenant_id, header_names, disabled_reason, failing_since, created_at, updated_at } =
  webhook.shape;

export const webhookChanges = z
  .strictObject({
    ...said,
    ...{ id, tenant_id, header_names, disabled_reason, failing_since, created_at, updated_at },
    secret: z
      .undefined({ error: "is changed by POST /api/webhooks/{id}/rotate-secret" })
      .openapi({ type: "null", not: {}, description: "Never sent: it is rotated." }),
  })
  .partial()
  .openapi("WebhookChanges", {
    description:
      "filter and headers are replaced as wholes. What else the record holds stays as it is, and may be sent back. A secret is changed by rotating it.",
  });

export const createdWebhook = webhook
  .extend({
    secret: z.string().nullable().openapi({
      description:
        "Shown this once. Null only where an Idempotency-Key is repeated and the secret of the first answer signs no more.",
    }),
  })
  .openapi("CreatedWebhook");

export const rotation = z.strictObject({ secret: secret.optional() }).openapi("SecretRotation");

export const rotatedWebhook = createdWebhook
  .extend({
    previous_secret_until: z
      .string()
      .nullable()
      .openapi({ description: "Until then the secret before signs as well." }),
  })
  .openapi("RotatedWebhook");

export const webhookTest = z.strictObject({ event: wantedEvent }).openapi("WebhookTest");

export const testResult = z
  .object({
    success: z.boolean(),
    response_code: z.number().int().nullable(),
    response_time: z.number().openapi({ description: "Milliseconds." }),
    error: z.string().nullable(),
  })
  .openapi("WebhookTestResult");
