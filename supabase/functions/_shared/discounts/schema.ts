import { z } from "@hono/zod-openapi";
import { changesSomething, NOTHING_TO_CHANGE, updatedAt } from "../http/if_match.ts";
import { listQuery } from "../http/page.ts";
import { currency } from "../marketplaces/schema.ts";
import { Enums } from "../values/enums.generated.ts";
import { visible } from "../values/names.ts";

export const discountKind = z.enum(Enums.discount_kind).openapi("DiscountKind");

export const discountStatus = z.enum(Enums.discount_status).openapi("DiscountStatus");

const code = visible(50).refine(
  (typed) => typed.trim() === typed,
  "must have no spaces at its ends",
);

/** What a discount is for; null for all. */
const ids = (description: string) =>
  z.array(z.guid()).min(1).max(100).nullable().openapi({ description });

/** An amount, or a percentage. The database knows the decimals. */
const amount = z.number().positive().lt(1e12);

const time = z.iso.datetime({ offset: true });

const count = z.number().int().min(1).max(2_147_483_647);

const fields = {
  code: code.nullable().openapi({
    description:
      "What a customer types, compared without case. One of a tenant. null: no code is needed.",
  }),
  kind: discountKind,
  value: amount.nullable().openapi({
    description:
      "percentage: at most 100, with at most 4 decimals. amount: with at most the decimals of the currency. free_delivery: null.",
  }),
  currency: currency.nullable().openapi({
    description:
      "Of value and minimum_subtotal, for which it is required. With it, a discount is for marketplaces of this currency only.",
  }),
  marketplace_id: z
    .guid()
    .nullable()
    .openapi({ description: "The marketplace that it is for. null: all." }),
  category_ids: ids("Categories that it is for, with those below them. null: all."),
  product_ids: ids("Products that it is for. A supplier names its own. null: all."),
  supplier_ids: ids("Suppliers whose products it is for. null: all, and for suppliers always."),
  minimum_subtotal: amount
    .nullable()
    .openapi({ description: "Least amount of the items that it is for, before discounts." }),
  starts_at: time.nullable().openapi({ description: "null: without a beginning." }),
  ends_at: time.nullable().openapi({
    description: "The first moment after it, later than starts_at. null: without an end.",
  }),
  uses_total: count.nullable().openapi({ description: "How many orders may use it. null: any." }),
  uses_per_customer: count
    .nullable()
    .openapi({ description: "How many orders of one customer may use it. null: any." }),
  borne_by: z.enum(Enums.refund_bearer).openapi({
    description:
      "Who bears it. Default: operator. A supplier's discount is always borne by the supplier.",
  }),
  status: discountStatus.openapi({ description: "Default: active." }),
};

export const newDiscount = z
  .object(fields)
  .partial()
  .extend({ kind: discountKind })
  .openapi("NewDiscount", { example: { code: "SUMMER10", kind: "percentage", value: 10 } });

export const discountChanges = z
  .object({ ...fields, updated_at: updatedAt })
  .partial()
  .refine(changesSomething, NOTHING_TO_CHANGE)
  .openapi("DiscountChanges", { example: { status: "paused" } });

/** Stored codes and times are not validated again. */
export const discount = z
  .object({
    id: z.guid(),
    tenant_id: z.guid(),
    supplier_id: z
      .guid()
      .nullable()
      .openapi({ description: "The supplier who made it. null: the operator's." }),
    ...fields,
    code: z.string().nullable(),
    starts_at: z.string().nullable(),
    ends_at: z.string().nullable(),
    uses: z.number().int().openapi({ description: "How many orders use it." }),
    costs: z.array(z.object({ currency: z.string(), amount: z.number() })).openapi({
      description:
        "What it took off these orders when they were placed, in each of their currencies.",
    }),
    created_by: z
      .guid()
      .nullable()
      .openapi({ description: "The account or API key that made it." }),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("Discount");

export const discountQuery = listQuery(["created_at"]).extend({
  status: discountStatus.optional(),
  kind: discountKind.optional(),
  code: visible(50).optional().openapi({ description: "The whole code, in any case." }),
  marketplace_id: z.guid().optional(),
  supplier_id: z.guid().optional(),
});
