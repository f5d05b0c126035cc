import { z } from "@hono/zod-openapi";
import { listQuery, pageFields } from "../http/page.ts";
import { Enums } from "../values/enums.generated.ts";
import { day, localText, period } from "../values/times.ts";

const opens = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, "must be a time such as 09:00")
  .openapi({ example: "09:00" });

const closes = z
  .string()
  .regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, "must be a time such as 17:00, at most 24:00")
  .openapi({ example: "17:00" });

const location = z
  .record(z.string(), z.unknown())
  .nullable()
  .openapi({
    description: "The place of the service, with any fields.",
    example: { street: "1 Market Street", city: "Fez" },
  });

const hours = z
  .array(
    z
      .object({
        weekday: z.number().int().min(1).max(7).openapi({ description: "1 is Monday." }),
        opens,
        closes,
      })
      .openapi("OpeningHours"),
  )
  .max(200);

const exceptions = z
  .array(
    z
      .object({
        date: day,
        hours: z.array(z.object({ opens, closes })).max(50).openapi({
          description:
            "The hours of this day instead of the weekday's. An empty list closes the day.",
        }),
      })
      .openapi("CalendarException"),
  )
  .max(1000);

const duration = z.number().int().min(5).max(1440);
const capacity = z.number().int().min(1).max(1000);
const lead = z.number().int().min(0).max(525_600);
const cancellation = z.number().int().min(0).max(525_600);

export const newCalendar = z
  .object({
    time_zone: z.string().min(1).max(100).openapi({ example: "Africa/Casablanca" }),
    duration_minutes: duration.openapi({ description: "Length of a slot in minutes." }),
    capacity: capacity.default(1).openapi({ description: "Number of bookings per slot." }),
    lead_minutes: lead.default(0).openapi({
      description: "Minimum time between a booking and the start of its slot, in minutes.",
    }),
    cancellation_minutes: cancellation.default(0).openapi({
      description:
        "Customers can cancel a booking until this many minutes before the start of its slot.",
    }),
    location: location.default(null),
    hours: hours.default([]),
    exceptions: exceptions.default([]),
  })
  .openapi("NewServiceCalendar");

export const calendar = z
  .object({
    product_id: z.guid(),
    time_zone: z.string(),
    duration_minutes: duration,
    capacity,
    lead_minutes: lead,
    cancellation_minutes: cancellation,
    location,
    hours,
    exceptions,
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("ServiceCalendar");

export const slotQuery = listQuery(["starts_at"]).extend({
  from: day
    .optional()
    .openapi({ description: "The first day, in the tenant's time zone. Default: today." }),
  to: day.optional().openapi({
    description:
      "The last day, in the tenant's time zone, at most 61 days later. Default: 6 days later.",
  }),
  order: z.enum(["asc", "desc"]).default("asc"),
});

export const slotList = z
  .object({
    product_id: z.guid(),
    time_zone: z.string().openapi({ description: "The time zone of the opening hours." }),
    from: day,
    to: day,
    slots: z.array(
      z
        .object({
          starts_at: z.string(),
          starts_at_local: localText,
          ends_at: z.string(),
          ends_at_local: localText,
          available: z.number().int().openapi({ description: "Number of free places." }),
        })
        .openapi("ServiceSlot"),
    ),
    ...pageFields,
  })
  .openapi("ServiceSlotList");

const bookingStatus = z.enum(Enums.booking_status).openapi("BookingStatus");

export const bookingQuery = listQuery(["starts_at", "created_at"]).extend({
  ...period,
  product_id: z.guid().optional(),
  order_id: z.guid().optional(),
  status: bookingStatus.optional(),
  order: z.enum(["asc", "desc"]).default("asc"),
});

export const bookingList = z
  .object({
    bookings: z.array(
      z
        .object({
          id: z.guid(),
          tenant_id: z.guid(),
          product_id: z.guid(),
          order_id: z.guid(),
          order_item_id: z.guid(),
          customer_id: z.guid(),
          supplier_id: z.guid().nullable(),
          name: z.string(),
          starts_at: z.string(),
          starts_at_local: localText,
          ends_at: z.string(),
          ends_at_local: localText,
          seat: z.number().int(),
          status: bookingStatus,
          cancellable_until: z.string().openapi({
            description: "Time until which the customer can cancel the booking.",
          }),
          cancellable_until_local: localText,
          delivered_at: z.string().nullable().openapi({
            description: "The end of the slot, once it is over and counts as delivered.",
          }),
          delivered_at_local: localText.nullable(),
          time_zone: z.string(),
          location,
          created_at: z.string(),
          created_at_local: localText,
          updated_at: z.string(),
          updated_at_local: localText,
        })
        .openapi("Booking"),
    ),
    ...pageFields,
  })
  .openapi("BookingList");
