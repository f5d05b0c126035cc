import { z } from "@hono/zod-openapi";
import { by, currencyQuery } from "../analytics/report_schema.ts";
import { heading, periodQuery, scopeQuery } from "../analytics/schema.ts";
import { pageFields } from "../http/page.ts";

export const exportType = z
  .enum([
    "sales",
    "revenue",
    "orders",
    "order_items",
    "products",
    "inventory",
    "customers",
    "segments",
    "cohorts",
    "funnel",
    "campaigns",
    "commissions",
  ])
  .openapi("ExportType");

export const exportFormat = z.enum(["csv", "xlsx", "json"]).openapi("ExportFormat");

/** What is asked for each time. */
const wish = {
  type: exportType,
  format: exportFormat,
  ...scopeQuery,
  ...currencyQuery,
  by: by
    .optional()
    .openapi({ description: "revenue: by what it is told; marketplace, unless named." }),
  bom: z
    .boolean()
    .optional()
    .openapi({ description: "csv: begins with a mark by which Excel knows UTF-8." }),
  email: z.string().max(320).optional().openapi({
    description:
      "The address of an active member of the tenant, who is to be told. It is kept; no mail is sent yet.",
  }),
};

export const newExport = z
  .strictObject({
    ...wish,
    period: heading.period.optional().openapi({
      description:
        "30d, unless it says otherwise; of products, inventory, customers and campaigns all there are.",
    }),
    from: periodQuery.from,
    to: periodQuery.to,
  })
  .openapi("NewExport", { example: { type: "orders", period: "30d", format: "csv" } });

/** An export as the database keeps it. */
export const storedExport = z.object({
  id: z.guid(),
  tenant_id: z.guid(),
  asked_by: z.guid().nullable().openapi({ description: "A user; null once that is gone." }),
  type: exportType,
  period: heading.period
    .nullable()
    .openapi({ description: "Null where all there is was asked for." }),
  from: z.string().nullable(),
  to: z.string().nullable(),
  marketplace_id: z.guid().nullable(),
  supplier_id: z.guid().nullable(),
  category: z.guid().nullable(),
  currency: z.string().nullable(),
  by: by.nullable(),
  format: exportFormat,
  bom: z.boolean(),
  email: z.string().nullable(),
  status: z.enum(["queued", "running", "ready", "failed", "expired"]).openapi("ExportStatus"),
  progress: z.number().int().min(0).max(100),
  rows: z.number().int().openapi({ description: "As many as are written by now." }),
  bytes: z.number().int(),
  files: z.array(z.string()),
  error: z.string().nullable().openapi({ description: "Why it failed." }),
  created_at: z.string(),
  finished_at: z.string().nullable(),
  expires_at: z.string().nullable().openapi({ description: "When its files go." }),
});

export type StoredExport = z.infer<typeof storedExport>;

export const exportRecord = storedExport
  .omit({ files: true })
  .extend({
    url: z.string().nullable().openapi({
      description:
        "Where its file is, once it is ready; holds for 24 hours, a new one at each GET.",
    }),
    urls: z
      .array(z.string())
      .openapi({ description: "Of all its files, in sequence: a large export has several." }),
  })
  .openapi("Export");

export const exportList = z.object({ exports: z.array(exportRecord), ...pageFields });

const every = z.enum(["day", "week", "month"]);

export const newExportSchedule = z
  .strictObject({
    ...wish,
    period: heading.period
      .exclude(["custom"])
      .optional()
      .openapi({ description: "Seen from the day of each export." }),
    every: every.openapi({ description: "When the tenant's day begins; a week's on Monday." }),
  })
  .openapi("NewExportSchedule", {
    example: { type: "sales", period: "yesterday", format: "csv", every: "day" },
  });

export const exportSchedule = storedExport
  .pick({
    ...{ id: true, tenant_id: true, type: true, period: true, marketplace_id: true },
    ...{ supplier_id: true, category: true, currency: true, by: true, format: true, bom: true },
    ...{ email: true, created_at: true },
  })
  .extend({
    asked_by: z.guid(),
    every,
    next_at: z.string().openapi({ description: "When it is asked for the next time." }),
    last_at: z.string().nullable(),
    last_error: z.string().nullable().openapi({
      description: "Why that came to nothing the last time; null where an export was queued.",
    }),
  })
  .openapi("ExportSchedule");

export const exportScheduleList = z.object({ schedules: z.array(exportSchedule), ...pageFields });
