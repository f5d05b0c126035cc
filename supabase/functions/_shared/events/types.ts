import { z } from "@hono/zod-openapi";
import { role } from "../auth/schema.ts";
import { product } from "../catalog/schema.ts";
import { order, orderStatus, payment } from "../orders/schema.ts";
import { webhook } from "../webhooks/schema.ts";
import * as samples from "./samples.ts";
import type { EventName } from "./schema.ts";

/** One kind of event: when there is one, and what it carries. */
export interface EventType {
  name: EventName;
  description: string;
  /** Of the whole body, which webhooks and /api/events carry alike. */
  schema: z.ZodType<Record<string, unknown>>;
  example: Record<string, unknown>;
}

/** What some kinds of event have at the top level, beside `data`. */
interface Beside {
  shape: z.ZodRawShape;
  example: Record<string, unknown>;
}

const contentStatus = z.enum(["draft", "in_review", "approved", "published", "archived"]);

const anOrder = {
  order: order.extend({ total: z.number().openapi({ description: "Its total_amount." }) }),
};
const aPayment = { payment: payment.omit({ payment_status: true }), ...anOrder };
const aProduct = { product };
const aUser = {
  user: z.object({
    id: z.guid(),
    email: z.string(),
    name: z.string(),
    role,
    email_verified: z.boolean(),
  }),
};
const content = {
  content: z.object({
    id: z.guid(),
    tenant_id: z.guid(),
    marketplace_id: z.guid().nullable(),
    type: z.string(),
    slug: z.string().nullable(),
    title: z.record(z.string(), z.string()).openapi({ description: "By language." }),
    status: contentStatus,
    author_id: z.guid().nullable(),
    version_number: z.number().int(),
    created_at: z.string(),
    updated_at: z.string(),
  }),
};
const aWebhook = { webhook };

const nothing: Beside = { shape: {}, example: {} };
const aMove: Beside = {
  shape: { order_id: z.guid(), old_status: orderStatus, new_status: orderStatus },
  example: samples.orderMove,
};
const aMoveOfContent: Beside = {
  shape: { content_id: z.guid(), old_status: contentStatus, new_status: contentStatus },
  example: samples.contentMove,
};

/** What a body is in which there was no room for its records: of each its short fields, its id among them. */
function truncated(carried: Record<string, z.ZodObject>) {
  const records = Object.entries(carried).map(
    ([name, record]) => [name, record.partial().required({ id: true })] as const,
  );
  return { truncated: z.literal(true), data: z.object(Object.fromEntries(records)) };
}

function type(
  name: EventName,
  description: string,
  carried: Record<string, z.ZodObject>,
  data: Record<string, unknown>,
  beside = nothing,
): EventType {
  const whole = z.object({
    id: z.guid().openapi({ description: "The event's, wherever it is read." }),
    event: z.literal(name),
    timestamp: z.iso.datetime().openapi({ description: "When it happened." }),
    ...beside.shape,
    data: z.object(carried),
  });
  return {
    name,
    description,
    schema: z.union([whole, whole.extend(truncated(carried))]),
    example: {
      id: samples.id("e"),
      event: name,
      timestamp: samples.MOMENT,
      ...beside.example,
      data,
    },
  };
}

/** Every kind of event, in the sequence of `eventName`. */
export const eventTypes: readonly EventType[] = [
  type("order.created", "An order was placed.", anOrder, samples.order("pending")),
  type(
    "order.status_changed",
    "An order moved from one status to another.",
    anOrder,
    samples.order("confirmed"),
    aMove,
  ),
  type(
    "order.cancelled",
    "An order was cancelled; beside order.status_changed.",
    anOrder,
    samples.order("cancelled"),
  ),
  type(
    "order.completed",
    "An order was delivered; beside order.status_changed.",
    anOrder,
    samples.order("delivered", "shipped"),
  ),
  type("payment.succeeded", "An order was paid.", aPayment, samples.payment("paid")),
  type("payment.failed", "A payment of an order failed.", aPayment, samples.payment("failed")),
  type(
    "payment.refunded",
    "A payment was given back, or a part of it.",
    aPayment,
    samples.payment("refunded"),
  ),
  type("product.created", "A product was listed.", aProduct, samples.product("active")),
  type("product.updated", "A product changed.", aProduct, samples.product("active")),
  type(
    "product.out_of_stock",
    "The last piece of a product was promised.",
    aProduct,
    samples.product("out_of_stock"),
  ),
  type("user.registered", "A user joined the tenant.", aUser, samples.user),
  type("user.verified", "A member's e-mail address was confirmed.", aUser, samples.user),
  type("content.created", "Content was created.", content, samples.content("draft")),
  type(
    "content.status_changed",
    "Content moved from one status to another.",
    content,
    samples.content("in_review"),
    aMoveOfContent,
  ),
  type("content.published", "Content was published.", content, samples.content("published")),
  type("content.deleted", "Content was deleted.", content, samples.content("draft")),
  type(
    "webhook.failing",
    "A webhook has not been reached for hours, and will be switched off.",
    aWebhook,
    samples.webhook(true),
  ),
  type("webhook.disabled", "A webhook was switched off.", aWebhook, samples.webhook(false)),
];

const byName = new Map(eventTypes.map((kind) => [kind.name, kind]));

/** The body of an event of this name, as it might be. */
export function exampleOf(name: EventName): Record<string, unknown> {
  return (byName.get(name) as EventType).example;
}
