import { z } from "@hono/zod-openapi";
import { product } from "../catalog/schema.ts";
import { answers, body, idParam } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { tagOf } from "../http/if_match.ts";
import { listQuery, pageOf, readPage } from "../http/page.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { approvalStatus, productApproval, productDecision } from "./schema.ts";

/** Routes below /product-approvals: the reviews of suppliers' products. */
export const productApprovals = createRoutes();

const shared = { tags: ["Suppliers"], middleware: authenticate };

const approvalsPage = pageOf("product_approvals", productApproval);

productApprovals.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "productApprovals.list",
    permission: "product_approvals.read",
    summary: "List the reviews of products",
    request: {
      query: listQuery(["requested_at"]).extend({
        status: approvalStatus.optional(),
        supplier_id: z.guid().optional(),
        product_id: z.guid().optional(),
      }),
    },
    responses: answers(
      200,
      approvalsPage,
      "Products that await a review or had one; a supplier sees its own",
    ),
  }),
  async (c) => {
    const { status, supplier_id, product_id, ...list } = c.req.valid("query");
    let query = c.get("db").from("product_approvals").select("*", { count: "exact" });
    if (status) query = query.eq("status", status);
    if (supplier_id) query = query.eq("supplier_id", supplier_id);
    if (product_id) query = query.eq("product_id", product_id);
    return c.json(await readPage(approvalsPage, query, list, "product_id"), 200);
  },
);

/** Routes below /products/{id}. */
export const reviewsOfProduct = createRoutes();

const decided = {
  ...shared,
  method: "post",
  permission: "products.approve",
  errors: {
    INVALID_TRANSITION: "unless the product awaits a review",
    CONFLICT: "if the product has changed since updated_at",
  },
  // The body is optional.
  request: { params: idParam, body: { ...body(productDecision), required: false } },
} as const;

reviewsOfProduct.openapi(
  createRoute({
    ...decided,
    path: "/{id}/approve",
    operationId: "products.approve",
    summary: "Approve a product, or its waiting changes",
    description:
      "The product is put up for sale, or its pending_changes apply. Send the updated_at of the product that you have seen, so that nobody changes it in between.",
    responses: answers(200, product, "The approved product"),
  }),
  async (c) => {
    const args = { product_id: c.req.valid("param").id, ...c.req.valid("json") };
    const { data } = await c.get("db").rpc("approve_product", args).throwOnError();
    const approved = product.parse(data);
    return c.json(approved, 200, tagOf(approved));
  },
);

reviewsOfProduct.openapi(
  createRoute({
    ...decided,
    path: "/{id}/reject",
    operationId: "products.reject",
    summary: "Reject a product, or its waiting changes",
    description:
      "The product stays as it is, and pending_changes are dropped. Its supplier may put it up for sale again.",
    responses: answers(200, product, "The product"),
  }),
  async (c) => {
    const args = { product_id: c.req.valid("param").id, ...c.req.valid("json") };
    const { data } = await c.get("db").rpc("reject_product", args).throwOnError();
    const rejected = product.parse(data);
    return c.json(rejected, 200, tagOf(rejected));
  },
);
