import { answers, body, idParam, noContent } from "../http/answers.ts";
import { authenticate, authenticateAccount } from "../http/authenticate.ts";
import { listQuery, pageOf, readPage } from "../http/page.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { email } from "../values/email.ts";
import {
  acceptance,
  createdInvitation,
  invitation,
  invitationStatus,
  membership,
  newInvitation,
} from "./schema.ts";

export const invitations = createRoutes();

const shared = { tags: ["Authentication"], middleware: authenticate };

const invitationsPage = pageOf("invitations", invitation);

invitations.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "invitations.list",
    permission: "invitations.read",
    summary: "List invitations",
    request: {
      query: listQuery(["created_at", "expires_at", "email"]).extend({
        status: invitationStatus.optional(),
        email: email.optional(),
      }),
    },
    responses: answers(200, invitationsPage, "The tenant's invitations, for admins and clients"),
  }),
  async (c) => {
    const { status, email, ...list } = c.req.valid("query");
    let query = c.get("db").from("invitation_details").select("*", { count: "exact" });
    if (status) query = query.eq("status", status);
    if (email) query = query.eq("email", email);
    return c.json(await readPage(invitationsPage, query, list), 200);
  },
);

invitations.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/",
    operationId: "invitations.create",
    permission: "invitations.write",
    once: true,
    summary: "Invite a member",
    description:
      "Send the token to the owner of the e-mail address. It works once, within 7 days, and only for this address. A pending invitation of the address is replaced.",
    errors: { CONFLICT: "if the address belongs to a member" },
    request: { body: body(newInvitation) },
    responses: answers(201, createdInvitation, "The new invitation, with its token"),
  }),
  async (c) => {
    const made = await perform(c, "create_invitation", c.req.valid("json"));
    return c.json(createdInvitation.parse(made), 201, {
      Location: `/functions/v1/auth/invitations/${made.id}`,
    });
  },
);

invitations.openapi(
  createRoute({
    ...shared,
    middleware: authenticateAccount,
    method: "post",
    path: "/accept",
    operationId: "invitations.accept",
    permission: "everyone",
    secretFields: ["invitation"],
    once: true,
    summary: "Accept an invitation with an existing account",
    description:
      "Joins a further tenant; switch to it with /auth/switch. Without an account, register with the invitation instead.",
    request: { body: body(acceptance) },
    responses: answers(200, membership, "The new membership"),
  }),
  async (c) => {
    const joined = await perform(c, "accept_invitation", c.req.valid("json"));
    return c.json(membership.parse(joined), 200);
  },
);

invitations.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}",
    operationId: "invitations.get",
    permission: "invitations.read",
    summary: "Get an invitation",
    request: { params: idParam },
    responses: answers(200, invitation, "The invitation"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { data } = await c
      .get("db")
      .from("invitation_details")
      .select()
      .eq("id", id)
      .single()
      .throwOnError();
    return c.json(invitation.parse(data), 200);
  },
);

invitations.openapi(
  createRoute({
    ...shared,
    method: "delete",
    path: "/{id}",
    operationId: "invitations.remove",
    permission: "invitations.write",
    summary: "Withdraw an invitation",
    description: "Its token stops working. A user who has accepted it stays a member.",
    request: { params: idParam },
    responses: noContent("The invitation is deleted"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    await c
      .get("db")
      .from("invitations")
      .delete()
      .eq("id", id)
      .select("id")
      .single()
      .throwOnError();
    return c.body(null, 204);
  },
);
