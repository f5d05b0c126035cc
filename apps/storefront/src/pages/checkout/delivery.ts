import { addMoney, type DeliveryMethod } from "@souk/client";
import { amountOf, type CartItem } from "../../shop/cart/cart";

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

/**
 * The costs of a method for these items in a currency, computed as in docs/orders.md. The amounts of the placed order are
 * binding.
 */
export function deliveryCosts(
  items: readonly CartItem[],
  method: DeliveryMethod,
  currency: string,
): DeliveryCost[] {
  const { price, per_supplier, free_from = Number.POSITIVE_INFINITY } = method;
  const costOf = (some: readonly CartItem[]) => (amountOf(some, currency) >= free_from ? 0 : price);
  const physical = items.filter(({ kind }) => kind === "physical");
  if (physical.length === 0) return [];
  if (!per_supplier) return [{ supplier: null, amount: costOf(items) }];
  return [...new Set(physical.map(({ supplier_id }) => supplier_id))].map((supplier) => ({
    supplier,
    amount: costOf(items.filter(({ supplier_id }) => supplier_id === supplier)),
  }));
}

/** The amount of all costs. */
export const deliveryAmount = (costs: readonly DeliveryCost[], currency: string): number =>
  addMoney(
    currency,
    costs.map(({ amount }) => amount),
  );
