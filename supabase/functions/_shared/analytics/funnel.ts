import { z } from "@hono/zod-openapi";
import { answers } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { funnel, periodQuery, scopeQuery } from "./schema.ts";

/** How far visitors come. */
export const funnelRoutes = createRoutes();

funnelRoutes.openapi(
  createRoute({
    tags: ["Analytics"],
    middleware: authenticate,
    method: "get",
    path: "/",
    operationId: "analytics.funnel",
    roles: ["admin", "client", "supplier"],
    summary: "Get the funnel",
    description:
      "How many distinct visitors came as far as each stage; a later one implies those before it, and an order all of them. Suppliers see that of their own products. At most 400 days, of the last 400. Errors: FORBIDDEN, NOT_FOUND, VALIDATION_ERROR.",
    request: { query: z.object({ ...periodQuery, ...scopeQuery }) },
    responses: answers(200, funnel, "The stages, in their sequence"),
  }),
  async (c) => {
    const { data } = await c.get("db").rpc("analytics_funnel", c.req.valid("query")).throwOnError();
    return c.json(funnel.parse(data), 200);
  },
);
