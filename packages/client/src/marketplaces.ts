import type { Operations } from "./operations.js";

export const marketplacesOf = ({ list, listAll, create, read, send }: Operations) => ({
  /** A page of the marketplaces the caller may see, newest first. */
  list: list("/api/marketplaces"),
  /** All marketplaces of a list, by default the oldest first. */
  listAll: listAll("/api/marketplaces", "marketplaces"),
  /** Creates a marketplace, as a draft. For admins. Errors: CONFLICT if its domain is taken. */
  create: create("/api/marketplaces"),
  /** Errors: NOT_FOUND. */
  get: read("/api/marketplaces/{id}"),
  /**
   * Changes the given fields, including its status. For admins. Errors: INVALID_TRANSITION (422),
   * CONFLICT,
   * NOT_FOUND.
   */
  update: send("put", "/api/marketplaces/{id}"),
  /**
   * The public data of the active marketplace at a domain, with or without a session. Errors:
   * NOT_FOUND.
   */
  storefront: list("/api/storefront"),
});

/** The marketplaces of a tenant. */
export interface Marketplaces extends ReturnType<typeof marketplacesOf> {}
