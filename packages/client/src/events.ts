import type { EventName, Order, OrderStatus, Payment, Product, Role } from "./openapi.generated.js";

interface EventOf<Name extends EventName, Content> {
  event: Name;
  /** When it happened, ISO 8601; the same at every attempt to deliver it. */
  timestamp: string;
  data: Content;
}

/** The order as it was then; `total` is its `total_amount`. */
interface AboutOrder {
  order: Order & { total: number };
}

/** The order as it was then; what its payment came to is `order.payment_status`. */
interface AboutPayment extends AboutOrder {
  payment: Omit<Payment, "payment_status">;
}

interface AboutProduct {
  product: Product;
}

interface AboutUser {
  user: { id: string; email: string; name: string; role: Role; email_verified: boolean };
}

type OrderEvent = "order.created" | "order.cancelled" | "order.completed";
type PaymentEvent = "payment.succeeded" | "payment.failed" | "payment.refunded";
type ProductEvent = "product.created" | "product.updated" | "product.out_of_stock";
type UserEvent = "user.registered" | "user.verified";
type OtherEvent = Exclude<
  EventName,
  OrderEvent | "order.status_changed" | PaymentEvent | ProductEvent | UserEvent
>;

/** What a webhook carries; `event` tells which. */
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
  | EventOf<OtherEvent, Record<string, unknown>>;
