import { z } from "@hono/zod-openapi";
import { eventError } from "../http/batches.ts";
import { visible } from "../http/names.ts";

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

export const dashboardAnswer = z
  .object({
    widgets: z.array(
      z.object({
        title,
        type,
        data: z
          .record(z.string(), z.unknown())
          .nullable()
          .openapi({ description: "The response of the query; null if it is refused." }),
        error: eventError
          .optional()
          .openapi({ description: "The reason, if the query is refused." }),
      }),
    ),
  })
  .openapi("DashboardAnswer");
