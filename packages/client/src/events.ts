import type { CallOptions } from "./http.js";
import type {
  Campaign,
  EventName,
  Order,
  OrderNote,
  OrderStatus,
  Payment,
  Product,
  Role,
  Webhook,
} from "./openapi.generated.js";
import type { AnswerOf, Operations, QueryOf } from "./operations.js";

interface Happening<Name extends EventName> {
  /** The event's, whichever webhook carries it, and in the list of events. */
  id: string;
  event: Name;
  /** When it happened, ISO 8601; the same at every attempt to deliver it. */
  timestamp: string;
}

/** The records of an event that was too large: their short fields, the id among them. */
type Short<Content> = {
  [Record in keyof Content]: Content[Record] extends { id: string }
    ? Pick<Content[Record], "id"> & Partial<Content[Record]>
    : Content[Record];
};

type EventOf<Name extends EventName, Content> = Happening<Name> &
  ({ truncated?: never; data: Content } | { truncated: true; data: Short<Content> });

/** The order as it was then; `total` is its `total_amount`. */
interface AboutOrder {
  order: Order & { total: number };
}

/** The order as it was then; what its payment came to is `order.payment_status`. */
interface AboutPayment extends AboutOrder {
  payment: Omit<Payment, "payment_status">;
}

/** The note, an internal one too, and the order with it. */
interface AboutNote extends AboutOrder {
  note: OrderNote;
}

interface AboutCampaign {
  campaign: Campaign;
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

/** The events about a subject: `payment.…`. */
type About<Subject extends string> = Extract<EventName, `${Subject}.${string}`>;

type OtherEvent = Exclude<
  EventName,
  About<"campaign" | "note" | "order" | "payment" | "product" | "user" | "webhook">
>;

/** What happened, as webhooks and the list of events carry it; `event` tells which. */
export type WebhookEvent =
  | EventOf<Exclude<About<"order">, "order.status_changed">, AboutOrder>
  | (EventOf<"order.status_changed", AboutOrder> & {
      order_id: string;
      old_status: OrderStatus;
      new_status: OrderStatus;
    })
  | EventOf<About<"payment">, AboutPayment>
  | EventOf<About<"note">, AboutNote>
  | EventOf<About<"campaign">, AboutCampaign>
  | EventOf<About<"product">, AboutProduct>
  | EventOf<About<"user">, AboutUser>
  | EventOf<About<"webhook">, AboutWebhook>
  | EventOf<OtherEvent, Record<string, unknown>>;

type Query = QueryOf<"/api/events">;
type Page = Omit<AnswerOf<"get", "/api/events">, "events"> & { events: WebhookEvent[] };

export const eventsOf = ({ list, all, read }: Operations) => ({
  /**
   * Events after a cursor, oldest first: `next` is where to go on, `more` tells whether to do so at once. Whoever
   * keeps `next` misses none.
   */
  list: list("/api/events") as (query?: Query, options?: CallOptions) => Promise<Page>,
  /** Every event after a cursor, or since a time, up to now. */
  listAll: all("/api/events", "events") as (
    query?: Query,
    options?: CallOptions,
  ) => AsyncIterable<WebhookEvent>,
  /** Every name of an event, with an example and the JSON Schema of its body. */
  types: read("/api/event-types"),
});

/** What happened in the tenant, for a month. For admins and clients. */
export interface Events extends ReturnType<typeof eventsOf> {}
