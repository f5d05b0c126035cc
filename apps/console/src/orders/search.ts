import type { OrderStatus, PaymentStatus } from "@souk/client";
import { oneOf, textOf } from "../lib/search-params";
import { ORDER_STATUSES, PAYMENT_STATUSES } from "./statuses";

/** The filters of the list of orders. */
export interface OrderSearch {
  search?: string;
  status?: OrderStatus;
  payment?: PaymentStatus;
  marketplace?: string;
  customer?: string;
}

/** Reads the filters from the URL. */
export const readOrderSearch = (search: Record<string, unknown>): OrderSearch => ({
  search: textOf(search.search),
  status: oneOf(ORDER_STATUSES, search.status),
  payment: oneOf(PAYMENT_STATUSES, search.payment),
  marketplace: textOf(search.marketplace),
  customer: textOf(search.customer),
});
