import { answers, body } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { tenant, tenantChanges } from "./schema.ts";

/** Routes for the tenant of the caller's token. No other tenant can be read. */
export const tenantRoutes = createRoutes();

const shared = { tags: ["Tenancy"], middleware: authenticate };

tenantRoutes.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "tenant.get",
    roles: "everyone",
    summary: "Get the tenant",
    responses: answers(200, tenant, "The tenant of the token"),
  }),
  async (c) => {
    const { data } = await c.get("db").from("tenants").select().single().throwOnError();
    return c.json(tenant.parse(data), 200);
  },
);

tenantRoutes.openapi(
  createRoute({
    ...shared,
    method: "patch",
    path: "/",
    operationId: "tenant.update",
    roles: ["admin"],
    summary: "Change the tenant",
    description: "Its name, time zone and settings. Settings that are not sent do not change.",
    request: { body: body(tenantChanges) },
    responses: answers(200, tenant, "The changed tenant"),
  }),
  async (c) => {
    const { data } = await c
      .get("db")
      .rpc("update_tenant", { changes: c.req.valid("json") })
      .throwOnError();
    return c.json(tenant.parse(data), 200);
  },
);
