import type { Operations } from "./operations.js";

export const marketplacesOf = ({ list, listAll, create, read, send }: Operations) => ({
  /** A page of the marketplaces the caller may see, newest first. */
  list: list("/api/marketplaces"),
  /** Every marketplace of a list, oldest first unless asked otherwise. */
  listAll: listAll("/api/marketplaces", "marketplaces"),
  /** Makes a marketplace, a draft at first. For admins. Errors: CONFLICT, when its domain is taken. */
  create: create("/api/marketplaces"),
  /** Errors: NOT_FOUND. */
  get: read("/api/marketplaces/{id}"),
  /**
   * Changes the fields that are sent, its status among them. For admins. Errors:
   * INVALID_TRANSITION (422), CONFLICT, NOT_FOUND.
   */
  update: send("put", "/api/marketplaces/{id}"),
  /** What the active marketplace of a domain shows to everybody, signed in or not. Errors: NOT_FOUND. */
  storefront: list("/api/storefront"),
});

/** The trading sites of a tenant. */
export interface Marketplaces extends ReturnType<typeof marketplacesOf> {}
