import { z } from "@hono/zod-openapi";
import { answers } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { callPage } from "../http/page.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import {
  cohorts,
  cohortsQuery,
  segmentCustomers,
  segmentCustomersQuery,
  segments,
  segmentsQuery,
} from "./report_schema.ts";

/** Segments and cohorts. Suppliers see their own buyers. */
export const customerRoutes = createRoutes();

const shared = {
  tags: ["Analytics"],
  middleware: authenticate,
  method: "get" as const,
  permission: "analytics.read" as const,
};

customerRoutes.openapi(
  createRoute({
    ...shared,
    path: "/customers/segments",
    operationId: "analytics.segments",
    summary: "List the segments",
    description: "Every customer is in exactly one segment; guests without orders are in none.",
    errors: { NOT_FOUND: true },
    request: { query: segmentsQuery },
    responses: answers(200, segments, "The segments"),
  }),
  async (c) => {
    const { data } = await c
      .get("db")
      .rpc("analytics_segments", c.req.valid("query"))
      .throwOnError();
    return c.json(segments.parse(data), 200);
  },
);

customerRoutes.openapi(
  createRoute({
    ...shared,
    path: "/customers/segments/{name}",
    operationId: "analytics.segmentCustomers",
    summary: "List the customers of a segment",
    description: "Sorted by revenue within 365 days, highest first.",
    request: {
      params: z.object({ name: z.string().openapi({ example: "vip" }) }),
      query: segmentCustomersQuery,
    },
    responses: answers(200, segmentCustomers, "A page of customers"),
  }),
  async (c) => {
    const input = { ...c.req.valid("query"), segment: c.req.valid("param").name };
    return c.json(
      await callPage(
        segmentCustomers,
        c.get("db").rpc("analytics_segment_customers", input),
        input,
      ),
      200,
    );
  },
);

customerRoutes.openapi(
  createRoute({
    ...shared,
    path: "/cohorts",
    operationId: "analytics.cohorts",
    summary: "List the cohorts",
    description:
      "Customers by the month of their first order, and how many come back or their revenue, month by month.",
    errors: { NOT_FOUND: true },
    request: { query: cohortsQuery },
    responses: answers(200, cohorts, "The cohorts, the earliest first"),
  }),
  async (c) => {
    const { data } = await c
      .get("db")
      .rpc("analytics_cohorts", c.req.valid("query"))
      .throwOnError();
    return c.json(cohorts.parse(data), 200);
  },
);
