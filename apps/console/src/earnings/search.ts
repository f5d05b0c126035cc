import type { PaymentStatus } from "@souk/client";
import { oneOf, textOf } from "../lib/search-params";
import { PAYMENT_STATUSES } from "../orders/statuses";
import { DUE, type Due } from "./due-filter";

/** The filters of commissions and earnings. */
export interface CommissionSearch {
  supplier?: string;
  payment?: PaymentStatus;
  due?: Due;
}

/** Reads the filters from the URL. */
export const readCommissionSearch = (search: Record<string, unknown>): CommissionSearch => ({
  supplier: textOf(search.supplier),
  payment: oneOf(PAYMENT_STATUSES, search.payment),
  due: oneOf(DUE, search.due),
});
