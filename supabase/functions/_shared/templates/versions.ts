import { changesBetween } from "../content/compare.ts";
import { compareQuery, comparison } from "../content/schema.ts";
import { answers, idParam } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { callPage } from "../http/page.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { isObject } from "../values/depth.ts";
import {
  historyQuery,
  type Template,
  template,
  templateVersionList,
  versionParam,
} from "./schema.ts";

/** Routes below /templates: the versions of a template, and the active one. */
export const templateVersions = createRoutes();

const shared = {
  tags: ["Templates"],
  middleware: authenticate,
  permission: "content.manage" as const,
};

templateVersions.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}/versions",
    operationId: "templates.versions",
    summary: "List the versions of a template",
    description: "Also for members with a content role.",
    request: { params: idParam, query: historyQuery },
    responses: answers(200, templateVersionList, "The kept versions, the newest first"),
  }),
  async (c) => {
    const args = { template_id: c.req.valid("param").id, ...c.req.valid("query") };
    return c.json(
      await callPage(templateVersionList, c.get("db").rpc("list_template_versions", args), args),
      200,
    );
  },
);

templateVersions.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/{id}/versions/{version}/activate",
    operationId: "templates.activate",
    summary: "Activate a version",
    description: "Also for publishers. Activating an older version is a rollback.",
    errors: {
      CONFLICT: "if the version refers to a template that is not active, or to a deleted record",
    },
    request: { params: versionParam },
    responses: answers(200, template, "The template with this version"),
  }),
  async (c) => {
    const { id: template_id, version: version_number } = c.req.valid("param");
    const { data } = await c
      .get("db")
      .rpc("activate_template_version", { template_id, version_number })
      .throwOnError();
    return c.json(data as Template, 200);
  },
);

templateVersions.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}/compare",
    operationId: "templates.compare",
    summary: "Compare two versions of a template",
    description:
      "Also for members with a content role. Keys are compared one by one, sections and blocks by id, variables and bindings by name.",
    request: { params: idParam, query: compareQuery },
    responses: answers(200, comparison, "The differences"),
  }),
  async (c) => {
    const { from, to } = c.req.valid("query");
    const { data } = await c
      .get("db")
      .rpc("compare_template_versions", {
        template_id: c.req.valid("param").id,
        from_version: from,
        to_version: to,
      })
      .throwOnError();
    return c.json({ changes: changesBetween(named(data.from), named(data.to)) }, 200);
  },
);

/** The content with its variables and bindings as objects by name, so that each is compared by itself. */
function named({ variables, bindings, ...rest }: Record<string, unknown>) {
  return { ...rest, variables: byName(variables, "name"), bindings: byName(bindings, "variable") };
}

function byName(list: unknown, key: string): unknown {
  if (!Array.isArray(list)) return list;
  return Object.fromEntries(list.filter(isObject).map((each) => [String(each[key]), each]));
}
