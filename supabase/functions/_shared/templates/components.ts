import { versionBefore } from "../content/saving.ts";
import { ifMatch } from "../content/schema.ts";
import { answers, body, idParam, noContent } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { readPage } from "../http/page.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import {
  component,
  componentChanges,
  componentList,
  componentListQuery,
  newComponent,
} from "./component_schema.ts";
import { checkedComponent } from "./contents.ts";

/** Routes below /templates/components: parts that many templates show. */
export const components = createRoutes();

const shared = {
  tags: ["Templates"],
  middleware: authenticate,
  permission: "content.manage" as const,
};

const COLUMNS =
  "id, tenant_id, name, category, content, props, styles, variants, responsive, version_number, created_at, updated_at";

components.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "components.list",
    summary: "List components",
    description: "Also for members with a content role.",
    request: { query: componentListQuery },
    responses: answers(200, componentList, "A page of components"),
  }),
  async (c) => {
    const { category, search, ...page } = c.req.valid("query");
    let query = c.get("db").from("template_components").select(COLUMNS, { count: "exact" });
    if (category) query = query.eq("category", category);
    if (search) query = query.ilike("name", `%${search.replace(/[\\%_]/g, "\\$&")}%`);
    return c.json(await readPage(componentList, query, page), 200);
  },
);

components.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/",
    operationId: "components.create",
    once: true,
    summary: "Create a component",
    description: "Also for content editors.",
    errors: {
      TEMPLATE_ERROR: "if a text cannot be rendered",
      TEMPLATE_LIMIT: true,
      LIMIT_REACHED: true,
    },
    request: { body: body(newComponent) },
    responses: answers(201, component, "The new component"),
  }),
  async (c) => {
    const input = checkedComponent(c.req.valid("json"));
    const made = component.parse(await perform(c, "create_template_component", input));
    return c.json(made, 201, {
      Location: `/functions/v1/api/templates/components/${made.id}`,
      ETag: `"${made.version_number}"`,
    });
  },
);

components.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}",
    operationId: "components.get",
    summary: "Get a component",
    description: "Also for members with a content role.",
    request: { params: idParam },
    responses: answers(200, component, "The component"),
  }),
  async (c) => {
    const { data } = await c
      .get("db")
      .from("template_components")
      .select(COLUMNS)
      .eq("id", c.req.valid("param").id)
      .single()
      .throwOnError();
    const found = component.parse(data);
    return c.json(found, 200, { ETag: `"${found.version_number}"` });
  },
);

components.openapi(
  createRoute({
    ...shared,
    method: "put",
    path: "/{id}",
    operationId: "components.update",
    summary: "Save a component",
    description:
      "Also for content editors. Fields that are not sent stay. The change shows at once in all templates.",
    errors: {
      CONFLICT: "if there is a newer version",
      TEMPLATE_ERROR: true,
      TEMPLATE_LIMIT: true,
    },
    request: { params: idParam, headers: ifMatch, body: body(componentChanges) },
    responses: answers(200, component, "The saved component"),
  }),
  async (c) => {
    const { version_number, ...sent } = c.req.valid("json");
    const began = versionBefore({ version_number }, c.req.valid("header")["if-match"]);
    const changes = checkedComponent(sent);
    const { data } = await c
      .get("db")
      .rpc("save_template_component", {
        component_id: c.req.valid("param").id,
        version_number: began,
        changes,
      })
      .throwOnError();
    const saved = component.parse(data);
    return c.json(saved, 200, { ETag: `"${saved.version_number}"` });
  },
);

components.openapi(
  createRoute({
    ...shared,
    method: "delete",
    path: "/{id}",
    operationId: "components.remove",
    summary: "Delete a component",
    description: "Also for content editors.",
    errors: {
      CONFLICT:
        "with `details.used_by` while the latest or the active version of a template shows it",
    },
    request: { params: idParam },
    responses: noContent("The component was deleted"),
  }),
  async (c) => {
    const { id: component_id } = c.req.valid("param");
    await c.get("db").rpc("delete_template_component", { component_id }).throwOnError();
    return c.body(null, 204);
  },
);
