import { z } from "@hono/zod-openapi";
import { defineEvent } from "../events/event_type.ts";
import * as sample from "../events/sample.ts";
import { order, orderStatus, payment } from "./schema.ts";

type Order = z.infer<typeof order> & { total: number };
type Status = z.infer<typeof orderStatus>;

const placed: Order = {
  id: sample.order_id,
  tenant_id: sample.tenant_id,
  marketplace_id: sample.marketplace_id,
  number: 1,
  customer_id: sample.customer_id,
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
      id: sample.id("3"),
      product_id: sample.product_id,
      variant_id: null,
      supplier_id: sample.supplier_id,
      name: "Brass coffee pot",
      quantity: 2,
      returned_quantity: 0,
      starts_at: null,
      price: 49,
      amount: 98,
    },
  ],
  shipping_address: { street: "1 Palm Street", city: "Samarkand", postal_code: "140100" },
  contact: null,
  language: null,
  external_id: null,
  imported_at: null,
  history: [],
  payments: [],
  returns: [],
  notes: [],
  commissions: [
    {
      supplier_id: sample.supplier_id,
      commission_percent: 10,
      sales_amount: 98,
      commission_amount: 9.8,
      payout_amount: 88.2,
    },
  ],
  created_at: sample.PLACED,
  updated_at: sample.PLACED,
};

/** The order as it was placed, or after a move. */
function moved(status: Status, old_status: Status = "pending"): { order: Order } {
  if (status === "pending") return { order: placed };
  const move = {
    old_status,
    new_status: status,
    note: null,
    actor_id: sample.operator_id,
    created_at: sample.MOVED,
  };
  return {
    order: {
      ...placed,
      status,
      payment_due_at: null,
      history: [move],
      updated_at: sample.MOVED,
    },
  };
}

/** A report on the order's payment, and the order after it. */
function reported(status: "paid" | "failed" | "refunded") {
  const report = {
    id: sample.id("4"),
    status,
    amount: placed.total_amount,
    currency: placed.currency,
    reference: "pi_3Nf2",
    actor_id: sample.operator_id,
    created_at: sample.MOVED,
  };
  return {
    payment: { ...report, tenant_id: sample.tenant_id, order_id: sample.order_id },
    order: {
      ...placed,
      payment_status: status,
      payment_due_at: status === "failed" ? placed.payment_due_at : null,
      payments: [report],
      updated_at: sample.MOVED,
    },
  };
}

const anOrder = {
  order: order.extend({ total: z.number().openapi({ description: "Its total_amount." }) }),
};
const aPayment = { payment: payment.omit({ payment_status: true }), ...anOrder };

/** What happens to orders and their payments. */
export const orderEvents = {
  ...defineEvent("order.created", {
    description: "An order was placed.",
    carried: anOrder,
    sample: moved("pending"),
  }),
  ...defineEvent("order.status_changed", {
    description: "An order moved from one status to another.",
    carried: anOrder,
    sample: moved("confirmed"),
    beside: {
      shape: { order_id: z.guid(), old_status: orderStatus, new_status: orderStatus },
      sample: { order_id: sample.order_id, old_status: "pending", new_status: "confirmed" },
    },
  }),
  ...defineEvent("order.cancelled", {
    description: "An order was cancelled; beside order.status_changed.",
    carried: anOrder,
    sample: moved("cancelled"),
  }),
  ...defineEvent("order.completed", {
    description: "An order was delivered; beside order.status_changed.",
    carried: anOrder,
    sample: moved("delivered", "shipped"),
  }),
  ...defineEvent("payment.succeeded", {
    description: "An order was paid.",
    carried: aPayment,
    sample: reported("paid"),
  }),
  ...defineEvent("payment.failed", {
    description: "A payment of an order failed.",
    carried: aPayment,
    sample: reported("failed"),
  }),
  ...defineEvent("payment.refunded", {
    description: "A payment was given back, or a part of it.",
    carried: aPayment,
    sample: reported("refunded"),
  }),
};
