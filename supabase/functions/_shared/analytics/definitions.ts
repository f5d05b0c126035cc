import { z } from "@hono/zod-openapi";
import { answers } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { createRoute, createRoutes } from "../http/routes.ts";

/** What the figures mean. */
export const definitionRoutes = createRoutes();

const definition = z
  .object({
    name: z.string().openapi({ example: "revenue" }),
    unit: z.enum(["money", "number", "percent"]),
    reports: z.array(z.string()).openapi({
      description: "Where it stands: paths below /api/analytics/.",
      example: ["overview", "sales"],
    }),
    meaning: z.string(),
    formula: z.string(),
  })
  .openapi("FigureDefinition");

type Definition = z.infer<typeof definition>;

const SALES = ["overview", "sales", "revenue"];

/** Every figure of the answers, once. docs/analytics.md shows the same. */
export const definitions: Definition[] = [
  {
    name: "revenue",
    unit: "money",
    reports: [...SALES, "products/top"],
    meaning:
      "What items were ordered for, less what was cancelled and what came back, each on the day on which it happened (basis=booked) or on that of its order (basis=placed). Without delivery, and whether or not it is paid.",
    formula: "placed - cancelled - returned",
  },
  {
    name: "orders",
    unit: "number",
    reports: SALES,
    meaning: "Orders that were placed in the period, also those that were cancelled since.",
    formula: "count of orders placed",
  },
  {
    name: "average_order",
    unit: "money",
    reports: SALES,
    meaning: "What an order was worth when it was placed; null without orders.",
    formula: "placed / orders",
  },
  {
    name: "items",
    unit: "number",
    reports: ["sales", "revenue"],
    meaning: "Pieces that were ordered.",
    formula: "sum of quantities placed",
  },
  {
    name: "cancelled",
    unit: "money",
    reports: ["sales", "revenue"],
    meaning: "What the items were worth that were cancelled.",
    formula: "sum of price x pieces cancelled",
  },
  {
    name: "returned",
    unit: "money",
    reports: ["sales", "revenue"],
    meaning: "What the items were worth that came back.",
    formula: "sum of price x pieces returned",
  },
  {
    name: "delivery_amount",
    unit: "money",
    reports: ["overview", "sales"],
    meaning:
      "What delivery was ordered for, which revenue leaves out; null of a supplier's or a category's items.",
    formula: "delivery placed - delivery cancelled",
  },
  {
    name: "received",
    unit: "money",
    reports: ["overview", "sales"],
    meaning:
      "What was paid, on the day of the payment. It differs from revenue by what is paid later or never, by delivery, and by orders of before.",
    formula: "sum of payments that succeeded",
  },
  {
    name: "refunded",
    unit: "money",
    reports: ["overview", "sales"],
    meaning:
      "What was paid back, on the day of the refund, which need not be that of the cancellation or return.",
    formula: "sum of refunds",
  },
  {
    name: "change",
    unit: "percent",
    reports: ["overview", "revenue", "products/top"],
    meaning:
      "Against as many days just before, today up to the same time of day; null where there was nothing, or less than nothing, before.",
    formula: "100 x (now - before) / before",
  },
  {
    name: "growth_rate",
    unit: "percent",
    reports: ["sales"],
    meaning: "The change of revenue, as a number.",
    formula: "100 x (revenue - revenue before) / revenue before",
  },
  {
    name: "share",
    unit: "percent",
    reports: ["revenue"],
    meaning:
      "What part of the whole comes from there; by source, of what the operator itself earns.",
    formula: "100 x revenue of it / total",
  },
  {
    name: "sales_count",
    unit: "number",
    reports: ["products/top"],
    meaning: "Pieces of a product that were ordered, less those that were cancelled or came back.",
    formula: "items placed - items cancelled - items returned",
  },
  {
    name: "customers.total",
    unit: "number",
    reports: ["overview"],
    meaning: "Distinct customers who ordered in the period, in any currency.",
    formula: "count of distinct customers with an order placed",
  },
  {
    name: "customers.new",
    unit: "number",
    reports: ["overview"],
    meaning:
      "Those of them whose first order lies in the period; of a supplier the first order with it.",
    formula: "count of customers whose first order is in the period",
  },
  {
    name: "conversion_rate",
    unit: "percent",
    reports: ["overview"],
    meaning:
      "How many of the visitors ordered; null without visitors, and where the period begins more than 400 days ago. Orders that are imported, or placed by admins and clients, are no visitor's. Its change compares with whole days.",
    formula: "100 x distinct visitors who ordered / distinct visitors",
  },
  {
    name: "visitors",
    unit: "number",
    reports: ["funnel"],
    meaning:
      "Distinct visitors who did anything, without bots, members and whom the settings leave out. Each later stage (product_view, add_to_cart, checkout) implies those before it, and an order all of them.",
    formula: "count of distinct visitors who came at least so far",
  },
  {
    name: "conversion",
    unit: "percent",
    reports: ["funnel"],
    meaning: "How many of those who reached the stage before reached this one; 100 for the first.",
    formula: "100 x visitors of the stage / visitors of the stage before",
  },
  {
    name: "bots",
    unit: "number",
    reports: ["funnel"],
    meaning: "Visitors who are in no stage, since their programs call themselves bots.",
    formula: "count of distinct visitors who came as bots alone",
  },
  {
    name: "count",
    unit: "number",
    reports: ["customers/segments"],
    meaning: "Customers who meet the segment's criteria and none of those asked before it.",
    formula: "count of customers in the segment",
  },
  {
    name: "segments.revenue",
    unit: "money",
    reports: ["customers/segments"],
    meaning: "The revenue of the segment's customers within 365 days.",
    formula: "placed - cancelled - returned, within 365 days",
  },
  {
    name: "revenue_share",
    unit: "percent",
    reports: ["customers/segments"],
    meaning: "What part of the revenue of 365 days the segment's customers brought.",
    formula: "100 x revenue of the segment / revenue, within 365 days",
  },
  {
    name: "users",
    unit: "number",
    reports: ["cohorts"],
    meaning: "Customers whose first order was in the month.",
    formula: "count of customers by month of their first order",
  },
  {
    name: "retention",
    unit: "percent",
    reports: ["cohorts"],
    meaning: "How many of them ordered in that many months after; 100 for the month itself.",
    formula: "100 x customers who ordered in month k after / users",
  },
  {
    name: "cohorts.revenue",
    unit: "money",
    reports: ["cohorts"],
    meaning: "What each of them had brought by the end of the month, on average.",
    formula: "revenue of the cohort up to month k / users",
  },
];

definitionRoutes.openapi(
  createRoute({
    tags: ["Analytics"],
    middleware: authenticate,
    method: "get",
    path: "/",
    operationId: "analytics.definitions",
    roles: "everyone",
    summary: "List what the figures mean",
    description: "Of every figure what it means, in words and as a formula.",
    responses: answers(
      200,
      z.object({ definitions: z.array(definition) }).openapi("FigureDefinitions"),
      "The definitions",
    ),
  }),
  (c) => c.json({ definitions }, 200),
);
