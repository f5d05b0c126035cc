import { answers, body } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { asRead, ifMatch, tagOf } from "../http/if_match.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { tenant, tenantChanges, tenantName, tenantRemoval } from "./schema.ts";

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

tenantRoutes.openapi(
  createRoute({
    ...shared,
    method: "delete",
    path: "/",
    operationId: "tenant.remove",
    permission: "tenant.remove",
    summary: "Remove the tenant for ever",
    description:
      "With its records, its files and the accounts that have no other tenant. The staff lose access and the marketplaces close at once; the rest is deleted in the background.",
    request: { body: body(tenantName) },
    responses: answers(202, tenantRemoval, "The removal has begun"),
  }),
  async (c) => {
    const { data } = await c.get("db").rpc("remove_tenant", c.req.valid("json")).throwOnError();
    return c.json(tenantRemoval.parse(data), 202);
  },
);
