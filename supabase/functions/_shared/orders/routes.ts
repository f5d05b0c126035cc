import { z } from "@hono/zod-openapi";
import { answers, body, idParam } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { listQuery, pageOf, readPage, search } from "../http/page.ts";
import { perform } from "../http/perform.ts";
import { boundsOf } from "../http/period.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { decimal } from "../values/parameters.ts";
import { period, since, until } from "../values/times.ts";
import { newReturn, orderReturn } from "./pieces_schema.ts";
import { newNote, newOrder, newPayment, note, order, payment, statusChange } from "./schema.ts";
import { orderStatus, paymentStatus } from "./statuses.ts";

export const orders = createRoutes();

const shared = { tags: ["Orders"], middleware: authenticate };

const ordersPage = pageOf("orders", order);

orders.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "orders.list",
    permission: "orders.read",
    summary: "List orders",
    request: {
      query: listQuery(["created_at", "updated_at", "total_amount", "number"]).extend({
        marketplace_id: z.guid().optional(),
        customer_id: z.guid().optional(),
        status: orderStatus.optional(),
        payment_status: paymentStatus.optional(),
        part_status: orderStatus.optional().openapi({
          description: "The status of a part that the caller sees; for a supplier, its own part.",
        }),
        search: search.openapi({
          description:
            "A number (also #12), an external_id, or words of the name or e-mail address of the contact, the shipping address or the customer. Parts of words from three letters on are found. Suppliers: not of the customer, which they do not see.",
        }),
        number: decimal(z.number().int().min(1).max(Number.MAX_SAFE_INTEGER)).optional(),
        external_id: z.string().min(1).max(200).optional().openapi({
          description: "The order's id in the system that it was imported from.",
        }),
        ...period,
        booked_from: since.optional().openapi({
          description:
            "Orders that were placed, cancelled, returned, paid or refunded in the period from booked_from to booked_to, as in analytics. A time with its offset, or a day in the tenant's time zone.",
        }),
        booked_to: until.optional(),
      }),
    },
    responses: answers(
      200,
      ordersPage,
      "The orders the caller may see; suppliers see their own items only",
    ),
  }),
  async (c) => {
    const {
      page,
      limit,
      sort,
      order: direction,
      from,
      to,
      booked_from,
      booked_to,
      part_status,
      search,
      ...fields
    } = c.req.valid("query");
    const db = c.get("db");
    // The parts are joined only for the filter; the record has its own.
    const columns = (part_status ? "*, order_parts!inner(status)" : "*") as "*";
    const booked = { booked_from, booked_to };
    let query = search
      ? db.rpc("found_orders", { search, ...booked }, { count: "exact" }).select(columns)
      : booked_from || booked_to
        ? db.rpc("booked_orders", booked, { count: "exact" }).select(columns)
        : db.from("order_details").select(columns, { count: "exact" });
    if (part_status) query = query.eq("order_parts.status", part_status);
    for (const [field, value] of Object.entries(fields)) query = query.eq(field, value);
    const placed = await boundsOf(c, { from, to });
    if (placed.from) query = query.gte("created_at", placed.from);
    if (placed.to) query = query.lt("created_at", placed.to);
    // Amounts in several currencies are not compared.
    if (sort === "total_amount") query = query.order("currency");
    return c.json(await readPage(ordersPage, query, { page, limit, sort, order: direction }), 200);
  },
);

orders.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/",
    operationId: "orders.place",
    permission: "orders.place",
    once: true,
    summary: "Place an order",
    description:
      "Reserves the stock of every item, or refuses the whole order. A customer's unpaid orders are limited by the marketplace's settings max_unpaid_orders and max_unpaid_pieces; admins and clients are not.",
    errors: {
      PRICE_MISMATCH: "with the item",
      INSUFFICIENT_INVENTORY: "with the item",
      DISCOUNT_NOT_APPLICABLE: "with the code, and `details.reason`",
      LIMIT_REACHED: "with the setting as cap",
      INVALID_TRANSITION: "for replaces",
      NOT_FOUND: "for replaces",
    },
    request: { body: body(newOrder) },
    responses: answers(201, order, "The new order"),
  }),
  async (c) => {
    const made = order.parse(await perform(c, "place_order", c.req.valid("json")));
    return c.json(made, 201, { Location: `/functions/v1/orders/${made.id}` });
  },
);

orders.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}",
    operationId: "orders.get",
    permission: "orders.read",
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
      operationId: method === "patch" ? "orders.changeStatus" : "orders.changeStatus.put",
      permission: "orders.move",
      summary: "Move an order to a status",
      description:
        "Admins may make every allowed move; suppliers move orders forward that have only their items; customers cancel while the order is pending or confirmed, and before the cancellable_until of its bookings.",
      errors: { INVALID_TRANSITION: true },
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

orders.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/{id}/payments",
    operationId: "payments.record",
    permission: "payments.write",
    once: true,
    summary: "Report the outcome of a payment",
    description:
      "A paid order stays paid until all of it is given back. The same status and reference again answers with the payment that is there. refund_failed undoes a refund and payment_reversed a payment, once each, by its reference.",
    errors: {
      INVALID_TRANSITION: true,
      CONFLICT: "for a reference with another amount",
      NOT_FOUND: "also for a reference that the order does not have",
    },
    request: { params: idParam, body: body(newPayment) },
    responses: answers(201, payment, "The payment, with the order's payment_status"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const report = { order_id: id, ...c.req.valid("json") };
    const made = payment.parse(await perform(c, "report_payment", report));
    return c.json(made, 201, { Location: `/functions/v1/orders/${id}` });
  },
);

orders.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/{id}/returns",
    operationId: "orders.returnItems",
    permission: "returns.record",
    once: true,
    summary: "Return items to stock",
    description:
      "For shipped and delivered orders. After its last piece, the order becomes returned.",
    errors: { INVALID_TRANSITION: true },
    request: { params: idParam, body: body(newReturn) },
    responses: answers(201, orderReturn, "The return, with the order's status"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const input = { order_id: id, ...c.req.valid("json") };
    const made = orderReturn.parse(await perform(c, "return_order_items", input));
    return c.json(made, 201, { Location: `/functions/v1/orders/${id}` });
  },
);

orders.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/{id}/notes",
    operationId: "orders.addNote",
    permission: "order_notes.write",
    once: true,
    summary: "Add a note to an order",
    description:
      "For an order that the caller sees. Only admins, clients and the supplier who wrote it can read an internal note.",
    request: { params: idParam, body: body(newNote) },
    responses: answers(201, note, "The note"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const input = { order_id: id, ...c.req.valid("json") };
    const made = note.parse(await perform(c, "add_order_note", input));
    return c.json(made, 201, { Location: `/functions/v1/orders/${id}` });
  },
);
