import type { OrderStatus, PaymentStatus } from "@souk/client";
import { oneOf, textOf } from "../lib/search-params";
import { ORDER_STATUSES, PAYMENT_STATUSES } from "./statuses";

/** The filters of the list of orders. */
export interface OrderSearch {
  status?: OrderStatus;
  payment?: PaymentStatus;
  number?: string;
  marketplace?: string;
  customer?: string;
}

/** Reads the filters from the URL. */
export const readOrderSearch = (search: Record<string, unknown>): OrderSearch => ({
  status: oneOf(ORDER_STATUSES, search.status),
  payment: oneOf(PAYMENT_STATUSES, search.payment),
  number: textOf(search.number),
  marketplace: textOf(search.marketplace),
  customer: textOf(search.customer),
});
