import { answers, body, noContent } from "../http/answers.ts";
import { authenticateAccount } from "../http/authenticate.ts";
import { ApiError } from "../http/errors.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { authRequestOf, logIn, logOut, refreshSession, register } from "./accounts.ts";
import { guestOf, openGuest, registerGuest } from "./guests.ts";
import { invitations } from "./invitations.ts";
import { login, me, newGuest, refresh, registration, session } from "./schema.ts";
import { tenants } from "./tenants.ts";
import { token } from "./token.ts";

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
      "Send one of tenant_name, tenant_id and invitation. With a guest's token send none of them and no role: the guest keeps its id, tenant and orders.",
    errors: {
      CONFLICT: "if the e-mail has an account or the guest has already registered",
      NOT_FOUND: "if the tenant or invitation does not exist",
    },
    request: { body: body(registration) },
    responses: answers(201, session, "The new session"),
  }),
  async (c) => {
    const input = c.req.valid("json");
    const request = authRequestOf(c);
    const guest = await guestOf(c);
    const made = guest
      ? await registerGuest(input, guest, request)
      : await register(input, request);
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
    description: "Creates a guest: a user with the rights of a customer, who may register later.",
    errors: {
      NOT_FOUND: "if no such marketplace is active",
      RATE_LIMITED: "after 30 guests of an IP address in an hour",
    },
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
    summary: "Exchange a refresh token for a new session",
    description: "A refresh token works once. Using it again ends its session.",
    errors: { CONFLICT: "while other requests use the refresh token" },
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
    permission: "everyone",
    summary: "Sign out",
    middleware: authenticateAccount,
    responses: noContent("The session has ended"),
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
    permission: "everyone",
    summary: "Get the caller",
    middleware: authenticateAccount,
    responses: answers(200, me, "The caller, its tenant and its role"),
  }),
  async (c) => {
    const { data } = await c.get("db").rpc("me").throwOnError();
    if (data === null)
      throw new ApiError("FORBIDDEN", "You are not an active member of this tenant.");
    return c.json(me.parse(data), 200);
  },
);

auth.route("/", tenants);
auth.route("/token", token);
auth.route("/invitations", invitations);
