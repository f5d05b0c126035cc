import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { unkeptTexts } from "../values/texts.ts";
import type { Env, FunctionName } from "./env.ts";
import { ERROR_CODES } from "./error_codes.ts";
import { perform } from "./perform.ts";

/** Largest number of events in a batch, the same as in the database. */
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
 * Calls a function of the database with a batch of events and returns a result for each event. Postgres rejects a whole
 * batch if one text in it cannot be stored, so such an event is sent as null and gets its message here.
 */
export async function performBatch<Answer extends Results>(
  c: Context<Env>,
  name: FunctionName,
  events: unknown[],
  results: z.ZodType<Answer>,
  args: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  const readable = events.map((event) => unkeptTexts(event).length === 0);
  const sent = events.map((event, index) => (readable[index] ? event : null));
  const answer = results.parse(await perform(c, name, { events: sent, ...args }, headers));
  for (const { index, error } of answer.results) {
    if (error && !readable[index]) {
      error.message = "An event must not contain a null character or half of a surrogate pair.";
    }
  }
  return answer;
}
