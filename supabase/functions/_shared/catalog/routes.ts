import { createRoute } from "@hono/zod-openapi";
import { answers, body, idParam } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { createRoutes } from "../http/door.ts";
import { newProduct, product, productList, productQuery } from "./schema.ts";

export const products = createRoutes();

const shared = { tags: ["Products"], middleware: authenticate };

products.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    summary: "List and search products",
    request: { query: productQuery },
    responses: answers(200, productList, "A page of products, and filters over the whole result"),
  }),
  async (c) => {
    const query = c.req.valid("query");
    const { data } = await c.get("db").rpc("list_products", query).throwOnError();
    return c.json(productList.parse({ ...data, page: query.page, limit: query.limit }), 200);
  },
);

products.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/",
    summary: "List a product for sale",
    description: "For suppliers, and admins. Errors: CONFLICT, when a variant's sku is taken.",
    request: { body: body(newProduct) },
    responses: answers(201, product, "The new product"),
  }),
  async (c) => {
    const { data } = await c.get("db").rpc("create_product", c.req.valid("json")).throwOnError();
    return c.json(product.parse(data), 201, { Location: `/functions/v1/products/${data.id}` });
  },
);

products.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}",
    summary: "Get a product",
    request: { params: idParam },
    responses: answers(200, product, "The product"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { data } = await c
      .get("db")
      .from("product_details")
      .select()
      .eq("id", id)
      .neq("status", "discontinued")
      .single()
      .throwOnError();
    return c.json(product.parse(data), 200);
  },
);
