import { answers, body } from "../http/answers.ts";
import { authenticateAccount } from "../http/authenticate.ts";
import { listQuery, pageOf, readPage } from "../http/page.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { authRequestOf, switchTenant } from "./accounts.ts";
import { choice, membership, newMembership, session } from "./schema.ts";

export const tenants = createRoutes();

const shared = { tags: ["Authentication"], middleware: authenticateAccount };

const tenantsPage = pageOf("tenants", membership);

tenants.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/tenants",
    operationId: "auth.tenants",
    permission: "everyone",
    summary: "List the caller's tenants",
    request: { query: listQuery(["created_at", "name"]) },
    responses: answers(200, tenantsPage, "The caller's memberships in all tenants"),
  }),
  async (c) => {
    const mine = c.get("db").rpc("my_tenants", {}, { count: "exact" }).select("*");
    return c.json(await readPage(tenantsPage, mine, c.req.valid("query")), 200);
  },
);

tenants.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/tenants",
    operationId: "auth.addTenant",
    permission: "everyone",
    once: true,
    summary: "Open or join a further tenant with an existing account",
    description: "Send tenant_name or tenant_id. Switch to it with /auth/switch.",
    errors: { NOT_FOUND: true, CONFLICT: "if the caller is already a member" },
    request: { body: body(newMembership) },
    responses: answers(201, membership, "The new membership"),
  }),
  async (c) => {
    const { tenant_name, tenant_id, role } = c.req.valid("json");
    const joined = await (tenant_id === undefined
      ? perform(c, "open_tenant", { tenant_name: tenant_name ?? null })
      : perform(c, "join_tenant", { tenant_id, role }));
    return c.json(membership.parse(joined), 201, { Location: "/functions/v1/auth/tenants" });
  },
);

tenants.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/switch",
    operationId: "auth.switchTenant",
    permission: "everyone",
    secretFields: ["refresh_token"],
    summary: "Switch to another tenant",
    description:
      "The session moves to that tenant. Without a refresh_token, refresh the session to get its new tokens. Other sessions do not change. A new session starts in the tenant chosen last.",
    errors: {
      NOT_FOUND: "unless the caller is an active member of it",
      CONFLICT: "while other requests use the refresh token",
    },
    request: { body: body(choice) },
    responses: answers(200, session, "The session in that tenant"),
  }),
  async (c) => {
    const switched = await switchTenant(c.req.valid("json"), c.get("caller"), authRequestOf(c));
    return c.json(session.parse(switched), 200);
  },
);
