import { addMoney, multiplyMoney, type Order, type OrderItem } from "@souk/client";

/** The number of pieces of an item that were cancelled, returned or lost. */
const goneOf = ({ cancelled_quantity, returned_quantity, lost_quantity }: OrderItem): number =>
  cancelled_quantity + returned_quantity + lost_quantity;

/** The price of the pieces of an order that the customer keeps or will get, with the deliveries that are owed. */
export function currentPrice({ items, parts, currency }: Order): number {
  return addMoney(currency, [
    ...items.map((item) => multiplyMoney(currency, item.price, item.quantity - goneOf(item))),
    ...parts.map((part) => (part.delivery_owed ? part.delivery_amount : 0)),
  ]);
}

/** What a refund is for: amounts of items, by their ids, and of the delivery. */
export interface RefundParts {
  items: Readonly<Record<string, number>>;
  delivery: number;
}

const NOTHING: RefundParts = { items: {}, delivery: 0 };

/** What `refund_due` of an order is for. Nothing if the record of the order does not tell: then the amounts do not add up to it. */
export function dueParts(order: Order): RefundParts {
  const { items, parts, currency, refund_due } = order;
  const unpaid = unpaidPieces(order);
  const paid = (item: OrderItem) => item.quantity > (unpaid.get(item.id) ?? 0);
  const refunds = standingRefunds(order);
  const named = refunds.flatMap((refund) => refund.items ?? []);
  const less = (amount: number, refunded: readonly number[]) =>
    Math.max(addMoney(currency, [amount, ...refunded.map((one) => -one)]), 0);
  const due = items.map((item) => {
    const gone = multiplyMoney(currency, item.price, goneOf(item) - (unpaid.get(item.id) ?? 0));
    const refunded = named.filter(({ item_id }) => item_id === item.id);
    const amount = less(
      gone,
      refunded.map((one) => one.amount),
    );
    return [item.id, amount] as const;
  });
  const unowed = parts.filter(({ delivery_owed, supplier_id }) => {
    const own = items.filter((item) => item.supplier_id === supplier_id);
    return !delivery_owed && (own.length > 0 ? own : items).some(paid);
  });
  const delivery = less(
    addMoney(
      currency,
      unowed.map((part) => part.delivery_amount),
    ),
    refunds.map((refund) => refund.delivery_amount ?? 0),
  );
  const sum = addMoney(currency, [delivery, ...due.map(([, amount]) => amount)]);
  if (sum !== refund_due) return NOTHING;
  return { items: Object.fromEntries(due.filter(([, amount]) => amount > 0)), delivery };
}

const lastPayment = ({ payments }: Order) =>
  payments.findLastIndex(({ status }) => status === "paid");

/** The number of pieces of each item that the payment is not for, because they were gone before it. */
function unpaidPieces(order: Order): Map<string, number> {
  const paidAt = order.payments[lastPayment(order)]?.created_at ?? "";
  const unpaid = new Map<string, number>();
  for (const { created_at, items } of [...order.cancellations, ...order.returns]) {
    if (created_at > paidAt) continue;
    for (const { item_id, quantity } of items) {
      unpaid.set(item_id, (unpaid.get(item_id) ?? 0) + quantity);
    }
  }
  return unpaid;
}

/** The refunds since the last payment that did not fail. */
function standingRefunds(order: Order): Order["payments"] {
  const since = order.payments.slice(lastPayment(order) + 1);
  const failed = since.filter(({ status }) => status === "refund_failed");
  return since
    .filter(({ status }) => status === "refunded")
    .filter(({ reference }) => failed.every((one) => one.reference !== reference));
}
