import type { Operations } from "./operations.js";

export const inventoryOf = ({ list, listAll, read, send }: Operations) => ({
  /** A page of the stock: one row for each product without variants, and for each variant. */
  list: list("/api/inventory"),
  /** All rows of the stock. */
  listAll: listAll("/api/inventory", "inventory"),
  /** The stock of a product and its variants, and the orders that reserve it. Errors: NOT_FOUND. */
  get: read("/api/products/{id}/inventory"),
  /**
   * Sets a product's stock, adds to it or subtracts. It is not repeated automatically if it may have
   * been
   * done. Errors: INSUFFICIENT_INVENTORY (422), NOT_FOUND.
   */
  change: send("patch", "/api/products/{id}/inventory"),
  /** A page of the ledger, newest first: every change of the stock, with its reason. */
  movements: list("/api/inventory/movements"),
  /** All movements, by default the oldest first. */
  movementsAll: listAll("/api/inventory/movements", "movements"),
});

/** The stock. For admins and clients, and for suppliers of their own products. */
export interface Stock extends ReturnType<typeof inventoryOf> {}
