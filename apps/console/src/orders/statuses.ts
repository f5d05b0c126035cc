import type {
  Order,
  OrderStatus,
  PaymentStatus,
  ReturnRequestStatus,
  ShipmentStatus,
} from "@souk/client";
import type { Tone } from "../components/badge";
import type { ConsoleRole } from "../lib/permissions";

/** By status, in the sequence in which an order moves forward. */
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

export const ORDER_STATUSES = Object.keys(ORDER_TONES) as OrderStatus[];
export const PAYMENT_STATUSES = Object.keys(PAYMENT_TONES) as PaymentStatus[];

/** The possible statuses after each status: any later one, and the fitting end. */
function movesFrom(status: OrderStatus): readonly OrderStatus[] {
  if (status === "cancelled" || status === "returned") return [];
  const isSent = status === "shipped" || status === "delivered";
  return ORDER_STATUSES.slice(ORDER_STATUSES.indexOf(status) + 1).filter(
    (next) => next !== (isSent ? "cancelled" : "returned"),
  );
}

/**
 * The statuses that a role may set by hand, the next one first. Suppliers only move forward, and only orders without
 * items of others. They do not see the other items, but if there are some, the status of their part soon differs from
 * the order's.
 */
export function movesOf({ status, parts }: Order, role: ConsoleRole): readonly OrderStatus[] {
  const moves = movesFrom(status);
  if (role === "admin") return moves;
  if (parts.some((part) => part.status !== status)) return [];
  return moves.filter((move) => move !== "cancelled" && move !== "returned");
}
