import { z } from "@hono/zod-openapi";
import { memberStatus, role } from "../auth/schema.ts";
import { answers, body, flag, noContent } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { listQuery, pageOf, readPage } from "../http/page.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { email } from "../values/email.ts";
import { member, memberChanges } from "./schema.ts";

export const members = createRoutes();

const shared = { tags: ["Tenancy"], middleware: authenticate };

const userParam = z.object({ user_id: z.guid() });

const membersPage = pageOf("members", member);

members.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "members.list",
    permission: "everyone",
    summary: "List members",
    request: {
      query: listQuery(["created_at", "name", "email"]).extend({
        role: role.optional(),
        status: memberStatus.optional(),
        supplier_id: z.guid().optional(),
        email: email.optional(),
        is_anonymous: flag
          .optional()
          .openapi({ description: "true: guests only; false: no guests." }),
      }),
    },
    responses: answers(
      200,
      membersPage,
      "The tenant's members; suppliers and customers see only themselves",
    ),
  }),
  async (c) => {
    const { role, status, supplier_id, email, is_anonymous, ...list } = c.req.valid("query");
    let query = c.get("db").from("members").select("*", { count: "exact" });
    if (role) query = query.eq("role", role);
    if (status) query = query.eq("status", status);
    if (supplier_id) query = query.eq("supplier_id", supplier_id);
    if (email) query = query.eq("email", email);
    if (is_anonymous !== undefined) query = query.eq("is_anonymous", is_anonymous);
    return c.json(await readPage(membersPage, query, list, "user_id"), 200);
  },
);

members.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{user_id}",
    operationId: "members.get",
    permission: "everyone",
    summary: "Get a member",
    request: { params: userParam },
    responses: answers(200, member, "The member"),
  }),
  async (c) => {
    const { data } = await c
      .get("db")
      .from("members")
      .select()
      .match(c.req.valid("param"))
      .single()
      .throwOnError();
    return c.json(member.parse(data), 200);
  },
);

members.openapi(
  createRoute({
    ...shared,
    method: "patch",
    path: "/{user_id}",
    operationId: "members.update",
    permission: "members.write",
    summary: "Suspend a member, or change its role",
    description:
      "The change takes effect at once, also for valid tokens. The role supplier requires a supplier_id.",
    errors: { LAST_ADMIN: true },
    request: { params: userParam, body: body(memberChanges) },
    responses: answers(200, member, "The changed member"),
  }),
  async (c) => {
    const { data } = await c
      .get("db")
      .from("members")
      .update(c.req.valid("json"))
      .match(c.req.valid("param"))
      .select()
      .single()
      .throwOnError();
    return c.json(member.parse(data), 200);
  },
);

members.openapi(
  createRoute({
    ...shared,
    method: "delete",
    path: "/{user_id}",
    operationId: "members.remove",
    permission: "members.write",
    summary: "Remove a member",
    description: "The change takes effect at once. The account and its orders remain.",
    errors: { LAST_ADMIN: true },
    request: { params: userParam },
    responses: noContent("The user is no longer a member of the tenant"),
  }),
  async (c) => {
    await c
      .get("db")
      .from("members")
      .delete()
      .match(c.req.valid("param"))
      .select("user_id")
      .single()
      .throwOnError();
    return c.body(null, 204);
  },
);
