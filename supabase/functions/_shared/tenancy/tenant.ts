import { answers, body } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { asRead, ifMatch, tagOf } from "../http/if_match.ts";
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
    permission: "everyone",
    summary: "Get the tenant",
    responses: answers(200, tenant, "The tenant of the token"),
  }),
  async (c) => {
    const { data } = await c.get("db").from("tenants").select().single().throwOnError();
    const found = tenant.parse(data);
    return c.json(found, 200, tagOf(found));
  },
);

tenantRoutes.openapi(
  createRoute({
    ...shared,
    method: "patch",
    path: "/",
    operationId: "tenant.update",
    permission: "tenant.write",
    summary: "Change the tenant",
    description: "Its name, time zone and settings. Settings that are not sent do not change.",
    errors: { CONFLICT: "if the tenant has changed since updated_at" },
    request: { headers: ifMatch, body: body(tenantChanges) },
    responses: answers(200, tenant, "The changed tenant"),
  }),
  async (c) => {
    const changes = asRead(c.req.valid("json"), c.req.valid("header")["if-match"]);
    const { data } = await c.get("db").rpc("update_tenant", { changes }).throwOnError();
    const changed = tenant.parse(data);
    return c.json(changed, 200, tagOf(changed));
  },
);
