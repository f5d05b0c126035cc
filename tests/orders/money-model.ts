// A model of the money of an order with one part per seller, in cents: the rules of docs/payments.md, written again without
// SQL. It counts pieces and refunds, and computes everything else from the counts.

/** The number of pieces of an item in each state. */
export interface Pieces {
  id: string;
  /** In cents. */
  price: number;
  /** The seller, by its place in the list of sellers. */
  seller: number;
  quantity: number;
  open: number;
  inTransit: number;
  /** Includes the returned ones. */
  delivered: number;
  returned: number;
  lost: number;
  cancelled: number;
  /** The pieces that the last payment was for. */
  paid: number;
}

/** A refund, or one that is about to be reported. */
export interface Refund {
  reference: string;
  /** In cents, like all amounts here. */
  amount: number;
  items: { item: number; amount: number }[];
  delivery: number;
  isBorne: boolean;
  /** The seller's share of the delivery; empty until it is reported. */
  shares: number[];
  hasFailed?: boolean;
  /** Whether its payment was reversed after it. */
  isClosed?: boolean;
}

export interface Money {
  items: Pieces[];
  /** The delivery of each part. */
  delivery: number;
  /** Whether the last payment was for the delivery of each part. */
  paidDeliveries: boolean[];
  refunds: Refund[];
  /** The last payment; undefined while the order is not paid. */
  payment: { amount: number } | undefined;
  /** Payments, less refunds and reversals. */
  received: number;
}

const sumOf = (amounts: number[]) => amounts.reduce((sum, one) => sum + one, 0);

/** The pieces of an item that the customer keeps, or will get. */
export const keptOf = ({ quantity, cancelled, lost, returned }: Pieces) =>
  quantity - cancelled - lost - returned;

const sellersOf = ({ paidDeliveries }: Money) => paidDeliveries.map((_, seller) => seller);

/** Whether the delivery of a part is owed: some piece of it arrived, or may arrive. */
export const owesDelivery = ({ items }: Money, seller: number) =>
  items.some((one) => one.seller === seller && one.quantity > one.cancelled + one.lost);

/** What the order costs now. */
export const owed = (money: Money) =>
  sumOf(money.items.map((one) => one.price * keptOf(one))) +
  money.delivery * sellersOf(money).filter((seller) => owesDelivery(money, seller)).length;

const standing = ({ refunds }: Money) =>
  refunds.filter(({ hasFailed, isClosed }) => !hasFailed && !isClosed);

/** What was refunded for an item, or only what its seller bears. */
function refundedFor(money: Money, item: number, borneOnly = false): number {
  const lines = standing(money)
    .filter(({ isBorne }) => isBorne || !borneOnly)
    .flatMap(({ items }) => items);
  return sumOf(lines.filter((line) => line.item === item).map(({ amount }) => amount));
}

const refundedDelivery = (money: Money, seller: number) =>
  sumOf(standing(money).map(({ shares }) => shares[seller] ?? 0));

const paidDelivery = (money: Money, seller: number) =>
  money.paidDeliveries[seller] ? money.delivery : 0;

/** The price of the paid pieces of an item that are gone. */
const goneOf = (one: Pieces) => one.price * (one.paid - keptOf(one));

/** What is due for each item, and then for the delivery of each seller. */
function dueParts(money: Money): number[] {
  const items = money.items.map((one, item) => goneOf(one) - refundedFor(money, item));
  const deliveries = sellersOf(money).map((seller) =>
    owesDelivery(money, seller) ? 0 : paidDelivery(money, seller) - refundedDelivery(money, seller),
  );
  return [...items, ...deliveries].map((one) => Math.max(one, 0));
}

/** What is to be given back for items and deliveries. */
export function refundDueForParts(money: Money): number {
  return money.payment ? Math.min(sumOf(dueParts(money)), refundDue(money)) : 0;
}

/** What is to be given back. */
export function refundDue(money: Money): number {
  if (!money.payment) return 0;
  // Refunds of an earlier payment that failed.
  const extra =
    money.received - money.payment.amount + sumOf(standing(money).map(({ amount }) => amount));
  const due = sumOf(dueParts(money)) + extra;
  return Math.min(due, money.received);
}

/** What of the refunds of an item its seller bears. */
function borneBy(money: Money, item: number): number {
  const kept = refundedFor(money, item) - goneOf(money.items[item] as Pieces);
  return Math.min(refundedFor(money, item, true), Math.max(kept, 0));
}

/** The line of a seller in the commissions, at 10 %. */
export function lineOf(money: Money, seller: number) {
  const places = [...money.items.keys()].filter((item) => money.items[item]?.seller === seller);
  const sales = sumOf(
    places.map((item) => {
      const one = money.items[item] as Pieces;
      return one.price * keptOf(one);
    }),
  );
  const delivery = owesDelivery(money, seller) ? money.delivery : 0;
  const refunded = sumOf(places.map((item) => borneBy(money, item)));
  const commission = Math.round(sales / 10);
  return {
    sales,
    delivery,
    commission,
    refunded,
    payout: sales + delivery - commission - refunded,
  };
}

/** Whether a line has a time at which it is due: all that the customer keeps of it is paid and delivered. */
export function isCompleted(money: Money, seller: number): boolean {
  const own = money.items.filter((one) => one.seller === seller);
  const arrived = sumOf(own.map(({ delivered }) => delivered));
  const waiting = sumOf(own.map(({ open, inTransit }) => open + inTransit));
  return money.payment !== undefined && arrived > 0 && waiting === 0;
}

/** Whether a refund is accepted for an order that is paid. */
export function isRefundable(money: Money, refund: Refund, operator: number): boolean {
  const named = sumOf(refund.items.map(({ amount }) => amount)) + refund.delivery;
  const left = sumOf(
    sellersOf(money).map((seller) => paidDelivery(money, seller) - refundedDelivery(money, seller)),
  );
  return (
    refund.amount <= money.received &&
    refund.delivery <= left &&
    refund.items.every(({ item, amount }) => {
      const one = money.items[item] as Pieces;
      const unpaid = one.price * one.paid - refundedFor(money, item);
      const most = Math.min(unpaid, one.price * keptOf(one) - borneBy(money, item));
      return (
        amount <= (refund.isBorne ? most : unpaid) && !(refund.isBorne && one.seller === operator)
      );
    }) &&
    !(refund.isBorne && (named < refund.amount || refund.delivery > 0))
  );
}

/** Divides the delivery of a refund over the parts. */
export function sharesOf(money: Money, refund: Refund): number[] {
  const isNamed = (seller: number) =>
    refund.items.some(({ item }) => money.items[item]?.seller === seller);
  const rank = (seller: number) => (owesDelivery(money, seller) ? (isNamed(seller) ? 1 : 2) : 0);
  const shares = sellersOf(money).map(() => 0);
  let rest = refund.delivery;
  for (const seller of sellersOf(money).sort((a, b) => rank(a) - rank(b) || a - b)) {
    const share = Math.min(rest, paidDelivery(money, seller) - refundedDelivery(money, seller));
    shares[seller] = share;
    rest -= share;
  }
  return shares;
}

/** Reports what is owed as paid. */
export function takePayment(money: Money): void {
  const amount = owed(money);
  money.payment = { amount };
  money.received += amount;
  for (const one of money.items) one.paid = keptOf(one);
  money.paidDeliveries = sellersOf(money).map((seller) => owesDelivery(money, seller));
}
