import { answers, body } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { callPage } from "../http/page.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import {
  content,
  contentMove,
  contentMoveList,
  contentParam,
  historyQuery,
  publication,
  withdrawal,
} from "./schema.ts";

/** Routes below /content: moves between statuses, and publication. */
export const moves = createRoutes();

const shared = { tags: ["Content"], middleware: authenticate };

const MOVES = {
  submit: "Submit a draft for review",
  approve: "Approve content in review",
  reject: "Return content in review to draft",
  archive: "Archive published content",
  restore: "Return archived content to draft",
} as const;

for (const [move, summary] of Object.entries(MOVES)) {
  moves.openapi(
    createRoute({
      ...shared,
      method: "post",
      path: `/{type}/{id}/${move}`,
      operationId: `content.${move}`,
      permission: move === "submit" ? "content.write" : "content.manage",
      summary,
      description: "Also for the content role in the workflow of the type.",
      errors: { INVALID_TRANSITION: true },
      request: { params: contentParam, body: body(contentMove) },
      responses: answers(200, content, "The content after the move"),
    }),
    async (c) => {
      const args = { ...c.req.valid("param"), move, ...c.req.valid("json") };
      const { data } = await c.get("db").rpc("move_content", args).throwOnError();
      return c.json(content.parse(data), 200);
    },
  );
}

moves.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/{type}/{id}/publish",
    operationId: "content.publish",
    permission: "content.manage",
    summary: "Publish content",
    description:
      "Also for publishers. Publishes approved content now or `at` a time, and `until` another time. `languages` limits it to these.",
    errors: {
      INVALID_TRANSITION: true,
      CONFLICT: "if other content is published under its slug, or other languages are scheduled",
      VALIDATION_ERROR: "on `at` or `until`",
    },
    request: { params: contentParam, body: body(publication) },
    responses: answers(200, content, "The content after the move"),
  }),
  async (c) => {
    const args = { ...c.req.valid("param"), ...c.req.valid("json") };
    const { data } = await c.get("db").rpc("publish_content", args).throwOnError();
    return c.json(content.parse(data), 200);
  },
);

moves.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/{type}/{id}/unpublish",
    operationId: "content.unpublish",
    permission: "content.manage",
    summary: "Unpublish content",
    description: "Also for publishers. `languages` limits it to these.",
    errors: { INVALID_TRANSITION: true },
    request: { params: contentParam, body: body(withdrawal) },
    responses: answers(200, content, "The content after the move"),
  }),
  async (c) => {
    const args = { ...c.req.valid("param"), ...c.req.valid("json") };
    const { data } = await c.get("db").rpc("unpublish_content", args).throwOnError();
    return c.json(content.parse(data), 200);
  },
);

moves.openapi(
  createRoute({
    ...shared,
    method: "delete",
    path: "/{type}/{id}/schedule",
    operationId: "content.cancelSchedule",
    permission: "content.manage",
    summary: "Cancel a scheduled publication",
    description: "Also for publishers. Cancels the scheduled end too.",
    request: { params: contentParam },
    responses: answers(200, content, "The content after the move"),
  }),
  async (c) => {
    const { data } = await c
      .get("db")
      .rpc("cancel_content_schedule", c.req.valid("param"))
      .throwOnError();
    return c.json(content.parse(data), 200);
  },
);

moves.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{type}/{id}/moves",
    operationId: "content.moves",
    permission: "content.write",
    summary: "List the moves of a piece of content",
    request: { params: contentParam, query: historyQuery },
    responses: answers(200, contentMoveList, "The moves, newest first"),
  }),
  async (c) => {
    const args = { ...c.req.valid("param"), ...c.req.valid("query") };
    return c.json(
      await callPage(contentMoveList, c.get("db").rpc("list_content_moves", args), args),
      200,
    );
  },
);
