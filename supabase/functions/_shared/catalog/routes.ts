import { z } from "@hono/zod-openapi";
import { answers, body, idParam, noContent } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { ApiError } from "../http/errors.ts";
import { handOn } from "../http/hand_on.ts";
import { asRead, ifMatch, tagOf } from "../http/if_match.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import {
  newProduct,
  oneProductQuery,
  product,
  productChanges,
  productFound,
  productList,
  productParam,
  productQuery,
} from "./schema.ts";

export const products = createRoutes();

const shared = { tags: ["Products"], middleware: authenticate };

const isId = (word: string): boolean => z.guid().safeParse(word).success;

products.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "products.list",
    visitors: true,
    permission: "products.read",
    summary: "List and search products",
    request: { query: productQuery },
    responses: answers(200, productList, "A page of products, with filters for the whole result"),
  }),
  (c) => handOn(c, "list_products", c.req.valid("query")),
);

products.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/",
    operationId: "products.create",
    permission: "products.write",
    once: true,
    summary: "List a product for sale",
    description: "Its attributes must be those that its category requires.",
    errors: { CONFLICT: "if the slug, the external_id or the sku of a variant is taken" },
    request: { body: body(newProduct) },
    responses: answers(201, product, "The new product"),
  }),
  async (c) => {
    const created = product.parse(await perform(c, "create_product", c.req.valid("json")));
    return c.json(created, 201, {
      Location: `/functions/v1/products/${created.id}`,
      ...tagOf(created),
    });
  },
);

products.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}",
    operationId: "products.get",
    visitors: true,
    permission: "products.read",
    summary: "Get a product",
    description:
      "By its id or its slug. A former slug returns the product with `moved_to`, its current slug.",
    request: { params: productParam, query: oneProductQuery },
    responses: answers(200, productFound, "The product"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const db = c.get("db");
    const { data } = await (isId(id)
      ? db.rpc("get_product", { product_id: id })
      : db.rpc("get_product_by_slug", { slug: id, ...c.req.valid("query") })
    ).throwOnError();
    if (data === null) throw new ApiError("NOT_FOUND");
    const found = productFound.parse(data);
    return c.json(found, 200, tagOf(found));
  },
);

products.openapi(
  createRoute({
    ...shared,
    method: "put",
    path: "/{id}",
    operationId: "products.update",
    permission: "products.write",
    summary: "Change a product",
    description:
      "Suppliers: their own products only. Fields that are not sent stay as they are; change its stock at …/inventory.",
    errors: {
      INVALID_TRANSITION: "if the status cannot change this way or the product is discontinued",
      CONFLICT:
        "if the product has changed since updated_at, an ordered variant is missing, or the slug or a sku is taken",
    },
    request: { params: idParam, headers: ifMatch, body: body(productChanges) },
    responses: answers(200, product, "The changed product"),
  }),
  async (c) => {
    const changes = asRead(c.req.valid("json"), c.req.valid("header")["if-match"]);
    const args = { product_id: c.req.valid("param").id, changes };
    const { data } = await c.get("db").rpc("update_product", args).throwOnError();
    const changed = product.parse(data);
    return c.json(changed, 200, tagOf(changed));
  },
);

products.openapi(
  createRoute({
    ...shared,
    method: "delete",
    path: "/{id}",
    operationId: "products.remove",
    permission: "products.write",
    summary: "Delete a product",
    description:
      "Suppliers: their own products only. A product that was ordered before becomes discontinued: it is in no list and cannot be read.",
    request: { params: idParam },
    responses: noContent("The product is deleted"),
  }),
  async (c) => {
    const { id: product_id } = c.req.valid("param");
    await c.get("db").rpc("delete_product", { product_id }).throwOnError();
    return c.body(null, 204);
  },
);
