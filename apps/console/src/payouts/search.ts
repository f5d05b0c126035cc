import type { LedgerKind, PayoutStatus } from "@souk/client";
import { oneOf, textOf } from "../lib/search-params";
import { LEDGER_KINDS, PAYOUT_STATUSES } from "./statuses";

/** The tabs of the page. Suppliers see their balances above the others. */
export const TABS = ["balances", "payouts", "ledger", "holds"] as const;

/** The open tab (without one, the first), and the filters. */
export interface PayoutSearch {
  tab?: (typeof TABS)[number];
  supplier?: string;
  status?: PayoutStatus;
  kind?: LedgerKind;
}

/** Reads the tab and the filters from the URL. */
export const readPayoutSearch = (search: Record<string, unknown>): PayoutSearch => ({
  tab: oneOf(TABS, search.tab),
  supplier: textOf(search.supplier),
  status: oneOf(PAYOUT_STATUSES, search.status),
  kind: oneOf(LEDGER_KINDS, search.kind),
});
