import { z } from "@hono/zod-openapi";
import { defineEvent } from "../events/event_type.ts";
import * as sample from "../events/sample.ts";
import { cancellation, shipment } from "./pieces_schema.ts";
import { returnRequest } from "./return_requests_schema.ts";
import { order, payment } from "./schema.ts";
import { orderStatus, type paymentReport } from "./statuses.ts";

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
  discount_amount: 0,
  tax_included: true,
  tax_amount: 0,
  tax_lines: [],
  tax_due: 0,
  owed_amount: 103,
  total_amount: 103,
  total: 103,
  refund_due: 0,
  refund_due_for: { items: [], deliveries: [] },
  currency: "EUR",
  delivery_method: "courier",
  payment_method: "card",
  payment_due_at: "2026-01-01T12:30:00.000000+00:00",
  payment_due_at_local: "2026-01-01T17:30:00+05:00",
  items: [
    {
      id: sample.id("3"),
      product_id: sample.product_id,
      variant_id: null,
      supplier_id: sample.supplier_id,
      name: "Brass coffee pot",
      quantity: 2,
      shipped_quantity: 0,
      delivered_quantity: 0,
      cancelled_quantity: 0,
      returned_quantity: 0,
      lost_quantity: 0,
      starts_at: null,
      starts_at_local: null,
      price: 49,
      amount: 98,
      discount_amount: 0,
      discount_borne_by: null,
      discount_code: null,
      tax_included: true,
      tax_rate: null,
      tax_name: null,
      tax_amount: 0,
      exempt_amount: 0,
      net_amount: 98,
    },
  ],
  parts: [
    {
      supplier_id: sample.supplier_id,
      status: "pending",
      subtotal: 98,
      delivery_amount: 0,
      delivery_owed: true,
      delivery_recipient: "operator",
      delivery_discount_amount: 0,
      discount_amount: 0,
      delivery_tax_rate: null,
      delivery_tax_amount: 0,
      tax_amount: 0,
      tax_note: null,
      delivery_price: 0,
      total_amount: 98,
      legal: {
        name: "Atlas Crafts LLC",
        address: "2 Registan Street, 140100 Samarkand",
        tax_id: "301234567",
      },
    },
    {
      supplier_id: null,
      status: "pending",
      subtotal: 0,
      delivery_amount: 5,
      delivery_owed: true,
      delivery_recipient: "operator",
      delivery_discount_amount: 0,
      discount_amount: 0,
      delivery_tax_rate: null,
      delivery_tax_amount: 0,
      tax_amount: 0,
      tax_note: null,
      delivery_price: 5,
      total_amount: 5,
      legal: {},
    },
  ],
  shipping_address: { street: "1 Palm Street", city: "Samarkand", postal_code: "140100" },
  billing_address: { street: "1 Palm Street", city: "Samarkand", postal_code: "140100" },
  tax_id: null,
  contact: null,
  language: null,
  external_id: null,
  imported_at: null,
  imported_at_local: null,
  history: [],
  payments: [],
  cancellations: [],
  returns: [],
  notes: [],
  commissions: [
    {
      supplier_id: sample.supplier_id,
      commission_percent: 10,
      delivery_percent: 0,
      sales_amount: 98,
      delivery_amount: 0,
      commission_amount: 9.8,
      refunded_amount: 0,
      tax_amount: 0,
      tax_collected_by: "supplier",
      payout_amount: 88.2,
    },
  ],
  created_at: sample.PLACED,
  created_at_local: sample.PLACED_LOCAL,
  updated_at: sample.PLACED,
  updated_at_local: sample.PLACED_LOCAL,
};

/** The piece counts of an item in an order that was moved as a whole. */
const PIECES: Partial<Record<Status, (quantity: number) => Partial<Order["items"][number]>>> = {
  shipped: (shipped_quantity) => ({ shipped_quantity }),
  delivered: (quantity) => ({ shipped_quantity: quantity, delivered_quantity: quantity }),
  cancelled: (cancelled_quantity) => ({ cancelled_quantity }),
};

