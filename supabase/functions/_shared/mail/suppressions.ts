import { z } from "@hono/zod-openapi";
import { answers, idParam, noContent } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { listQuery, pageFields, readPage } from "../http/page.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { suppression } from "./schema.ts";

/** Below /mails/suppressions: whom the tenant does not write to. */
export const suppressions = createRoutes();

const shared = { tags: ["Mail"], middleware: authenticate, roles: ["admin"] as const };

suppressions.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "mails.suppressions",
    summary: "List suppressions",
    description: "For admins: addresses that get no letters, or none of a kind.",
    request: {
      query: listQuery(["created_at", "email"]).extend({ email: z.string().max(320).optional() }),
    },
    responses: answers(
      200,
      z.object({ suppressions: z.array(suppression), ...pageFields }),
      "The addresses, the newest first",
    ),
  }),
  async (c) => {
    const { email, ...list } = c.req.valid("query");
    let query = c.get("db").from("mail_suppressions").select("*", { count: "exact" });
    if (email) query = query.eq("email", email.toLowerCase());
    const { rows, ...page } = await readPage(query, list);
    return c.json({ suppressions: z.array(suppression).parse(rows), ...page }, 200);
  },
);

suppressions.openapi(
  createRoute({
    ...shared,
    method: "delete",
    path: "/{id}",
    operationId: "mails.endSuppression",
    summary: "End a suppression",
    description: "For admins: the address gets letters again.",
    request: { params: idParam },
    responses: noContent("It is ended"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const removed = c.get("db").from("mail_suppressions").delete().eq("id", id);
    await removed.select("id").single().throwOnError();
    return c.body(null, 204);
  },
);
