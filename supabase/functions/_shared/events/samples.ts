import type { z } from "@hono/zod-openapi";
import type { product as productSchema } from "../catalog/schema.ts";
import type { order as orderSchema, orderStatus } from "../orders/schema.ts";

// What the examples of events are about: one order of one product, and who had to do with it.

/** An id that is the same each time, told from others by a hexadecimal digit. */
export const id = (digit: string) => `${digit.repeat(8)}-0000-4000-8000-000000000000`;

/** As bodies say it. */
export const MOMENT = "2026-01-01T12:00:00.000Z";

const PLACED = "2026-01-01T12:00:00.000000+00:00";
const MOVED = "2026-01-02T09:30:00.000000+00:00";

const tenant_id = id("a");
const marketplace_id = id("b");
const supplier_id = id("c");
const product_id = id("d");
const order_id = id("f");
const operator_id = id("1");
const customer_id = id("2");
const item_id = id("3");
const payment_id = id("4");

type Order = z.infer<typeof orderSchema> & { total: number };
type Product = z.infer<typeof productSchema>;
type Status = z.infer<typeof orderStatus>;

const placed: Order = {
  id: order_id,
  tenant_id,
  marketplace_id,
  number: 1,
  customer_id,
  status: "pending",
  payment_status: "pending",
  subtotal_amount: 98,
  delivery_amount: 5,
  total_amount: 103,
  total: 103,
  currency: "EUR",
  delivery_method: "courier",
  payment_method: "card",
  payment_due_at: "2026-01-01T12:30:00.000000+00:00",
  items: [
    {
      id: item_id,
      product_id,
      variant_id: null,
      supplier_id,
      name: "Brass coffee pot",
      quantity: 2,
      returned_quantity: 0,
      starts_at: null,
      price: 49,
      amount: 98,
    },
  ],
  shipping_address: { street: "1 Palm Street", city: "Samarkand", postal_code: "140100" },
  history: [],
  payments: [],
  returns: [],
  notes: [],
  commissions: [
    {
      supplier_id,
      commission_percent: 10,
      sales_amount: 98,
      commission_amount: 9.8,
      payout_amount: 88.2,
    },
  ],
  created_at: PLACED,
  updated_at: PLACED,
};

/** The order as it was placed, or after a move. */
export function order(status: Status, old_status: Status = "pending"): { order: Order } {
  if (status === "pending") return { order: placed };
  const move = {
    old_status,
    new_status: status,
    note: null,
    actor_id: operator_id,
    created_at: MOVED,
  };
  return {
    order: {
      ...placed,
      status,
      payment_due_at: null,
      history: [move],
      updated_at: MOVED,
    },
  };
}

/** A report on the order's payment, and the order after it. */
export function payment(status: "paid" | "failed" | "refunded") {
  const reported = {
    id: payment_id,
    status,
    amount: placed.total_amount,
    currency: placed.currency,
    reference: "pi_3Nf2",
    actor_id: operator_id,
    created_at: MOVED,
  };
  return {
    payment: { ...reported, tenant_id, order_id },
    order: {
      ...placed,
      payment_status: status,
      payment_due_at: status === "failed" ? placed.payment_due_at : null,
      payments: [reported],
      updated_at: MOVED,
    },
  };
}

export function product(status: Product["status"]): { product: Product } {
  const sold = status === "out_of_stock" ? 12 : 0;
  return {
    product: {
      id: product_id,
      tenant_id,
      marketplace_id,
      supplier_id,
      category_id: null,
      external_id: null,
      kind: "physical",
      track_inventory: true,
      name: "Brass coffee pot",
      description: "Hand-beaten, for four cups.",
      price: 49,
      currency: "EUR",
      images: [{ url: "https://images.example.com/pot.jpg", alt: "The pot, from its side" }],
      attributes: [],
      brand: null,
      physical: null,
      variants: [],
      inventory: { quantity: 12, reserved: sold },
      status,
      created_at: PLACED,
      updated_at: sold ? MOVED : PLACED,
    },
  };
}

export const user = {
  user: {
    id: customer_id,
    email: "cleo@example.com",
    name: "Cleo",
    role: "customer",
    email_verified: true,
  },
};

export function content(status: string) {
  return {
    content: {
      id: id("5"),
      tenant_id,
      marketplace_id,
      type: "page",
      slug: "about-us",
      title: { en: "About us" },
      status,
      author_id: operator_id,
      version_number: 1,
      created_at: PLACED,
      updated_at: PLACED,
    },
  };
}

/** A registration that nothing reaches, before and after it was switched off for it. */
export function webhook(active: boolean) {
  return {
    webhook: {
      id: id("6"),
      tenant_id,
      url: "https://shop.example.com/hooks",
      description: "The shop's backend",
      events: ["order.created"],
      filter: null,
      header_names: ["Authorization"],
      active,
      disabled_reason: active ? null : "failing",
      failing_since: PLACED,
      created_at: PLACED,
      updated_at: MOVED,
    },
  };
}

export const orderMove = { order_id, old_status: "pending", new_status: "confirmed" };

export const contentMove = {
  content_id: id("5"),
  old_status: "draft",
  new_status: "in_review",
};
