import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { Env, FunctionName } from "./env.ts";
import { ERROR_CODES } from "./errors.ts";
import { perform } from "./perform.ts";
import { unkeptTexts } from "./texts.ts";

/** The most events of one batch, as the database counts. */
const MAX_EVENTS = 1000;

/** The body of a batch of events. The database validates each event. */
export const batchOf = (event: z.ZodType) =>
  z.strictObject({ events: z.array(event).max(MAX_EVENTS) });

/** The first field of the result of an event. */
export const eventIndex = z
  .number()
  .int()
  .openapi({ description: "The position in the batch, from 0." });

/** The error of an event of a batch, in the shape of all errors. */
export const eventError = z.object({
  code: z.enum(ERROR_CODES),
  message: z.string(),
  details: z.object({ field: z.string(), value: z.unknown() }),
});

interface Results {
  results: { index: number; error?: z.infer<typeof eventError> }[];
}

/**
 * Calls a function of the database with a batch of events and answers a result for each. Postgres reads a batch as JSON as a
 * whole or not at all, so an event with a text that it cannot read is sent as null and gets its message here.
 */
export async function performBatch<Told extends Results>(
  c: Context<Env>,
  name: FunctionName,
  events: unknown[],
  results: z.ZodType<Told>,
  args: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Told> {
  const readable = events.map((event) => unkeptTexts(event).length === 0);
  const sent = events.map((event, index) => (readable[index] ? event : null));
  const told = results.parse(await perform(c, name, { events: sent, ...args }, headers));
  for (const { index, error } of told.results) {
    if (error && !readable[index]) {
      error.message = "An event holds no null character, and no half of a character.";
    }
  }
  return told;
}
