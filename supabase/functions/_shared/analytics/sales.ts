import { answers } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import {
  overview,
  overviewQuery,
  revenueReport,
  revenueReportQuery,
  salesReport,
  salesReportQuery,
  topProducts,
  topProductsQuery,
} from "./report_schema.ts";

/** Reports of sales. Suppliers see their own sales. */
export const salesRoutes = createRoutes();

const shared = {
  tags: ["Analytics"],
  middleware: authenticate,
  method: "get" as const,
  permission: "analytics.read" as const,
};

salesRoutes.openapi(
  createRoute({
    ...shared,
    path: "/overview",
    operationId: "analytics.overview",
    summary: "Get the overview",
    description:
      "Revenue, orders, customers and conversion of a period, compared with the same number of days just before.",
    errors: { NOT_FOUND: true },
    request: { query: overviewQuery },
    responses: answers(200, overview, "The overview"),
  }),
  async (c) => {
    const { data } = await c
      .get("db")
      .rpc("analytics_overview", c.req.valid("query"))
      .throwOnError();
    return c.json(overview.parse(data), 200);
  },
);

salesRoutes.openapi(
  createRoute({
    ...shared,
    path: "/sales",
    operationId: "analytics.sales",
    summary: "Get sales by time",
    description: "A row for every step of the period, including empty ones, and the sum.",
    errors: { NOT_FOUND: true },
    request: { query: salesReportQuery },
    responses: answers(200, salesReport, "The sales"),
  }),
  async (c) => {
    const { data } = await c.get("db").rpc("analytics_sales", c.req.valid("query")).throwOnError();
    return c.json(salesReport.parse(data), 200);
  },
);

salesRoutes.openapi(
  createRoute({
    ...shared,
    path: "/revenue",
    operationId: "analytics.revenue",
    summary: "Get revenue by origin",
    description: "Revenue by time, and by marketplace, category, supplier, product or source.",
    errors: { NOT_FOUND: true },
    request: { query: revenueReportQuery },
    responses: answers(200, revenueReport, "The revenue"),
  }),
  async (c) => {
    const { data } = await c
      .get("db")
      .rpc("analytics_revenue", c.req.valid("query"))
      .throwOnError();
    return c.json(revenueReport.parse(data), 200);
  },
);

salesRoutes.openapi(
  createRoute({
    ...shared,
    path: "/products/top",
    operationId: "analytics.topProducts",
    summary: "List the best-selling products",
    description: "By revenue, or by pieces minus cancelled and returned ones.",
    errors: { NOT_FOUND: true },
    request: { query: topProductsQuery },
    responses: answers(200, topProducts, "The products, the best first"),
  }),
  async (c) => {
    const { data } = await c
      .get("db")
      .rpc("analytics_top_products", c.req.valid("query"))
      .throwOnError();
    return c.json(topProducts.parse(data), 200);
  },
);
