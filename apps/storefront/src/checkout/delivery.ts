import type { DeliveryMethod } from "@souk/client";
import type { CartItem } from "../cart/cart";

/** The cost of delivery by a supplier, or of the whole order if it is not charged per supplier. */
export interface DeliveryCost {
  /** The supplier's id; null for the operator, and for the whole order. */
  supplier: string | null;
  amount: number;
}

/** The methods that are available for all items. */
export function methodsFor(
  items: readonly CartItem[],
  methods: readonly DeliveryMethod[],
): DeliveryMethod[] {
  return methods.filter(({ key }) =>
    items.every(({ kind, delivery }) => kind !== "physical" || (delivery?.includes(key) ?? true)),
  );
}

/** The cost of a method for these items, computed as in docs/orders.md. The amounts of the placed order are binding. */
export function deliveryCosts(items: readonly CartItem[], method: DeliveryMethod): DeliveryCost[] {
  const { price, per_supplier, free_from = Number.POSITIVE_INFINITY } = method;
  const sum = (some: readonly CartItem[]) =>
    some.reduce((total, item) => total + item.price * item.quantity, 0);
  const costOf = (some: readonly CartItem[]) => (sum(some) >= free_from ? 0 : price);
  const physical = items.filter(({ kind }) => kind === "physical");
  if (physical.length === 0) return [];
  if (!per_supplier) return [{ supplier: null, amount: costOf(items) }];
  return [...new Set(physical.map(({ supplier_id }) => supplier_id))].map((supplier) => ({
    supplier,
    amount: costOf(items.filter(({ supplier_id }) => supplier_id === supplier)),
  }));
}
