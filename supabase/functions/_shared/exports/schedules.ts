import { answers, body, idParam, noContent } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { listQuery, readPage } from "../http/page.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes } from "../http/routes.ts";
import { exportSchedule, exportScheduleList, newExportSchedule } from "./schema.ts";

/** Schedules of recurring exports. */
export const schedules = createRoutes();

const shared = { tags: ["Analytics"], middleware: authenticate };

schedules.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/",
    operationId: "analytics.createExportSchedule",
    permission: "analytics.read",
    once: true,
    summary: "Schedule an export each day, week or month",
    description:
      "Exports run at the beginning of the tenant's day. Each export belongs to the member who created the schedule, and is refused if that member may no longer see such rows.",
    errors: {
      NOT_FOUND: true,
      VALIDATION_ERROR: "also on `period` if it is custom",
      LIMIT_REACHED: "if the tenant has the maximum number of schedules",
    },
    request: { body: body(newExportSchedule) },
    responses: answers(201, exportSchedule, "The new schedule"),
  }),
  async (c) => {
    const made = exportSchedule.parse(
      await perform(c, "create_export_schedule", c.req.valid("json")),
    );
    return c.json(made, 201, {
      Location: `/functions/v1/api/analytics/exports/schedules/${made.id}`,
    });
  },
);

schedules.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "analytics.exportSchedules",
    permission: "exports.read",
    summary: "List schedules of exports",
    request: { query: listQuery(["created_at", "next_at"]) },
    responses: answers(
      200,
      exportScheduleList,
      "The schedules: for admins all of the tenant, for others their own",
    ),
  }),
  async (c) => {
    const query = c.get("db").from("export_schedules").select("*", { count: "exact" });
    return c.json(await readPage(exportScheduleList, query, c.req.valid("query")), 200);
  },
);

schedules.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/{id}",
    operationId: "analytics.getExportSchedule",
    permission: "exports.read",
    summary: "Get a schedule of exports",
    request: { params: idParam },
    responses: answers(200, exportSchedule, "The schedule"),
  }),
  async (c) => {
    const schedule = c
      .get("db")
      .from("export_schedules")
      .select()
      .eq("id", c.req.valid("param").id);
    return c.json(exportSchedule.parse((await schedule.single().throwOnError()).data), 200);
  },
);

schedules.openapi(
  createRoute({
    ...shared,
    method: "delete",
    path: "/{id}",
    operationId: "analytics.removeExportSchedule",
    permission: "exports.read",
    summary: "Delete a schedule",
    description: "Its exports remain.",
    request: { params: idParam },
    responses: noContent("It is deleted"),
  }),
  async (c) => {
    const { id } = c.req.valid("param");
    const schedule = c.get("db").from("export_schedules").delete().eq("id", id);
    await schedule.select("id").single().throwOnError();
    return c.body(null, 204);
  },
);
