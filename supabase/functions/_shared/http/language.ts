import { z } from "@hono/zod-openapi";

/** A language tag in a request, by the rule of private.is_language in the database. */
export const language = z
  .string()
  .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,3}$/, "must be a language, such as en or pt-BR")
  .openapi({ example: "de" });
