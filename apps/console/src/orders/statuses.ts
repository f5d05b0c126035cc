import type { OrderStatus, PaymentStatus, ReturnRequestStatus, ShipmentStatus } from "@souk/client";
import type { Tone } from "../components/badge";

export const ORDER_STATUSES = [
  "pending",
  "confirmed",
  "processing",
  "shipped",
  "delivered",
  "cancelled",
  "returned",
] as const satisfies readonly OrderStatus[];

export const PAYMENT_STATUSES = [
  "pending",
  "paid",
  "failed",
  "refunded",
] as const satisfies readonly PaymentStatus[];

export const ORDER_TONES: Record<OrderStatus, Tone> = {
  pending: "warn",
  confirmed: "info",
  processing: "info",
  shipped: "info",
  delivered: "good",
  cancelled: "neutral",
  returned: "neutral",
};

export const PAYMENT_TONES: Record<PaymentStatus, Tone> = {
  pending: "warn",
  paid: "good",
  failed: "bad",
  refunded: "neutral",
};

export const SHIPMENT_TONES: Record<ShipmentStatus, Tone> = {
  shipped: "info",
  delivered: "good",
  lost: "bad",
  void: "neutral",
};

export const RETURN_TONES: Record<ReturnRequestStatus, Tone> = {
  requested: "warn",
  approved: "info",
  rejected: "neutral",
  received: "good",
  cancelled: "neutral",
};

/** The statuses that an admin may move an order to by hand, the next one first. */
const MOVES: Record<OrderStatus, readonly OrderStatus[]> = {
  pending: ["confirmed", "processing", "shipped", "delivered", "cancelled"],
  confirmed: ["processing", "shipped", "delivered", "cancelled"],
  processing: ["shipped", "delivered", "cancelled"],
  shipped: ["delivered", "returned"],
  delivered: ["returned"],
  cancelled: [],
  returned: [],
};

export const movesFrom = (status: OrderStatus): readonly OrderStatus[] => MOVES[status];
