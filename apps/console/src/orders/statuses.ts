import type {
  Order,
  OrderStatus,
  PaymentStatus,
  ReturnRequestStatus,
  ShipmentStatus,
} from "@souk/client";
import type { Tone } from "../components/badge";
import type { ConsoleRole } from "../lib/permissions";

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

/** The possible statuses after each status. */
const MOVES: Record<OrderStatus, readonly OrderStatus[]> = {
  pending: ["confirmed", "processing", "shipped", "delivered", "cancelled"],
  confirmed: ["processing", "shipped", "delivered", "cancelled"],
  processing: ["shipped", "delivered", "cancelled"],
  shipped: ["delivered", "returned"],
  delivered: ["returned"],
  cancelled: [],
  returned: [],
};

/**
 * The statuses that a role may set by hand, the next one first. Suppliers only move forward, and only orders without
 * items of others. They do not see the other items, but if there are some, the status of their part soon differs from
 * the order's.
 */
export function movesOf({ status, parts }: Order, role: ConsoleRole): readonly OrderStatus[] {
  const moves = MOVES[status];
  if (role === "admin") return moves;
  if (parts.some((part) => part.status !== status)) return [];
  return moves.filter((move) => move !== "cancelled" && move !== "returned");
}
