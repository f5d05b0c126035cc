import { z } from "@hono/zod-openapi";
import { answers, body, idParam } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { pageFields } from "../http/page.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { days } from "../values/times.ts";
import {
  campaignStatistics,
  chargeQuery,
  placementCharge,
  refund,
  refunded,
} from "./statistics_schema.ts";

/** Routes below /campaigns: statistics and charges of a campaign. */
export const statistics = createRoutes();

const shared = { tags: ["Placement"], middleware: authenticate };

statistics.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}/stats",
    operationId: "campaigns.stats",
    permission: "campaigns.read",
    summary: "Get a campaign's statistics",
    description:
      "Suppliers: their own campaigns only. A sale belongs to the visitor's last click on the product within the 7 days before it, and counts on the day of the order. Cancelled and returned items do not count.",
    request: { params: idParam, query: z.object(days) },
    responses: answers(200, campaignStatistics, "The sums and each day's counts"),
  }),
  async (c) => {
    const args = { campaign_id: c.req.valid("param").id, ...c.req.valid("query") };
    const { data } = await c.get("db").rpc("campaign_report", args).throwOnError();
    return c.json(campaignStatistics.parse(data), 200);
  },
);

statistics.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}/charges",
    operationId: "campaigns.charges",
    permission: "campaigns.read",
    summary: "List a campaign's charges",
    description: "Suppliers: their own campaigns only. The charges of a day add up to its spend.",
    request: { params: idParam, query: chargeQuery },
    responses: answers(
      200,
      z.object({ charges: z.array(placementCharge), ...pageFields }),
      "A page of the charges, newest first",
    ),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { page, limit, order, kind, from, to } = c.req.valid("query");
    // Campaign and charges come in one request, so an unknown id is NOT_FOUND, not an empty list.
    let query = c
      .get("db")
      .from("campaigns")
      .select("id, charges:placement_charges(*), counted:placement_charges(count)")
      .eq("id", id);
    for (const part of ["charges", "counted"]) {
      if (kind) query = query.eq(`${part}.kind`, kind);
      if (from) query = query.gte(`${part}.date`, from);
      if (to) query = query.lte(`${part}.date`, to);
    }
    const { data } = await query
      .order("created_at", { referencedTable: "charges", ascending: order === "asc" })
      .order("id", { referencedTable: "charges" })
      .range((page - 1) * limit, page * limit - 1, { referencedTable: "charges" })
      .single()
      .throwOnError();
    const { charges, counted } = data;
    return c.json(
      {
        charges: z.array(placementCharge).parse(charges),
        total: counted[0]?.count ?? 0,
        page,
        limit,
      },
      200,
    );
  },
);

statistics.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/{id}/refunds",
    operationId: "campaigns.refund",
    permission: "campaigns.refund",
    once: true,
    summary: "Refund invalid clicks",
    description:
      "The clicks of a visitor, or the clicks with these ids, no longer count. Their charges are refunded on the day of the charge, each only once.",
    errors: { NOT_FOUND: "also for a click of another campaign" },
    request: { params: idParam, body: body(refund) },
    responses: answers(200, refunded, "The number of clicks and refunds"),
  }),
  async (c) => {
    const args = { campaign_id: c.req.valid("param").id, ...c.req.valid("json") };
    const result = await perform(c, "refund_placement_clicks", args);
    return c.json(refunded.parse(result), 200);
  },
);
