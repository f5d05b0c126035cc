import { z } from "@hono/zod-openapi";

/** A visible character: no separator, no control or format character, nothing without a width. */
const VISIBLE = /[^\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

const MESSAGE = "must have a visible character";

/** Whether a text has anything to see. */
export const isVisible = (text: string) => VISIBLE.test(text);

/** A name, or another text that people read: it has at least one visible character. */
export const visible = (longest: number) => z.string().min(1).max(longest).regex(VISIBLE, MESSAGE);

/** The same where a text may also be empty. */
export const visibleOrEmpty = (longest: number) =>
  z
    .string()
    .max(longest)
    .refine((text) => text === "" || isVisible(text), MESSAGE);
