import { z } from "@hono/zod-openapi";
import { answers, body, idParam } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { listQuery, pageOf, readPage } from "../http/page.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { blamedAsSent, inSnakeCase } from "./camel_case.ts";
import { campaign, campaignChanges, campaignStatus, newCampaign, review } from "./schema.ts";

export const campaigns = createRoutes();

const shared = { tags: ["Placement"], middleware: authenticate };

const campaignsPage = pageOf("campaigns", campaign);

campaigns.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "campaigns.list",
    permission: "campaigns.read",
    summary: "List campaigns",
    request: {
      query: listQuery(["created_at", "updated_at", "start_date", "end_date", "bid_amount"]).extend(
        {
          status: campaignStatus.optional(),
          category_id: z.guid().optional(),
          product_id: z.guid().optional(),
          supplier_id: z.guid().optional(),
        },
      ),
    },
    responses: answers(
      200,
      campaignsPage,
      "The campaigns the caller may see: all for admins and clients, a supplier's own, none for customers",
    ),
  }),
  async (c) => {
    const { status, category_id, product_id, supplier_id, ...list } = c.req.valid("query");
    let all = c.get("db").from("campaigns").select("*", { count: "exact" });
    for (const [column, value] of Object.entries({ status, category_id, product_id, supplier_id }))
      if (value !== undefined) all = all.eq(column, value);
    // Amounts in several currencies are not compared.
    if (list.sort === "bid_amount") all = all.order("currency");
    return c.json(await readPage(campaignsPage, all, list), 200);
  },
);

campaigns.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/",
    operationId: "campaigns.create",
    permission: "campaigns.write",
    once: true,
    summary: "Promote a product",
    description:
      "Suppliers: their own products only. It runs at once or from its start. Campaigns of unverified suppliers wait for review.",
    errors: {
      NOT_FOUND: "for an unknown product or category",
      CONFLICT: "if the product has another campaign in the category at that time",
      VALIDATION_ERROR: "for values that the category or the pricing model does not allow",
    },
    request: { body: body(newCampaign) },
    responses: answers(201, campaign, "The new campaign"),
  }),
  async (c) => {
    const input = inSnakeCase(c.req.valid("json"));
    const made = await blamedAsSent(perform(c, "create_campaign", input));
    return c.json(campaign.parse(made), 201, {
      Location: `/functions/v1/api/v1/top-placement/campaigns/${made.id}`,
    });
  },
);

campaigns.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}",
    operationId: "campaigns.get",
    permission: "campaigns.read",
    summary: "Get a campaign",
    request: { params: idParam },
    responses: answers(200, campaign, "The campaign"),
  }),
  async (c) => {
    const { data } = await c
      .get("db")
      .from("campaigns")
      .select()
      .eq("id", c.req.valid("param").id)
      .single()
      .throwOnError();
    return c.json(campaign.parse(data), 200);
  },
);

campaigns.openapi(
  createRoute({
    ...shared,
    method: "patch",
    path: "/{id}",
    operationId: "campaigns.update",
    permission: "campaigns.write",
    summary: "Pause, resume or cancel a campaign, or change its bids and budget",
    description:
      "Suppliers: their own campaigns only. Fields that are not sent stay as they are. Raising a used-up budget resumes the campaign.",
    errors: { INVALID_TRANSITION: "also for every change of an ended campaign" },
    request: { params: idParam, body: body(campaignChanges) },
    responses: answers(200, campaign, "The changed campaign"),
  }),
  async (c) => {
    const { data } = await blamedAsSent(
      c
        .get("db")
        .rpc("change_campaign", {
          campaign_id: c.req.valid("param").id,
          changes: inSnakeCase(c.req.valid("json")),
        })
        .throwOnError(),
    );
    return c.json(campaign.parse(data), 200);
  },
);

const reviewed = {
  ...shared,
  method: "post",
  // The body is optional.
  request: { params: idParam, body: { ...body(review), required: false } },
  responses: answers(200, campaign, "The reviewed campaign"),
} as const;

campaigns.openapi(
  createRoute({
    ...reviewed,
    path: "/{id}/approve",
    operationId: "campaigns.approve",
    permission: "campaigns.review",
    once: true,
    summary: "Approve a campaign",
    description:
      "It runs from its start or, if that has passed, from now until its end, and pays for these days. A campaign whose end has passed is completed.",
    errors: { INVALID_TRANSITION: "unless the campaign waits for review" },
  }),
  async (c) => {
    const { id: campaign_id } = c.req.valid("param");
    const made = await perform(c, "approve_campaign", { campaign_id, ...c.req.valid("json") });
    return c.json(campaign.parse(made), 200);
  },
);

campaigns.openapi(
  createRoute({
    ...reviewed,
    path: "/{id}/reject",
    operationId: "campaigns.reject",
    permission: "campaigns.review",
    summary: "Reject a campaign",
    description: "The note tells the supplier why.",
    errors: { INVALID_TRANSITION: "unless the campaign waits for review" },
  }),
  async (c) => {
    const { id: campaign_id } = c.req.valid("param");
    const args = { campaign_id, ...c.req.valid("json") };
    const { data: made } = await c.get("db").rpc("reject_campaign", args).throwOnError();
    return c.json(campaign.parse(made), 200);
  },
);
