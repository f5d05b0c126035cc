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
   * Takes pieces back into stock; with the last one the order is returned. For admins. Errors:
   * INVALID_TRANSITION (422), NOT_FOUND.
   */
  returnItems: create("/api/orders/{id}/returns"),
  /** Notes something on an order, for all who see it or for the shop alone. Errors: NOT_FOUND. */
  addNote: create("/api/orders/{id}/notes"),
  /**
   * Imports past orders of another system, any number of them, while they are read. A line that is refused is listed
   * in `errors` and stops no other. An order is known by its `external_id`, so that repeating an import changes
   * nothing. For admins.
   */
  import: importOf<PastOrderLine>(http, "/api/orders/import"),
});

/** What customers buy, from the reservation to the delivery. */
export interface Orders extends ReturnType<typeof ordersOf> {}

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
