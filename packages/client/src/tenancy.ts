import type { Operations } from "./operations.js";

export const tenantOf = ({ read, send }: Operations) => ({
  /** The tenant of the session. */
  get: read("/api/tenant"),
  /** Renames it. For admins. */
  update: send("patch", "/api/tenant"),
});

/** The caller's tenant: the only one there is for a session. */
export interface OwnTenant extends ReturnType<typeof tenantOf> {}

export const membersOf = ({ list, listAll, read, send, act }: Operations) => ({
  /** A page of the members; who is no admin or client sees itself only. */
  list: list("/api/members"),
  /** Every member of a list, oldest first unless asked otherwise. */
  listAll: listAll("/api/members", "members"),
  /** A member, by the id of its user. Errors: NOT_FOUND. */
  get: read("/api/members/{user_id}"),
  /** Suspends a member, or changes its role, at once. For admins. Errors: LAST_ADMIN, NOT_FOUND. */
  update: send("patch", "/api/members/{user_id}"),
  /** Removes a member, at once; its account stays. For admins. Errors: LAST_ADMIN, NOT_FOUND. */
  remove: act("delete", "/api/members/{user_id}"),
});

/** Who belongs to the tenant, as what. */
export interface Members extends ReturnType<typeof membersOf> {}

export const suppliersOf = ({ list, listAll, create, read, send }: Operations) => ({
  /** A page of the suppliers, newest first. */
  list: list("/api/suppliers"),
  /** Every supplier of a list, oldest first unless asked otherwise. */
  listAll: listAll("/api/suppliers", "suppliers"),
  /** Opens a supplier; its members come by invitation. For admins. */
  create: create("/api/suppliers"),
  /** Errors: NOT_FOUND. */
  get: read("/api/suppliers/{id}"),
  /**
   * Renames or verifies a supplier, or says who it is before the law. For admins; suppliers do so with their own, and
   * verify nobody. Errors: NOT_FOUND.
   */
  update: send("patch", "/api/suppliers/{id}"),
});

/** The organisations that sell. */
export interface Suppliers extends ReturnType<typeof suppliersOf> {}

export const customersOf = ({ list, listAll, create, read }: Operations) => ({
  /** A page of the customers, newest first; a customer sees itself only. */
  list: list("/api/customers"),
  /** Every customer of a list, oldest first unless asked otherwise. */
  listAll: listAll("/api/customers", "customers"),
  /** Makes a customer that has no account, to order for it. For admins and clients. */
  create: create("/api/customers"),
  /** Errors: NOT_FOUND. */
  get: read("/api/customers/{id}"),
});

/** Who buys. */
export interface Customers extends ReturnType<typeof customersOf> {}
