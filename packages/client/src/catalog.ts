import type { Http } from "./http.js";
import { importsOf } from "./imports.js";
import { withJoinedValues } from "./lists.js";
import type { Operations } from "./operations.js";

export const productsOf = ({ list, listAll, create, read, send, act }: Operations, http: Http) => ({
  /**
   * A page of the products the caller may see, and the filters of the whole result. `category`,
   * `brand`, `ids`, `facets` and each of `attributes` are one value or a list:
   * `{ attributes: { material: ["brass", "wool"] }, facets: ["material"] }`.
   */
  list: list("/api/products", withJoinedValues),
  /** All products of a list, by default the oldest first. */
  listAll: listAll("/api/products", "products", withJoinedValues),
  /**
   * Products similar to a product, with their similarity; the most similar first. Errors: NOT_FOUND.
   */
  similar: list("/api/products/{id}/similar"),
  /** The best-selling products of the last days, by pieces, with their `sales_count`. */
  topSales: list("/api/products/top-sales"),
  /** Creates a product. For suppliers and admins. Errors: CONFLICT if a sku is taken. */
  create: create("/api/products"),
  /** Errors: NOT_FOUND. */
  get: read("/api/products/{id}"),
  /**
   * Changes the given fields. With `updated_at`, fails if the product has changed since then.
   * Errors: INVALID_TRANSITION (422), CONFLICT, NOT_FOUND.
   */
  update: send("put", "/api/products/{id}"),
  /** Deletes a product permanently. Errors: NOT_FOUND. */
  remove: act("delete", "/api/products/{id}"),
  ...importsOf(http),
});

/** The products of suppliers. */
export interface Products extends ReturnType<typeof productsOf> {}

export const categoriesOf = ({ read, create, send, act }: Operations) => ({
  /** All categories, as a tree. */
  list: read("/api/categories"),
  /** Creates a category, with the attributes of its products. For admins. */
  create: create("/api/categories"),
  /** A category with all its descendants. Errors: NOT_FOUND. */
  get: read("/api/categories/{id}"),
  /** Changes the given fields. For admins. Errors: NOT_FOUND. */
  update: send("put", "/api/categories/{id}"),
  /** Deletes a category. For admins. Errors: CONFLICT if it has children or products; NOT_FOUND. */
  remove: act("delete", "/api/categories/{id}"),
});

/** The categories of products. */
export interface Categories extends ReturnType<typeof categoriesOf> {}
