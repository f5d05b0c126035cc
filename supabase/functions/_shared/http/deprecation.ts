import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { Env } from "./env.ts";

/** What is obsolete, and still answers. */
export interface Deprecation {
  /** The day it became obsolete: `2026-11-21`. */
  since: string;
  /** What to use instead: a sentence. */
  instead: string;
}

/** Marks a field, a parameter or one of their values in the document. */
export function deprecate<Schema extends z.ZodType>(
  schema: Schema,
  { since, instead }: Deprecation,
): Schema {
  return schema.openapi({
    deprecated: true,
    description: `Deprecated since ${since}. ${instead}`,
  });
}

/** Says in the answer's headers that something obsolete was used: RFC 9745. */
export function announce(c: Context<Env>, { since }: Deprecation): void {
  c.header("Deprecation", `@${Date.parse(since) / 1000}`);
}
