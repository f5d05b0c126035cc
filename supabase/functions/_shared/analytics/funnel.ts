import { z } from "@hono/zod-openapi";
import { answers } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { funnel, periodQuery, scopeQuery } from "./schema.ts";

/** The funnel of visitors. */
export const funnelRoutes = createRoutes();

funnelRoutes.openapi(
  createRoute({
    tags: ["Analytics"],
    middleware: authenticate,
    method: "get",
    path: "/",
    operationId: "analytics.funnel",
    permission: "analytics.read",
    summary: "Get the funnel",
    description:
      "The number of distinct visitors who reached each stage. A later stage implies the earlier ones, and an order implies all of them. Suppliers see the visitors of their own products. At most 400 days, within the last 400.",
    errors: { NOT_FOUND: true },
    request: { query: z.object({ ...periodQuery, ...scopeQuery }) },
    responses: answers(200, funnel, "The stages, in their order"),
  }),
  async (c) => {
    const { data } = await c.get("db").rpc("analytics_funnel", c.req.valid("query")).throwOnError();
    return c.json(funnel.parse(data), 200);
  },
);
