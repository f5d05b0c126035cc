import { answers, body } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { callList } from "../http/page.ts";
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

/** Below /content: the moves of a piece between states, and its publication. */
export const moves = createRoutes();

const shared = { tags: ["Content"], middleware: authenticate };

const MOVES = {
  submit: "Ask for a draft to be reviewed",
  approve: "Approve what is reviewed",
  reject: "Send what is reviewed back to the draft",
  archive: "Archive what is published",
  restore: "Make what is archived a draft again",
} as const;

for (const [move, summary] of Object.entries(MOVES)) {
  moves.openapi(
    createRoute({
      ...shared,
      method: "post",
      path: `/{type}/{id}/${move}`,
      operationId: `content.${move}`,
      roles: move === "submit" ? ["admin", "supplier"] : ["admin"],
      summary,
      description:
        "For the content role that the type's workflow names, and admins. Errors: INVALID_TRANSITION, FORBIDDEN.",
      request: { params: contentParam, body: body(contentMove) },
      responses: answers(200, content, "The content as it is now"),
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
    roles: ["admin"],
    summary: "Publish content",
    description:
      "For publishers and admins: what is approved, now or `at` a time, and `until` another one. With `languages` these alone. Errors: INVALID_TRANSITION; CONFLICT, when another piece is published under its slug; VALIDATION_ERROR on `at` or `until`.",
    request: { params: contentParam, body: body(publication) },
    responses: answers(200, content, "The content as it is now"),
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
    roles: ["admin"],
    summary: "Take content from its readers",
    description:
      "For publishers and admins. With `languages` these alone. Errors: INVALID_TRANSITION.",
    request: { params: contentParam, body: body(withdrawal) },
    responses: answers(200, content, "The content as it is now"),
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
    roles: ["admin"],
    summary: "Cancel a publication to come",
    description: "For publishers and admins. Its end, if it has one, is cancelled too.",
    request: { params: contentParam },
    responses: answers(200, content, "The content as it is now"),
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
    roles: ["admin", "supplier"],
    summary: "List the moves of a piece of content",
    request: { params: contentParam, query: historyQuery },
    responses: answers(200, contentMoveList, "Its moves, the newest first"),
  }),
  async (c) => {
    const args = { ...c.req.valid("param"), ...c.req.valid("query") };
    return c.json(await callList(c, contentMoveList, "list_content_moves", args), 200);
  },
);
