import { ApiError, type NewOrder, type Order, type SoukClient } from "@souk/client";
import { type CartItem, type CartStore, earlierOrder } from "../cart/cart";

/**
 * Orders the cart once, also after two clicks, in two tabs, or when it is sent again after a connection error. Then it
 * empties the cart. `last` is the customer's newest order when the page was opened.
 */
export async function placeOrder(
  souk: SoukClient,
  cart: CartStore,
  details: Omit<NewOrder, "items" | "replaces">,
  last: string | undefined,
): Promise<Order> {
  const { key, items, replaces, tried = { after: last } } = cart.get();
  cart.keepTry(tried);
  try {
    const order = await souk.orders.place(
      { ...details, items: items.flatMap(orderLines), replaces: replaces?.id },
      { idempotencyKey: key },
    );
    cart.clear();
    return order;
  } catch (error) {
    const isRefused = error instanceof ApiError && (error.status === 422 || error.status === 404);
    // If the key has changed, another tab has ordered the cart.
    if (!isRefused || cart.get().key !== key) throw error;
    if (error.code === "IDEMPOTENCY_KEY_REUSED") {
      // An attempt with other details arrived, but its answer was lost. Its order, if there is one, is replaced.
      const { orders } = await souk.orders.list({ limit: 1 });
      const [newest] = orders;
      cart.renewKey(newest && newest.id !== tried.after ? earlierOrder(newest) : replaces);
      return placeOrder(souk, cart, details, newest?.id);
    }
    // A refusal is repeated for the same key, so the next attempt needs a new one.
    cart.renewKey(isAboutReplaced(error) ? undefined : replaces);
    throw error;
  }
}

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
