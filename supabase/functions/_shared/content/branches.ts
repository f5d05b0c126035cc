import { answers, body, noContent } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { mergeBranches } from "./saving.ts";
import {
  branch,
  branchList,
  branchParam,
  content,
  contentParam,
  newBranch,
  newMerge,
} from "./schema.ts";

/** Below /content: drafts beside the one that is judged. */
export const branches = createRoutes();

const shared = {
  tags: ["Content"],
  middleware: authenticate,
  roles: ["admin", "supplier"] as const,
};

branches.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{type}/{id}/branches",
    operationId: "content.branches",
    summary: "List the branches of a piece of content",
    description: "All of them: they have no pages.",
    request: { params: contentParam },
    responses: answers(200, branchList, "Its branches, main first"),
  }),
  async (c) => {
    const { data } = await c
      .get("db")
      .rpc("list_content_branches", c.req.valid("param"))
      .throwOnError();
    return c.json(branchList.parse({ branches: data }), 200);
  },
);

branches.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/{type}/{id}/branches",
    operationId: "content.createBranch",
    once: true,
    summary: "Begin a branch",
    description:
      "It is written by PUT with `?branch=`. Errors: CONFLICT, when the name is taken; LIMIT_REACHED.",
    request: { params: contentParam, body: body(newBranch) },
    responses: answers(201, branch, "The new branch"),
  }),
  async (c) => {
    const piece = c.req.valid("param");
    const made = await perform(c, "create_content_branch", { ...piece, ...c.req.valid("json") });
    return c.json(branch.parse(made), 201, {
      Location: `/functions/v1/api/content/${piece.type}/${piece.id}?branch=${made.name}`,
    });
  },
);

branches.openapi(
  createRoute({
    ...shared,
    method: "delete",
    path: "/{type}/{id}/branches/{name}",
    operationId: "content.removeBranch",
    summary: "Give up a branch",
    description: "Its versions stay. Errors: CONFLICT for main.",
    request: { params: branchParam },
    responses: noContent("It is gone"),
  }),
  async (c) => {
    await c.get("db").rpc("delete_content_branch", c.req.valid("param")).throwOnError();
    return c.body(null, 204);
  },
);

branches.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/{type}/{id}/merge",
    operationId: "content.merge",
    summary: "Merge one branch into another",
    description:
      "Three-way, with the nearest common version. Errors: CONFLICT with `details.conflicts`, what both changed and no resolution decides; then nothing is written.",
    request: { params: contentParam, body: body(newMerge) },
    responses: answers(200, content, "The branch that was merged into, as it is now"),
  }),
  async (c) => {
    const merged = await mergeBranches(c.get("db"), c.req.valid("param"), c.req.valid("json"));
    return c.json(content.parse(merged), 200);
  },
);
