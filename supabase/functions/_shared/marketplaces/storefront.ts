import { answers } from "../http/answers.ts";
import { databaseAsAnybody } from "../http/authenticate.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { storefront, storefrontQuery } from "./schema.ts";

/** What a shop's first request asks, when there is no token yet. */
export const storefronts = createRoutes();

const CACHED_S = 60;

storefronts.openapi(
  createRoute({
    tags: ["Marketplaces"],
    method: "get",
    path: "/",
    operationId: "marketplaces.storefront",
    security: [],
    summary: "What a marketplace shows to everybody",
    description: `Of an active one. It may be kept for ${CACHED_S} seconds. Errors: NOT_FOUND.`,
    request: { query: storefrontQuery },
    responses: answers(200, storefront, "The public face of the marketplace"),
  }),
  async (c) => {
    const { data } = await databaseAsAnybody(c.get("signal"))
      .rpc("storefront", c.req.valid("query"))
      .throwOnError();
    return c.json(storefront.parse(data), 200, { "Cache-Control": `public, max-age=${CACHED_S}` });
  },
);
