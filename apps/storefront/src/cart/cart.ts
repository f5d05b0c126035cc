import type { Product, ProductVariant } from "@souk/client";
import { createStore, type Store } from "../lib/store";

/** A line of the cart, with the product's data when it was last read. */
export interface CartItem {
  product_id: string;
  variant_id?: string;
  /** The start of a service's slot. */
  starts_at?: string;
  quantity: number;
  price: number;
  currency: string;
  name: string;
  kind: Product["kind"];
  supplier_id: string | null;
  /** The delivery methods of the product; null for all. */
  delivery: string[] | null;
  image: Product["images"][number] | null;
}

export interface Cart {
  /** The Idempotency-Key of its order, so that two checkouts of one cart create one order. */
  key: string;
  items: CartItem[];
}

export interface CartStore extends Omit<Store<Cart>, "set"> {
  add(item: CartItem): void;
  /** Sets the quantity. A quantity of 0 removes the line. */
  setQuantity(item: CartItem, quantity: number): void;
  replace(items: CartItem[]): void;
  /** Gives the cart a new key, because the last one belongs to a refused order. */
  renewKey(): void;
  clear(): void;
}

const emptyCart = (): Cart => ({ key: crypto.randomUUID(), items: [] });

/** The identity of a line. */
export const lineOf = ({ product_id, variant_id, starts_at }: CartItem): string =>
  [product_id, variant_id, starts_at].join(" ");

export const cartTotal = ({ items }: Cart): number =>
  // Sums of decimals are not exact, so thousandths are added as integers.
  items.reduce((sum, { price, quantity }) => sum + Math.round(price * quantity * 1000), 0) / 1000;

export const cartCount = ({ items }: Cart): number =>
  items.reduce((sum, { quantity }) => sum + quantity, 0);

/** The cart of a shop. The browser stores it, and tabs share it. */
export function openCart(domain: string): CartStore {
  const name = `souk.cart.${domain}`;
  const read = (): Cart => {
    try {
      return JSON.parse(localStorage.getItem(name) ?? "") as Cart;
    } catch {
      return emptyCart();
    }
  };
  const store = createStore(read());
  addEventListener("storage", ({ key }) => key === name && store.set(read()));

  function keep(cart: Cart): void {
    localStorage.setItem(name, JSON.stringify(cart));
    store.set(cart);
  }
  /** A changed cart is another order, so it gets a new key. */
  const change = (items: CartItem[]) => keep({ key: crypto.randomUUID(), items });

  return {
    get: store.get,
    subscribe: store.subscribe,
    add(item) {
      const { items } = store.get();
      const known = items.find((other) => lineOf(other) === lineOf(item));
      const quantity = item.quantity + (known?.quantity ?? 0);
      const added = { ...item, quantity };
      change(known ? items.map((other) => (other === known ? added : other)) : [...items, added]);
    },
    setQuantity(item, quantity) {
      const line = lineOf(item);
      const { items } = store.get();
      change(
        items
          .map((other) => (lineOf(other) === line ? { ...other, quantity } : other))
          .filter((other) => other.quantity > 0),
      );
    },
    replace: change,
    renewKey: () => keep({ ...store.get(), key: crypto.randomUUID() }),
    clear: () => keep(emptyCart()),
  };
}

/** Creates a line for a product of the API. */
export function itemOf(
  product: Product,
  quantity: number,
  variant?: ProductVariant,
  starts_at?: string,
): CartItem {
  return {
    product_id: product.id,
    ...(variant && { variant_id: variant.id }),
    ...(starts_at && { starts_at }),
    quantity,
    price: variant?.price ?? product.price,
    currency: product.currency,
    name: variant ? `${product.name}, ${variant.name}` : product.name,
    kind: product.kind,
    supplier_id: product.supplier_id,
    delivery: product.physical?.delivery ?? null,
    image: product.images[0] ?? null,
  };
}