/** The order after it was placed or moved. */
function moved(status: Status, old_status: Status = "pending"): { order: Order } {
  if (status === "pending") return { order: placed };
  const move = {
    old_status,
    new_status: status,
    note: null,
    actor_id: sample.operator_id,
    created_at: sample.MOVED,
    created_at_local: sample.MOVED_LOCAL,
  };
  return {
    order: {
      ...placed,
      status,
      payment_due_at: null,
      payment_due_at_local: null,
      items: placed.items.map((item) => ({ ...item, ...PIECES[status]?.(item.quantity) })),
      parts: placed.parts.map((part) => ({ ...part, status })),
      history: [move],
      updated_at: sample.MOVED,
      updated_at_local: sample.MOVED_LOCAL,
    },
  };
}

/** A report on the order's payment, and the order after it. */
function reported(status: Exclude<z.infer<typeof paymentReport>, "payment_reversed">) {
  const report = {
    id: sample.id("4"),
    status,
    amount: placed.total_amount,
    currency: placed.currency,
    reference: "pi_3Nf2",
    items: null,
    delivery_amount: null,
    borne_by: status === "refunded" ? ("operator" as const) : null,
    actor_id: sample.operator_id,
    created_at: sample.MOVED,
  };
  return {
    payment: { ...report, tenant_id: sample.tenant_id, order_id: sample.order_id },
    order: {
      ...placed,
      payment_status: status === "refund_failed" ? ("paid" as const) : status,
      payment_due_at: status === "failed" ? placed.payment_due_at : null,
      payment_due_at_local: status === "failed" ? placed.payment_due_at_local : null,
      payments: [{ ...report, created_at_local: sample.MOVED_LOCAL }],
      updated_at: sample.MOVED,
      updated_at_local: sample.MOVED_LOCAL,
    },
  };
}

/** A shipment of one of the order's two pieces, and the order after it was shipped, delivered or lost. */
function sent(status: "shipped" | "delivered" | "lost") {
  const [item] = placed.items as [Order["items"][number]];
  const counts = {
    shipped_quantity: 1,
    delivered_quantity: status === "delivered" ? 1 : 0,
    lost_quantity: status === "lost" ? 1 : 0,
  };
  const { order } = moved("processing");
  return {
    shipment: {
      id: sample.id("5"),
      tenant_id: sample.tenant_id,
      order_id: sample.order_id,
      supplier_id: sample.supplier_id,
      status,
      resent: false,
      items: [{ item_id: item.id, quantity: 1 }],
      carrier: "Caravan",
      tracking_number: "CV 1001",
      tracking_url: "https://caravan.example/CV1001",
      note: null,
      actor_id: sample.operator_id,
      delivery_expected_by: "2026-01-15T12:05:00.000000+00:00",
      delivery_expected_by_local: "2026-01-15T17:05:00+05:00",
      delivered_at: status === "delivered" ? sample.MOVED : null,
      delivered_at_local: status === "delivered" ? sample.MOVED_LOCAL : null,
      created_at: sample.MOVED,
      created_at_local: sample.MOVED_LOCAL,
      updated_at: sample.MOVED,
      updated_at_local: sample.MOVED_LOCAL,
    },
    order: { ...order, items: [{ ...item, ...counts }] },
  };
}

/** The cancellation of one of the order's two pieces, and the order after it. */
function cancelledPiece() {
  const [item] = placed.items as [Order["items"][number]];
  const gone = {
    id: sample.id("6"),
    items: [{ item_id: item.id, quantity: 1, amount: item.price }],
    amount: item.price,
    reason: "Ordered twice.",
    actor_id: sample.operator_id,
    created_at: sample.MOVED,
  };
  return {
    cancellation: { ...gone, tenant_id: sample.tenant_id, order_id: sample.order_id },
    order: {
      ...placed,
      items: [{ ...item, cancelled_quantity: 1 }],
      cancellations: [{ ...gone, created_at_local: sample.MOVED_LOCAL }],
      updated_at: sample.MOVED,
      updated_at_local: sample.MOVED_LOCAL,
    },
  };
}

