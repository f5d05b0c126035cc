import type { Operations } from "./operations.js";

export const filesOf = ({ list, listAll, create, act }: Operations) => ({
  /** A page of a product's files, oldest first. Errors: NOT_FOUND. */
  list: list("/api/products/{id}/files"),
  /** Every file of a product. Errors: NOT_FOUND. */
  listAll: listAll("/api/products/{id}/files", "files"),
  /** Adds a file to a digital product, also for those who have bought it. Errors: NOT_FOUND. */
  create: create("/api/products/{id}/files"),
  /** Removes a file of a product, also from those who have bought it. Errors: NOT_FOUND. */
  remove: act("delete", "/api/products/{id}/files/{file_id}"),
});

/** What buyers of a digital product download. For its supplier, and admins. */
export interface Files extends ReturnType<typeof filesOf> {}

export const licenceKeysOf = ({ list, listAll, create, act }: Operations) => ({
  /** A page of a product's keys, masked, and how many there are. Errors: NOT_FOUND. */
  list: list("/api/products/{id}/licence-keys"),
  /** Every key of a product, masked, oldest first unless asked otherwise. Errors: NOT_FOUND. */
  listAll: listAll("/api/products/{id}/licence-keys", "licence_keys"),
  /** Adds keys, each a piece of stock; those that are there already are reported. Errors: NOT_FOUND. */
  create: create("/api/products/{id}/licence-keys"),
  /**
   * Removes a key that nobody was handed. Errors: CONFLICT, INSUFFICIENT_INVENTORY (422), when all
   * that are left are promised; NOT_FOUND.
   */
  remove: act("delete", "/api/products/{id}/licence-keys/{licence_key_id}"),
});

/** The keys of a digital product, handed out one per piece. For its supplier, and admins. */
export interface LicenceKeys extends ReturnType<typeof licenceKeysOf> {}

export const downloadsOf = ({ read }: Operations) => ({
  /** The files and licence keys of an order; none before it is paid. Errors: NOT_FOUND. */
  get: read("/api/orders/{id}/downloads"),
});

/** What an order of digital products unlocks. */
export interface Downloads extends ReturnType<typeof downloadsOf> {}
