import { answers } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { deliveryMethods, deliveryQuery } from "./schema.ts";

/** Routes below /delivery-methods. */
export const deliveryMethodRoutes = createRoutes();

deliveryMethodRoutes.openapi(
  createRoute({
    tags: ["Marketplaces"],
    middleware: authenticate,
    method: "get",
    path: "/",
    operationId: "marketplaces.deliveryMethods",
    visitors: true,
    permission: "everyone",
    summary: "List the delivery methods of a marketplace",
    description: "With country and weight_grams: those that deliver there, and what they cost.",
    errors: { NOT_FOUND: true },
    request: { query: deliveryQuery },
    responses: answers(200, deliveryMethods, "The methods, in the order of the settings"),
  }),
  async (c) => {
    const { data } = await c
      .get("db")
      .rpc("list_delivery_methods", c.req.valid("query"))
      .throwOnError();
    return c.json(deliveryMethods.parse(data), 200);
  },
);
