import type { CallOptions } from "./http.js";
import type {
  EventName,
  Order,
  OrderStatus,
  Payment,
  Product,
  Role,
  Webhook,
} from "./openapi.generated.js";
import type { AnswerOf, Operations, QueryOf } from "./operations.js";

interface Happening<Name extends EventName> {
  /** The event's id, the same in all webhooks and in the list of events. */
  id: string;
  event: Name;
  /** When it happened, ISO 8601; the same in every delivery attempt. */
  timestamp: string;
}

/** The records of a truncated event: their short fields, including the id. */
type Short<Content> = {
  [Record in keyof Content]: Content[Record] extends { id: string }
    ? Pick<Content[Record], "id"> & Partial<Content[Record]>
    : Content[Record];
};

type EventOf<Name extends EventName, Content> = Happening<Name> &
  ({ truncated?: never; data: Content } | { truncated: true; data: Short<Content> });

/** The order at the time of the event; `total` is its `total_amount`. */
interface AboutOrder {
  order: Order & { total: number };
}

/** The order at the time of the event; `order.payment_status` is the status after the payment. */
interface AboutPayment extends AboutOrder {
  payment: Omit<Payment, "payment_status">;
}

interface AboutProduct {
  product: Product;
}

interface AboutUser {
  user: { id: string; email: string; name: string; role: Role; email_verified: boolean };
}

interface AboutWebhook {
  webhook: Webhook;
}

type OrderEvent = "order.created" | "order.cancelled" | "order.completed";
type PaymentEvent =
  | "payment.succeeded"
  | "payment.failed"
  | "payment.refunded"
  | "payment.refund_failed";
type ProductEvent = "product.created" | "product.updated" | "product.out_of_stock";
type UserEvent = "user.registered" | "user.verified";
type WebhooksEvent = "webhook.failing" | "webhook.disabled";
type OtherEvent = Exclude<
  EventName,
  OrderEvent | "order.status_changed" | PaymentEvent | ProductEvent | UserEvent | WebhooksEvent
>;

/** An event, as in webhooks and in the list of events; `event` is its type. */
export type WebhookEvent =
  | EventOf<OrderEvent, AboutOrder>
  | (EventOf<"order.status_changed", AboutOrder> & {
      order_id: string;
      old_status: OrderStatus;
      new_status: OrderStatus;
    })
  | EventOf<PaymentEvent, AboutPayment>
  | EventOf<ProductEvent, AboutProduct>
  | EventOf<UserEvent, AboutUser>
  | EventOf<WebhooksEvent, AboutWebhook>
  | EventOf<OtherEvent, Record<string, unknown>>;

type Query = QueryOf<"/api/events">;
type Page = Omit<AnswerOf<"get", "/api/events">, "events"> & { events: WebhookEvent[] };

export const eventsOf = ({ list, all, read }: Operations) => ({
  /**
   * Events after a cursor, oldest first. Continue with `next`, at once if `more` is true. A reader
   * that stores `next`
   * misses no event.
   */
  list: list("/api/events") as (query?: Query, options?: CallOptions) => Promise<Page>,
  /** All events after a cursor, or since a time, until now. */
  listAll: all("/api/events", "events") as (
    query?: Query,
    options?: CallOptions,
  ) => AsyncIterable<WebhookEvent>,
  /** All event names, each with an example and the JSON Schema of its body. */
  types: read("/api/event-types"),
});

/** The events of the tenant in the last month. For admins and clients. */
export interface Events extends ReturnType<typeof eventsOf> {}
