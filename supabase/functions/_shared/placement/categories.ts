import { answers, body, idParam } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { blamedAsSent, inCamelCase, inSnakeCase } from "./camel_case.ts";
import {
  placementCategory,
  placementCategoryChanges,
  placementSettings,
  placementSettingsChanges,
} from "./schema.ts";

/** The configuration of placement in each category. */
export const placementCategories = createRoutes();

/** The settings of placement for all categories. */
export const placementSettingsRoutes = createRoutes();

const shared = { tags: ["Placement"], middleware: authenticate };

placementCategories.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}",
    operationId: "placement.category",
    permission: "placement_prices.read",
    summary: "Get the placement configuration of a category",
    description: "A category without a configuration has the defaults.",
    request: { params: idParam },
    responses: answers(200, placementCategory, "The whole configuration"),
  }),
  async (c) => {
    const { data } = await c
      .get("db")
      .rpc("get_placement_category", { category_id: c.req.valid("param").id })
      .throwOnError();
    return c.json(placementCategory.parse(inCamelCase(data)), 200);
  },
);

placementCategories.openapi(
  createRoute({
    ...shared,
    method: "put",
    path: "/{id}",
    operationId: "placement.setCategory",
    permission: "placement_settings.write",
    summary: "Configure placement in a category",
    description:
      "Fields that are not sent stay as they are. Existing campaigns keep their fee and bid.",
    request: { params: idParam, body: body(placementCategoryChanges) },
    responses: answers(200, placementCategory, "The whole configuration"),
  }),
  async (c) => {
    const { data } = await blamedAsSent(
      c
        .get("db")
        .rpc("set_placement_category", {
          category_id: c.req.valid("param").id,
          changes: inSnakeCase(c.req.valid("json")),
        })
        .throwOnError(),
    );
    return c.json(placementCategory.parse(inCamelCase(data)), 200);
  },
);

placementSettingsRoutes.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "placement.settings",
    permission: "placement_settings.read",
    summary: "Get the settings of placement",
    responses: answers(200, placementSettings, "The settings for all categories"),
  }),
  async (c) => {
    const { data } = await c.get("db").rpc("get_placement_settings").throwOnError();
    return c.json(placementSettings.parse(data), 200);
  },
);

placementSettingsRoutes.openapi(
  createRoute({
    ...shared,
    method: "put",
    path: "/",
    operationId: "placement.setSettings",
    permission: "placement_settings.write",
    summary: "Change the settings of placement",
    description: "Fields that are not sent stay as they are.",
    request: { body: body(placementSettingsChanges) },
    responses: answers(200, placementSettings, "The settings for all categories"),
  }),
  async (c) => {
    const { data } = await c
      .get("db")
      .rpc("set_placement_settings", { changes: c.req.valid("json") })
      .throwOnError();
    return c.json(placementSettings.parse(data), 200);
  },
);
