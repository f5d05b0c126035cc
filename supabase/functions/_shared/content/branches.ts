import { answers, body, noContent } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { comparing, handOverInSlot, handOverMerge, isInRender } from "./hand_over.ts";
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

/** Routes below /content: branches. */
export const branches = createRoutes();

const shared = {
  tags: ["Content"],
  middleware: authenticate,
  permission: "content.write" as const,
};

branches.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{type}/{id}/branches",
    operationId: "content.branches",
    summary: "List the branches of a piece of content",
    description: "All of them, without pages.",
    request: { params: contentParam },
    responses: answers(200, branchList, "The branches, main first"),
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
    summary: "Create a branch",
    description: "PUT with `?branch=` writes to it.",
    errors: { CONFLICT: "if the name is taken", LIMIT_REACHED: true },
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
    summary: "Delete a branch",
    description: "Keeps its versions.",
    errors: { CONFLICT: "for main" },
    request: { params: branchParam },
    responses: noContent("Deleted"),
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
    description: "A three-way merge against the nearest common version.",
    errors: {
      CONFLICT:
        "with `details.conflicts`, the values that both sides changed differently and no resolution decides: then nothing is written",
      LIMIT_REACHED: "if both sides sorted too many items",
    },
    request: { params: contentParam, body: body(newMerge) },
    responses: answers(200, content, "The branch `into` after the merge"),
  }),
  async (c) => {
    const [db, piece, request] = [c.get("db"), c.req.valid("param"), c.req.valid("json")];
    if (!isInRender(c)) {
      const { from, into } = request;
      const args = { ...piece, from, into, key_only: true };
      const keyNow = () => db.rpc("branches_to_merge", args).throwOnError();
      return (await handOverInSlot(c, comparing, () => handOverMerge(c, keyNow))) as never;
    }
    const merged = await mergeBranches(db, piece, request);
    return c.json(content.parse(merged), 200);
  },
);
