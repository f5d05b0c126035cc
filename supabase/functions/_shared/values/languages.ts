import { z } from "@hono/zod-openapi";

/** The languages of built-in texts. */
export const LANGUAGES = ["en", "de", "ar"] as const;
export type Language = (typeof LANGUAGES)[number];

/** A language tag in a request, by the rule of private.is_language in the database. */
export const language = z
  .string()
  .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,3}$/, "must be a language, such as en or pt-BR")
  .openapi({ example: "de" });

const WRITTEN_FROM_THE_RIGHT =
  /^(ar|arc|ckb|dv|fa|he|iw|ks|ku-arab|ps|sd|ug|ur|yi)(-|$)|-(arab|hebr|thaa|syrc|nkoo)(-|$)/i;

/** Whether a language is usually written from right to left. */
export const isRightToLeft = (language: string): boolean => WRITTEN_FROM_THE_RIGHT.test(language);
