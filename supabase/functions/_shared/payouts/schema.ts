import { z } from "@hono/zod-openapi";
import { listQuery } from "../http/page.ts";
import { currency } from "../marketplaces/schema.ts";
import { legalIdentity } from "../suppliers/schema.ts";
import { Enums } from "../values/enums.generated.ts";
import { visible } from "../values/names.ts";
import { period, since, until } from "../values/times.ts";

export const ledgerKind = z.enum(Enums.ledger_kind).openapi("LedgerKind");

export const payoutStatus = z.enum(Enums.payout_status).openapi("PayoutStatus");

/** A text of the operator about a payout, an adjustment or a hold. */
const reason = visible(2000);

const createdBy = z
  .guid()
  .nullable()
  .openapi({ description: "The account or API key that made it." });

export const ledgerLine = z
  .object({
    id: z.guid(),
    supplier_id: z.guid(),
    marketplace_id: z.guid().nullable(),
    kind: ledgerKind,
    amount: z.number().openapi({
      description: "More than 0 is owed to the supplier, less is taken from it. Never 0.",
    }),
    currency: z.string(),
    quantity: z.number().int().nullable().openapi({
      description:
        "Pieces of an item: more than 0 if they are sold, less if they are cancelled, returned or lost. null: the line is about no pieces.",
    }),
    order_id: z.guid().nullable(),
    order_number: z.number().int().nullable(),
    item_id: z.guid().nullable(),
    item_name: z.string().nullable(),
    campaign_id: z.guid().nullable(),
    date: z.string().nullable().openapi({
      description: "The day of the charges of a promotion.",
      example: "2026-12-24",
    }),
    adjustment_id: z.guid().nullable(),
    reason: z.string().nullable().openapi({ description: "Of an adjustment." }),
    payout_id: z.guid().nullable().openapi({
      description: "The payout that pays the line. null: it is open.",
    }),
    payout_status: z.enum(Enums.payout_status).nullable(),
    due_at: z.string().nullable().openapi({
      description: "Time at which it is due. null: not known yet.",
    }),
    held: z.boolean().openapi({ description: "Whether it is open and due, and held back." }),
    created_at: z.string(),
  })
  .openapi("LedgerLine");

export const ledgerBalance = z
  .object({
    supplier_id: z.guid(),
    currency: z.string(),
    due: z.number().openapi({ description: "What the next payout pays." }),
    not_due: z.number(),
    held: z.number().openapi({ description: "Due, and held back." }),
    pending: z.number().openapi({ description: "The sum of pending payouts." }),
    paid: z.number().openapi({ description: "The sum of paid payouts." }),
  })
  .openapi("LedgerBalance", {
    description: "due, not_due and held together are the sum of all lines of the ledger.",
  });

export const ledgerQuery = listQuery(["created_at"]).extend({
  supplier_id: z.guid().optional(),
  marketplace_id: z.guid().optional(),
  order_id: z.guid().optional(),
  payout_id: z.guid().optional(),
  kind: ledgerKind.optional(),
  currency: currency.optional(),
  ...period,
  due_from: since.optional(),
  due_to: until.optional(),
});

/** Stored texts are not validated again. */
export const payout = z
  .object({
    id: z.guid(),
    tenant_id: z.guid(),
    supplier_id: z.guid(),
    currency: z.string(),
    amount: z.number(),
    status: payoutStatus,
    lines: z.number().int().openapi({
      description: "How many lines of the ledger it pays, or paid before it failed.",
    }),
    until: z.string().openapi({ description: "It pays what was due at this time." }),
    reference: z.string().nullable().openapi({
      description: "How the bank or the payment service names the transfer.",
    }),
    reason: z.string().nullable().openapi({ description: "Why it failed or was reversed." }),
    created_by: createdBy,
    created_at: z.string(),
    paid_at: z.string().nullable(),
    failed_at: z.string().nullable(),
    reversed_at: z.string().nullable(),
    updated_at: z.string(),
  })
  .openapi("Payout");

export const newPayouts = z
  .object({
    supplier_id: z.guid(),
    until: until.optional().openapi({
      description:
        "Pays what was due at this time: a time with its offset, or a date: the end of this day in the tenant's time zone. At the latest the end of today. Default: now.",
    }),
  })
  .openapi("NewPayouts");

export const payoutsMade = z.object({ payouts: z.array(payout) }).openapi("PayoutsMade");

export const payoutMove = z
  .discriminatedUnion("status", [
    z.strictObject({
      status: z.literal("paid"),
      reference: visible(200).openapi({
        description: "How the bank or the payment service names the transfer.",
      }),
    }),
    z.strictObject({ status: z.literal("failed"), reason }),
    z.strictObject({ status: z.literal("reversed"), reason }),
  ])
  .openapi("PayoutMove", { example: { status: "paid", reference: "SEPA 2026-12-24 17" } });

export const payoutQuery = listQuery(["created_at"]).extend({
  supplier_id: z.guid().optional(),
  status: payoutStatus.optional(),
  currency: currency.optional(),
  ...period,
});

export const statementQuery = z.object({ format: z.enum(["json", "csv"]).default("json") });

export const payoutStatement = z
  .object({
    payout,
    supplier: z.object({ id: z.guid(), name: z.string(), legal: legalIdentity }),
    sums: z
      .array(z.object({ kind: ledgerKind, amount: z.number() }))
      .openapi({ description: "The sums of the lines by kind. Together they are the amount." }),
    lines: z.array(ledgerLine),
  })
  .openapi("PayoutStatement");

export const newAdjustment = z
  .object({
    amount: z
      .number()
      .gt(-1e12)
      .lt(1e12)
      .refine((amount) => amount !== 0, "must not be 0")
      .openapi({
        description:
          "More than 0 is for the supplier, less is taken from it. With at most the decimals of the currency.",
        example: -12.5,
      }),
    currency,
    reason: reason.openapi({
      description: "The supplier reads it.",
      example: "Damaged in storage",
    }),
    order_id: z.guid().optional().openapi({ description: "The order that it is about." }),
  })
  .openapi("NewAdjustment");

export const adjustment = z
  .object({
    id: z.guid(),
    supplier_id: z.guid(),
    amount: z.number(),
    currency: z.string(),
    reason: z.string(),
    order_id: z.guid().nullable(),
    created_by: createdBy,
    created_at: z.string(),
  })
  .openapi("Adjustment");

export const newPayoutHold = z
  .object({
    supplier_id: z.guid(),
    order_id: z.guid().optional().openapi({
      description: "Holds the lines of this order only. Without it, all of the supplier.",
    }),
    reason: reason.openapi({ description: "The supplier reads it.", example: "A dispute is open" }),
  })
  .openapi("NewPayoutHold");

export const payoutHold = z
  .object({
    id: z.guid(),
    supplier_id: z.guid(),
    order_id: z.guid().nullable().openapi({ description: "null: all of the supplier." }),
    reason: z.string(),
    created_by: createdBy,
    created_at: z.string(),
  })
  .openapi("PayoutHold");

export const payoutHoldQuery = listQuery(["created_at"]).extend({
  supplier_id: z.guid().optional(),
  order_id: z.guid().optional(),
});
