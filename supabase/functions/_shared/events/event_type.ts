import { z } from "@hono/zod-openapi";
import * as sample from "./sample.ts";

/** One kind of event: when there is one, and what it carries. */
export interface EventType {
  /** When there is one. */
  description: string;
  /** The schema of the whole body, which webhooks and /api/events both carry. */
  schema: z.ZodType<Record<string, unknown>>;
  example: Record<string, unknown>;
}

/** What a capability says of an event of its own. */
interface Said<Carried extends Record<string, z.ZodObject>> {
  description: string;
  /** The records in `data`. */
  carried: Carried;
  sample: { [Name in keyof Carried]: unknown };
  /** What stands at the top level, beside `data`. */
  beside?: { shape: z.ZodRawShape; sample: Record<string, unknown> };
}

/** An event by its name, with the schema and the example of its whole body. */
export function defineEvent<const Name extends string, Carried extends Record<string, z.ZodObject>>(
  name: Name,
  { description, carried, sample: data, beside = { shape: {}, sample: {} } }: Said<Carried>,
) {
  const whole = z.object({
    id: z.guid().openapi({ description: "The event's, wherever it is read." }),
    event: z.literal(name),
    timestamp: z.iso.datetime().openapi({ description: "When it happened." }),
    ...beside.shape,
    data: z.object(carried),
  });
  const type: EventType = {
    description,
    schema: z.union([whole, whole.extend(truncated(carried))]),
    example: { id: sample.id("e"), event: name, timestamp: sample.MOMENT, ...beside.sample, data },
  };
  return { [name]: type } as Record<Name, EventType>;
}

/** A body that had no room for its records: it has their short fields, the id among them. */
function truncated(carried: Record<string, z.ZodObject>) {
  const records = Object.entries(carried).map(
    ([name, record]) => [name, record.partial().required({ id: true })] as const,
  );
  return { truncated: z.literal(true), data: z.object(Object.fromEntries(records)) };
}
