import { z } from "@hono/zod-openapi";
import { answers, body, idParam } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import {
  cancellation,
  movedShipment,
  newCancellation,
  newShipment,
  shipment,
  shipmentChanges,
} from "./pieces_schema.ts";

/** Routes below /orders: shipments, and cancellations of items. */
export const shipments = createRoutes();

const shared = { tags: ["Orders"], middleware: authenticate };

shipments.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}/shipments",
    operationId: "shipments.list",
    permission: "orders.read",
    summary: "List the shipments of an order",
    request: { params: idParam },
    responses: answers(
      200,
      z.object({ shipments: z.array(shipment) }),
      "The shipments, oldest first; suppliers see their own",
    ),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { data } = await c.get("db").rpc("list_shipments", { order_id: id }).throwOnError();
    return c.json(z.object({ shipments: z.array(shipment) }).parse(data), 200);
  },
);

shipments.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/{id}/shipments",
    operationId: "shipments.create",
    permission: "shipments.write",
    once: true,
    summary: "Ship items of an order",
    description:
      "Suppliers ship their own items, admins and clients any. The pieces leave the stock, and the order's status follows.",
    errors: {
      VALIDATION_ERROR:
        "if no pieces or fewer than requested are left, and for items of two suppliers",
    },
    request: { params: idParam, body: body(newShipment) },
    responses: answers(201, movedShipment, "The shipment, with the order's status"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const input = { order_id: id, ...c.req.valid("json") };
    const made = movedShipment.parse(await perform(c, "create_shipment", input));
    return c.json(made, 201, { Location: `/functions/v1/orders/${id}` });
  },
);

shipments.openapi(
  createRoute({
    ...shared,
    method: "patch",
    path: "/{id}/shipments/{shipment_id}",
    operationId: "shipments.update",
    permission: "shipments.write",
    summary: "Change the tracking or the status of a shipment",
    description: "Suppliers: their own shipments only.",
    errors: {
      INVALID_TRANSITION: "if it is already delivered, lost or void",
      INSUFFICIENT_INVENTORY: "if the stock is too small for another shipment",
    },
    request: {
      params: idParam.extend({ shipment_id: z.guid() }),
      body: body(shipmentChanges),
    },
    responses: answers(200, movedShipment, "The shipment, with the order's status"),
  }),
  async (c) => {
    const { id, shipment_id } = c.req.valid("param");
    const { data } = await c
      .get("db")
      .rpc("update_shipment", { order_id: id, shipment_id, changes: c.req.valid("json") })
      .throwOnError();
    return c.json(movedShipment.parse(data), 200);
  },
);

shipments.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/{id}/cancellations",
    operationId: "orders.cancelItems",
    permission: "orders.cancel",
    once: true,
    summary: "Cancel items that are not shipped",
    description:
      "Suppliers cancel their own items, customers items of a part that is pending or confirmed and bookings until their cancellable_until, admins and clients all items. A booking that is over is delivered. After its last piece, the order becomes cancelled.",
    errors: { VALIDATION_ERROR: "if no pieces or fewer than requested are left" },
    request: { params: idParam, body: body(newCancellation) },
    responses: answers(201, cancellation, "The cancellation, with the order's status"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const input = { order_id: id, ...c.req.valid("json") };
    const made = cancellation.parse(await perform(c, "cancel_order_items", input));
    return c.json(made, 201, { Location: `/functions/v1/orders/${id}` });
  },
);
