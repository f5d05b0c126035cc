import { answers, body } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { callPage } from "../http/page.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { changesBetween } from "./compare.ts";
import { comparing, handOverInSlot, isInRender } from "./hand_over.ts";
import {
  compareQuery,
  comparison,
  contentParam,
  contentVersion,
  contentVersionList,
  historyQuery,
  rollback,
  rolledBackContent,
  versionParam,
} from "./schema.ts";

/** Routes below /content: versions. */
export const versions = createRoutes();

const shared = {
  tags: ["Content"],
  middleware: authenticate,
  permission: "content.write" as const,
};

versions.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{type}/{id}/versions",
    operationId: "content.versions",
    summary: "List the versions of a piece of content",
    request: { params: contentParam, query: historyQuery },
    responses: answers(200, contentVersionList, "The stored versions, newest first"),
  }),
  async (c) => {
    const args = { ...c.req.valid("param"), ...c.req.valid("query") };
    return c.json(
      await callPage(contentVersionList, c.get("db").rpc("list_content_versions", args), args),
      200,
    );
  },
);

versions.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{type}/{id}/versions/{version}",
    operationId: "content.version",
    summary: "Get a version with its document",
    errors: { NOT_FOUND: "also for a pruned version" },
    request: { params: versionParam },
    responses: answers(200, contentVersion, "The version"),
  }),
  async (c) => {
    const { version: version_number, ...piece } = c.req.valid("param");
    const { data } = await c
      .get("db")
      .rpc("get_content_version", { ...piece, version_number })
      .throwOnError();
    return c.json(contentVersion.parse(data), 200);
  },
);

versions.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{type}/{id}/compare",
    operationId: "content.compare",
    summary: "Compare two versions",
    description: "Key by key; blocks and other items with an id by their ids.",
    request: { params: contentParam, query: compareQuery },
    responses: answers(200, comparison, "The differences"),
  }),
  async (c) => {
    if (!isInRender(c)) return (await handOverInSlot(c, comparing)) as never;
    const { from, to } = c.req.valid("query");
    const { data } = await c
      .get("db")
      .rpc("compare_content", { ...c.req.valid("param"), from_version: from, to_version: to })
      .throwOnError();
    return c.json({ changes: changesBetween(data.from, data.to) }, 200);
  },
);

versions.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/{type}/{id}/rollback",
    operationId: "content.rollback",
    summary: "Roll back to a version",
    description: "Saves the document of an earlier version as a new version.",
    errors: { CONFLICT: "if its slug was taken since" },
    request: { params: contentParam, body: body(rollback) },
    responses: answers(200, rolledBackContent, "The draft after the change"),
  }),
  async (c) => {
    const { version_number: to_version, comment } = c.req.valid("json");
    const { data } = await c
      .get("db")
      .rpc("rollback_content", { ...c.req.valid("param"), to_version, comment })
      .throwOnError();
    return c.json(rolledBackContent.parse(data), 200);
  },
);
