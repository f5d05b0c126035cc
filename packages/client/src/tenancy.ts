import type { Operations } from "./operations.js";

export const tenantOf = ({ read, send }: Operations) => ({
  /** The tenant of the session. */
  get: read("/api/tenant"),
  /** Renames the tenant. For admins. */
  update: send("patch", "/api/tenant"),
});

/** The caller's tenant: a session has only one. */
export interface OwnTenant extends ReturnType<typeof tenantOf> {}

export const membersOf = ({ list, listAll, read, send, act }: Operations) => ({
  /** A page of the members; only admins and clients see others than themselves. */
  list: list("/api/members"),
  /** All members of a list, by default the oldest first. */
  listAll: listAll("/api/members", "members"),
  /** A member, by its user's id. Errors: NOT_FOUND. */
  get: read("/api/members/{user_id}"),
  /**
   * Suspends a member or changes its role, with immediate effect. For admins. Errors: LAST_ADMIN,
   * NOT_FOUND.
   */
  update: send("patch", "/api/members/{user_id}"),
  /**
   * Removes a member, with immediate effect; its account stays. For admins. Errors: LAST_ADMIN,
   * NOT_FOUND.
   */
  remove: act("delete", "/api/members/{user_id}"),
});

/** The members of the tenant and their roles. */
export interface Members extends ReturnType<typeof membersOf> {}

export const suppliersOf = ({ list, listAll, create, read, send }: Operations) => ({
  /** A page of the suppliers, newest first. */
  list: list("/api/suppliers"),
  /** All suppliers of a list, by default the oldest first. */
  listAll: listAll("/api/suppliers", "suppliers"),
  /** Creates a supplier; its members join by invitation. For admins. */
  create: create("/api/suppliers"),
  /** Errors: NOT_FOUND. */
  get: read("/api/suppliers/{id}"),
  /**
   * Renames or verifies a supplier. For admins; suppliers can rename themselves. Errors: NOT_FOUND.
   */
  update: send("patch", "/api/suppliers/{id}"),
});

/** The organisations that sell. */
export interface Suppliers extends ReturnType<typeof suppliersOf> {}

export const customersOf = ({ list, listAll, create, read }: Operations) => ({
  /** A page of the customers, newest first; customers see only themselves. */
  list: list("/api/customers"),
  /** All customers of a list, by default the oldest first. */
  listAll: listAll("/api/customers", "customers"),
  /** Creates a customer without an account, to place orders for it. For admins and clients. */
  create: create("/api/customers"),
  /** Errors: NOT_FOUND. */
  get: read("/api/customers/{id}"),
});

/** The customers of the tenant. */
export interface Customers extends ReturnType<typeof customersOf> {}
