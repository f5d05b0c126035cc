import { z } from "@hono/zod-openapi";

/** The text of a time in the tenant's time zone. The database makes it, because it knows the current time zones. */
export const localText = z.string().openapi({
  description: "The same time in the tenant's time zone, with its offset.",
  example: "2026-11-24T09:00:00.123456+13:00",
});
