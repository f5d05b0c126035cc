import type { EventName, Order, OrderStatus, Product, Role } from "./openapi.generated.js";

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

interface AboutProduct {
  product: Product;
}

interface AboutUser {
  user: { id: string; email: string; name: string; role: Role };
}

type OrderEvent = "order.created" | "order.cancelled" | "order.completed";
type ProductEvent = "product.created" | "product.updated" | "product.out_of_stock";
type OtherEvent = Exclude<
  EventName,
  OrderEvent | "order.status_changed" | ProductEvent | "user.registered"
>;

/** What a webhook carries; `event` tells which. */
export type WebhookEvent =
  | EventOf<OrderEvent, AboutOrder>
  | (EventOf<"order.status_changed", AboutOrder> & {
      order_id: string;
      old_status: OrderStatus;
      new_status: OrderStatus;
    })
  | EventOf<ProductEvent, AboutProduct>
  | EventOf<"user.registered", AboutUser>
  | EventOf<OtherEvent, Record<string, unknown>>;
