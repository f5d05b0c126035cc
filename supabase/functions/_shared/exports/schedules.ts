import { z } from "@hono/zod-openapi";
import { answers, body, idParam, noContent } from "../http/answers.ts";
import { authenticate } from "../http/authenticate.ts";
import { listQuery, readPage } from "../http/page.ts";
import { perform } from "../http/perform.ts";
import { createRoute, createRoutes, readsAll } from "../http/routes.ts";
import { exportSchedule, exportScheduleList, newExportSchedule } from "./schema.ts";

/** Exports that are asked for each day, week or month. */
export const schedules = createRoutes();

const roles = [...readsAll, "supplier"] as const;
const shared = { tags: ["Analytics"], middleware: authenticate, roles };

schedules.openapi(
  createRoute({
    ...shared,
    method: "post",
    path: "/",
    operationId: "analytics.createExportSchedule",
    once: true,
    summary: "Ask for an export each day, week or month",
    description:
      "When the tenant's day begins. Each export is its maker's, who has to be a member still who may see such rows. Errors: NOT_FOUND; VALIDATION_ERROR, also on `period`, when it is custom; LIMIT_REACHED, when there are as many schedules as may be.",
    request: { body: body(newExportSchedule) },
    responses: answers(201, exportSchedule, "The new schedule"),
  }),
  async (c) => {
    const made = exportSchedule.parse(
      await perform(c, "create_export_schedule", c.req.valid("json")),
    );
    return c.json(made, 201);
  },
);

schedules.openapi(
  createRoute({
    ...shared,
    method: "get",
    path: "/",
    operationId: "analytics.exportSchedules",
    summary: "List schedules of exports",
    request: { query: listQuery(["created_at", "next_at"]) },
    responses: answers(
      200,
      exportScheduleList,
      "All of the tenant's for admins; for others their own",
    ),
  }),
  async (c) => {
    const query = c.get("db").from("export_schedules").select("*", { count: "exact" });
    const { rows, ...page } = await readPage(query, c.req.valid("query"));
    return c.json({ schedules: z.array(exportSchedule).parse(rows), ...page }, 200);
  },
);

schedules.openapi(
  createRoute({
    ...shared,
    method: "delete",
    path: "/{id}",
    operationId: "analytics.removeExportSchedule",
    summary: "Delete a schedule",
    description: "The exports that it has asked for stay. Errors: NOT_FOUND.",
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
