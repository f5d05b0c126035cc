import { answers, body, noContent } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import {
  contentType,
  contentTypeChanges,
  contentTypeList,
  keyParam,
  newContentType,
  workflow,
} from "./type_schema.ts";

/** Routes below /content-types. */
export const contentTypes = createRoutes();

const shared = { tags: ["Content"], middleware: authenticate };

contentTypes.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "contentTypes.list",
    permission: "everyone",
    summary: "List content types",
    description: "All of them, without pages.",
    responses: answers(200, contentTypeList, "Built-in types first"),
  }),
  async (c) => {
    const { data } = await c
      .get("db")
      .from("content_types")
      .select()
      .order("built_in", { ascending: false })
      .order("key")
      .throwOnError();
    return c.json(contentTypeList.parse({ content_types: data }), 200);
  },
);

contentTypes.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/",
    operationId: "contentTypes.create",
    permission: "content.manage",
    once: true,
    summary: "Create a content type",
    description: "Also for members with the content role admin.",
    errors: { CONFLICT: "if the key is taken", LIMIT_REACHED: true },
    request: { body: body(newContentType) },
    responses: answers(201, contentType, "The new type"),
  }),
  async (c) => {
    const made = contentType.parse(await perform(c, "create_content_type", c.req.valid("json")));
    return c.json(made, 201, { Location: `/functions/v1/api/content-types/${made.key}` });
  },
);

contentTypes.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{key}",
    operationId: "contentTypes.get",
    permission: "everyone",
    summary: "Get a content type",
    request: { params: keyParam },
    responses: answers(200, contentType, "The type"),
  }),
  async (c) => {
    const { data } = await c
      .get("db")
      .from("content_types")
      .select()
      .eq("key", c.req.valid("param").key)
      .single()
      .throwOnError();
    return c.json(contentType.parse(data), 200);
  },
);

contentTypes.openapi(
  createRoute({
    ...shared,
    method: "put",
    path: "/{key}",
    operationId: "contentTypes.update",
    permission: "content.manage",
    summary: "Change a content type",
    description:
      "Also for members with the content role admin. Content keeps the values of a removed field until somebody changes them.",
    request: { params: keyParam, body: body(contentTypeChanges) },
    responses: answers(200, contentType, "The changed type"),
  }),
  async (c) => {
    const args = { key: c.req.valid("param").key, changes: c.req.valid("json") };
    const { data } = await c.get("db").rpc("update_content_type", args).throwOnError();
    return c.json(contentType.parse(data), 200);
  },
);

contentTypes.openapi(
  createRoute({
    ...shared,
    method: "delete",
    path: "/{key}",
    operationId: "contentTypes.remove",
    permission: "content.manage",
    summary: "Delete a content type",
    description: "Also for members with the content role admin.",
    errors: { CONFLICT: "if it is built in or still has content" },
    request: { params: keyParam },
    responses: noContent("Deleted"),
  }),
  async (c) => {
    const { key } = c.req.valid("param");
    await c.get("db").rpc("delete_content_type", { key }).throwOnError();
    return c.body(null, 204);
  },
);

contentTypes.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{key}/workflow",
    operationId: "contentTypes.workflow",
    permission: "everyone",
    summary: "Get the workflow of a type",
    request: { params: keyParam },
    responses: answers(200, workflow, "The steps that say who makes which move"),
  }),
  async (c) => {
    const { data } = await c
      .get("db")
      .from("content_types")
      .select("workflow")
      .eq("key", c.req.valid("param").key)
      .single()
      .throwOnError();
    return c.json(workflow.parse({ steps: data.workflow }), 200);
  },
);

contentTypes.openapi(
  createRoute({
    ...shared,
    method: "put",
    path: "/{key}/workflow",
    operationId: "contentTypes.setWorkflow",
    permission: "content.manage",
    summary: "Set the workflow of a type",
    description: "Also for members with the content role admin.",
    request: { params: keyParam, body: body(workflow) },
    responses: answers(200, workflow, "The new steps"),
  }),
  async (c) => {
    const args = {
      key: c.req.valid("param").key,
      changes: { workflow: c.req.valid("json").steps },
    };
    const { data } = await c.get("db").rpc("update_content_type", args).throwOnError();
    return c.json(workflow.parse({ steps: data.workflow }), 200);
  },
);
