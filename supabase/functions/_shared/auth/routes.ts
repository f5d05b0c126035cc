import { answers, body, noContent } from "../http/answers.ts";
import { authenticateAccount, claimsOf, tokenOf } from "../http/authenticate.ts";
import { ApiError } from "../http/errors.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { authRequestOf, logIn, logOut, refreshSession, register } from "./accounts.ts";
import { openGuest, registerGuest } from "./guests.ts";
import { invitations } from "./invitations.ts";
import { login, me, newGuest, refresh, registration, session } from "./schema.ts";
import { tenants } from "./tenants.ts";

export const auth = createRoutes();

const tags = ["Authentication"];

auth.openapi(
  createRoute({
    tags,
    method: "post",
    path: "/register",
    operationId: "auth.register",
    security: [{}, { token: [] }],
    secretFields: ["password", "invitation"],
    summary: "Register: open a tenant, or join one",
    description:
      "Send one of tenant_name, tenant_id and invitation; with a guest's token none of them nor a role: the guest stays who it is, and keeps its orders. Errors: CONFLICT, when the e-mail has an account; NOT_FOUND, when there is no such tenant or invitation.",
    request: { body: body(registration) },
    responses: answers(201, session, "The new session"),
  }),
  async (c) => {
    const wish = c.req.valid("json");
    const claims = await claimsOf(c);
    const made = claims?.is_anonymous
      ? await registerGuest(wish, tokenOf(c) as string, authRequestOf(c))
      : await register(wish, authRequestOf(c));
    return c.json(session.parse(made), 201, { Location: "/functions/v1/auth/me" });
  },
);

auth.openapi(
  createRoute({
    tags,
    method: "post",
    path: "/guest",
    operationId: "auth.guest",
    security: [],
    summary: "Visit a marketplace without an account",
    description:
      "Makes a guest, who may what a customer may, and who becomes one by registering. Errors: NOT_FOUND, when no such marketplace is open; RATE_LIMITED, after 30 from an address in an hour.",
    request: { body: body(newGuest) },
    responses: answers(201, session, "The guest's session"),
  }),
  async (c) => {
    const { marketplace } = c.req.valid("json");
    const made = await openGuest(marketplace, authRequestOf(c));
    return c.json(session.parse(made), 201, { Location: "/functions/v1/auth/me" });
  },
);

auth.openapi(
  createRoute({
    tags,
    method: "post",
    path: "/login",
    operationId: "auth.login",
    security: [],
    secretFields: ["password"],
    summary: "Sign in",
    request: { body: body(login) },
    responses: answers(200, session, "The session"),
  }),
  async (c) => {
    const { email, password } = c.req.valid("json");
    return c.json(session.parse(await logIn(email, password, authRequestOf(c))), 200);
  },
);

auth.openapi(
  createRoute({
    tags,
    method: "post",
    path: "/refresh",
    operationId: "auth.refresh",
    security: [],
    secretFields: ["refresh_token"],
    summary: "Trade a refresh token for a new session",
    description: "A refresh token works once. Using one again revokes the session it belongs to.",
    request: { body: body(refresh) },
    responses: answers(200, session, "The session"),
  }),
  async (c) => {
    const { refresh_token } = c.req.valid("json");
    return c.json(session.parse(await refreshSession(refresh_token, authRequestOf(c))), 200);
  },
);

auth.openapi(
  createRoute({
    tags,
    method: "post",
    path: "/logout",
    operationId: "auth.logout",
    roles: "everyone",
    summary: "Sign out",
    middleware: authenticateAccount,
    responses: noContent("The session's refresh token is dead"),
  }),
  async (c) => {
    await logOut(c.get("caller").token, authRequestOf(c));
    return c.body(null, 204);
  },
);

auth.openapi(
  createRoute({
    tags,
    method: "get",
    path: "/me",
    operationId: "auth.me",
    roles: "everyone",
    summary: "Who am I?",
    middleware: authenticateAccount,
    responses: answers(200, me, "The caller, its tenant and its role"),
  }),
  async (c) => {
    const { data } = await c.get("db").rpc("me").throwOnError();
    if (data === null)
      throw new ApiError("FORBIDDEN", "You are not a member of this tenant (any more).");
    return c.json(me.parse(data), 200);
  },
);

auth.route("/", tenants);
auth.route("/invitations", invitations);
