import { z } from "@hono/zod-openapi";
import { answers, body, idParam } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { pageFields } from "../http/page.ts";
import { boundsOf } from "../http/period.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import {
  delivery,
  deliveryDetails,
  deliveryQuery,
  recovered,
  recovery,
} from "./delivery_schema.ts";

/** Routes below /webhooks: the deliveries of a webhook. */
export const deliveries = createRoutes();

const shared = { tags: ["Webhooks"], middleware: authenticate };

/** The fields in the log, which leave out the receiver's last response. */
const FIELDS = "id, event, status, response_code, attempts, error, next_attempt_at, created_at";

const deliveryParams = idParam.extend({ delivery_id: z.guid() });

deliveries.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}/logs",
    operationId: "webhooks.deliveries",
    permission: "webhooks.read",
    summary: "List a webhook's deliveries",
    errors: { VALIDATION_ERROR: "for a status or an event that does not exist" },
    request: { params: idParam, query: deliveryQuery },
    responses: answers(
      200,
      z.object({ logs: z.array(delivery), ...pageFields }),
      "A page of the deliveries, newest first",
    ),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { page, limit, order, status, event, since } = c.req.valid("query");
    const { from } = await boundsOf(c, { from: since });
    // The registration and a page of its deliveries in one request: an unknown id is NOT_FOUND, not an empty list.
    let query = c
      .get("db")
      .from("webhooks")
      .select(`id, logs:webhook_deliveries(${FIELDS}), counted:webhook_deliveries(count)`)
      .eq("id", id);
    for (const part of ["logs", "counted"]) {
      if (status) query = query.eq(`${part}.status`, status);
      // The index for failed deliveries covers only rows with an error.
      if (status === "failed") query = query.not(`${part}.error`, "is", null);
      if (event) query = query.eq(`${part}.event`, event);
      if (from) query = query.gte(`${part}.created_at`, from);
    }
    const { data } = await query
      .order("created_at", { referencedTable: "logs", ascending: order === "asc" })
      .order("id", { referencedTable: "logs" })
      .range((page - 1) * limit, page * limit - 1, { referencedTable: "logs" })
      .single()
      .throwOnError();
    return c.json(
      { logs: z.array(delivery).parse(data.logs), total: data.counted[0]?.count ?? 0, page, limit },
      200,
    );
  },
);

deliveries.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}/deliveries/{delivery_id}",
    operationId: "webhooks.delivery",
    permission: "webhooks.read",
    summary: "Get a delivery",
    description: "The delivery, its body, and every attempt.",
    request: { params: deliveryParams },
    responses: answers(200, deliveryDetails, "The delivery"),
  }),
  async (c) => {
    const { id: webhook_id, delivery_id } = c.req.valid("param");
    const { data } = await c
      .get("db")
      .rpc("get_delivery", { webhook_id, delivery_id })
      .throwOnError();
    return c.json(deliveryDetails.parse(data), 200);
  },
);

deliveries.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/{id}/deliveries/{delivery_id}/retry",
    operationId: "webhooks.retry",
    permission: "webhooks.write",
    summary: "Send a delivery again",
    description:
      "Sends the delivery now, whatever its status, with its old id and body, and with as many attempts as a new one.",
    errors: { CONFLICT: "if the webhook is off or the event is no longer stored" },
    request: { params: deliveryParams },
    responses: answers(200, delivery, "The delivery, pending again"),
  }),
  async (c) => {
    const { id: webhook_id, delivery_id } = c.req.valid("param");
    const { data } = await c
      .get("db")
      .rpc("retry_delivery", { webhook_id, delivery_id })
      .throwOnError();
    return c.json(delivery.parse(data), 200);
  },
);

deliveries.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/{id}/recover",
    operationId: "webhooks.recover",
    permission: "webhooks.write",
    summary: "Send the failed deliveries of a webhook again",
    description:
      "After an outage: sends every delivery again that failed since that time, oldest first, in batches. If `more` is true, repeat the request.",
    errors: { CONFLICT: "if the webhook is off" },
    request: { params: idParam, body: body(recovery) },
    responses: answers(200, recovered, "The number of deliveries that are pending again"),
  }),
  async (c) => {
    const args = { webhook_id: c.req.valid("param").id, ...c.req.valid("json") };
    const { data } = await c.get("db").rpc("recover_webhook", args).throwOnError();
    return c.json(recovered.parse(data), 200);
  },
);
