import { z } from "@hono/zod-openapi";

/** An address of the web, by the same rule as private.is_address() in the database. */
export const address = z
  .string()
  .max(2048)
  .regex(/^https?:\/\/[^\s/?#@]+([/?#]\S*)?$/, "must be an address (https://…)")
  .openapi({ example: "https://shop.example.com/logo.svg" });
