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

/** Below /products: what is found by meaning, what is like a product, and what sells best. */
export const searchOfProducts = createRoutes();

/** Below /semantic-search: the same search, as an edge function of its own. */
export const semanticSearch = createRoutes();

const shared = { tags: ["Search"], middleware: authenticate };

const filters = {
  ...shared,
  roles: "everyone" as const,
  summary: "Search products by meaning",
  description:
    "By the words of the query and by what it means: how high a product stands in either list, the two joined by reciprocal rank fusion, is its score, 1 for what is first in both. Where the server keeps no vectors it goes by the words alone.",
  responses: answers(200, productMatches, "What fits best, the best first"),
};

/** What fits a question best, by the words and the meaning of it. */
async function findByMeaning(c: Context<Env>, question: z.infer<typeof semanticQuery>) {
  const embedding = await queryEmbedding(question.query);
  return await handOn(c, "search_by_meaning", { ...question, embedding });
}

searchOfProducts.openapi(
  createRoute({
    ...filters,
    method: "get",
    path: "/search/semantic",
    operationId: "search.semantic",
    request: { query: semanticQuery },
  }),
  (c) => findByMeaning(c, c.req.valid("query")),
);

semanticSearch.openapi(
  createRoute({
    ...filters,
    method: "get",
    path: "/",
    operationId: "search.semantic.get",
    request: { query: semanticQuery },
  }),
  (c) => findByMeaning(c, c.req.valid("query")),
);

semanticSearch.openapi(
  createRoute({
    ...filters,
    method: "post",
    path: "/",
    operationId: "search.semantic.post",
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
    roles: "everyone",
    summary: "List what sells best",
    description:
      "The products for sale of which most pieces were sold in the last days. Orders that were cancelled or returned count for nothing, nor does what came back of others. What is promoted comes before them.",
    request: { query: topSalesQuery },
    responses: answers(200, topSales, "What sold best, the best first"),
  }),
  (c) => handOn(c, "top_sales", c.req.valid("query")),
);

searchOfProducts.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}/similar",
    operationId: "products.similar",
    roles: "everyone",
    summary: "List what is like a product",
    description:
      "What one could buy in its place on its marketplace: active products in stock, nearest in meaning first, then those alike in name, category and price; before them what is promoted in its category.",
    request: { params: idParam, query: similarQuery },
    responses: answers(200, productMatches, "What is most like it, the likest first"),
  }),
  async (c) => {
    const args = { product_id: c.req.valid("param").id, ...c.req.valid("query") };
    const { data } = await c.get("db").rpc("similar_products", args).throwOnError();
    if (data === null) throw new ApiError("NOT_FOUND");
    return c.json(productMatches.parse(data), 200);
  },
);
