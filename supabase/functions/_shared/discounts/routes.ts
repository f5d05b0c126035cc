import { answers, body, idParam, noContent } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { asRead, ifMatch, tagOf } from "../http/if_match.ts";
import { pageOf, readPage } from "../http/page.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { discount, discountChanges, discountQuery, newDiscount } from "./schema.ts";

/** Routes below /discounts: the discounts of the operator and of suppliers. */
export const discounts = createRoutes();

const shared = { tags: ["Discounts"], middleware: authenticate };

const discountsPage = pageOf("discounts", discount);

const PUNCTUATION = /[!-/:-@[-`{-~]/g;

/** A regular expression of Postgres that matches this code alone. */
const patternOf = (code: string) => `^${code.normalize().trim().replace(PUNCTUATION, "\\$&")}$`;

discounts.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "discounts.list",
    permission: "discounts.read",
    summary: "List discounts",
    request: { query: discountQuery },
    responses: answers(
      200,
      discountsPage,
      "All discounts for admins and clients, a supplier's own; none for customers",
    ),
  }),
  async (c) => {
    const { code, status, kind, marketplace_id, supplier_id, ...list } = c.req.valid("query");
    let wanted = c.get("db").from("discount_details").select("*", { count: "exact" });
    for (const [column, value] of Object.entries({ status, kind, marketplace_id, supplier_id }))
      if (value !== undefined) wanted = wanted.eq(column, value);
    if (code !== undefined) wanted = wanted.filter("code", "imatch", patternOf(code));
    return c.json(await readPage(discountsPage, wanted, list), 200);
  },
);

discounts.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/",
    operationId: "discounts.create",
    permission: "discounts.write",
    once: true,
    summary: "Create a discount",
    description:
      "A supplier makes discounts for its own products, without free delivery, and bears them. All others are the operator's.",
    errors: {
      CONFLICT: "if another discount of the tenant has the code",
      NOT_FOUND: "for an unknown marketplace, category, product or supplier",
      LIMIT_REACHED: "after 10,000 discounts of a tenant, or 500 of a supplier",
    },
    request: { body: body(newDiscount) },
    responses: answers(201, discount, "The new discount"),
  }),
  async (c) => {
    const made = discount.parse(await perform(c, "create_discount", c.req.valid("json")));
    return c.json(made, 201, {
      Location: `/functions/v1/api/discounts/${made.id}`,
      ...tagOf(made),
    });
  },
);

discounts.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}",
    operationId: "discounts.get",
    permission: "discounts.read",
    summary: "Get a discount",
    request: { params: idParam },
    responses: answers(200, discount, "The discount"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const wanted = c.get("db").from("discount_details").select().eq("id", id);
    const { data } = await wanted.single().throwOnError();
    const found = discount.parse(data);
    return c.json(found, 200, tagOf(found));
  },
);

discounts.openapi(
  createRoute({
    ...shared,
    method: "patch",
    path: "/{id}",
    operationId: "discounts.update",
    permission: "discounts.write",
    summary: "Change a discount",
    description:
      "Suppliers: their own only. Fields that are not sent stay as they are, and null removes one. Placed orders keep what they have.",
    errors: {
      CONFLICT:
        "if the discount has changed since updated_at, or another discount of the tenant has the code",
      NOT_FOUND: "also for an unknown marketplace, category, product or supplier",
    },
    request: { params: idParam, headers: ifMatch, body: body(discountChanges) },
    responses: answers(200, discount, "The changed discount"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const changes = asRead(c.req.valid("json"), c.req.valid("header")["if-match"]);
    const { data } = await c
      .get("db")
      .rpc("update_discount", { discount_id: id, changes })
      .throwOnError();
    const changed = discount.parse(data);
    return c.json(changed, 200, tagOf(changed));
  },
);

discounts.openapi(
  createRoute({
    ...shared,
    method: "delete",
    path: "/{id}",
    operationId: "discounts.remove",
    permission: "discounts.write",
    summary: "Delete a discount",
    description: "Suppliers: their own only. One that orders use can be paused instead.",
    errors: { CONFLICT: "if orders use it" },
    request: { params: idParam },
    responses: noContent("It is deleted"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const unused = c.get("db").from("discounts").delete().eq("id", id);
    await unused.select("id").single().throwOnError();
    return c.body(null, 204);
  },
);
