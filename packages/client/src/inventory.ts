import type { Operations } from "./operations.js";

export const inventoryOf = ({ list, listAll, read, send }: Operations) => ({
  /** A page of the stock: a row for each product without variants, and for each variant. */
  list: list("/api/inventory"),
  /** Every row of the stock. */
  listAll: listAll("/api/inventory", "inventory"),
  /** A product's stock, that of its variants, and which orders hold it. Errors: NOT_FOUND. */
  get: read("/api/products/{id}/inventory"),
  /**
   * Sets a product's stock, adds to it or subtracts. Never repeated by itself where it may have been
   * done. Errors: INSUFFICIENT_INVENTORY (422), NOT_FOUND.
   */
  change: send("patch", "/api/products/{id}/inventory"),
  /** A page of the ledger, newest first: every change of the stock, with its reason. */
  movements: list("/api/inventory/movements"),
  /** Every movement, oldest first unless asked otherwise. */
  movementsAll: listAll("/api/inventory/movements", "movements"),
});

/** What is in stock. For admins and clients, and for suppliers what is theirs. */
export interface Stock extends ReturnType<typeof inventoryOf> {}
