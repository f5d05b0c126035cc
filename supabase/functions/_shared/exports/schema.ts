import { z } from "@hono/zod-openapi";
import { by, currencyQuery } from "../analytics/report_schema.ts";
import { heading, periodQuery, scopeQuery } from "../analytics/schema.ts";
import { pageFields } from "../http/page.ts";
import { email } from "../values/email.ts";
import { Enums } from "../values/enums.generated.ts";

export const exportType = z.enum(Enums.export_type).openapi("ExportType");

export const exportFormat = z.enum(Enums.export_format).openapi("ExportFormat");

/** The fields of an export and of a schedule. */
const request = {
  type: exportType,
  format: exportFormat,
  ...scopeQuery,
  ...currencyQuery,
  by: by
    .optional()
    .openapi({ description: "For revenue: the dimension of the breakdown. Default: marketplace." }),
  bom: z.boolean().optional().openapi({
    description:
      "For csv: whether the file starts with a byte order mark, by which Excel detects UTF-8.",
  }),
  email: email.optional().openapi({
    description:
      "The address of an active member of the tenant who is to be notified. It is stored; no mail is sent yet.",
  }),
};

export const newExport = z
  .strictObject({
    ...request,
    period: heading.period.optional().openapi({
      description:
        "Default: 30d; for products, inventory, customers, campaigns, discounts, segments and cohorts everything.",
    }),
    from: periodQuery.from,
    to: periodQuery.to,
  })
  .openapi("NewExport", { example: { type: "orders", period: "30d", format: "csv" } });

/** An export as the database stores it. */
export const storedExport = z.object({
  id: z.guid(),
  tenant_id: z.guid(),
  asked_by: z.guid().nullable().openapi({ description: "A user; null if deleted." }),
  type: exportType,
  period: heading.period.nullable().openapi({ description: "Null if the export has no period." }),
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
  status: z.enum(Enums.export_status).openapi("ExportStatus"),
  progress: z.number().int().min(0).max(100),
  rows: z.number().int().openapi({ description: "Rows written so far." }),
  bytes: z.number().int(),
  files: z.array(z.string()),
  error: z.string().nullable().openapi({ description: "The reason for the failure." }),
  created_at: z.string(),
  finished_at: z.string().nullable(),
  expires_at: z
    .string()
    .nullable()
    .openapi({ description: "Time at which its files are deleted." }),
});

export type StoredExport = z.infer<typeof storedExport>;

export const exportRecord = storedExport
  .omit({ files: true })
  .extend({
    url: z.string().nullable().openapi({
      description:
        "The signed address of its file, once it is ready. It is valid for 24 hours; each GET returns a new one.",
    }),
    urls: z.array(z.string()).openapi({
      description: "The addresses of all its files, in order. A large export has several.",
    }),
  })
  .openapi("Export");

export const exportList = z.object({ exports: z.array(exportRecord), ...pageFields });

const every = z.enum(Enums.export_frequency);

export const newExportSchedule = z
  .strictObject({
    ...request,
    period: heading.period.exclude(["custom"]).optional().openapi({
      description:
        "It ends with the day before the export is due. For no gaps: yesterday with day, last_week with week, last_month with month. With month, 30d is refused, and last_month is the default for types whose default is 30d.",
    }),
    every: every.openapi({
      description: "Runs at the beginning of the tenant's day. A week begins on Monday.",
    }),
  })
  .openapi("NewExportSchedule", {
    example: { type: "sales", period: "last_month", format: "csv", every: "month" },
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
    next_at: z.string().openapi({ description: "Time at which the next export is queued." }),
    last_at: z.string().nullable(),
    last_error: z.string().nullable().openapi({
      description: "The reason why the last export was refused; null if it was queued.",
    }),
  })
  .openapi("ExportSchedule");

export const exportScheduleList = z.object({ schedules: z.array(exportSchedule), ...pageFields });
