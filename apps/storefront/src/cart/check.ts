import type { Product, SoukClient } from "@souk/client";
import { money, t } from "../lib/texts";
import { type CartItem, type CartStore, itemOf } from "./cart";
import { piecesLeft } from "./stock";

/** So many products are read by one call, at most. */
const BATCH = 100;

/**
 * Reads the cart's products anew, and brings the cart into what can be ordered: today's prices, and no more than there
 * is. Returns a remark for each change.
 */
export async function checkCart(
  souk: SoukClient,
  cart: CartStore,
  signal?: AbortSignal,
): Promise<string[]> {
  const checked = await checkItems(souk, cart.get().items, signal);
  const remarks = checked.flatMap((line) => line.remarks);
  if (remarks.length > 0) cart.replace(checked.flatMap(({ now }) => now ?? []));
  return remarks;
}

/** A line as it can be ordered, null if it cannot be, and what was changed in it. */
interface CheckedLine {
  now: CartItem | null;
  remarks: string[];
}

/** Reads the products of lines anew, and brings each line into what can be ordered. */
export async function checkItems(
  souk: SoukClient,
  items: readonly CartItem[],
  signal?: AbortSignal,
): Promise<CheckedLine[]> {
  const ids = [...new Set(items.map((item) => item.product_id))];
  const products = await readProducts(souk, ids, signal);
  return items.map((item) => checkItem(item, products.get(item.product_id) ?? null));
}

async function readProducts(
  souk: SoukClient,
  ids: string[],
  signal?: AbortSignal,
): Promise<Map<string, Product>> {
  const batches = Array.from({ length: Math.ceil(ids.length / BATCH) }, (_, i) =>
    ids.slice(i * BATCH, (i + 1) * BATCH),
  );
  const lists = await Promise.all(
    batches.map((batch) => souk.products.list({ ids: batch, limit: BATCH }, { signal })),
  );
  return new Map(lists.flatMap(({ products }) => products.map((product) => [product.id, product])));
}

function checkItem(item: CartItem, product: Product | null): CheckedLine {
  const { name } = item;
  const variant = product?.variants.find(({ id }) => id === item.variant_id);
  const isGone = product === null || (item.variant_id !== undefined && !variant);
  const left = isGone ? 0 : piecesLeft(product, variant);
  if (isGone || left === 0) return { now: null, remarks: [t("cart.soldOut", { name })] };
  const quantity = Math.min(item.quantity, left);
  const now = itemOf(product, quantity, variant, item.starts_at);
  const remarks = [];
  if (quantity < item.quantity) remarks.push(t("cart.reduced", { name, count: quantity }));
  if (now.price !== item.price) {
    const from = money(item.price, item.currency);
    remarks.push(t("cart.repriced", { name, from, to: money(now.price, now.currency) }));
  }
  return { now, remarks };
}
