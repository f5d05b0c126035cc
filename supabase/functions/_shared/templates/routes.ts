import { versionBefore } from "../content/saving.ts";
import { ifMatch } from "../content/schema.ts";
import { answers, body, idParam, noContent } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { builtIn } from "./builtin/index.ts";
import { components } from "./components.ts";
import { checkedContent } from "./contents.ts";
import { templateLocalizations } from "./localizations.ts";
import { pages } from "./pages.ts";
import { templatePreviews } from "./previews.ts";
import {
  idOrTypeParam,
  newTemplate,
  type Template,
  template,
  templateChanges,
  templateList,
  templateListQuery,
  templateQuery,
} from "./schema.ts";
import { templateVersions } from "./versions.ts";

/** By which pages are made. */
export const templates = createRoutes();

const shared = { tags: ["Templates"], middleware: authenticate };

// Before `{id}`, which would take it for one.
templates.route("/components", components);

templates.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "templates.list",
    roles: "everyone",
    summary: "List templates",
    description:
      "For writers all, in their latest version; for others the active ones of marketplaces that they see. Errors: LIMIT_REACHED on `limit`.",
    request: { query: templateListQuery },
    responses: answers(200, templateList, "A page of templates, the newest first"),
  }),
  async (c) => {
    const query = c.req.valid("query");
    const { data } = await c.get("db").rpc("list_templates", query).throwOnError();
    const { templates: found, total } = data as { templates: Template[]; total: number };
    return c.json({ templates: found, total, page: query.page, limit: query.limit }, 200);
  },
);

templates.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/",
    operationId: "templates.create",
    roles: ["admin"],
    once: true,
    holdsTemplate: true,
    summary: "Create a template",
    description:
      "For admins, and the content role editor. Of whoever may activate, version 1 is active at once. Errors: TEMPLATE_ERROR, where a text cannot be rendered; VALIDATION_ERROR, LIMIT_REACHED.",
    request: { body: body(newTemplate) },
    responses: answers(201, template, "The new template"),
  }),
  async (c) => {
    const wish = c.req.valid("json");
    const content = checkedContent(wish.content);
    const made: Template = await perform(c, "create_template", { ...wish, content });
    return c.json(made, 201, {
      Location: `/functions/v1/api/templates/${made.id}`,
      ETag: `"${made.version_number}"`,
    });
  },
);

templates.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}",
    operationId: "templates.get",
    roles: "everyone",
    summary: "Get a template",
    description:
      "For writers the latest version, or the one named; for others the active one. By a type of page the one that it is made by, be it a built-in one. Its ETag is the latest version, for If-Match. Errors: NOT_FOUND.",
    request: { params: idOrTypeParam, query: templateQuery },
    responses: answers(200, template, "The template"),
  }),
  async (c) => {
    const { id: id_or_type } = c.req.valid("param");
    const { data } = await c
      .get("db")
      .rpc("get_template", { id_or_type, ...c.req.valid("query") })
      .throwOnError();
    const record = data as Template;
    const shown = record.id === null ? { ...record, ...builtIn[record.type] } : record;
    return c.json(shown as Template, 200, { ETag: `"${record.version_number}"` });
  },
);

templates.openapi(
  createRoute({
    ...shared,
    method: "put",
    path: "/{id}",
    operationId: "templates.update",
    roles: ["admin"],
    holdsTemplate: true,
    summary: "Save a template",
    description:
      "For admins, and the content role editor. What is sent is saved as a new version, which readers see when it is activated; `content` is replaced whole. What is said of the default, and of keeping pages, holds at once: of an active template it is for publishers to say which is the default. Errors: CONFLICT, when somebody has saved a newer version; TEMPLATE_ERROR.",
    request: { params: idParam, headers: ifMatch, body: body(templateChanges) },
    responses: answers(200, template, "The latest version"),
  }),
  async (c) => {
    const { version_number, ...changes } = c.req.valid("json");
    const began = versionBefore({ version_number }, c.req.valid("header")["if-match"]);
    if (changes.content) changes.content = checkedContent(changes.content);
    const { data } = await c
      .get("db")
      .rpc("save_template", {
        template_id: c.req.valid("param").id,
        version_number: began,
        changes,
      })
      .throwOnError();
    const saved = data as Template;
    return c.json(saved, 200, { ETag: `"${saved.version_number}"` });
  },
);

templates.openapi(
  createRoute({
    ...shared,
    method: "delete",
    path: "/{id}",
    operationId: "templates.remove",
    roles: ["admin"],
    summary: "Delete a template",
    description:
      "For admins, and the content roles editor, of what was never active, and publisher. Products and categories that name it are shown by the default again. Errors: CONFLICT with `details.used_by`, while others inherit from it or include it.",
    request: { params: idParam },
    responses: noContent("It is gone"),
  }),
  async (c) => {
    const { id: template_id } = c.req.valid("param");
    await c.get("db").rpc("delete_template", { template_id }).throwOnError();
    return c.body(null, 204);
  },
);

for (const routes of [pages, templateVersions, templateLocalizations, templatePreviews]) {
  templates.route("/", routes);
}
