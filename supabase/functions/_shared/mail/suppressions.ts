import { answers, idParam, noContent } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { listQuery, pageOf, readPage } from "../http/page.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { email } from "../values/email.ts";
import { suppression } from "./schema.ts";

/** Routes below /mails/suppressions: addresses that get no mails of the tenant. */
export const suppressions = createRoutes();

const shared = { tags: ["Mail"], middleware: authenticate };

const suppressionsPage = pageOf("suppressions", suppression);

suppressions.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "mails.suppressions",
    permission: "mails.read",
    summary: "List suppressions",
    description: "Addresses that get no mails, or none of one kind.",
    request: {
      query: listQuery(["created_at", "email"]).extend({ email: email.optional() }),
    },
    responses: answers(200, suppressionsPage, "The suppressions, newest first"),
  }),
  async (c) => {
    const { email, ...list } = c.req.valid("query");
    let query = c.get("db").from("mail_suppressions").select("*", { count: "exact" });
    if (email) query = query.eq("email", email);
    return c.json(await readPage(suppressionsPage, query, list), 200);
  },
);

suppressions.openapi(
  createRoute({
    ...shared,
    method: "delete",
    path: "/{id}",
    operationId: "mails.endSuppression",
    permission: "mails.write",
    summary: "End a suppression",
    description: "The address gets mails again.",
    request: { params: idParam },
    responses: noContent("The suppression has ended"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const removed = c.get("db").from("mail_suppressions").delete().eq("id", id);
    await removed.select("id").single().throwOnError();
    return c.body(null, 204);
  },
);
