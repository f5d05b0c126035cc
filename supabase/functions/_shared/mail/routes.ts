import { bodyLimit } from "hono/body-limit";
import { answers, idParam } from "../http/answers.ts";
import { authenticate, databaseAsService } from "../http/authenticate.ts";
import { ApiError } from "../http/errors.ts";
import { pageOf, readPage } from "../http/page.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { reportsIn } from "./resend_reports.ts";
import { mail, mailQuery } from "./schema.ts";
import { suppressions } from "./suppressions.ts";
import { unsubscribing } from "./unsubscribing.ts";

/** Routes below /mails: the log of mails, suppressions, unsubscribing and the reports of providers. */
export const mails = createRoutes();

const limitReport = bodyLimit({
  maxSize: 65_536,
  onError: () => {
    throw new ApiError("PAYLOAD_TOO_LARGE");
  },
});

const shared = { tags: ["Mail"], middleware: authenticate };

const mailsPage = pageOf("mails", mail);

mails.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "mails.list",
    permission: "mails.read",
    summary: "List mails",
    description: "The log of the last 90 days.",
    request: { query: mailQuery },
    responses: answers(200, mailsPage, "The tenant's mails, newest first"),
  }),
  async (c) => {
    const { status, template, to, event_id, ...list } = c.req.valid("query");
    let query = c.get("db").from("mails").select("*", { count: "exact" });
    if (status) query = query.eq("status", status);
    if (template) query = query.eq("template", template);
    if (to) query = query.eq("to", to.toLowerCase());
    if (event_id) query = query.eq("event_id", event_id);
    return c.json(await readPage(mailsPage, query, list), 200);
  },
);

mails.route("/suppressions", suppressions);
mails.route("/", unsubscribing);

/**
 * Receives Resend's webhooks, signed with RESEND_WEBHOOK_SECRET. A bounce or complaint suppresses the address for the tenant
 * that wrote to it. Errors: UNAUTHORIZED.
 */
mails.openapi(
  createRoute({
    hide: true,
    anonymous: true,
    security: [],
    method: "post",
    path: "/webhooks/resend",
    operationId: "mails.resendReport",
    // The signature covers the bytes of the body.
    streams: true,
    middleware: limitReport,
    responses: { 204: { description: "The report is recorded" } },
  }),
  async (c) => {
    const reports = reportsIn(await c.req.text(), c.req.header());
    const db = databaseAsService(c.get("signal"));
    await Promise.all(reports.map((report) => db.rpc("report_mail", report).throwOnError()));
    return c.body(null, 204);
  },
);

mails.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}",
    operationId: "mails.get",
    permission: "mails.read",
    summary: "Get a mail",
    request: { params: idParam },
    responses: answers(200, mail, "The mail"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { data } = await c.get("db").from("mails").select().eq("id", id).single().throwOnError();
    return c.json(mail.parse(data), 200);
  },
);

mails.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/{id}/retry",
    operationId: "mails.retry",
    permission: "mails.write",
    summary: "Send a mail again",
    description: "Sends a mail that has failed again, in up to five attempts.",
    errors: { CONFLICT: "if it has not failed" },
    request: { params: idParam },
    responses: answers(200, mail, "The mail, which is queued"),
  }),
  async (c) => {
    const args = { mail_id: c.req.valid("param").id };
    const { data } = await c.get("db").rpc("retry_mail", args).throwOnError();
    return c.json(mail.parse(data), 200);
  },
);
