import type { OrderItem } from "@souk/client";

/** The pieces that are neither shipped nor cancelled. */
export const openPieces = (item: OrderItem): number =>
  item.quantity - item.shipped_quantity - item.cancelled_quantity;

/** The shipped pieces that have not come back and are not lost. */
export const piecesOutside = (item: OrderItem): number =>
  item.shipped_quantity - item.lost_quantity - item.returned_quantity;

/** The pieces that arrived and have not come back. */
export const piecesArrived = (item: OrderItem): number =>
  item.delivered_quantity - item.returned_quantity;
