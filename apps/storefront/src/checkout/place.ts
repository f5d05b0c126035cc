import { ApiError, type NewOrder, type Order, type SoukClient } from "@souk/client";
import type { CartItem, CartStore } from "../cart/cart";

/**
 * Orders the cart once, also after two clicks, in two tabs, or when it is sent again after a connection error. Then it
 * empties the cart.
 */
export async function placeOrder(
  souk: SoukClient,
  cart: CartStore,
  details: Omit<NewOrder, "items">,
): Promise<Order> {
  const { key, items } = cart.get();
  try {
    const order = await souk.orders.place(
      { ...details, items: items.flatMap(orderLines) },
      { idempotencyKey: key },
    );
    cart.clear();
    return order;
  } catch (error) {
    // A refusal is repeated for the same key, so the next attempt needs a new one.
    if (error instanceof ApiError && error.status === 422) cart.renewKey();
    throw error;
  }
}

/** Each place of a service is a separate line. */
function orderLines(item: CartItem): NewOrder["items"] {
  const { product_id, variant_id, starts_at, quantity, price } = item;
  const line = { product_id, variant_id, starts_at, quantity, price };
  if (item.kind !== "service") return [line];
  return Array.from({ length: quantity }, () => ({ ...line, quantity: 1 }));
}

/** Removes slots from the cart that were booked by others meanwhile. */
export function dropTakenSlots(cart: CartStore, error: ApiError): CartItem[] {
  const { items } = cart.get();
  const owners = items.flatMap((item) => orderLines(item).map(() => item));
  const taken = error.errors.flatMap(({ field }) => {
    const line = /^items\[(\d+)\]/.exec(field)?.[1];
    return owners[Number(line)] ?? [];
  });
  cart.replace(items.filter((item) => !taken.includes(item)));
  return taken;
}
