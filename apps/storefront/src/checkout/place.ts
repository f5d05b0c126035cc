import { ApiError, type NewOrder, type Order, type SoukClient } from "@souk/client";
import { type CartItem, type CartStore, earlierOrder } from "../cart/cart";

/**
 * Orders the cart, once however often it is sent: by two clicks, two tabs, or again after the connection broke. Then the
 * cart is empty. `last` is the customer's newest order in the shop when the page opened.
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
    // With another key it was ordered in another tab.
    if (!isRefused || cart.get().key !== key) throw error;
    if (error.code === "IDEMPOTENCY_KEY_REUSED") {
      // A try with other details arrived, though its answer was lost. Its order, if it was placed, is replaced.
      const { marketplace_id } = details;
      const { orders } = await souk.orders.list({ marketplace_id, limit: 1 });
      const [newest] = orders;
      cart.renewKey(newest && newest.id !== tried.after ? earlierOrder(newest) : replaces);
      return placeOrder(souk, cart, details, newest?.id);
    }
    // What was refused is answered to its key again, so the next try is another order.
    cart.renewKey(isAboutReplaced(error) ? undefined : replaces);
    throw error;
  }
}

/** Whether an order was refused because the one in whose place it comes is paid, cancelled or somebody else's. */
export const isAboutReplaced = (error: ApiError): boolean =>
  error.errors.some(({ field }) => field === "replaces");

/** Each place of a service is a line of its own. */
function orderLines(item: CartItem): NewOrder["items"] {
  const { product_id, variant_id, starts_at, quantity, price } = item;
  const line = { product_id, variant_id, starts_at, quantity, price };
  if (item.kind !== "service") return [line];
  return Array.from({ length: quantity }, () => ({ ...line, quantity: 1 }));
}

/** Takes the slots out of the cart that somebody else has booked meanwhile. */
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
