// The statuses of an order as the decision words them: said again, for a test that asked the database would agree with
// whatever the database says.

export const FORWARD = ["pending", "confirmed", "processing", "shipped", "delivered"];
export const STATUSES = [...FORWARD, "cancelled", "returned"];

/** Those whose pieces are still reserved in the stock. */
export const HOLDING_STOCK = FORWARD.slice(0, 3);
/** Those that have left and are not back. */
export const SENT = FORWARD.slice(3);

/** Whether an order can go from one status to the other; whatever is not among these moves does not exist. */
export function moveExists(from: string, to: string): boolean {
  if (to === "cancelled") return HOLDING_STOCK.includes(from);
  if (to === "returned") return SENT.includes(from);
  return FORWARD.includes(from) && FORWARD.indexOf(to) > FORWARD.indexOf(from);
}
