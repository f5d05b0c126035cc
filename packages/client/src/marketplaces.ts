import { bodyOf, type CallOptions, type Http } from "./http.js";
import { eachRecord } from "./lists.js";
import type {
  Marketplace,
  MarketplaceChanges,
  NewMarketplace,
  paths,
} from "./openapi.generated.js";

/** Filters, page, length and sequence of a list of marketplaces. */
export type MarketplaceQuery = NonNullable<
  paths["/api/marketplaces"]["get"]["parameters"]["query"]
>;

export type MarketplacePage =
  paths["/api/marketplaces"]["get"]["responses"][200]["content"]["application/json"];

export interface Marketplaces {
  /** A page of the marketplaces the caller may see, newest first. */
  list(query?: MarketplaceQuery, options?: CallOptions): Promise<MarketplacePage>;
  /** Every marketplace of a list, oldest first unless asked otherwise. */
  listAll(
    query?: Omit<MarketplaceQuery, "page">,
    options?: CallOptions,
  ): AsyncIterable<Marketplace>;
  /** Makes a marketplace, a draft at first. For admins. Errors: CONFLICT, when its domain is taken. */
  create(marketplace: NewMarketplace, options?: CallOptions): Promise<Marketplace>;
  /** Errors: NOT_FOUND. */
  get(id: string, options?: CallOptions): Promise<Marketplace>;
  /**
   * Changes the fields that are sent, its status among them. For admins. Errors:
   * INVALID_TRANSITION (422), CONFLICT, NOT_FOUND.
   */
  update(id: string, changes: MarketplaceChanges, options?: CallOptions): Promise<Marketplace>;
}

export function marketplacesOf(http: Http): Marketplaces {
  const list: Marketplaces["list"] = (query, options) =>
    bodyOf(http.GET("/api/marketplaces", { params: { query }, ...options }));
  return {
    list,
    listAll: (query = {}, options) =>
      eachRecord(
        query,
        (page) => list(page, options),
        ({ marketplaces }) => marketplaces,
      ),
    create: (body, options) => bodyOf(http.POST("/api/marketplaces", { body, ...options })),
    get: (id, options) =>
      bodyOf(http.GET("/api/marketplaces/{id}", { params: { path: { id } }, ...options })),
    update: (id, body, options) =>
      bodyOf(http.PUT("/api/marketplaces/{id}", { params: { path: { id } }, body, ...options })),
  };
}
