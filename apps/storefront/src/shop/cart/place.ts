import { ApiError, type Checkout, type NewCheckout } from "@souk/client";
import { becomeGuest } from "../session";
import type { Shop } from "../shop";
import { type Cart, type CartItem, type CartStore, earlierOrder } from "./cart";

/** What is typed into the form, and the chosen delivery. */
export type Details = Omit<NewCheckout, "items" | "replaces">;

/** Runs one act at a time in all tabs. One that has begun is not aborted, because its request could arrive after the next. */
const locked = <Result>({ marketplace }: Shop, act: () => Promise<Result>, signal?: AbortSignal) =>
  navigator.locks.request(`souk.checkout.${marketplace.domain}`, { signal }, act);

/**
 * Replaces the cart's checkout, and resolves to what the cart costs; undefined if another tab has emptied it. A checkout that
 * has expired, or is somebody else's since the sign-in, is made anew. Resolves to a completed one if these details were sent
 * to be ordered before, and the answer was lost. `typed` is null without a form: then sent details are kept.
 */
export const quoteCart = (shop: Shop, typed: Details | null, signal?: AbortSignal) =>
  locked(shop, () => quote(shop, typed), signal);

async function quote(shop: Shop, typed: Details | null): Promise<Checkout | undefined> {
  const { souk, cart, marketplace, language } = shop;
  const { checkout, ...lines } = cart.refresh();
  if (lines.items.length === 0) return undefined;
  const bare = { marketplace_id: marketplace.id, language };
  const request = requestOf(lines, typed ?? (checkout?.sent ? JSON.parse(checkout.sent) : bare));
  if (checkout) {
    const options = { headers: headersFor(checkout) };
    try {
      return await souk.checkouts.replace(checkout.id, request, options);
    } catch (error) {
      if (!isOver(error)) throw error;
      if (error.value === "completed") {
        const done = await souk.checkouts.get(checkout.id, options);
        const placed = await souk.orders.get(done.order_id ?? "");
        // The storage may have been behind another tab, which has got the answer.
        const isLost = cart.refresh().checkout?.id === checkout.id;
        if (!isLost || checkout.sent === JSON.stringify(request)) return done;
        // Other details have arrived. Their order is replaced.
        cart.renew(earlierOrder(placed));
        request.replaces = placed.id;
      }
    }
  }
  const { token, ...made } = await souk.checkouts.create(request);
  cart.keepCheckout({ id: made.id, token });
  return made;
}

/**
 * Orders the cart at the total that was shown, once: also after two clicks, in two tabs, or when it is sent again after a
 * connection error. Then it empties the cart. Resolves to the id of the order; undefined if another tab has emptied the
 * cart. Errors: one with a `quote` if the total is another one.
 */
export const orderCart = (shop: Shop, details: Details, shown: Checkout | undefined) =>
  locked(shop, () => order(shop, details, shown));

async function order(shop: Shop, details: Details, shown: Checkout | undefined) {
  const { souk, cart, marketplace } = shop;
  // What was shown may be older than these details, and another tab may have replaced the checkout since.
  const now = await quote(shop, details);
  if (!now) return undefined;
  if (now.total !== shown?.total) {
    const message = "The total has changed.";
    throw new ApiError({ code: "CONFLICT", message, status: 409, quote: now });
  }
  const headers = headersFor(cart.get().checkout);
  await becomeGuest(souk, marketplace.domain);
  setSent(cart, JSON.stringify(requestOf(cart.get(), details)));
  try {
    const done = await souk.checkouts.complete(now.id, { total: now.total }, { headers });
    cart.clear();
    return done.order_id ?? undefined;
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) setSent(cart, undefined);
    throw error;
  }
}

/** Keeps what is sent to be ordered, until it is answered. */
function setSent(cart: CartStore, sent: string | undefined): void {
  const { checkout } = cart.refresh();
  if (checkout) cart.keepCheckout({ ...checkout, sent });
}

const requestOf = ({ items, replaces }: Cart, details: Details): NewCheckout => ({
  ...details,
  items: items.flatMap(orderLines),
  replaces: replaces?.id,
});

const headersFor = (checkout: Cart["checkout"]): Record<string, string> =>
  checkout?.token ? { "x-souk-checkout": checkout.token } : {};

/** Whether a checkout has ended or expired, or is not this person's. */
const isOver = (error: unknown): error is ApiError =>
  error instanceof ApiError &&
  (error.field === "status" || (error.status === 404 && error.field === undefined));

/** Each place of a service is a separate line. */
export function orderLines(item: CartItem): NewCheckout["items"] {
  const { product_id, variant_id, starts_at, quantity } = item;
  const line = { product_id, variant_id, starts_at, quantity };
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
