import { z } from "@hono/zod-openapi";
import { country } from "../countries/schema.ts";
import { changesSomething, NOTHING_TO_CHANGE, updatedAt } from "../http/if_match.ts";
import { listQuery } from "../http/page.ts";
import { visible } from "../values/names.ts";

const fields = {
  country,
  region: visible(200).nullable().openapi({
    description:
      "The region as addresses name it, compared without case and outer spaces. null: the whole country.",
  }),
  category_id: z.guid().nullable().openapi({
    description:
      "The category, with the categories below it that have no rate of their own. null: all products.",
  }),
  rate: z.number().min(0).max(100).openapi({
    description: "In percent, with at most 4 decimals.",
    example: 19,
  }),
  name: visible(100).openapi({ description: "The name of the tax for buyers.", example: "VAT" }),
  valid_from: z.iso.date().nullable().openapi({
    description: "The first day on which the rate is valid. null: without a beginning.",
  }),
  valid_to: z.iso.date().nullable().openapi({
    description: "The last day on which the rate is valid. null: without an end.",
  }),
};

export const newTaxRate = z
  .object({
    ...fields,
    region: fields.region.optional(),
    category_id: fields.category_id.optional(),
    valid_from: fields.valid_from.optional(),
    valid_to: fields.valid_to.optional(),
  })
  .openapi("NewTaxRate");

export const taxRateChanges = z
  .object({ ...fields, updated_at: updatedAt })
  .partial()
  .refine(changesSomething, NOTHING_TO_CHANGE)
  .openapi("TaxRateChanges");

export const taxRate = z
  .object({
    id: z.guid(),
    tenant_id: z.guid(),
    ...fields,
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("TaxRate");

export const taxRateQuery = listQuery(["created_at", "updated_at"]).extend({
  country: country.optional(),
  category_id: z.guid().optional(),
});
