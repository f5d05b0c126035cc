import { z } from "@hono/zod-openapi";

const reason = z.string().min(1).max(500).regex(/\S/, "must not be blank");

const currency = z.string().regex(/^[A-Z]{3}$/, "must be an ISO 4217 code");

export const ledgerKind = z
  .enum([
    "sold",
    "cancelled",
    "returned",
    "lost",
    "delivery",
    "commission",
    "promotion",
    "refund",
    "adjustment",
    "payout",
  ])
  .openapi("LedgerKind");

/** What a line of the ledger tells of. */
const told = {
  supplier_id: z.guid(),
  currency: z.string(),
  kind: ledgerKind,
  amount: z.number(),
  order_id: z.guid().nullable(),
  number: z.number().int().nullable().openapi({ description: "Of the order." }),
  item_id: z.guid().nullable(),
  quantity: z
    .number()
    .int()
    .nullable()
    .openapi({ description: "Pieces of the item; negative where they were sold before." }),
  reason: z.string().nullable().openapi({
    description: "Of an adjustment; of a refund the reference of its payment.",
  }),
  created_at: z.string(),
};

export const ledgerLine = z
  .object({
    id: z.number().int(),
    tenant_id: z.guid(),
    ...told,
    amount: z.number().openapi({
      description: "What the supplier is owed for it; negative where it is owed less.",
    }),
    payout_id: z.guid().nullable().openapi({ description: "Of a line that tells of a payout." }),
    actor_id: z.guid().nullable(),
  })
  .openapi("LedgerLine");

export const ledgerTotal = z
  .object({ currency: z.string(), amount: z.number() })
  .openapi("LedgerTotal");

export const balances = z
  .object({
    balances: z.array(
      z
        .object({
          currency: z.string(),
          owed_amount: z
            .number()
            .openapi({ description: "What the supplier is owed and no payout holds." }),
          due_amount: z
            .number()
            .openapi({ description: "What of it a payout would hold now; none is made below 0." }),
        })
        .openapi("SupplierBalance"),
    ),
  })
  .openapi("SupplierBalances");

export const newAdjustment = z
  .strictObject({
    amount: z
      .number()
      .min(-999_999_999_999_999)
      .max(999_999_999_999_999)
      .openapi({ description: "Above 0 the supplier is owed more, below 0 less." }),
    currency,
    reason,
    order_id: z.guid().optional().openapi({ description: "An order of the supplier's." }),
  })
  .openapi("NewAdjustment");

export const newHold = z
  .strictObject({
    reason,
    order_id: z
      .guid()
      .optional()
      .openapi({ description: "What is owed for this order; left out, all of it." }),
  })
  .openapi("NewPayoutHold");

export const hold = z
  .object({
    id: z.guid(),
    tenant_id: z.guid(),
    supplier_id: z.guid(),
    order_id: z.guid().nullable(),
    reason: z.string(),
    actor_id: z.guid().nullable(),
    created_at: z.string(),
  })
  .openapi("PayoutHold");

export const payoutStatus = z.enum(["pending", "paid", "failed"]).openapi("PayoutStatus");

export const newPayout = z
  .strictObject({
    supplier_id: z.guid(),
    currency: currency
      .optional()
      .openapi({ description: "May be left out where the supplier is owed in one alone." }),
    until: z.iso
      .datetime({ offset: true })
      .optional()
      .openapi({ description: "What was due by then; now, if left out." }),
  })
  .openapi("NewPayout");

export const payoutChanges = z
  .strictObject({
    status: z.enum(["paid", "failed"]),
    reference: z
      .string()
      .min(1)
      .max(200)
      .openapi({ description: "What the bank calls it. A payout that is paid has one." }),
    note: z.string().min(1).max(2000),
  })
  .partial()
  .openapi("PayoutChanges");

export const payout = z
  .object({
    id: z.guid(),
    tenant_id: z.guid(),
    supplier_id: z.guid(),
    status: payoutStatus,
    currency: z.string(),
    amount: z.number(),
    amounts: z
      .record(z.string(), z.number())
      .openapi({ description: "What each kind of line adds to it.", example: { sold: 90 } }),
    until: z.string(),
    reference: z.string().nullable(),
    note: z.string().nullable(),
    actor_id: z.guid().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("Payout");

export const payoutTotal = z
  .object({ currency: z.string(), amount: z.number() })
  .openapi("PayoutTotal");

export const payoutLine = z
  .object({
    payout_id: z.guid(),
    tenant_id: z.guid(),
    line_id: z.number().int(),
    ...told,
    amount: z.number().openapi({ description: "How much of the line the payout holds." }),
    line_amount: z.number().openapi({
      description: "The whole line's: more where some pieces of its item were not due yet.",
    }),
  })
  .openapi("PayoutLine");
