import { ifMatch } from "../content/schema.ts";
import { answers, body, idParam } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { checkCustomStyles } from "./contents.ts";
import {
  localizationParam,
  templateLocalization,
  templateLocalizationChanges,
  templateLocalizationList,
} from "./schema.ts";

/** Routes below /templates: translations of a template. */
export const templateLocalizations = createRoutes();

const shared = {
  tags: ["Templates"],
  middleware: authenticate,
  permission: "content.manage" as const,
};

templateLocalizations.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}/localizations",
    operationId: "templates.localizations",
    summary: "List the translations of a template",
    description: "Also for members with a content role. The list is not paged.",
    request: { params: idParam },
    responses: answers(200, templateLocalizationList, "All translations, with their texts"),
  }),
  async (c) => {
    const { data } = await c
      .get("db")
      .rpc("list_template_localizations", { template_id: c.req.valid("param").id })
      .throwOnError();
    return c.json(templateLocalizationList.parse({ localizations: data }), 200);
  },
);

templateLocalizations.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}/localizations/{language}",
    operationId: "templates.localization",
    summary: "Get the translation of a template into a language",
    description: "Also for members with a content role.",
    request: { params: localizationParam },
    responses: answers(200, templateLocalization, "The texts and formats"),
  }),
  async (c) => {
    const { id: template_id, language } = c.req.valid("param");
    const { data } = await c
      .get("db")
      .rpc("get_template_localization", { template_id, language })
      .throwOnError();
    const found = templateLocalization.parse(data);
    return c.json(found, 200, { ETag: `"${found.version_number}"` });
  },
);

templateLocalizations.openapi(
  createRoute({
    ...shared,
    method: "put",
    path: "/{id}/localizations/{language}",
    operationId: "templates.setLocalization",
    summary: "Save the translation of a template into a language",
    description:
      "Also for content editors. Fields that are not sent stay; `translations` are replaced as a whole. The change shows at once.",
    errors: {
      CONFLICT: "if there is a newer version, or the language exists already",
      TEMPLATE_ERROR: "if the styles are not allowed",
      TEMPLATE_LIMIT: true,
    },
    request: {
      params: localizationParam,
      headers: ifMatch,
      body: body(templateLocalizationChanges),
    },
    responses: answers(200, templateLocalization, "The saved texts and formats"),
  }),
  async (c) => {
    const { id: template_id, language } = c.req.valid("param");
    const { version_number: sent, ...changes } = c.req.valid("json");
    checkCustomStyles(changes.custom_styles);
    // A new language has no version to name.
    const matched = /^(?:W\/)?"(\d{1,9})"$/.exec(c.req.valid("header")["if-match"] ?? "")?.[1];
    const version_number = sent ?? (matched === undefined ? undefined : Number(matched));
    const { data } = await c
      .get("db")
      .rpc("save_template_localization", { template_id, language, version_number, changes })
      .throwOnError();
    const saved = templateLocalization.parse(data);
    return c.json(saved, 200, { ETag: `"${saved.version_number}"` });
  },
);
