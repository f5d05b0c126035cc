import {
  addMoney,
  multiplyMoney,
  type NewOrder,
  type Order,
  type Product,
  type ProductVariant,
} from "@souk/client";
import { createStore, type Store } from "../../ui/store";

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
  /** The weight of a piece; null or undefined counts as 0. */
  weight_grams?: number | null | undefined;
  image: Product["images"][number] | null;
}

/** An unpaid order that the customer changes. The order of the cart replaces it and takes over its reserved stock. */
export interface EarlierOrder {
  id: string;
  number: number;
  items: CartItem[];
}

export interface Cart {
  /** The Idempotency-Key of its order, so that two checkouts of one cart create one order. */
  key: string;
  items: CartItem[];
  replaces?: EarlierOrder | undefined;
  /** The orders that were sent with the key, and got no answer. */
  attempts: NewOrder[];
}

export interface CartStore extends Omit<Store<Cart>, "set"> {
  add(item: CartItem): void;
  /** Sets the quantity. A quantity of 0 removes the line. */
  setQuantity(item: CartItem, quantity: number): void;
  replace(items: CartItem[]): void;
  /** Adds an order that is sent. Until the answer the cart keeps its key, also when its lines change. */
  keepAttempt(order: NewOrder): void;
  /** Gives the cart a new key, because the last one was answered, and sets the order that its order replaces. */
  renewKey(replaces: EarlierOrder | undefined): void;
  /** Puts an order back into the cart, as it can be ordered now. */
  reopen(order: EarlierOrder, items: CartItem[]): void;
  clear(): void;
}

const emptyCart = (): Cart => ({ key: crypto.randomUUID(), items: [], attempts: [] });

/** The identity of a line. */
export const lineOf = ({ product_id, variant_id, starts_at }: CartItem): string =>
  [product_id, variant_id, starts_at].join(" ");

/** The typed number of pieces, without a fraction; 1 if it is none. */
export const typedQuantity = ({ valueAsNumber }: HTMLInputElement): number =>
  Math.trunc(valueAsNumber) || 1;

/** The amount of a line. */
export const lineAmount = ({ price, quantity, currency }: CartItem): number =>
  multiplyMoney(currency, price, quantity);

/** The amount of lines in a currency. */
export const amountOf = (items: readonly CartItem[], currency: string): number =>
  addMoney(currency, items.map(lineAmount));

/** Lines by their seller, in the order of the first line of each. */
export function bySeller(items: readonly CartItem[]): [supplier: string | null, CartItem[]][] {
  const groups = new Map<string | null, CartItem[]>();
  for (const item of items) {
    groups.set(item.supplier_id, [...(groups.get(item.supplier_id) ?? []), item]);
  }
  return [...groups];
}

export const cartCount = ({ items }: Cart): number =>
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
  addEventListener("storage", ({ key }) => key === name && store.set(read()));
  return cartIn({
    ...store,
    set(cart) {
      localStorage.setItem(name, JSON.stringify(cart));
      store.set(cart);
    },
  });
}

/** The empty cart with which the server shows pages. */
export const noCart = (): CartStore => cartIn(createStore(emptyCart()));

function cartIn(store: Store<Cart>): CartStore {
  /** A changed cart is another order, so it gets a new key. */
  function change(items: CartItem[]): void {
    const { key, attempts, replaces } = store.get();
    store.set({
      items,
      key: attempts.length > 0 ? key : crypto.randomUUID(),
      attempts,
      replaces: items.length > 0 ? replaces : undefined,
    });
  }

  return {
    get: store.get,
    subscribe: store.subscribe,
    add: (item) => change(withItem(store.get().items, item)),
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
    keepAttempt(order) {
      const cart = store.get();
      const sent = JSON.stringify(order);
      const others = cart.attempts.filter((attempt) => JSON.stringify(attempt) !== sent);
      store.set({ ...cart, attempts: [...others, order] });
    },
    renewKey: (replaces) => store.set({ ...emptyCart(), items: store.get().items, replaces }),
    reopen(order, items) {
      const lines = new Set(items.map(lineOf));
      const others = store.get().items.filter((item) => !lines.has(lineOf(item)));
      store.set({ ...emptyCart(), items: [...items, ...others], replaces: order });
    },
    clear: () => store.set(emptyCart()),
  };
}

/** Creates a line for a product of the API. */
export function itemOf(
  product: Omit<Product, "safety">,
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
    weight_grams: product.physical?.weight_grams,
    image: product.images[0] ?? null,
  };
}

/** An order as a cart knows it, from what the order says. Its products may be sold out, and are not shown then. */
export function earlierOrder(order: Order): EarlierOrder {
  const { id, number, currency, shipping_address } = order;
  const items = order.items
    .map((item): CartItem => {
      const { product_id, variant_id, starts_at_local, price, name, supplier_id } = item;
      return {
        product_id,
        ...(variant_id && { variant_id }),
        ...(starts_at_local && { starts_at: starts_at_local }),
        quantity: item.quantity - item.cancelled_quantity,
        price,
        currency,
        name,
        kind: starts_at_local ? "service" : shipping_address ? "physical" : "digital",
        supplier_id,
        delivery: null,
        image: null,
      };
    })
    .filter(({ quantity }) => quantity > 0);
  return { id, number, items: items.reduce(withItem, []) };
}
