import { answers, body, idParam, noContent } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { announce } from "../http/deprecation.ts";
import { listQuery, pageOf, readPage } from "../http/page.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { deliveries } from "./deliveries.ts";
import {
  createdWebhook,
  newWebhook,
  paymentCompleted,
  rotatedWebhook,
  rotation,
  webhook,
  webhookChanges,
} from "./schema.ts";
import { withSecret } from "./target.ts";

export const webhooks = createRoutes();

const shared = { tags: ["Webhooks"], middleware: authenticate };

const webhooksPage = pageOf("webhooks", webhook);

webhooks.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "webhooks.list",
    permission: "webhooks.read",
    summary: "List webhooks",
    request: { query: listQuery(["created_at", "updated_at"]) },
    responses: answers(200, webhooksPage, "The registrations; none for suppliers and customers"),
  }),
  async (c) => {
    const all = c.get("db").from("webhook_details").select("*", { count: "exact" });
    return c.json(await readPage(webhooksPage, all, c.req.valid("query")), 200);
  },
);

webhooks.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/",
    operationId: "webhooks.create",
    permission: "webhooks.write",
    once: true,
    secretFields: ["secret", "headers"],
    summary: "Register a webhook",
    description: "The secret is shown only in this response.",
    errors: {
      NOT_FOUND: "if the filter names a marketplace that is not the tenant's",
      VALIDATION_ERROR:
        "for an unknown event, an address that cannot be delivered to, a short secret, or a reserved header",
    },
    request: { body: body(newWebhook) },
    responses: answers(201, createdWebhook, "The new registration"),
  }),
  async (c) => {
    const input = c.req.valid("json");
    if (input.events.includes("payment.completed")) announce(c, paymentCompleted);
    const made = await withSecret(c, await perform(c, "create_webhook", input));
    return c.json(createdWebhook.parse(made), 201, {
      Location: `/functions/v1/api/webhooks/${made.id}`,
    });
  },
);

webhooks.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}",
    operationId: "webhooks.get",
    permission: "webhooks.read",
    summary: "Get a webhook",
    request: { params: idParam },
    responses: answers(200, webhook, "The registration"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { data } = await c
      .get("db")
      .from("webhook_details")
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
    method: "put",
    path: "/{id}",
    operationId: "webhooks.update",
    permission: "webhooks.write",
    secretFields: ["secret", "headers"],
    summary: "Change a webhook",
    description:
      "Fields that are not sent stay as they are. A webhook that is switched off receives nothing, also no pending deliveries. After it is switched on, it receives new events: `recover` sends earlier failed deliveries, and GET /api/events lists the events in between.",
    errors: {
      NOT_FOUND: "also for a marketplace in the filter",
      VALIDATION_ERROR: "as in webhooks.create",
    },
    request: { params: idParam, body: body(webhookChanges) },
    responses: answers(200, webhook, "The changed registration"),
  }),
  async (c) => {
    const changes = c.req.valid("json");
    if (changes.events?.includes("payment.completed")) announce(c, paymentCompleted);
    const { data } = await c
      .get("db")
      .rpc("change_webhook", { webhook_id: c.req.valid("param").id, changes })
      .throwOnError();
    return c.json(webhook.parse(data), 200);
  },
);

webhooks.openapi(
  createRoute({
    ...shared,
    method: "delete",
    path: "/{id}",
    operationId: "webhooks.remove",
    permission: "webhooks.write",
    summary: "Delete a webhook",
    description: "Its deliveries are deleted too, and nothing more is sent.",
    request: { params: idParam },
    responses: noContent("It is deleted"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    await c.get("db").from("webhooks").delete().eq("id", id).select("id").single().throwOnError();
    return c.body(null, 204);
  },
);

webhooks.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/{id}/rotate-secret",
    operationId: "webhooks.rotateSecret",
    permission: "webhooks.write",
    once: true,
    secretFields: ["secret"],
    summary: "Rotate a webhook's secret",
    description:
      "The new secret is shown only in this response. The previous secret signs too for 24 hours; older secrets no longer sign. With an Idempotency-Key, a lost response can be requested again.",
    errors: { VALIDATION_ERROR: "for a short secret" },
    // The body is optional.
    request: { params: idParam, body: { ...body(rotation), required: false } },
    responses: answers(200, rotatedWebhook, "The registration, with its new secret"),
  }),
  async (c) => {
    const { id: webhook_id } = c.req.valid("param");
    const args = { webhook_id, ...c.req.valid("json") };
    const rotated = await withSecret(c, await perform(c, "rotate_webhook_secret", args));
    return c.json(rotatedWebhook.parse(rotated), 200);
  },
);

webhooks.route("/", deliveries);
