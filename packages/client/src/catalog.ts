import type { Http } from "./http.js";
import { importsOf } from "./imports.js";
import type { Operations } from "./operations.js";

export const productsOf = ({ list, listAll, create, read, send, act }: Operations, http: Http) => ({
  /** A page of the products the caller may see, and the filters over the whole result. */
  list: list("/api/products"),
  /** Every product of a list, oldest first unless asked otherwise. */
  listAll: listAll("/api/products", "products"),
  /**
   * What one could buy in a product's place, the likest first, and how like each is.
   * Errors: NOT_FOUND.
   */
  similar: list("/api/products/{id}/similar"),
  /** The products of which most pieces were sold in the last days, with their `sales_count`. */
  topSales: list("/api/products/top-sales"),
  /** Lists a product for sale. For suppliers, and admins. Errors: CONFLICT, when a sku is taken. */
  create: create("/api/products"),
  /** Errors: NOT_FOUND. */
  get: read("/api/products/{id}"),
  /**
   * Changes the fields that are sent. With the `updated_at` it was read with, a product that has
   * changed since is left alone. Errors: INVALID_TRANSITION (422), CONFLICT, NOT_FOUND.
   */
  update: send("put", "/api/products/{id}"),
  /** Takes a product off every list, for good. Errors: NOT_FOUND. */
  remove: act("delete", "/api/products/{id}"),
  ...importsOf(http),
});

/** What suppliers sell. */
export interface Products extends ReturnType<typeof productsOf> {}

export const categoriesOf = ({ read, create, send, act }: Operations) => ({
  /** All categories, as a tree. */
  list: read("/api/categories"),
  /** Makes a category, with the attributes that its products are described by. For admins. */
  create: create("/api/categories"),
  /** A category with all below it. Errors: NOT_FOUND. */
  get: read("/api/categories/{id}"),
  /** Changes the fields that are sent. For admins. Errors: NOT_FOUND. */
  update: send("put", "/api/categories/{id}"),
  /** For admins. Errors: CONFLICT, while it has children or products; NOT_FOUND. */
  remove: act("delete", "/api/categories/{id}"),
});

/** What products are sorted into, and described by. */
export interface Categories extends ReturnType<typeof categoriesOf> {}
