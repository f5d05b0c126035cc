import { createRoute, z } from "@hono/zod-openapi";
import { answers, body, idParam } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { createRoutes } from "../http/door.ts";
import { listQuery, pageFields, readPage } from "../http/page.ts";
import { newOrder, order, orderStatus, statusChange } from "./schema.ts";

export const orders = createRoutes();

const shared = { tags: ["Orders"], middleware: authenticate };

orders.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    summary: "List orders",
    request: {
      query: listQuery(["created_at", "updated_at", "total_amount"]).extend({
        marketplace_id: z.uuid().optional(),
        status: orderStatus.optional(),
      }),
    },
    responses: answers(
      200,
      z.object({ orders: z.array(order), ...pageFields }),
      "The orders the caller may see; suppliers see their own items only",
    ),
  }),
  async (c) => {
    const { marketplace_id, status, ...list } = c.req.valid("query");
    let query = c.get("db").from("order_details").select("*", { count: "exact" });
    if (marketplace_id) query = query.eq("marketplace_id", marketplace_id);
    if (status) query = query.eq("status", status);
    const { rows, ...page } = await readPage(query, list);
    return c.json({ orders: z.array(order).parse(rows), ...page }, 200);
  },
);

orders.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/",
    summary: "Place an order",
    description:
      "Reserves the stock of every item, or refuses the whole order. Errors: PRICE_MISMATCH, INSUFFICIENT_INVENTORY (422), both naming the item.",
    request: { body: body(newOrder) },
    responses: answers(201, order, "The new order"),
  }),
  async (c) => {
    const { data } = await c.get("db").rpc("place_order", c.req.valid("json")).throwOnError();
    return c.json(order.parse(data), 201, { Location: `/functions/v1/orders/${data.id}` });
  },
);

orders.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}",
    summary: "Get an order with its history",
    request: { params: idParam },
    responses: answers(200, order, "The order"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { data } = await c
      .get("db")
      .from("order_details")
      .select()
      .eq("id", id)
      .single()
      .throwOnError();
    return c.json(order.parse(data), 200);
  },
);

for (const method of ["patch", "put"] as const) {
  orders.openapi(
    createRoute({
      ...shared,
      method,
      path: "/{id}/status",
      summary: "Move an order to a status",
      description:
        "Admins make any move there is; suppliers move orders forward that hold nothing but their items; customers cancel while pending or confirmed. Errors: INVALID_TRANSITION (422).",
      request: { params: idParam, body: body(statusChange) },
      responses: answers(200, order, "The moved order"),
    }),
    async (c) => {
      const { id } = c.req.valid("param");
      const { data } = await c
        .get("db")
        .rpc("change_order_status", { order_id: id, ...c.req.valid("json") })
        .throwOnError();
      return c.json(order.parse(data), 200);
    },
  );
}
