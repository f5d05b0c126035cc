import { answers, body, idParam, noContent } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { asRead, ifMatch, tagOf } from "../http/if_match.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import {
  dashboard,
  dashboardAnswer,
  dashboardChanges,
  dashboardList,
  newDashboard,
} from "./dashboard_schema.ts";

/** Saved sets of figures. */
export const dashboards = createRoutes();

const shared = {
  tags: ["Analytics"],
  middleware: authenticate,
};

dashboards.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "dashboards.list",
    permission: "dashboards.read",
    summary: "List dashboards",
    description:
      "Admins and clients share the tenant's dashboards, the members of a supplier share theirs. Every tenant starts with one.",
    responses: answers(200, dashboardList, "All of them"),
  }),
  async (c) => {
    const { data } = await c.get("db").rpc("list_dashboards").throwOnError();
    return c.json(dashboardList.parse(data), 200);
  },
);

dashboards.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/",
    operationId: "dashboards.create",
    permission: "dashboards.write",
    once: true,
    summary: "Create a dashboard",
    description: "Each query is run once; one that fails is a VALIDATION_ERROR on its field.",
    errors: { LIMIT_REACHED: true },
    request: { body: body(newDashboard) },
    responses: answers(201, dashboard, "The new dashboard"),
  }),
  async (c) => {
    const made = await perform(c, "create_dashboard", c.req.valid("json"));
    return c.json(dashboard.parse(made), 201, {
      Location: `/functions/v1/api/analytics/dashboards/${made.id}`,
    });
  },
);

dashboards.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}",
    operationId: "dashboards.get",
    permission: "dashboards.read",
    summary: "Get a dashboard",
    request: { params: idParam },
    responses: answers(200, dashboard, "The dashboard"),
  }),
  async (c) => {
    const args = { dashboard_id: c.req.valid("param").id };
    const { data } = await c.get("db").rpc("get_dashboard", args).throwOnError();
    const found = dashboard.parse(data);
    return c.json(found, 200, tagOf(found));
  },
);

dashboards.openapi(
  createRoute({
    ...shared,
    method: "put",
    path: "/{id}",
    operationId: "dashboards.update",
    permission: "dashboards.write",
    summary: "Change a dashboard",
    description: "Replaces its name and widgets. New queries are run once.",
    errors: { CONFLICT: "if the dashboard has changed since updated_at" },
    request: { params: idParam, headers: ifMatch, body: body(dashboardChanges) },
    responses: answers(200, dashboard, "The changed dashboard"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const changes = asRead(c.req.valid("json"), c.req.valid("header")["if-match"]);
    const { data } = await c
      .get("db")
      .rpc("update_dashboard", { dashboard_id: id, changes })
      .throwOnError();
    const changed = dashboard.parse(data);
    return c.json(changed, 200, tagOf(changed));
  },
);

dashboards.openapi(
  createRoute({
    ...shared,
    method: "delete",
    path: "/{id}",
    operationId: "dashboards.remove",
    permission: "dashboards.write",
    summary: "Delete a dashboard",
    request: { params: idParam },
    responses: noContent("It is deleted"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const removed = c.get("db").from("dashboards").delete().eq("id", id);
    await removed.select("id").single().throwOnError();
    return c.body(null, 204);
  },
);

dashboards.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}/data",
    operationId: "dashboards.data",
    permission: "dashboards.read",
    summary: "Get the data of a dashboard",
    description:
      "The response of each widget's query. A query that fails, such as one of a deleted category, does not stop the others.",
    request: { params: idParam },
    responses: answers(200, dashboardAnswer, "The widgets, in their order"),
  }),
  async (c) => {
    const args = { dashboard_id: c.req.valid("param").id };
    const { data } = await c.get("db").rpc("analytics_dashboard", args).throwOnError();
    return c.json(dashboardAnswer.parse(data), 200);
  },
);
