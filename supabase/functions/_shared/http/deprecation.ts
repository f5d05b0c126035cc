import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { Env } from "./env.ts";

/** The deprecation of something that still works. */
export interface Deprecation {
  /** The day of the deprecation, such as `2026-11-21`. */
  since: string;
  /** A sentence that names the replacement. */
  instead: string;
}

/** Marks a field, a parameter or one of their values as deprecated in the OpenAPI document. */
export function deprecate<Schema extends z.ZodType>(
  schema: Schema,
  { since, instead }: Deprecation,
): Schema {
  return schema.openapi({
    deprecated: true,
    description: `Deprecated since ${since}. ${instead}`,
  });
}

/** Sets the response header `Deprecation` (RFC 9745). */
export function announce(c: Context<Env>, { since }: Deprecation): void {
  c.header("Deprecation", `@${Date.parse(since) / 1000}`);
}
