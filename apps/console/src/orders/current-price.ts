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
