import type { z } from "@hono/zod-openapi";
import { answers, body, idParam, noContent } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { listQuery, pageOf, readPage } from "../http/page.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { withAddresses } from "./addresses.ts";
import { schedules } from "./schedules.ts";
import { exportList, exportRecord, exportType, newExport, storedExport } from "./schema.ts";

/** Requests for exports. */
export const newExports = createRoutes();
/** Exports, and their schedules. */
export const exportRoutes = createRoutes();

// Before the route whose parameter would match it.
exportRoutes.route("/schedules", schedules);

const shared = { tags: ["Analytics"], middleware: authenticate };

newExports.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/",
    operationId: "analytics.createExport",
    permission: "analytics.read",
    once: true,
    summary: "Request an export",
    description:
      "Suppliers get their own rows. A worker writes the file: get the export until it is ready, or subscribe to it with Realtime.",
    errors: {
      NOT_FOUND: "for an unknown marketplace, supplier or category",
      VALIDATION_ERROR: "also on `email` if no active member has it",
      LIMIT_REACHED:
        "on `format` or `period` if there are more rows than the format allows, or if too many exports are queued",
    },
    request: { body: body(newExport) },
    responses: answers(202, exportRecord, "The export, which is queued"),
  }),
  async (c) => {
    const made = storedExport.parse(await perform(c, "create_export", c.req.valid("json")));
    const { files: _, ...record } = made;
    return c.json({ ...record, url: null, urls: [] }, 202, {
      Location: `/functions/v1/api/analytics/exports/${made.id}`,
    });
  },
);

const storedPage = pageOf("exports", storedExport);

exportRoutes.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "analytics.exports",
    permission: "exports.read",
    summary: "List exports",
    request: {
      query: listQuery(["created_at"]).extend({
        type: exportType.optional(),
        status: storedExport.shape.status.optional(),
      }),
    },
    responses: answers(
      200,
      exportList,
      "The exports: for admins all of the tenant, for others their own",
    ),
  }),
  async (c) => {
    const { type, status, ...list } = c.req.valid("query");
    let query = c.get("db").from("exports").select("*", { count: "exact" });
    if (type) query = query.eq("type", type);
    if (status) query = query.eq("status", status);
    const { exports, ...page } = await readPage(storedPage, query, list);
    return c.json({ exports: await withAddresses(exports, c.get("signal")), ...page }, 200);
  },
);

exportRoutes.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}",
    operationId: "analytics.getExport",
    permission: "exports.read",
    summary: "Get an export and the addresses of its files",
    request: { params: idParam },
    responses: answers(200, exportRecord, "The export"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const { data } = await c
      .get("db")
      .from("exports")
      .select()
      .eq("id", id)
      .single()
      .throwOnError();
    const [record] = await withAddresses([data], c.get("signal"));
    return c.json(record as z.infer<typeof exportRecord>, 200);
  },
);

exportRoutes.openapi(
  createRoute({
    ...shared,
    method: "delete",
    path: "/{id}",
    operationId: "analytics.removeExport",
    permission: "exports.read",
    summary: "Delete an export and its files",
    description: "An export that is being written stops.",
    request: { params: idParam },
    responses: noContent("It is deleted; a worker deletes its files"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    await c.get("db").from("exports").delete().eq("id", id).select("id").single().throwOnError();
    return c.body(null, 204);
  },
);
