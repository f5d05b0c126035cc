import { z } from "@hono/zod-openapi";
import { updatedAt } from "../http/if_match.ts";
import { visible } from "../values/names.ts";
import { attributeType } from "./schema.ts";

const name = visible(200);
const option = visible(200);

const newCategoryAttribute = z.object({
  name: visible(100),
  type: attributeType.default("text"),
  required: z.boolean().default(false),
  searchable: z.boolean().default(false),
  options: z.array(option).max(500).default([]).openapi({
    description: "The allowed values. Only for the type select, which needs at least one.",
  }),
});

const categoryAttribute = z
  .object({
    name: z.string(),
    type: attributeType,
    required: z.boolean(),
    searchable: z.boolean(),
    options: z.array(z.string()),
  })
  .openapi("CategoryAttribute");

const fields = {
  name,
  parent_id: z.guid().nullable().openapi({ description: "Null for a top-level category." }),
  attributes: z.array(newCategoryAttribute).max(200),
  template_id: z.guid().nullable().openapi({
    description: "The template of type category that renders its page; null for the default.",
  }),
};

export const newCategory = z
  .object({
    name: fields.name,
    parent_id: fields.parent_id.optional(),
    attributes: fields.attributes.default([]),
    template_id: fields.template_id.optional(),
  })
  .openapi("NewCategory");

export const categoryChanges = z
  .object({ ...fields, updated_at: updatedAt })
  .partial()
  .openapi("CategoryChanges");

export interface Category {
  id: string;
  name: string;
  parent_id: string | null;
  attributes: z.infer<typeof categoryAttribute>[];
  template_id: string | null;
  created_at: string;
  updated_at: string;
  children: Category[];
}

export const category: z.ZodType<Category> = z
  .object({
    id: z.guid(),
    name: z.string(),
    parent_id: z.guid().nullable(),
    attributes: z.array(categoryAttribute),
    template_id: z.guid().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
    get children(): z.ZodArray<z.ZodType<Category>> {
      return z.array(category);
    },
  })
  .openapi("Category", { description: "A category with all categories below it." });

export const categoryTree = z
  .object({ categories: z.array(category), total: z.number().int() })
  .openapi("CategoryTree");
