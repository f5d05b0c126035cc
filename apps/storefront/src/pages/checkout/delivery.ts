import { addMoney, type OfferedDeliveryMethod } from "@souk/client";
import { amountOf, type CartItem } from "../../shop/cart/cart";

/** The cost of delivery by a supplier, or of the whole order if it is not charged per supplier. */
export interface DeliveryCost {
  /** The supplier's id; null for the operator, and for the whole order. */
  supplier: string | null;
  amount: number;
}

/** Where an order goes, as far as it is typed. */
export interface Destination {
  country: string;
  region: string;
}

const plain = (text: string) => text.trim().toLowerCase();

/** The methods that deliver all items there, with their weight. */
export function methodsFor(
  items: readonly CartItem[],
  methods: readonly OfferedDeliveryMethod[],
  { country, region }: Destination,
): OfferedDeliveryMethod[] {
  return methods.filter(
    (method) =>
      (method.countries?.includes(country) ?? true) &&
      (!region || (method.regions?.some((name) => plain(name) === plain(region)) ?? true)) &&
      physicalOf(items).every(({ delivery }) => delivery?.includes(method.key) ?? true) &&
      chargedTogether(items, method).every(([, some]) => rateOf(some, method) !== undefined),
  );
}

/**
 * The costs of a method for these items in a currency, computed as in docs/delivery.md. The amounts of the placed order are
 * binding.
 */
export const deliveryCosts = (
  items: readonly CartItem[],
  method: OfferedDeliveryMethod,
  currency: string,
): DeliveryCost[] =>
  chargedTogether(items, method).map(([supplier, some]) => ({
    supplier,
    amount:
      amountOf(some, currency) >= (method.free_from ?? Number.POSITIVE_INFINITY)
        ? 0
        : (rateOf(some, method) ?? method.price),
  }));

/** The amount of all costs. */
export const deliveryAmount = (costs: readonly DeliveryCost[], currency: string): number =>
  addMoney(
    currency,
    costs.map(({ amount }) => amount),
  );

const physicalOf = (items: readonly CartItem[]) => items.filter(({ kind }) => kind === "physical");

/** The items, as a method charges them: all together, or those of each supplier with physical items. */
function chargedTogether(
  items: readonly CartItem[],
  { per_supplier }: OfferedDeliveryMethod,
): [supplier: string | null, items: readonly CartItem[]][] {
  const physical = physicalOf(items);
  if (physical.length === 0) return [];
  if (!per_supplier) return [[null, items]];
  return [...new Set(physical.map(({ supplier_id }) => supplier_id))].map((supplier) => [
    supplier,
    items.filter(({ supplier_id }) => supplier_id === supplier),
  ]);
}

/** The price of a method for the weight of these items; undefined if it does not carry them. */
function rateOf(
  items: readonly CartItem[],
  { price, rates }: OfferedDeliveryMethod,
): number | undefined {
  const grams = physicalOf(items).reduce(
    (sum, { quantity, weight_grams }) => sum + quantity * (weight_grams ?? 0),
    0,
  );
  return rates ? rates.find(({ up_to_grams }) => up_to_grams >= grams)?.price : price;
}
