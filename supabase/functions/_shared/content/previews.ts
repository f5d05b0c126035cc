import { answers, body, noContent } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { contentParam, newPreview, preview } from "./schema.ts";

/** Below /content: drafts to be looked at without a session. */
export const previews = createRoutes();

const shared = {
  tags: ["Content"],
  middleware: authenticate,
  roles: ["admin", "supplier"] as const,
};

previews.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/{type}/{id}/preview",
    operationId: "content.preview",
    summary: "Let somebody look at a draft",
    description:
      "For 24 hours, without a session: `?preview=<token>`. The token is in this answer alone.",
    request: { params: contentParam, body: body(newPreview) },
    responses: answers(201, preview, "Where it is looked at"),
  }),
  async (c) => {
    const args = { ...c.req.valid("param"), ...c.req.valid("json") };
    const { data } = await c.get("db").rpc("create_content_preview", args).throwOnError();
    return c.json(preview.parse(data), 201);
  },
);

previews.openapi(
  createRoute({
    ...shared,
    method: "delete",
    path: "/{type}/{id}/preview",
    operationId: "content.endPreviews",
    summary: "End all previews of a piece of content",
    request: { params: contentParam },
    responses: noContent("Nobody sees the draft by a token any more"),
  }),
  async (c) => {
    await c.get("db").rpc("delete_content_preview", c.req.valid("param")).throwOnError();
    return c.body(null, 204);
  },
);
