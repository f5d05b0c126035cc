import { z } from "@hono/zod-openapi";
import * as sample from "./sample.ts";

/** An event type. */
export interface EventType {
  /** When the event is recorded. */
  description: string;
  /** The schema of the whole body, which is the same in webhooks and /api/events. */
  schema: z.ZodType<Record<string, unknown>>;
  example: Record<string, unknown>;
  /** The records in `data`, and the further fields at the top level: the client's types are made of them. */
  carried: z.ZodRawShape;
  beside: z.ZodRawShape;
}

/** A capability's definition of an event. */
interface Definition<Carried extends Record<string, z.ZodObject>> {
  description: string;
  /** The records in `data`. */
  carried: Carried;
  sample: { [Name in keyof Carried]: unknown };
  /** Further fields at the top level, beside `data`. */
  beside?: { shape: z.ZodRawShape; sample: Record<string, unknown> };
}

/** Defines an event by its name, with the schema and the example of its whole body. */
export function defineEvent<const Name extends string, Carried extends Record<string, z.ZodObject>>(
  name: Name,
  { description, carried, sample: data, beside = { shape: {}, sample: {} } }: Definition<Carried>,
) {
  const whole = z.object({
    id: z
      .guid()
      .openapi({ description: "The id of the event, the same in webhooks and /api/events." }),
    event: z.literal(name),
    timestamp: z.iso.datetime().openapi({ description: "Time of the event." }),
    ...beside.shape,
    data: z.object(carried),
  });
  const type: EventType = {
    description,
    schema: z.union([whole, whole.extend(truncated(carried))]),
    example: { id: sample.id("e"), event: name, timestamp: sample.MOMENT, ...beside.sample, data },
    carried,
    beside: beside.shape,
  };
  return { [name]: type } as Record<Name, EventType>;
}

/** The fields of a body that was too large for its records: the short fields of each record, including its id if it has one. */
function truncated(carried: Record<string, z.ZodObject>) {
  const records = Object.entries(carried).map(([name, record]) => {
    const short = record.partial();
    return [name, "id" in record.shape ? short.required({ id: true }) : short] as const;
  });
  return { truncated: z.literal(true), data: z.object(Object.fromEntries(records)) };
}
