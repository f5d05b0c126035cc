import { createRoute, z } from "@hono/zod-openapi";
import { answers, body, idParam } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { announce } from "../http/deprecation.ts";
import { createRoutes } from "../http/door.ts";
import { listQuery, pageFields, readPage } from "../http/page.ts";
import { perform } from "../http/perform.ts";
import { createdWebhook, delivery, newWebhook, paymentCompleted, webhook } from "./schema.ts";

export const webhooks = createRoutes();

const shared = { tags: ["Webhooks"], middleware: authenticate };

webhooks.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    summary: "List webhooks",
    request: { query: listQuery(["created_at", "updated_at"]) },
    responses: answers(
      200,
      z.object({ webhooks: z.array(webhook), ...pageFields }),
      "The registrations",
    ),
  }),
  async (c) => {
    const all = c.get("db").from("webhooks").select("*", { count: "exact" });
    const { rows, ...page } = await readPage(all, c.req.valid("query"));
    return c.json({ webhooks: z.array(webhook).parse(rows), ...page }, 200);
  },
);

webhooks.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/",
    summary: "Register a webhook",
    description: "For admins and clients. The secret is shown in this answer and never again.",
    request: { body: body(newWebhook) },
    responses: answers(201, createdWebhook, "The new registration"),
  }),
  async (c) => {
    const wish = c.req.valid("json");
    if (wish.events.includes("payment.completed")) announce(c, paymentCompleted);
    const made = createdWebhook.parse(await perform(c, "create_webhook", wish));
    return c.json(made, 201, { Location: `/functions/v1/api/webhooks/${made.id}` });
  },
);

webhooks.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}",
    summary: "Get a webhook",
    request: { params: idParam },
    responses: answers(200, webhook, "The registration"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { data } = await c
      .get("db")
      .from("webhooks")
      .select()
      .eq("id", id)
      .single()
      .throwOnError();
    return c.json(webhook.parse(data), 200);
  },
);

webhooks.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}/logs",
    summary: "List a webhook's deliveries",
    request: { params: idParam, query: listQuery(["created_at"]) },
    responses: answers(
      200,
      z.object({ logs: z.array(delivery), ...pageFields }),
      "The deliveries, newest first",
    ),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { page, limit, order } = c.req.valid("query");
    // The registration and a page of its deliveries in one request: an unknown id is NOT_FOUND, not an empty list.
    const { data } = await c
      .get("db")
      .from("webhooks")
      .select("id, logs:webhook_deliveries(*), counted:webhook_deliveries(count)")
      .eq("id", id)
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
