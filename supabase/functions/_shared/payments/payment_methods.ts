import { answers } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { checkoutQuery } from "../marketplaces/schema.ts";
import { type ProviderName, providers, providersOf } from "./providers.ts";
import { offeredPayments } from "./schema.ts";

/** Routes below /payment-methods. */
export const paymentMethodRoutes = createRoutes();

paymentMethodRoutes.openapi(
  createRoute({
    tags: ["Marketplaces"],
    middleware: authenticate,
    method: "get",
    path: "/",
    operationId: "marketplaces.paymentMethods",
    visitors: true,
    permission: "everyone",
    summary: "List the payment methods of a marketplace",
    description: "payment_methods are names for orders. providers take payments of orders.",
    errors: { NOT_FOUND: true },
    request: { query: checkoutQuery },
    responses: answers(200, offeredPayments, "The methods, in the order of the settings"),
  }),
  async (c) => {
    const { data } = await c
      .get("db")
      .rpc("list_payment_methods", c.req.valid("query"))
      .throwOnError();
    const { tenant_id, payment_methods } = data as OfferedMethods;
    const offered = { payment_methods, providers: providersOf(tenant_id).map(shown) };
    return c.json(offeredPayments.parse(offered), 200);
  },
);

/** The payment methods as the database returns them. */
interface OfferedMethods {
  tenant_id: string;
  payment_methods: string[];
}

const shown = (provider: ProviderName) => ({
  provider,
  publishable_key: providers[provider].publishableKey?.(),
});
