import { z } from "@hono/zod-openapi";
import { eventError } from "../http/batches.ts";
import { updatedAt } from "../http/if_match.ts";
import { visible } from "../values/names.ts";

const title = z.string().min(1).max(200).openapi({ example: "Sales by day" });
const type = z.enum(["metric", "line", "bar", "table", "funnel", "cohort"]);

const widget = z
  .object({
    type,
    title,
    query: z.string().min(1).max(1000).openapi({
      description:
        "A path below /api/analytics/ with its parameters: overview, sales, revenue, products/top, customers/segments, funnel or cohorts. It is run once when it is saved.",
      example: "/api/analytics/sales?period=30d&group_by=day",
    }),
  })
  .openapi("Widget");

export const newDashboard = z
  .object({
    name: visible(200).openapi({ example: "This month" }),
    widgets: z.array(widget).max(20),
  })
  .openapi("NewDashboard");

export const dashboardChanges = newDashboard
  .extend({ updated_at: updatedAt.optional() })
  .openapi("DashboardChanges");

export const dashboard = z
  .object({
    id: z.guid(),
    supplier_id: z.guid().nullable().openapi({
      description: "The supplier whose members share it; null for the tenant's admins and clients.",
    }),
    name: z.string(),
    widgets: z.array(widget),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("Dashboard");

export const dashboardList = z
  .object({ dashboards: z.array(dashboard).openapi({ description: "The oldest first." }) })
  .openapi("DashboardList");

/** The responses to the queries of widgets. */
const FIGURES = [
  "Overview",
  "SalesReport",
  "RevenueReport",
  "TopProducts",
  "CustomerSegments",
  "Funnel",
  "Cohorts",
];

/** The database has shaped it, so it is passed on as it is. */
const figures = z
  .unknown()
  .refine((answer) => answer !== undefined)
  .openapi({
    description: "The response of the query; null if it is refused.",
    anyOf: [
      ...FIGURES.map((name) => ({ $ref: `#/components/schemas/${name}` })),
      { type: "null" as const },
    ],
  });

export const dashboardAnswer = z
  .object({
    widgets: z.array(
      z.object({
        title,
        type,
        data: figures,
        error: eventError
          .optional()
          .openapi({ description: "The reason, if the query is refused." }),
      }),
    ),
  })
  .openapi("DashboardAnswer");
