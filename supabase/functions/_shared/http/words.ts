import { z } from "@hono/zod-openapi";

const NOT_BLANK = /\S/;

/** A text of 1 to `longest` characters that is not blank. */
export const words = (longest: number) =>
  z.string().min(1).max(longest).regex(NOT_BLANK, "must not be blank");
