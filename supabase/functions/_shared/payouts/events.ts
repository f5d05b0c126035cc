import type { z } from "@hono/zod-openapi";
import { defineEvent } from "../events/event_type.ts";
import * as sample from "../events/sample.ts";
import { payout } from "./schema.ts";

const carried = { payout };

/** A payout of an order's two coffee pots, less commission. */
function closed(
  status: z.infer<typeof payout>["status"],
  changes: Partial<z.infer<typeof payout>> = {},
): { payout: z.infer<typeof payout> } {
  return {
    payout: {
      id: sample.id("9"),
      tenant_id: sample.tenant_id,
      supplier_id: sample.supplier_id,
      status,
      currency: "EUR",
      amount: 88.2,
      amounts: { sold: 98, commission: -9.8 },
      until: sample.MOVED,
      reference: null,
      note: null,
      actor_id: sample.operator_id,
      created_at: sample.MOVED,
      updated_at: sample.MOVED,
      ...changes,
    },
  };
}

export const payoutEvents = {
  ...defineEvent("payout.created", {
    description: "What was due to a supplier was closed into a payout.",
    carried,
    sample: closed("pending"),
  }),
  ...defineEvent("payout.paid", {
    description: "A payout was paid.",
    carried,
    sample: closed("paid", { reference: "SEPA 2026-01-02 17" }),
  }),
  ...defineEvent("payout.failed", {
    description: "A payout failed, and its lines are free again.",
    carried,
    sample: closed("failed", { note: "The account is closed." }),
  }),
};
