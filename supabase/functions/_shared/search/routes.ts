import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { queryEmbedding } from "../embeddings/configured_provider.ts";
import { answers, body, idParam } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import type { Env } from "../http/env.ts";
import { ApiError } from "../http/errors.ts";
import { handOn } from "../http/hand_on.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import {
  productMatches,
  semanticQuery,
  semanticQuestion,
  similarQuery,
  topSales,
  topSalesQuery,
} from "./schema.ts";

/** Routes below /products: search by meaning, similar products and best sellers. */
export const searchOfProducts = createRoutes();

/** Routes below /semantic-search: the same search as its own edge function. */
export const semanticSearch = createRoutes();

const shared = { tags: ["Search"], middleware: authenticate };

const searchRoute = {
  ...shared,
  permission: "products.read" as const,
  summary: "Search products by meaning",
  description:
    "Searches by the words and by the meaning of the query. The score is the reciprocal rank fusion of both lists; a product that is first in both has 1. Without vectors on the server, only the words count.",
  responses: answers(200, productMatches, "The best matches, best first"),
};

/** Finds the best matches of a question by its words and its meaning. */
async function findByMeaning(c: Context<Env>, question: z.infer<typeof semanticQuery>) {
  const embedding = await queryEmbedding(question.query);
  return await handOn(c, "search_by_meaning", { ...question, embedding });
}

searchOfProducts.openapi(
  createRoute({
    ...searchRoute,
    method: "get",
    path: "/search/semantic",
    operationId: "search.semantic",
    visitors: true,
    request: { query: semanticQuery },
  }),
  (c) => findByMeaning(c, c.req.valid("query")),
);

semanticSearch.openapi(
  createRoute({
    ...searchRoute,
    method: "get",
    path: "/",
    operationId: "search.semantic.get",
    visitors: true,
    request: { query: semanticQuery },
  }),
  (c) => findByMeaning(c, c.req.valid("query")),
);

semanticSearch.openapi(
  createRoute({
    ...searchRoute,
    method: "post",
    path: "/",
    operationId: "search.semantic.post",
    visitors: true,
    request: { body: body(semanticQuestion) },
  }),
  (c) => findByMeaning(c, c.req.valid("json")),
);

searchOfProducts.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/top-sales",
    operationId: "products.topSales",
    visitors: true,
    permission: "products.read",
    summary: "List best-selling products",
    description:
      "The active products with most pieces sold in the last days. Cancelled and returned orders do not count, nor do returned pieces of other orders. Promoted products come first.",
    request: { query: topSalesQuery },
    responses: answers(200, topSales, "The products, best-selling first"),
  }),
  (c) => handOn(c, "top_sales", c.req.valid("query")),
);

searchOfProducts.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}/similar",
    operationId: "products.similar",
    visitors: true,
    permission: "products.read",
    summary: "List similar products",
    description:
      "Alternatives to a product on its marketplace: active products in stock, sorted by similar meaning, then by similar name, category and price. Promoted products of its category come first.",
    request: { params: idParam, query: similarQuery },
    responses: answers(200, productMatches, "The similar products, most similar first"),
  }),
  async (c) => {
    const args = { product_id: c.req.valid("param").id, ...c.req.valid("query") };
    const { data } = await c.get("db").rpc("similar_products", args).throwOnError();
    if (data === null) throw new ApiError("NOT_FOUND");
    return c.json(productMatches.parse(data), 200);
  },
);
