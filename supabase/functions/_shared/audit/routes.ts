import { answers } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { pageOf, readPage } from "../http/page.ts";
import { boundsOf } from "../http/period.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { auditEntry, auditQuery } from "./schema.ts";

/** Routes below /audit-log. */
export const auditLog = createRoutes();

const auditPage = pageOf("entries", auditEntry);

auditLog.openapi(
  createRoute({
    tags: ["Tenancy"],
    middleware: authenticate,
    method: "get",
    path: "/",
    operationId: "auditLog.list",
    permission: "audit_log.read",
    summary: "List the audit log",
    description:
      "The changes of the last 400 days by admins, clients, suppliers, API keys and services. They have the names of the changed fields, and no values.",
    request: { query: auditQuery },
    responses: answers(200, auditPage, "The tenant's changes, newest first"),
  }),
  async (c) => {
    const { page, limit, sort, order, from, to, ...fields } = c.req.valid("query");
    let query = c.get("db").from("audit_log").select("*", { count: "exact" });
    for (const [field, value] of Object.entries(fields)) query = query.eq(field, value);
    const written = await boundsOf(c, { from, to });
    if (written.from) query = query.gte("created_at", written.from);
    if (written.to) query = query.lt("created_at", written.to);
    return c.json(await readPage(auditPage, query, { page, limit, sort, order }), 200);
  },
);
