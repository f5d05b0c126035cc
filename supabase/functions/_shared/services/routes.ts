import { answers, body, idParam } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { callPage, readPage } from "../http/page.ts";
import { boundsOf } from "../http/period.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { bookingList, bookingQuery, calendar, newCalendar, slotList, slotQuery } from "./schema.ts";

/** Routes below /products: the calendar and slots of a service. */
export const calendarOfProduct = createRoutes();

/** Routes below /bookings. */
export const bookings = createRoutes();

const shared = { tags: ["Services"], middleware: authenticate };

calendarOfProduct.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}/calendar",
    operationId: "calendars.get",
    visitors: true,
    permission: "products.read",
    summary: "Get the calendar of a service",
    request: { params: idParam },
    responses: answers(200, calendar, "The calendar"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { data } = await c
      .get("db")
      .rpc("get_service_calendar", { product_id: id })
      .throwOnError();
    return c.json(calendar.parse(data), 200);
  },
);

calendarOfProduct.openapi(
  createRoute({
    ...shared,
    method: "put",
    path: "/{id}/calendar",
    operationId: "calendars.set",
    permission: "calendars.write",
    summary: "Set the calendar of a service",
    description:
      "Suppliers: their own products only. Creates the calendar or replaces it as a whole. Existing bookings remain.",
    request: { params: idParam, body: body(newCalendar) },
    responses: answers(200, calendar, "The calendar"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { data } = await c
      .get("db")
      .rpc("set_service_calendar", { product_id: id, ...c.req.valid("json") })
      .throwOnError();
    return c.json(calendar.parse(data), 200);
  },
);

calendarOfProduct.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}/slots",
    operationId: "calendars.slots",
    visitors: true,
    permission: "products.read",
    summary: "List the free slots of a service",
    description:
      "For a product that the caller sees. To book a slot, order the product with the slot's `starts_at` in the item.",
    request: { params: idParam, query: slotQuery },
    responses: answers(200, slotList, "A page of the slots that can be booked now"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { sort: _, ...query } = c.req.valid("query");
    return c.json(
      await callPage(
        slotList,
        c.get("db").rpc("list_service_slots", { product_id: id, ...query }),
        query,
      ),
      200,
    );
  },
);

bookings.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "bookings.list",
    permission: "bookings.read",
    summary: "List bookings",
    request: { query: bookingQuery },
    responses: answers(
      200,
      bookingList,
      "The bookings the caller may see: customers their own, suppliers those of their services",
    ),
  }),
  async (c) => {
    const { from, to, product_id, order_id, status, ...list } = c.req.valid("query");
    let query = c.get("db").from("booking_details").select("*", { count: "exact" });
    const starts = await boundsOf(c, { from, to });
    if (starts.from) query = query.gte("starts_at", starts.from);
    if (starts.to) query = query.lt("starts_at", starts.to);
    if (product_id) query = query.eq("product_id", product_id);
    if (order_id) query = query.eq("order_id", order_id);
    if (status) query = query.eq("status", status);
    return c.json(await readPage(bookingList, query, list), 200);
  },
);
