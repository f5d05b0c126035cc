import { z } from "@hono/zod-openapi";
import { RIGHT_TO_LEFT_TAGS } from "./directions.generated.ts";

/** The languages of built-in texts, each by its own name. The client and the apps have them from here. */
export const LANGUAGE_NAMES = { en: "English", de: "Deutsch", ar: "العربية" } as const;
export type Language = keyof typeof LANGUAGE_NAMES;
export const LANGUAGES = Object.keys(LANGUAGE_NAMES) as Language[];

/** A language tag in a request, by the rule of private.is_language in the database. */
export const language = z
  .string()
  .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,3}$/, "must be a language, such as en or pt-BR")
  .openapi({ example: "de" });

export type Direction = "ltr" | "rtl";

/** Whether a language is usually written from right to left. */
export const isRightToLeft = (language: string): boolean => RIGHT_TO_LEFT_TAGS.test(language);

/** The direction in which a language is usually written. */
export const directionOf = (language: string): Direction =>
  isRightToLeft(language) ? "rtl" : "ltr";
