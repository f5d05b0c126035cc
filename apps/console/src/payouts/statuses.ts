import type { LedgerKind, PayoutStatus } from "@souk/client";
import type { Tone } from "../components/badge";

export const PAYOUT_TONES: Record<PayoutStatus, Tone> = {
  pending: "warn",
  paid: "good",
  failed: "bad",
  reversed: "bad",
};

export const PAYOUT_STATUSES = Object.keys(PAYOUT_TONES) as PayoutStatus[];

/** The kinds of lines: what orders owe first, then what does not come from an order, then payouts. */
export const LEDGER_KINDS = [
  "sale",
  "discount",
  "delivery",
  "commission",
  "tax",
  "cancellation",
  "return",
  "loss",
  "refund",
  "promotion",
  "adjustment",
  "payout",
  "payout_reversal",
] as const satisfies readonly LedgerKind[];

/** How a payout can go on. */
export type PayoutMove = "paid" | "failed" | "reversed";

/** The possible moves in each status. */
export const MOVES: Record<PayoutStatus, readonly PayoutMove[]> = {
  pending: ["failed", "paid"],
  paid: ["reversed"],
  failed: [],
  reversed: [],
};
