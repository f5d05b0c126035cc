import type { Http } from "./http.js";
import { importOf } from "./imports.js";
import type { PastOrderLine } from "./openapi.generated.js";
import type { Operations } from "./operations.js";

export const ordersOf = ({ list, listAll, create, read, send }: Operations, http: Http) => ({
  /** A page of the orders the caller may see, newest first; suppliers see only their own items. */
  list: list("/api/orders"),
  /**
   * All orders of a list, by default the oldest first. Orders that leave the list meanwhile shift the
   * rest: to move
   * each order of `{ status: "pending" }`, read page 1 of `list` until it is empty.
   */
  listAll: listAll("/api/orders", "orders"),
  /**
   * Places an order and reserves the stock of all its items, or of none. With `replaces` it cancels an unpaid order of the
   * customer in the same transaction. Errors: PRICE_MISMATCH, INSUFFICIENT_INVENTORY, MARKETPLACE_NOT_ACTIVE, LIMIT_REACHED
   * (too much is unpaid), INVALID_TRANSITION (`replaces` is paid, begun or cancelled) (422), NOT_FOUND.
   */
  place: create("/api/orders"),
  /** An order with its history. Errors: NOT_FOUND. */
  get: read("/api/orders/{id}"),
  /** Moves an order to a status. Errors: INVALID_TRANSITION (422), FORBIDDEN, NOT_FOUND. */
  changeStatus: send("patch", "/api/orders/{id}/status"),
  /**
   * Cancels items that are not shipped, by default all of them: suppliers cancel their own items, customers those of a
   * part that is pending or confirmed. With its last piece the order is cancelled. Errors: VALIDATION_ERROR (422),
   * FORBIDDEN, NOT_FOUND.
   */
  cancelItems: create("/api/orders/{id}/cancellations"),
  /**
   * Takes pieces back into stock; with the last one the order becomes returned. For admins. Errors:
   * INVALID_TRANSITION
   * (422), NOT_FOUND.
   */
  returnItems: create("/api/orders/{id}/returns"),
  /**
   * Adds a note to an order, visible to everyone who sees it or only to the shop. Errors:
   * NOT_FOUND.
   */
  addNote: create("/api/orders/{id}/notes"),
  /**
   * Imports any number of past orders of another system, which are sent while they are read. A
   * refused line is listed
   * in `errors` and does not stop the others. An order is identified by its `external_id`, so
   * repeating an import
   * changes nothing. For admins.
   */
  import: importOf<PastOrderLine>(http, "/api/orders/import"),
});

/** Orders, from the reservation to the delivery. */
export interface Orders extends ReturnType<typeof ordersOf> {}

export const shipmentsOf = ({ read, create, send }: Operations) => ({
  /** The shipments of an order, oldest first; suppliers see their own. Errors: NOT_FOUND. */
  list: read("/api/orders/{id}/shipments"),
  /**
   * Ships items of one supplier, by default all that is left for the caller to ship; the order's status follows. For
   * suppliers, admins and clients. Errors: VALIDATION_ERROR (422) if less is left, NOT_FOUND.
   */
  create: create("/api/orders/{id}/shipments"),
  /**
   * Changes the tracking of a shipment, or its status to delivered, lost or void. Errors: INVALID_TRANSITION,
   * INSUFFICIENT_INVENTORY (422), FORBIDDEN, NOT_FOUND.
   */
  update: send("patch", "/api/orders/{id}/shipments/{shipment_id}"),
});

/** The shipments of an order. */
export interface Shipments extends ReturnType<typeof shipmentsOf> {}

export const returnsOf = ({ read, create, send }: Operations) => ({
  /** The return requests of an order, oldest first; suppliers see their own. Errors: NOT_FOUND. */
  list: read("/api/orders/{id}/return-requests"),
  /**
   * Requests to send items of one supplier back. For customers; clients and admins for them. Errors: VALIDATION_ERROR
   * (422) if fewer can be sent back, NOT_FOUND.
   */
  request: create("/api/orders/{id}/return-requests"),
  /** Approves a return request. For its supplier and admins. Errors: INVALID_TRANSITION (422), NOT_FOUND. */
  approve: send("post", "/api/orders/{id}/return-requests/{request_id}/approve"),
  /** Rejects a return request. For its supplier and admins. Errors: INVALID_TRANSITION (422), NOT_FOUND. */
  reject: send("post", "/api/orders/{id}/return-requests/{request_id}/reject"),
  /** Cancels a return request. For customers, clients and admins. Errors: INVALID_TRANSITION (422), NOT_FOUND. */
  cancel: send("post", "/api/orders/{id}/return-requests/{request_id}/cancel"),
  /**
   * Reports the items that came back, by default all. They go into stock unless `restock` is false. For the supplier
   * and admins. Errors: INVALID_TRANSITION, VALIDATION_ERROR (422), NOT_FOUND.
   */
  receive: send("post", "/api/orders/{id}/return-requests/{request_id}/receive"),
});

/** The return requests of an order. */
export interface Returns extends ReturnType<typeof returnsOf> {}

export const paymentsOf = ({ create }: Operations) => ({
  /**
   * Records what became of an order's payment; with the same status and reference again it changes
   * nothing. `refund_failed` and `payment_reversed` undo the refund or payment with this reference, once, and need no
   * amount. For admins and clients. Errors: INVALID_TRANSITION, VALIDATION_ERROR (422), CONFLICT, NOT_FOUND.
   */
  record: create("/api/orders/{id}/payments"),
});

/** Payments of an order, as reported by payment services; the order contains their sums. */
export interface Payments extends ReturnType<typeof paymentsOf> {}

export const commissionsOf = ({ list, listAll }: Operations) => ({
  /** A page of the commissions, newest first, and their sums per currency. */
  list: list("/api/commissions"),
  /** All commissions of a list, by default the oldest first. */
  listAll: listAll("/api/commissions", "commissions"),
});

/** The marketplace's share of each sale, and the supplier's. */
export interface Commissions extends ReturnType<typeof commissionsOf> {}

export const commissionRatesOf = ({ list, listAll, send, act }: Operations) => ({
  /**
   * A page of the rates of suppliers and categories, newest first; suppliers see their own and
   * those of categories.
   */
  list: list("/api/commission-rates"),
  /** All rates of a list, by default the oldest first. */
  listAll: listAll("/api/commission-rates", "commission_rates"),
  /** Sets the rate of a supplier or of a category for future orders. For admins. Errors: VALIDATION_ERROR (422). */
  set: send("put", "/api/commission-rates"),
  /** Removes a rate. For admins. Errors: NOT_FOUND. */
  remove: act("delete", "/api/commission-rates/{id}"),
});

/** Rates of commission that differ from the marketplace's. */
export interface CommissionRates extends ReturnType<typeof commissionRatesOf> {}
