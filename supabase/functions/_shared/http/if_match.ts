import { z } from "@hono/zod-openapi";
import { createMiddleware } from "hono/factory";
import type { Env } from "./env.ts";
import { ApiError } from "./errors.ts";

// A change can name the state of the record that it began from, so that it does not take back somebody else's change.

/** The updated_at of a record as it was read, in the body of a change. */
export const updatedAt = z.iso.datetime({ offset: true }).openapi({
  description:
    "The updated_at of the record as it was read. CONFLICT if the record has changed since. The header If-Match can name it instead.",
});

/** The header of a change that can stand in place of updated_at. */
export const ifMatch = z.object({
  "if-match": z.string().optional().openapi({
    description:
      "The ETag of the record as it was read: its updated_at in quotes. CONFLICT if the record has changed since. `*` stands for any state.",
  }),
});

/** The headers of an answer that holds a record. */
export const tagOf = ({ updated_at }: { updated_at: string }) => ({ ETag: `"${updated_at}"` });

/**
 * Keeps a strong ETag as it is. Whatever compresses a body on its way, such as hosted's Deno or a proxy, makes its tag weak,
 * unless the answer forbids that.
 */
export const keepTag = createMiddleware<Env>(async (c, next) => {
  await next();
  const { headers } = c.res;
  const directives = headers.get("Cache-Control");
  if (!headers.get("ETag")?.startsWith('"') || /no-(store|transform)/.test(directives ?? ""))
    return;
  headers.set("Cache-Control", directives ? `${directives}, no-transform` : "no-transform");
});

/**
 * The changes with the state that they began from: updated_at of the body, else that of If-Match. Errors: INVALID_REQUEST if
 * If-Match is no ETag; CONFLICT if it is the ETag of something else.
 */
export function asRead<Changes extends { updated_at?: string }>(
  changes: Changes,
  header: string | undefined,
): Changes {
  if (changes.updated_at !== undefined || header === undefined || header === "*") return changes;
  const tag = /^(?:W\/)?"([^"]*)"$/.exec(header)?.[1];
  if (tag === undefined) {
    throw new ApiError(
      "INVALID_REQUEST",
      "If-Match must be the ETag of the record as it was read, with its quotes.",
      [{ field: "If-Match", value: header }],
    );
  }
  if (!updatedAt.safeParse(tag).success) {
    throw new ApiError(
      "CONFLICT",
      "If-Match is not the ETag of this record. Read it again, then send your changes.",
      [{ field: "updated_at", value: tag }],
    );
  }
  return { ...changes, updated_at: tag };
}

/** Whether changes have a field to change. */
export const changesSomething = (changes: object): boolean =>
  Object.keys(changes).some((name) => name !== "updated_at");

export const NOTHING_TO_CHANGE = "Send at least one field to change.";
