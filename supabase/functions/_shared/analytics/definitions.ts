import { z } from "@hono/zod-openapi";
import { answers } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { createRoute, createRoutes } from "../http/routes.ts";

/** The definitions of the figures. */
export const definitionRoutes = createRoutes();

const definition = z
  .object({
    name: z.string().openapi({ example: "revenue" }),
    unit: z.enum(["money", "number", "percent"]),
    reports: z.array(z.string()).openapi({
      description: "The paths below /api/analytics/ that return it.",
      example: ["overview", "sales"],
    }),
    meaning: z.string(),
    formula: z.string(),
  })
  .openapi("FigureDefinition");

type Definition = z.infer<typeof definition>;

const SALES = ["overview", "sales", "revenue"];

/** Every figure of the answers. docs/analytics.md has the same table. */
export const definitions: Definition[] = [
  {
    name: "revenue",
    unit: "money",
    reports: [...SALES, "products/top"],
    meaning:
      "The value of items ordered, minus items cancelled and items returned. Each counts on the day on which it happened (basis=booked) or on the day of its order (basis=placed). Delivery is left out. Orders that are not paid count too: `received` is what was paid.",
    formula: "placed - cancelled - returned",
  },
  {
    name: "net_revenue",
    unit: "money",
    reports: SALES,
    meaning: "The revenue without tax.",
    formula: "revenue - tax",
  },
  {
    name: "tax",
    unit: "money",
    reports: SALES,
    meaning: "The tax of items ordered, minus that of items cancelled and returned.",
    formula: "tax of placed - tax of cancelled - tax of returned",
  },
  {
    name: "orders",
    unit: "number",
    reports: SALES,
    meaning: "Orders placed in the period, including those that were cancelled later.",
    formula: "count of orders placed",
  },
  {
    name: "average_order",
    unit: "money",
    reports: SALES,
    meaning:
      "The average value of an order when it was placed, without delivery; null without orders.",
    formula: "placed / orders",
  },
  {
    name: "items",
    unit: "number",
    reports: ["sales", "revenue"],
    meaning: "Pieces ordered.",
    formula: "sum of quantities placed",
  },
  {
    name: "cancelled",
    unit: "money",
    reports: ["sales", "revenue"],
    meaning: "The value of items that were cancelled.",
    formula: "sum of price x pieces cancelled",
  },
  {
    name: "returned",
    unit: "money",
    reports: ["sales", "revenue"],
    meaning: "The value of items that came back or were lost.",
    formula: "sum of price x (pieces returned + pieces lost)",
  },
  {
    name: "delivery_amount",
    unit: "money",
    reports: ["overview", "sales"],
    meaning: "The price of delivery, which revenue leaves out; null for a supplier or a category.",
    formula: "delivery placed - delivery cancelled",
  },
  {
    name: "received",
    unit: "money",
    reports: ["overview", "sales"],
    meaning:
      "Payments received, on the day of the payment, less payments that were reversed, on the day of the reversal. It differs from revenue: it includes delivery and payments for earlier orders, and leaves out what is paid later or never. Null for a supplier or a category.",
    formula: "sum of payments that succeeded - sum of payments that were reversed",
  },
  {
    name: "refunded",
    unit: "money",
    reports: ["overview", "sales"],
    meaning:
      "Payments given back, on the day of the refund, less refunds that failed, on the day of the failure. That may be another day than the cancellation or return. Null for a supplier or a category.",
    formula: "sum of refunds - sum of refunds that failed",
  },
  {
    name: "change",
    unit: "percent",
    reports: ["overview", "revenue", "products/top"],
    meaning:
      "The change against the same number of days just before, up to the same time of day if the period includes today; null where the earlier value was zero or negative.",
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
      "The part of the total that this row brings; by source, the part of what the operator itself earns.",
    formula: "100 x revenue of it / total",
  },
  {
    name: "sales_count",
    unit: "number",
    reports: ["products/top"],
    meaning: "Pieces of a product ordered, minus pieces cancelled, returned and lost.",
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
      "Customers of the period whose first order lies in it; for a supplier, the first order with it.",
    formula: "count of customers whose first order is in the period",
  },
  {
    name: "conversion_rate",
    unit: "percent",
    reports: ["overview"],
    meaning:
      "The part of the visitors who ordered; null without visitors, and where the period begins more than 400 days ago. Imported orders and orders that admins and clients place do not count. Its change compares whole days.",
    formula: "100 x distinct visitors who ordered / distinct visitors",
  },
  {
    name: "visitors",
    unit: "number",
    reports: ["funnel"],
    meaning:
      "Distinct visitors, without bots, members and visitors that the settings ignore. A later stage (product_view, add_to_cart, checkout) implies the earlier ones, and an order implies all of them.",
    formula: "count of distinct visitors who reached the stage",
  },
  {
    name: "conversion",
    unit: "percent",
    reports: ["funnel"],
    meaning:
      "The part of the visitors of the stage before who reached this one; 100 for the first stage.",
    formula: "100 x visitors of the stage / visitors of the stage before",
  },
  {
    name: "bots",
    unit: "number",
    reports: ["funnel"],
    meaning: "Visitors whose programs declare themselves bots. They are in no stage.",
    formula: "count of distinct visitors who came as bots alone",
  },
  {
    name: "count",
    unit: "number",
    reports: ["customers/segments"],
    meaning: "Customers who meet the segment's criteria and those of no earlier segment.",
    formula: "count of customers in the segment",
  },
  {
    name: "segments.revenue",
    unit: "money",
    reports: ["customers/segments"],
    meaning: "The revenue from the segment's customers within 365 days.",
    formula: "placed - cancelled - returned, within 365 days",
  },
  {
    name: "revenue_share",
    unit: "percent",
    reports: ["customers/segments"],
    meaning: "The part of the revenue within 365 days that comes from the segment's customers.",
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
    meaning:
      "The part of the cohort that ordered in the k-th month after its first order; 100 for the first month.",
    formula: "100 x customers who ordered in month k after / users",
  },
  {
    name: "cohorts.revenue",
    unit: "money",
    reports: ["cohorts"],
    meaning: "The revenue per customer of the cohort up to the end of the k-th month.",
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
    permission: "everyone",
    summary: "List the definitions of the figures",
    description: "The meaning of every figure, in words and as a formula.",
    responses: answers(
      200,
      z.object({ definitions: z.array(definition) }).openapi("FigureDefinitions"),
      "The definitions",
    ),
  }),
  (c) => c.json({ definitions }, 200),
);
