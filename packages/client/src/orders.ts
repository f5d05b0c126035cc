import { bodyOf, type CallOptions, type Http } from "./http.js";
import { eachRecord } from "./lists.js";
import type { NewOrder, Order, OrderStatusChange, paths } from "./openapi.generated.js";

/** Filters, page, length and sequence of a list of orders. */
export type OrderQuery = NonNullable<paths["/api/orders"]["get"]["parameters"]["query"]>;

export type OrderPage =
  paths["/api/orders"]["get"]["responses"][200]["content"]["application/json"];

export interface Orders {
  /** A page of the orders the caller may see, newest first; suppliers see their own items only. */
  list(query?: OrderQuery, options?: CallOptions): Promise<OrderPage>;
  /** Every order of a list, oldest first unless asked otherwise. */
  listAll(query?: Omit<OrderQuery, "page">, options?: CallOptions): AsyncIterable<Order>;
  /**
   * Places an order and reserves the stock of all its items, or none. Errors: PRICE_MISMATCH,
   * INSUFFICIENT_INVENTORY, MARKETPLACE_NOT_ACTIVE (422), NOT_FOUND.
   */
  place(order: NewOrder, options?: CallOptions): Promise<Order>;
  /** An order with its history. Errors: NOT_FOUND. */
  get(id: string, options?: CallOptions): Promise<Order>;
  /** Moves an order to a status. Errors: INVALID_TRANSITION (422), FORBIDDEN, NOT_FOUND. */
  changeStatus(id: string, change: OrderStatusChange, options?: CallOptions): Promise<Order>;
}

export function ordersOf(http: Http): Orders {
  const list: Orders["list"] = (query, options) =>
    bodyOf(http.GET("/api/orders", { params: { query }, ...options }));
  return {
    list,
    listAll: (query = {}, options) =>
      eachRecord(
        query,
        (page) => list(page, options),
        ({ orders }) => orders,
      ),
    place: (body, options) => bodyOf(http.POST("/api/orders", { body, ...options })),
    get: (id, options) =>
      bodyOf(http.GET("/api/orders/{id}", { params: { path: { id } }, ...options })),
    changeStatus: (id, body, options) =>
      bodyOf(http.PATCH("/api/orders/{id}/status", { params: { path: { id } }, body, ...options })),
  };
}
