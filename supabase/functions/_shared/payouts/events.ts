import { z } from "@hono/zod-openapi";
import { defineEvent } from "../events/event_type.ts";
import * as sample from "../events/sample.ts";
import { payout } from "./schema.ts";

type Payout = z.infer<typeof payout>;

/** A payout of 88.20 to the sample's supplier, as it was made or changed. */
function december(changes: Partial<Payout> = {}): { payout: Payout } {
  return {
    payout: {
      id: sample.id("8"),
      tenant_id: sample.tenant_id,
      supplier_id: sample.supplier_id,
      currency: "EUR",
      amount: 88.2,
      status: "pending",
      lines: 2,
      until: sample.PLACED,
      reference: null,
      reason: null,
      created_by: sample.operator_id,
      created_at: sample.PLACED,
      paid_at: null,
      failed_at: null,
      reversed_at: null,
      updated_at: sample.PLACED,
      ...changes,
    },
  };
}

const paid = {
  status: "paid",
  reference: "SEPA 2026-01-02 17",
  paid_at: sample.MOVED,
  updated_at: sample.MOVED,
} as const;

const mismatch = z
  .object({
    rule: z.enum(["part", "payout", "payout_lines", "promotion", "adjustment"]).openapi({
      description:
        "part: the lines of a supplier's part of an order, and its payout_amount. payout: the lines that a payout takes off the ledger, and its amount. payout_lines: the lines that it pays, and its amount. promotion: the lines of a campaign, and its charges. adjustment: its line, and its amount.",
    }),
    supplier_id: z.guid(),
    order_id: z.guid().optional().openapi({ description: "With part." }),
    payout_id: z.guid().optional().openapi({ description: "With payout and payout_lines." }),
    campaign_id: z.guid().optional().openapi({ description: "With promotion." }),
    adjustment_id: z.guid().optional().openapi({ description: "With adjustment." }),
    currency: z.string(),
    expected: z
      .number()
      .openapi({ description: "By the part, the payout, the charges or the adjustment." }),
    found: z.number().openapi({ description: "The sum of the lines." }),
  })
  .openapi("LedgerMismatch");

/** The events about payouts, and that of the nightly comparison. */
export const payoutEvents = {
  ...defineEvent("payout.created", {
    description: "A payout was made. Its money is to be transferred.",
    carried: { payout },
    sample: december(),
  }),
  ...defineEvent("payout.paid", {
    description: "A payout was paid.",
    carried: { payout },
    sample: december(paid),
  }),
  ...defineEvent("payout.failed", {
    description: "A payout failed. What it was to pay is open again.",
    carried: { payout },
    sample: december({
      status: "failed",
      reason: "The account is closed.",
      failed_at: sample.MOVED,
      updated_at: sample.MOVED,
    }),
  }),
  ...defineEvent("payout.reversed", {
    description: "A paid payout came back. What it had paid is open again.",
    carried: { payout },
    sample: december({
      ...paid,
      status: "reversed",
      reason: "The bank returned it.",
      reversed_at: sample.MOVED,
    }),
  }),
  ...defineEvent("ledger.mismatch", {
    description:
      "Lines of the ledger differ from what they describe, by a nightly comparison: at most 100 differences a night.",
    carried: { mismatch },
    sample: {
      mismatch: {
        rule: "part",
        supplier_id: sample.supplier_id,
        order_id: sample.order_id,
        currency: "EUR",
        expected: 88.2,
        found: 98,
      },
    },
  }),
};
