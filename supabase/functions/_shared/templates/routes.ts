import { z } from "@hono/zod-openapi";
import { versionBefore } from "../content/saving.ts";
import { ifMatch } from "../content/schema.ts";
import { answers, body, idParam, noContent } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { callPage, pageOf } from "../http/page.ts";
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

/** Routes of templates. */
export const templates = createRoutes();

/** The page as the database returns it, which checked each template when it was saved. */
const templatePage = pageOf("templates", z.custom<Template>());

const shared = { tags: ["Templates"], middleware: authenticate };

// Before `{id}`, which matches `components`, too.
templates.route("/components", components);

templates.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "templates.list",
    permission: "templates.read",
    summary: "List templates",
    description:
      "Admins and members with a content role get all templates, in their latest version; for others the active ones of marketplaces that they see.",
    errors: { LIMIT_REACHED: "on `limit`" },
    request: { query: templateListQuery },
    responses: answers(200, templateList, "A page of templates, the newest first"),
  }),
  async (c) => {
    const query = c.req.valid("query");
    return c.json(
      await callPage(templatePage, c.get("db").rpc("list_templates", query), query),
      200,
    );
  },
);

templates.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/",
    operationId: "templates.create",
    permission: "content.manage",
    once: true,
    holdsTemplate: true,
    summary: "Create a template",
    description: "Also for content editors. Version 1 of an admin or publisher is active at once.",
    errors: {
      TEMPLATE_ERROR: "if a text cannot be rendered",
      TEMPLATE_LIMIT: true,
      LIMIT_REACHED: true,
    },
    request: { body: body(newTemplate) },
    responses: answers(201, template, "The new template"),
  }),
  async (c) => {
    const input = c.req.valid("json");
    const content = checkedContent(input.content);
    const made: Template = await perform(c, "create_template", { ...input, content });
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
    permission: "templates.read",
    summary: "Get a template",
    description:
      "Admins and members with a content role get the latest or the named version; for others the active one. By a page type: the template that renders such pages, which may be a built-in one. The ETag is the latest version, for If-Match.",
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
    permission: "content.manage",
    holdsTemplate: true,
    summary: "Save a template",
    description:
      "Also for content editors. Saves a new version, which readers see once it is activated. `content` is replaced as a whole. `is_default` and `caching` take effect at once; only publishers change `is_default` of an active template.",
    errors: {
      CONFLICT: "if there is a newer version",
      TEMPLATE_ERROR: true,
      TEMPLATE_LIMIT: true,
    },
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
    permission: "content.manage",
    summary: "Delete a template",
    description:
      "Also for publishers, and for content editors if the template was never active. Products and categories that name it get the default template.",
    errors: { CONFLICT: "with `details.used_by` while others inherit from it or include it" },
    request: { params: idParam },
    responses: noContent("The template was deleted"),
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
