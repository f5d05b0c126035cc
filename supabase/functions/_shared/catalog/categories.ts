import { answers, body, idParam, noContent } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { ApiError } from "../http/errors.ts";
import { asRead, ifMatch, tagOf } from "../http/if_match.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { category, categoryChanges, categoryTree, newCategory } from "./category_schema.ts";

export const categories = createRoutes();

const shared = { tags: ["Categories"], middleware: authenticate };

categories.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "categories.list",
    visitors: true,
    permission: "everyone",
    summary: "Get the tree of categories",
    description: "The whole tree, without pages.",
    responses: answers(200, categoryTree, "The top-level categories, each with its children"),
  }),
  async (c) => {
    const { data } = await c.get("db").rpc("list_categories").throwOnError();
    return c.json(categoryTree.parse(data), 200);
  },
);

categories.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/",
    operationId: "categories.create",
    permission: "categories.write",
    once: true,
    summary: "Create a category",
    description: "Its products have its attributes and those of all categories above it.",
    request: { body: body(newCategory) },
    responses: answers(201, category, "The new category"),
  }),
  async (c) => {
    const created = category.parse(await perform(c, "create_category", c.req.valid("json")));
    return c.json(created, 201, {
      Location: `/functions/v1/api/categories/${created.id}`,
      ...tagOf(created),
    });
  },
);

categories.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}",
    operationId: "categories.get",
    visitors: true,
    permission: "everyone",
    summary: "Get a category",
    request: { params: idParam },
    responses: answers(200, category, "The category with all categories below it"),
  }),
  async (c) => {
    const { id: category_id } = c.req.valid("param");
    const { data } = await c.get("db").rpc("get_category", { category_id }).throwOnError();
    if (data === null) throw new ApiError("NOT_FOUND");
    const found = category.parse(data);
    return c.json(found, 200, tagOf(found));
  },
);

categories.openapi(
  createRoute({
    ...shared,
    method: "put",
    path: "/{id}",
    operationId: "categories.update",
    permission: "categories.write",
    summary: "Change a category",
    description:
      "Fields that are not sent stay as they are. Existing products must meet changed attributes when their own attributes or category change next.",
    errors: { CONFLICT: "if the category has changed since updated_at" },
    request: { params: idParam, headers: ifMatch, body: body(categoryChanges) },
    responses: answers(200, category, "The changed category"),
  }),
  async (c) => {
    const changes = asRead(c.req.valid("json"), c.req.valid("header")["if-match"]);
    const args = { category_id: c.req.valid("param").id, changes };
    const { data } = await c.get("db").rpc("update_category", args).throwOnError();
    const changed = category.parse(data);
    return c.json(changed, 200, tagOf(changed));
  },
);

categories.openapi(
  createRoute({
    ...shared,
    method: "delete",
    path: "/{id}",
    operationId: "categories.remove",
    permission: "categories.write",
    summary: "Delete a category",
    errors: { CONFLICT: "while it has children or products" },
    request: { params: idParam },
    responses: noContent("It is deleted"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    await c.get("db").from("categories").delete().eq("id", id).select("id").single().throwOnError();
    return c.body(null, 204);
  },
);
