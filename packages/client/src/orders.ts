import type { Http } from "./http.js";
import { importOf } from "./imports.js";
import type { PastOrderLine } from "./openapi.generated.js";
import type { Operations } from "./operations.js";

export const ordersOf = ({ list, listAll, create, read, send }: Operations, http: Http) => ({
  /** A page of the orders the caller may see, newest first; suppliers see their own items only. */
  list: list("/api/orders"),
  /**
   * Every order of a list, oldest first unless asked otherwise. Orders that leave the list meanwhile
   * shift the rest: to move each of `{ status: "pending" }`, read page 1 of `list` until it is empty.
   */
  listAll: listAll("/api/orders", "orders"),
  /**
   * Places an order and reserves the stock of all its items, or none. Errors: PRICE_MISMATCH,
   * INSUFFICIENT_INVENTORY, MARKETPLACE_NOT_ACTIVE (422), NOT_FOUND.
   */
  place: create("/api/orders"),
  /** An order with its history. Errors: NOT_FOUND. */
  get: read("/api/orders/{id}"),
  /** Moves an order to a status. Errors: INVALID_TRANSITION (422), FORBIDDEN, NOT_FOUND. */
  changeStatus: send("patch", "/api/orders/{id}/status"),
  /**
   * Cancels items that nobody has shipped, or all of them: suppliers their own, customers until their supplier has
   * begun. With the last piece the order is cancelled. Errors: VALIDATION_ERROR (422), FORBIDDEN, NOT_FOUND.
   */
  cancelItems: create("/api/orders/{id}/cancellations"),
  /**
   * Takes pieces back into stock; with the last one the order is returned. For admins. Errors:
   * INVALID_TRANSITION (422), NOT_FOUND.
   */
  returnItems: create("/api/orders/{id}/returns"),
  /** Notes something on an order, for all who see it or for the shop alone. Errors: NOT_FOUND. */
  addNote: create("/api/orders/{id}/notes"),
  /**
   * Brings in orders that were placed in another system, as many as there are, while they are read. Each
   * line stands for itself: what is wrong with one is told in `errors` and stops no other. An order is
   * known by its `external_id`, so that repeating an import changes nothing. For admins.
   */
  import: importOf<PastOrderLine>(http, "/api/orders/import"),
});

/** What customers buy, from the reservation to the delivery. */
export interface Orders extends ReturnType<typeof ordersOf> {}

export const shipmentsOf = ({ read, create, send }: Operations) => ({
  /** The shipments of an order, the first one first; suppliers see their own. Errors: NOT_FOUND. */
  list: read("/api/orders/{id}/shipments"),
  /**
   * Ships items of one supplier, or all that is left to the caller; the order's status follows. For suppliers, admins
   * and clients. Errors: VALIDATION_ERROR (422) where less is left, NOT_FOUND.
   */
  create: create("/api/orders/{id}/shipments"),
  /**
   * Changes a shipment's tracking, or says that it was delivered, is lost or void. Errors: INVALID_TRANSITION,
   * INSUFFICIENT_INVENTORY (422), FORBIDDEN, NOT_FOUND.
   */
  update: send("patch", "/api/orders/{id}/shipments/{shipment_id}"),
});

/** What of an order is under way to the customer. */
export interface Shipments extends ReturnType<typeof shipmentsOf> {}

export const returnsOf = ({ read, create, send }: Operations) => ({
  /** The return requests of an order, the first one first; suppliers see their own. Errors: NOT_FOUND. */
  list: read("/api/orders/{id}/return-requests"),
  /**
   * Asks to send items of one supplier back. For customers, and clients and admins for them. Errors: VALIDATION_ERROR
   * (422) where fewer can be sent back by now, NOT_FOUND.
   */
  request: create("/api/orders/{id}/return-requests"),
  /** Lets the items come back. For their supplier and admins. Errors: INVALID_TRANSITION (422), NOT_FOUND. */
  approve: send("post", "/api/orders/{id}/return-requests/{request_id}/approve"),
  /** Refuses them. For their supplier and admins. Errors: INVALID_TRANSITION (422), NOT_FOUND. */
  reject: send("post", "/api/orders/{id}/return-requests/{request_id}/reject"),
  /** Takes the request back. For customers, clients and admins. Errors: INVALID_TRANSITION (422), NOT_FOUND. */
  cancel: send("post", "/api/orders/{id}/return-requests/{request_id}/cancel"),
  /**
   * Takes back what came, and puts it into stock unless `restock` is false. For the supplier and admins. Errors:
   * INVALID_TRANSITION, VALIDATION_ERROR (422), NOT_FOUND.
   */
  receive: send("post", "/api/orders/{id}/return-requests/{request_id}/receive"),
});

/** What customers ask to send back. */
export interface Returns extends ReturnType<typeof returnsOf> {}

export const paymentsOf = ({ create }: Operations) => ({
  /**
   * Records what became of an order's payment; with the same status and reference again it changes
   * nothing. For admins and clients. Errors: INVALID_TRANSITION (422), CONFLICT, NOT_FOUND.
   */
  record: create("/api/orders/{id}/payments"),
});

/** What payment services say of an order; the order itself tells what it has got. */
export interface Payments extends ReturnType<typeof paymentsOf> {}

export const commissionsOf = ({ list, listAll }: Operations) => ({
  /** A page of the commissions, newest first, and their sums in each currency. */
  list: list("/api/commissions"),
  /** Every commission of a list, oldest first unless asked otherwise. */
  listAll: listAll("/api/commissions", "commissions"),
});

/** What the marketplace keeps of each sale, and what its supplier gets. */
export interface Commissions extends ReturnType<typeof commissionsOf> {}
