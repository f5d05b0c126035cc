import type { Order, Product, ProductVariant } from "@souk/client";
import { createStore, type Store } from "../../ui/store";

/** A line of the cart, with the product's data when it was last read. */
export interface CartItem {
  product_id: string;
  variant_id?: string | null;
  /** The start of a service's slot. */
  starts_at?: string | null;
  quantity: number;
  price: number;
  currency: string;
  name: string;
  kind: Product["kind"];
  supplier_id: string | null;
  image: Product["images"][number] | null;
}

/** An unpaid order that the customer changes. The order of the cart replaces it and takes over its reserved stock. */
export interface EarlierOrder {
  id: string;
  number: number;
  items: CartItem[];
}

/** The checkout of a cart. All tabs share it, so that they create one order. */
export interface BegunCheckout {
  id: string;
  /** The key of a visitor's. */
  token?: string | undefined;
  /** The request that was sent to be ordered, and got no answer. */
  sent?: string | undefined;
}

export interface Cart {
  items: CartItem[];
  replaces?: EarlierOrder | undefined;
  checkout?: BegunCheckout | undefined;
}

export type CartStore = ReturnType<typeof cartIn>;

const emptyCart = (): Cart => ({ items: [] });

type LineId = Pick<CartItem, "product_id" | "variant_id" | "starts_at">;

/** The identity of a line. */
export const lineOf = ({ product_id, variant_id, starts_at }: LineId): string =>
  [product_id, variant_id, starts_at].join(" ");

/** The typed number of pieces, without a fraction; 1 if it is none. */
export const typedQuantity = ({ valueAsNumber }: HTMLInputElement): number =>
  Math.trunc(valueAsNumber) || 1;

/** Lines by their seller, in the order of the first line of each. */
export function bySeller<Line extends { supplier_id: string | null }>(
  items: readonly Line[],
): [supplier: string | null, Line[]][] {
  const groups = new Map<string | null, Line[]>();
  for (const item of items) {
    groups.set(item.supplier_id, [...(groups.get(item.supplier_id) ?? []), item]);
  }
  return [...groups];
}

export const cartCount = ({ items }: { items: readonly { quantity: number }[] }): number =>
  items.reduce((sum, { quantity }) => sum + quantity, 0);

function withItem(items: CartItem[], item: CartItem): CartItem[] {
  const known = items.find((other) => lineOf(other) === lineOf(item));
  if (!known) return [...items, item];
  const added = { ...item, quantity: item.quantity + known.quantity };
  return items.map((other) => (other === known ? added : other));
}

/** The cart of a shop. The browser stores it, and tabs share it. */
export function openCart(domain: string): CartStore {
  const name = `souk.cart.${domain}`;
  const read = (): Cart => {
    try {
      return { ...emptyCart(), ...JSON.parse(localStorage.getItem(name) ?? "") };
    } catch {
      return emptyCart();
    }
  };
  const store = createStore(read());
  const refresh = () => {
    store.set(read());
    return store.get();
  };
  addEventListener("storage", ({ key }) => key === name && refresh());
  const set = (cart: Cart) => {
    localStorage.setItem(name, JSON.stringify(cart));
    store.set(cart);
  };
  return cartIn({ ...store, set }, refresh);
}

/** The empty cart with which the server shows pages. */
export const noCart = (): CartStore => cartIn(createStore(emptyCart()));

function cartIn(store: Store<Cart>, refresh = store.get) {
  function change(items: CartItem[]): void {
    const { checkout, replaces } = store.get();
    store.set({ items, checkout, replaces: items.length > 0 ? replaces : undefined });
  }

  return {
    get: store.get,
    subscribe: store.subscribe,
    add: (item: CartItem) => change(withItem(store.get().items, item)),
    /** Sets the quantity. A quantity of 0 removes the line. */
    setQuantity(item: CartItem, quantity: number) {
      const line = lineOf(item);
      const { items } = store.get();
      change(
        items
          .map((other) => (lineOf(other) === line ? { ...other, quantity } : other))
          .filter((other) => other.quantity > 0),
      );
    },
    replace: change,
    /** The cart as it is stored, also if another tab has just changed it. */
    refresh,
    keepCheckout: (checkout: BegunCheckout) => store.set({ ...refresh(), checkout }),
    /** Sets the order that the next one replaces, with another checkout. */
    renew: (replaces?: EarlierOrder) => store.set({ items: refresh().items, replaces }),
    /** Puts an order back into the cart, as it can be ordered now. */
    reopen(order: EarlierOrder, items: CartItem[]) {
      const lines = new Set(items.map(lineOf));
      const others = store.get().items.filter((item) => !lines.has(lineOf(item)));
      store.set({ items: [...items, ...others], replaces: order });
    },
    clear: () => store.set(emptyCart()),
  };
}

/** Creates a line for a product of the API. */
export function itemOf(
  product: Omit<Product, "safety">,
  quantity: number,
  variant?: ProductVariant,
  starts_at?: string | null,
): CartItem {
  return {
    product_id: product.id,
    variant_id: variant?.id ?? null,
    starts_at: starts_at ?? null,
    quantity,
    price: variant?.price ?? product.price,
    currency: product.currency,
    name: variant ? `${product.name}, ${variant.name}` : product.name,
    kind: product.kind,
    supplier_id: product.supplier_id,
    image: product.images[0] ?? null,
  };
}

/** An order as a cart knows it, from what the order says. Its products may be sold out, and are not shown then. */
export function earlierOrder(order: Order): EarlierOrder {
  const { id, number, currency, shipping_address } = order;
  const items = order.items
    .map(
      ({ starts_at_local, cancelled_quantity, ...item }): CartItem => ({
        product_id: item.product_id,
        variant_id: item.variant_id,
        starts_at: starts_at_local,
        quantity: item.quantity - cancelled_quantity,
        price: item.price,
        currency,
        name: item.name,
        kind: starts_at_local ? "service" : shipping_address ? "physical" : "digital",
        supplier_id: item.supplier_id,
        image: null,
      }),
    )
    .filter(({ quantity }) => quantity > 0);
  return { id, number, items: items.reduce(withItem, []) };
}
