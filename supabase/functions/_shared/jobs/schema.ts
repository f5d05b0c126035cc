import { z } from "@hono/zod-openapi";

const timestamp = z.string();

/** A job of the database that fails or is late. */
const job = z.object({
  name: z.string(),
  queue: z.string(),
  every_seconds: z.number().int(),
  due_at: timestamp,
  /** Null if it is not running. */
  running_since: timestamp.nullable(),
  last_run_at: timestamp.nullable(),
  last_duration_ms: z.number().int().nullable(),
  /** The number of failed runs since the last one that succeeded. */
  failures: z.number().int(),
  last_failed_at: timestamp.nullable(),
  last_error: z.string().nullable(),
});

/** The state of the project, for its operators. */
export const health = z.object({
  status: z.enum(["ok", "failing"]),
  checked_at: timestamp,
  jobs: z.object({
    total: z.number().int(),
    /** Jobs whose last run failed. */
    failing: z.array(job),
    /** Jobs that have been due for more than 3 minutes. */
    late: z.array(job),
  }),
});
