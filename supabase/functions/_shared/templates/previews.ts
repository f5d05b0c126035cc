import { answers, body, idParam, noContent } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { environment } from "../http/environment.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { newTemplatePreview, templatePreview } from "./schema.ts";

/** Routes below /templates: previews of versions, which need no session. */
export const templatePreviews = createRoutes();

const shared = {
  tags: ["Templates"],
  middleware: authenticate,
  permission: "content.manage" as const,
};

templatePreviews.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/{id}/preview",
    operationId: "templates.preview",
    summary: "Create a preview of a version of a template",
    description:
      "Also for members with a content role. The preview needs no session and lasts 24 hours. Only this answer contains its token.",
    request: { params: idParam, body: body(newTemplatePreview) },
    responses: answers(201, templatePreview, "The address of the preview"),
  }),
  async (c) => {
    const args = { template_id: c.req.valid("param").id, ...c.req.valid("json") };
    const { data } = await c.get("db").rpc("create_template_preview", args).throwOnError();
    const made = templatePreview.parse(data);
    const url = environment.publicUrl + made.url;
    return c.json({ ...made, url }, 201, { Location: made.url });
  },
);

templatePreviews.openapi(
  createRoute({
    ...shared,
    method: "delete",
    path: "/{id}/preview",
    operationId: "templates.endPreviews",
    summary: "End all previews of a template",
    request: { params: idParam },
    responses: noContent("All previews have ended"),
  }),
  async (c) => {
    const { id: template_id } = c.req.valid("param");
    await c.get("db").rpc("delete_template_preview", { template_id }).throwOnError();
    return c.body(null, 204);
  },
);
