import type { OrderItem } from "@souk/client";

/** The pieces that are neither shipped nor cancelled. */
export const openPieces = (item: OrderItem): number =>
  item.quantity - item.shipped_quantity - item.cancelled_quantity;

/** The shipped pieces that are neither returned nor lost. */
export const piecesOutside = (item: OrderItem): number =>
  item.shipped_quantity - item.lost_quantity - item.returned_quantity;

/** The delivered pieces that are not returned. */
export const piecesArrived = (item: OrderItem): number =>
  item.delivered_quantity - item.returned_quantity;