/** A return request for one of the order's two pieces, and the order then. */
function asked(status: "requested" | "approved" | "rejected" | "received") {
  const [item] = placed.items as [Order["items"][number]];
  const back = status === "received" ? 1 : 0;
  const { order } = moved("delivered");
  return {
    return: {
      id: sample.id("7"),
      tenant_id: sample.tenant_id,
      order_id: sample.order_id,
      supplier_id: sample.supplier_id,
      status,
      items: [{ item_id: item.id, quantity: 1, received_quantity: back }],
      reason: "It leaks.",
      note: status === "requested" ? null : "Send it to 3 Harbour Road.",
      actor_id: sample.operator_id,
      created_at: sample.MOVED,
      updated_at: sample.MOVED,
      created_at_local: sample.MOVED_LOCAL,
      updated_at_local: sample.MOVED_LOCAL,
    },
    order: { ...order, items: order.items.map((one) => ({ ...one, returned_quantity: back })) },
  };
}

const anOrder = {
  order: order.extend({ total: z.number().openapi({ description: "The order's total_amount." }) }),
};
const aPayment = { payment: payment.omit({ payment_status: true }), ...anOrder };
const aShipment = { shipment, ...anOrder };
const aReturn = { return: returnRequest, ...anOrder };

/** The events about orders and their payments. */
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
    description: "An order was cancelled; sent in addition to order.status_changed.",
    carried: anOrder,
    sample: moved("cancelled"),
  }),
  ...defineEvent("order.completed", {
    description: "An order was delivered; sent in addition to order.status_changed.",
    carried: anOrder,
    sample: moved("delivered", "shipped"),
  }),
  ...defineEvent("order.items_cancelled", {
    description: "Items of an order were cancelled, but not the whole order in one step.",
    carried: { cancellation: cancellation.omit({ order_status: true }), ...anOrder },
    sample: cancelledPiece(),
  }),
  ...defineEvent("shipment.created", {
    description: "Items of an order were shipped.",
    carried: aShipment,
    sample: sent("shipped"),
  }),
  ...defineEvent("shipment.delivered", {
    description: "A shipment was delivered.",
    carried: aShipment,
    sample: sent("delivered"),
  }),
  ...defineEvent("shipment.lost", {
    description: "A shipment was lost.",
    carried: aShipment,
    sample: sent("lost"),
  }),
  ...defineEvent("return.requested", {
    description: "A return request was made.",
    carried: aReturn,
    sample: asked("requested"),
  }),
  ...defineEvent("return.approved", {
    description: "A return request was approved.",
    carried: aReturn,
    sample: asked("approved"),
  }),
  ...defineEvent("return.rejected", {
    description: "A return request was rejected.",
    carried: aReturn,
    sample: asked("rejected"),
  }),
  ...defineEvent("return.received", {
    description: "Items of a return request came back.",
    carried: aReturn,
    sample: asked("received"),
  }),
  ...defineEvent("payment.succeeded", {
    description: "An order was paid.",
    carried: aPayment,
    sample: reported("paid"),
  }),
  ...defineEvent("payment.failed", {
    description:
      "A payment of an order failed, or was reversed: then payment.status is payment_reversed.",
    carried: aPayment,
    sample: reported("failed"),
  }),
  ...defineEvent("payment.refunded", {
    description: "A payment was refunded in full or in part.",
    carried: aPayment,
    sample: reported("refunded"),
  }),
  ...defineEvent("payment.refund_failed", {
    description: "A refund failed: its amount is not given back.",
    carried: aPayment,
    sample: reported("refund_failed"),
  }),
};
