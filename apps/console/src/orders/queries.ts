import type { SoukClient } from "@souk/client";
import { queryOptions } from "@tanstack/react-query";
import { pagedList } from "../lib/queries";
import type { OrderSearch } from "./search";

export const ordersQuery = (souk: SoukClient, search: OrderSearch) =>
  pagedList(["orders", "list", search], (page, signal) => {
    const number = Number(search.number);
    return souk.orders.list(
      {
        ...page,
        status: search.status,
        payment_status: search.payment,
        marketplace_id: search.marketplace,
        customer_id: search.customer,
        ...(Number.isSafeInteger(number) && number > 0 && { number }),
      },
      { signal },
    );
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
