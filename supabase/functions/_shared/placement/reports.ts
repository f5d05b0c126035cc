import { z } from "@hono/zod-openapi";
import { answers } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { days } from "../values/times.ts";
import { sums } from "./statistics_schema.ts";

/** The revenue of placement. */
export const placementReports = createRoutes();

const currency = z.string();
const revenue = z.number().openapi({ description: "Charges minus refunds." });

const placementReport = z
  .object({
    from: z.string(),
    to: z.string(),
    totals: z.array(
      z.object({
        currency,
        revenue,
        campaigns: z.number().int().openapi({ description: "Number of campaigns with activity." }),
        cost_per_click: z.number().nullable(),
        cost_per_campaign: z.number().nullable(),
        ...sums,
      }),
    ),
    categories: z.array(
      z.object({
        category_id: z.guid().nullable(),
        name: z.string().nullable(),
        currency,
        revenue,
        impressions: z.number().int(),
        clicks: z.number().int(),
        active_campaigns: z.number().int().openapi({ description: "Now." }),
        contenders: z.number().int().openapi({
          description: "Number of campaigns that may win a slot now, in any currency.",
        }),
        max_slots: z.number().int(),
        competition: z.number().openapi({ description: "Contenders per slot." }),
      }),
    ),
    suppliers: z.array(
      z.object({
        supplier_id: z
          .guid()
          .nullable()
          .openapi({ description: "Null for the operator's own campaigns." }),
        name: z.string().nullable(),
        currency,
        campaigns: z.number().int(),
        ...sums,
      }),
    ),
    daily: z.array(
      z.object({
        date: z.string(),
        currency,
        revenue,
        impressions: z.number().int(),
        clicks: z.number().int(),
        sales_count: z.number().int(),
        sales_amount: z.number(),
      }),
    ),
  })
  .openapi("PlacementReport");

placementReports.openapi(
  createRoute({
    tags: ["Placement"],
    middleware: authenticate,
    method: "get",
    path: "/",
    operationId: "placement.report",
    permission: "placement_revenue.read",
    summary: "Get the revenue of placement",
    description:
      "In total, by category with its competition, by supplier and by day, for each currency. Default: the last 30 days.",
    request: { query: z.object(days) },
    responses: answers(200, placementReport, "The report"),
  }),
  async (c) => {
    const { data } = await c.get("db").rpc("placement_report", c.req.valid("query")).throwOnError();
    return c.json(placementReport.parse(data), 200);
  },
);
