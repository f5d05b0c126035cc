import { answers, body, noContent } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { contentParam, newPreview, preview } from "./schema.ts";

/** Routes below /content: previews of drafts without a session. */
export const previews = createRoutes();

const shared = {
  tags: ["Content"],
  middleware: authenticate,
  permission: "content.write" as const,
};

previews.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/{type}/{id}/preview",
    operationId: "content.preview",
    summary: "Create a preview of a draft",
    description:
      "The draft can be read with `?preview=<token>` for 24 hours, without a session. Only this response has the token.",
    request: { params: contentParam, body: body(newPreview) },
    responses: answers(201, preview, "The token and the address of the preview"),
  }),
  async (c) => {
    const { type, id } = c.req.valid("param");
    const args = { type, id, ...c.req.valid("json") };
    const { data } = await c.get("db").rpc("create_content_preview", args).throwOnError();
    const made = preview.parse(data);
    const address = `/functions/v1/api/content/${type}/${encodeURIComponent(id)}`;
    return c.json(made, 201, { Location: `${address}?preview=${made.token}` });
  },
);

previews.openapi(
  createRoute({
    ...shared,
    method: "delete",
    path: "/{type}/{id}/preview",
    operationId: "content.endPreviews",
    summary: "Revoke all previews of a piece of content",
    request: { params: contentParam },
    responses: noContent("Revoked"),
  }),
  async (c) => {
    await c.get("db").rpc("delete_content_preview", c.req.valid("param")).throwOnError();
    return c.body(null, 204);
  },
);
