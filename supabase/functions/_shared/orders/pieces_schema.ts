import { z } from "@hono/zod-openapi";
import { localText } from "../values/times.ts";
import { orderStatus, shipmentStatus } from "./statuses.ts";

// The pieces of an order, which are shipped, cancelled or returned.

const count = (description: string) => z.number().int().openapi({ description });

/** The number of pieces of an item in each state. */
export const pieceCounts = {
  shipped_quantity: count("Pieces that left: in transit, delivered or lost."),
  delivered_quantity: count("Pieces that arrived, including returned ones."),
  cancelled_quantity: z.number().int(),
  returned_quantity: z.number().int(),
  lost_quantity: z.number().int(),
};

/** A number of pieces of an item. */
export const someItem = z.strictObject({
  item_id: z.guid(),
  quantity: z.number().int().min(1).max(1_000_000),
});

/** The pieces of an order that a request ships, cancels or returns. */
export const someItems = z.array(someItem).min(1).max(500);

export const newReturn = z
  .strictObject({
    items: someItems,
    note: z.string().max(2000).optional(),
  })
  .openapi("NewOrderReturn");

export const returned = {
  id: z.guid(),
  items: z.array(
    z.object({
      item_id: z.guid(),
      quantity: z.number().int(),
      amount: z.number(),
      restocked: z.boolean(),
    }),
  ),
  amount: z.number().openapi({ description: "Their price, without delivery." }),
  note: z.string().nullable(),
  actor_id: z.guid().nullable(),
  created_at: z.string(),
};

export const orderReturn = z
  .object({ ...returned, tenant_id: z.guid(), order_id: z.guid(), order_status: orderStatus })
  .openapi("OrderReturn");

export const newCancellation = z
  .strictObject({
    items: someItems
      .optional()
      .openapi({ description: "Default: all pieces that the caller may cancel." }),
    reason: z.string().max(2000).optional(),
  })
  .openapi("NewOrderCancellation");

export const cancelled = {
  id: z.guid(),
  items: z.array(z.object({ item_id: z.guid(), quantity: z.number().int(), amount: z.number() })),
  amount: z.number().openapi({ description: "Their price, without delivery." }),
  reason: z.string().nullable(),
  actor_id: z.guid().nullable(),
  created_at: z.string(),
};

export const cancellation = z
  .object({ ...cancelled, tenant_id: z.guid(), order_id: z.guid(), order_status: orderStatus })
  .openapi("OrderCancellation");

const tracking = {
  carrier: z.string().min(1).max(100),
  tracking_number: z.string().min(1).max(200),
  tracking_url: z
    .string()
    .max(2000)
    .regex(/^https:\/\/[^\s/?#]+[^\s]*$/, "must be an https address"),
  note: z
    .string()
    .min(1)
    .max(2000)
    .openapi({ description: "Visible to everybody who sees the shipment." }),
};

export const newShipment = z
  .strictObject({
    items: someItems.optional().openapi({
      description: "Items of one supplier. Default: all pieces that the caller can still ship.",
    }),
    ...z.object(tracking).partial().shape,
  })
  .openapi("NewShipment");

const nullableTracking = {
  carrier: tracking.carrier.nullable(),
  tracking_number: tracking.tracking_number.nullable(),
  tracking_url: tracking.tracking_url.nullable(),
  note: tracking.note.nullable(),
};

export const shipmentChanges = z
  .strictObject({
    ...z.object(nullableTracking).partial().shape,
    status: z.enum(["delivered", "lost", "void"]).optional().openapi({
      description:
        "lost: the customer is owed the price. void: the shipment was a mistake, and its pieces can be shipped again; for its creator and admins.",
    }),
    resend: z.boolean().optional().openapi({
      description: "With lost: reserves the pieces again for another shipment.",
    }),
  })
  .openapi("ShipmentChanges");

export const shipment = z
  .object({
    id: z.guid(),
    tenant_id: z.guid(),
    order_id: z.guid(),
    supplier_id: z.guid().nullable(),
    status: shipmentStatus,
    resent: z
      .boolean()
      .openapi({ description: "Whether the shipment was lost and its pieces are reserved again." }),
    items: z.array(z.object({ item_id: z.guid(), quantity: z.number().int() })),
    carrier: z.string().nullable(),
    tracking_number: z.string().nullable(),
    tracking_url: z.string().nullable(),
    note: z.string().nullable(),
    actor_id: z.guid().nullable().openapi({ description: "The user who created it." }),
    delivery_expected_by: z
      .string()
      .openapi({ description: "Time at which it counts as delivered without a report." }),
    delivery_expected_by_local: localText,
    delivered_at: z.string().nullable(),
    delivered_at_local: localText.nullable(),
    created_at: z.string(),
    created_at_local: localText,
    updated_at: z.string(),
    updated_at_local: localText,
  })
  .openapi("Shipment");

/** A shipment in the response to its creation or change. */
export const movedShipment = shipment
  .extend({ order_status: orderStatus.openapi({ description: "The order's current status." }) })
  .openapi("MovedShipment");
