import { z } from "@hono/zod-openapi";

/** A visible character: not a separator, control or format character, and not one without width. */
const VISIBLE = /[^\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

const MESSAGE = "must have a visible character";

/** Whether a text has a visible character. */
export const isVisible = (text: string) => VISIBLE.test(text);

/** A name or another text that people read. It must have at least one visible character. */
export const visible = (longest: number) => z.string().min(1).max(longest).regex(VISIBLE, MESSAGE);

/** The same, or an empty text. */
export const visibleOrEmpty = (longest: number) =>
  z
    .string()
    .max(longest)
    .refine((text) => text === "" || isVisible(text), MESSAGE);

/** A readable address. */
export const slug = z
  .string()
  .max(200)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "must be lower-case letters, digits and hyphens");
