import { z } from "@hono/zod-openapi";

/** The text of a time in the tenant's time zone. The database makes it, because it knows the current time zones. */
export const localText = z.string().openapi({
  description: "The same time in the tenant's time zone, with its offset.",
  example: "2026-11-24T09:00:00.123456+13:00",
});

const timeOrDay = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);

/** The start of a period. The database knows when a day begins. */
export const since = timeOrDay.openapi({
  description:
    "A time with its offset, or a date: the beginning of this day in the tenant's time zone.",
});

/** The end of a period. */
export const until = timeOrDay.openapi({
  description: "A time with its offset, or a date: the end of this day in the tenant's time zone.",
});

/** The query parameters of a period. */
export const period = { from: since.optional(), to: until.optional() };

/** A day in the tenant's time zone. */
export const day = z.iso.date().openapi({ example: "2026-12-24" });

/** The query parameters of a period of whole days. */
export const days = {
  from: day.optional().openapi({ description: "The first day, in the tenant's time zone." }),
  to: day.optional().openapi({ description: "The last day, in the tenant's time zone." }),
};
