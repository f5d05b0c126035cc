import { ApiError, type NewOrder, type Order, type SoukClient } from "@souk/client";
import { type CartItem, type CartStore, earlierOrder } from "../../shop/cart/cart";

/**
 * Orders the cart once, also after two clicks, in two tabs, or when it is sent again after a connection error. Then it
 * empties the cart.
 */
export async function placeOrder(
  souk: SoukClient,
  cart: CartStore,
  details: Omit<NewOrder, "items" | "replaces">,
): Promise<Order> {
  const { key, items, replaces, attempts } = cart.get();
  const attempt = { ...details, items: items.flatMap(orderLines), replaces: replaces?.id };
  cart.keepAttempt(attempt);
  try {
    const order = await souk.orders.place(attempt, { idempotencyKey: key });
    cart.clear();
    return order;
  } catch (error) {
    // If the key has changed, another tab has ordered the cart.
    if (!isRefusal(error) || cart.get().key !== key) throw error;
    if (error.code === "IDEMPOTENCY_KEY_REUSED") {
      // An attempt with other details arrived, but its answer was lost. Its order, if there is one, is replaced.
      const placed = await orderOf(souk, key, attempts);
      cart.renewKey(placed ? earlierOrder(placed) : replaces);
      return placeOrder(souk, cart, details);
    }
    // A refusal is repeated for the same key, so the next attempt needs a new one.
    cart.renewKey(isAboutReplaced(error) ? undefined : replaces);
    throw error;
  }
}

/** The order of the attempt that arrived with the key. The API repeats its answer. Undefined if it was refused. */
async function orderOf(
  souk: SoukClient,
  key: string,
  attempts: NewOrder[],
): Promise<Order | undefined> {
  for (const attempt of attempts) {
    try {
      return await souk.orders.place(attempt, { idempotencyKey: key });
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
  }
  return undefined;
}

const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.status === 422 || error.status === 404);

/** Whether an order was refused because the order that it replaces is paid, cancelled or not the customer's. */
export const isAboutReplaced = (error: ApiError): boolean =>
  error.errors.some(({ field }) => field === "replaces");

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
