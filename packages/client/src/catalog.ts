import { bodyOf, type CallOptions, type Http } from "./http.js";
import { eachRecord } from "./lists.js";
import type { NewProduct, Product, ProductList, paths } from "./openapi.generated.js";

/** Search, filters, page, length and sequence of a list of products. */
export type ProductQuery = NonNullable<paths["/api/products"]["get"]["parameters"]["query"]>;

export interface Products {
  /** A page of the products the caller may see, and the filters over the whole result. */
  list(query?: ProductQuery, options?: CallOptions): Promise<ProductList>;
  /** Every product of a list, oldest first unless asked otherwise. */
  listAll(query?: Omit<ProductQuery, "page">, options?: CallOptions): AsyncIterable<Product>;
  /** Lists a product for sale. For suppliers, and admins. Errors: CONFLICT, when a sku is taken. */
  create(product: NewProduct, options?: CallOptions): Promise<Product>;
  /** Errors: NOT_FOUND. */
  get(id: string, options?: CallOptions): Promise<Product>;
}

export function productsOf(http: Http): Products {
  const list: Products["list"] = (query, options) =>
    // openapi-fetch takes price_range, which has two numbers, for a list of any length.
    bodyOf(http.GET("/api/products", { params: { query }, ...options })) as Promise<ProductList>;
  return {
    list,
    listAll: (query = {}, options) =>
      eachRecord(
        query,
        (page) => list(page, options),
        ({ products }) => products,
      ),
    create: (body, options) => bodyOf(http.POST("/api/products", { body, ...options })),
    get: (id, options) =>
      bodyOf(http.GET("/api/products/{id}", { params: { path: { id } }, ...options })),
  };
}
