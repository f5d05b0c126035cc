import { z } from "@hono/zod-openapi";
import { ERROR_CODES, ERRORS } from "./error_codes.ts";

const errorBody = z
  .object({
    error: z.object({
      code: z.enum(ERROR_CODES).openapi("ErrorCode", { example: "VALIDATION_ERROR" }),
      message: z.string(),
      details: z
        .object({
          field: z.string().optional().openapi({ example: "items[0].price" }),
          value: z
            .unknown()
            .openapi({ description: "The value that was sent; null if none was sent." }),
          errors: z
            .array(
              z.object({ field: z.string(), value: z.unknown(), message: z.string().optional() }),
            )
            .optional()
            .openapi({ description: "All invalid fields if there are several; at most 100." }),
          cap: z.string().optional().openapi({
            description: "With LIMIT_REACHED: the name of the cap.",
            example: "webhooks_per_tenant",
          }),
          maximum: z
            .number()
            .optional()
            .openapi({ description: "The value of that cap or limit." }),
          limit: z.string().optional().openapi({
            description: "With TEMPLATE_LIMIT: which limit was exceeded.",
            example: "steps",
          }),
          section: z.string().optional().openapi({
            description: "With TEMPLATE_ERROR: the id of the section with the mistake.",
          }),
          block: z
            .string()
            .optional()
            .openapi({ description: "With TEMPLATE_ERROR: the id of the block." }),
          line: z.number().optional().openapi({
            description: "With TEMPLATE_ERROR: the line in the text of the block, from 1.",
          }),
          column: z
            .number()
            .optional()
            .openapi({ description: "With TEMPLATE_ERROR: the column in that line, from 1." }),
          remaining: z.number().optional().openapi({
            description: "With a file that is too large: the number of bytes that are still free.",
          }),
          reason: z
            .enum(["unknown", "not_yet", "over", "used_up", "minimum", "nothing_matches", "better"])
            .optional()
            .openapi({ description: "With DISCOUNT_NOT_APPLICABLE: why the code does not apply." }),
          quote: z.record(z.string(), z.unknown()).optional().openapi({
            description:
              "With CONFLICT on the total of a checkout: its items, totals, total, delivery_options and messages now.",
          }),
          delivery_methods: z.array(z.string()).optional().openapi({
            description:
              "With a delivery_method that does not deliver the order: the keys of those that do.",
          }),
          used_by: z
            .array(z.object({ type: z.string(), id: z.string() }))
            .optional()
            .openapi({
              description: "With CONFLICT: the records that use the record to delete.",
            }),
          version_number: z.number().optional().openapi({
            description: "With CONFLICT on a save of content: the newest version.",
          }),
          conflicts: z
            .array(
              z.object({
                path: z.string().openapi({ example: "seo.title" }),
                base: z.unknown(),
                ours: z.unknown(),
                theirs: z.unknown(),
              }),
            )
            .optional()
            .openapi({
              description:
                "With CONFLICT on a save or a merge of content: the values that both sides changed differently. base: before; ours: now; theirs: as sent.",
            }),
        })
        .openapi({ description: "Empty if the error concerns no field." }),
    }),
  })
  .openapi("Error");

const error = (description: string) => ({
  description,
  content: { "application/json": { schema: errorBody } },
});

const codesOf = (status: number) =>
  ERROR_CODES.filter((code) => ERRORS[code].status === status).join(", ");

const retryAfter = z.object({
  "Retry-After": z.string().openapi({ description: "Seconds to wait.", example: "17" }),
});

const location = z.object({
  Location: z.string().openapi({
    description: "The address of what was created, or of the record or list that shows it.",
    example: "/functions/v1/orders/0f0f2a3e-2a77-4d1b-9a55-0c7a2b1d4e01",
  }),
});

/** The errors that every operation may return. */
const errors = {
  400: error(codesOf(400)),
  401: error(codesOf(401)),
  403: error(codesOf(403)),
  404: error(codesOf(404)),
  409: error(codesOf(409)),
  413: error(codesOf(413)),
  422: error("VALIDATION_ERROR, IDEMPOTENCY_KEY_REUSED, or the code of the broken rule"),
  429: { ...error(codesOf(429)), headers: retryAfter },
  500: error(codesOf(500)),
  503: { ...error(codesOf(503)), headers: retryAfter },
  504: error(codesOf(504)),
};

/** A boolean in a query: `true` or `false`. */
export const flag = z
  .stringbool({ truthy: ["true"], falsy: ["false"] })
  .openapi({ type: "boolean" });

/** The responses of an operation: one success and the errors. */
export function answers<Status extends 200 | 201 | 202, Schema extends z.ZodType>(
  status: Status,
  schema: Schema,
  description: string,
) {
  return {
    [status]: {
      description,
      content: { "application/json": { schema } },
      ...(status === 201 && { headers: location }),
    },
    ...errors,
  } as Record<
    Status,
    { description: string; content: { "application/json": { schema: Schema } } }
  > &
    typeof errors;
}

/** The response to a request whose If-None-Match names the current ETag. */
export const notModified = {
  304: { description: "Nothing has changed since the ETag in If-None-Match." },
};

/** The responses of an operation whose success has no body. */
export function noContent(description: string) {
  return { 204: { description }, ...errors };
}

/** A required JSON body. */
export function body<Schema extends z.ZodType>(schema: Schema) {
  return { required: true, content: { "application/json": { schema } } } as const;
}

/** `{id}` in a path. */
export const idParam = z.object({ id: z.guid() });
