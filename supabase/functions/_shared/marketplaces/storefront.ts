import { answers } from "../http/answers.ts";
import { databaseAsAnon } from "../http/authenticate.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { storefront, storefrontQuery } from "./schema.ts";

/** The first request of a shop, before it has a token. */
export const storefronts = createRoutes();

/** Time for which the response may be cached, in seconds. */
const CACHED_S = 60;

storefronts.openapi(
  createRoute({
    tags: ["Marketplaces"],
    method: "get",
    path: "/",
    operationId: "marketplaces.storefront",
    security: [],
    beginsVisits: true,
    summary: "Get the public data of an active marketplace",
    description: `The response may be cached for ${CACHED_S} seconds.`,
    errors: { NOT_FOUND: true },
    request: { query: storefrontQuery },
    responses: answers(200, storefront, "The public data of the marketplace"),
  }),
  async (c) => {
    const { data } = await databaseAsAnon(c.get("signal"))
      .rpc("storefront", c.req.valid("query"))
      .throwOnError();
    return c.json(storefront.parse(data), 200, { "Cache-Control": `public, max-age=${CACHED_S}` });
  },
);
