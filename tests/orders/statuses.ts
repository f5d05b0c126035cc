// The statuses of an order, repeated here, because a test that read them from the database would agree with any mistake
// there.

export const FORWARD = ["pending", "confirmed", "processing", "shipped", "delivered"];
export const STATUSES = [...FORWARD, "cancelled", "returned"];

/** Statuses in which the pieces are still reserved. */
export const HOLDING_STOCK = FORWARD.slice(0, 3);
/** Statuses in which the pieces were shipped and not returned. */
export const SENT = FORWARD.slice(3);

/** Whether an order can be moved by hand from one status to another. No other move exists. */
export function moveExists(from: string, to: string): boolean {
  if (to === "cancelled") return HOLDING_STOCK.includes(from);
  if (to === "returned") return SENT.includes(from);
  return FORWARD.includes(from) && FORWARD.indexOf(to) > FORWARD.indexOf(from);
}
