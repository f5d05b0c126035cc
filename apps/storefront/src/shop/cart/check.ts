import type { ListedProduct, Product, ProductVariant, SoukClient } from "@souk/client";
import { money, t } from "../../ui/texts";
import { type Cart, type CartItem, type CartStore, itemOf, lineOf } from "./cart";

/** Maximum number of products per request. */
const BATCH = 100;

/**
 * Reads the cart's products, and updates the cart to current prices and available quantities. Returns a remark for each
 * change.
 */
export async function checkCart(
  souk: SoukClient,
  cart: CartStore,
  signal?: AbortSignal,
): Promise<string[]> {
  // What a try without an answer has reserved looks sold out, to its own customer as well.
  if (cart.get().checkout?.sent) return [];
  const checked = await checkItems(souk, cart.get(), signal);
  const remarks = checked.flatMap((line) => line.remarks);
  if (remarks.length > 0) cart.replace(checked.flatMap(({ now }) => now ?? []));
  return remarks;
}

/** A line as it can be ordered, null if it cannot be, and what was changed in it. */
interface CheckedLine {
  now: CartItem | null;
  remarks: string[];
}

/**
 * Reads the products of lines anew, and brings each line into what can be ordered, with the pieces of the order that is
 * replaced.
 */
export async function checkItems(
  souk: SoukClient,
  { items, replaces }: Pick<Cart, "items" | "replaces">,
  signal?: AbortSignal,
): Promise<CheckedLine[]> {
  const ids = [...new Set(items.map((item) => item.product_id))];
  const products = await readProducts(souk, ids, signal);
  const held = new Map(replaces?.items.map((item) => [lineOf(item), item.quantity]));
  return items.map((item) =>
    checkItem(item, products.get(item.product_id), held.get(lineOf(item)) ?? 0),
  );
}

async function readProducts(
  souk: SoukClient,
  ids: string[],
  signal?: AbortSignal,
): Promise<Map<string, ListedProduct>> {
  const batches = Array.from({ length: Math.ceil(ids.length / BATCH) }, (_, i) =>
    ids.slice(i * BATCH, (i + 1) * BATCH),
  );
  const lists = await Promise.all(
    batches.map((batch) => souk.products.list({ ids: batch, limit: BATCH }, { signal })),
  );
  return new Map(lists.flatMap(({ products }) => products.map((product) => [product.id, product])));
}

function checkItem(item: CartItem, product: ListedProduct | undefined, held: number): CheckedLine {
  const { name, variant_id } = item;
  const variant = product?.variants.find(({ id }) => id === variant_id);
  const shown = !variant_id || variant ? product : undefined;
  const left = held + (shown ? piecesLeft(shown, variant) : 0);
  if (left === 0) return { now: null, remarks: [t("cart.soldOut", { name })] };
  const quantity = Math.min(item.quantity, left);
  const now = shown ? itemOf(shown, quantity, variant, item.starts_at) : { ...item, quantity };
  const remarks = [];
  if (quantity < item.quantity) remarks.push(t("cart.reduced", { name, count: quantity }));
  if (now.price !== item.price) {
    const from = money(item.price, item.currency);
    remarks.push(t("cart.repriced", { name, from, to: money(now.price, now.currency) }));
  }
  return { now, remarks };
}

/** How many pieces can be ordered; infinite where the stock is not counted. */
export function piecesLeft(product: Omit<Product, "safety">, variant?: ProductVariant): number {
  if (product.status !== "active") return 0;
  if (product.kind === "service" || !product.track_inventory) return Number.POSITIVE_INFINITY;
  const { quantity, reserved } = variant?.inventory ??
    product.inventory ?? { quantity: 0, reserved: 0 };
  return Math.max(0, quantity - reserved);
}
