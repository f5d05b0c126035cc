import type { AnswerOf, SoukClient } from "@souk/client";
import { queryOptions } from "@tanstack/react-query";
import type { PageQuery } from "../lib/paged-list";
import type { ConsoleRole } from "../lib/permissions";
import type { OrderSearch } from "./search";

export const ordersIn = (souk: SoukClient, search: OrderSearch, role: ConsoleRole) => ({
  key: ["orders", "list", search],
  readPage: (page: PageQuery, signal: AbortSignal) =>
    souk.orders.list(
      {
        ...page,
        search: search.search,
        // Suppliers filter by the status of their own part.
        [role === "supplier" ? "part_status" : "status"]: search.status,
        payment_status: search.payment,
        marketplace_id: search.marketplace,
        customer_id: search.customer,
      },
      { signal },
    ),
  rowsOf: (page: AnswerOf<"get", "/api/orders">) => page.orders,
});

export const orderQuery = (souk: SoukClient, id: string) =>
  queryOptions({
    queryKey: ["orders", "one", id],
    queryFn: ({ signal }) => souk.orders.get(id, { signal }),
  });

export const shipmentsQuery = (souk: SoukClient, orderId: string) =>
  queryOptions({
    queryKey: ["orders", "shipments", orderId],
    queryFn: ({ signal }) => souk.shipments.list(orderId, { signal }),
  });

export const returnsQuery = (souk: SoukClient, orderId: string) =>
  queryOptions({
    queryKey: ["orders", "returns", orderId],
    queryFn: ({ signal }) => souk.returns.list(orderId, { signal }),
  });

/** How often refunds are read again while one is on its way. */
const REFUNDS_MS = 3000;

export const paymentSessionsQuery = (souk: SoukClient, orderId: string) =>
  queryOptions({
    queryKey: ["orders", "payment-sessions", orderId],
    queryFn: ({ signal }) => souk.orders.paymentSessions(orderId, { signal }),
  });

export const refundsQuery = (souk: SoukClient, orderId: string) =>
  queryOptions({
    queryKey: ["orders", "refunds", orderId],
    queryFn: ({ signal }) => souk.orders.refunds(orderId, { signal }),
    refetchInterval: ({ state }) =>
      state.data?.refunds.some(({ status }) => status === "pending") ? REFUNDS_MS : false,
  });
