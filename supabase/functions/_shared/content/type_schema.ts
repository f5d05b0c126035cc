import { z } from "@hono/zod-openapi";
import { visible } from "../values/names.ts";

const key = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,49}$/, "must be lower-case letters, digits and underscores")
  .openapi({ example: "recipes" });

const name = visible(200).openapi({ example: "Recipes" });

const field = z
  .object({
    name: key.openapi({ example: "minutes" }),
    type: z
      .enum(["string", "number", "boolean", "array", "object", "image", "color", "date"])
      .openapi({ example: "number" }),
    required: z
      .boolean()
      .optional()
      .openapi({ description: "Whether content needs it before submit, approve and publish." }),
    validation: z
      .object({
        min: z.number(),
        max: z.number(),
        min_length: z.number().int().min(0),
        max_length: z.number().int().min(0),
        options: z
          .array(z.union([z.string(), z.number()]))
          .min(1)
          .max(100),
      })
      .partial()
      .nullish()
      .openapi({
        description:
          "number: min, max, options. string: min_length, max_length, options. Other types have none.",
      }),
    default_value: z.unknown().optional(),
  })
  .openapi("TemplateField");

const fields = z.array(field).max(100);

const step = z
  .object({
    id: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,50}$/)
      .openapi({ example: "legal" }),
    name: visible(200).openapi({ example: "Legal department" }),
    assignee_role: z
      .enum(["editor", "reviewer", "publisher", "admin"])
      .openapi({ example: "reviewer" }),
    required_actions: z
      .array(z.string())
      .min(1)
      .openapi({
        description: "The moves that only this role makes.",
        example: ["approve", "reject"],
      }),
    auto_transition: z.boolean().optional().openapi({
      description:
        "For a step with approve or publish as its one action: the move is made automatically.",
    }),
  })
  .openapi("WorkflowStep");

export const workflow = z.object({ steps: z.array(step).max(20) }).openapi("ContentWorkflow", {
  description: "A move that no step names has the role in docs/content.md.",
});

export const newContentType = z
  .object({ key, name, fields: fields.default([]) })
  .openapi("NewContentType");

export const contentTypeChanges = z
  .object({ name, fields })
  .partial()
  .refine((changes) => Object.keys(changes).length > 0, "Send at least one field to change.")
  .openapi("ContentTypeChanges");

export const contentType = z
  .object({
    id: z.guid(),
    tenant_id: z.guid(),
    key: z.string(),
    name: z.string(),
    fields: z.array(field),
    workflow: z.array(step),
    built_in: z
      .boolean()
      .openapi({ description: "True for products, categories and static_pages." }),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("ContentType");

export const contentTypeList = z
  .object({ content_types: z.array(contentType) })
  .openapi("ContentTypeList");

export const keyParam = z.object({ key: z.string().min(1).max(50) });
