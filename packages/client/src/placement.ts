import type { CallOptions } from "./http.js";
import type { BodyOf, Operations } from "./operations.js";

const CAMPAIGN = "/api/v1/top-placement/campaigns/{id}";
const CATEGORY = "/api/v1/top-placement/categories/{id}";

export function placementOf({ list, listAll, create, read, send }: Operations) {
  const getCategory = read(CATEGORY);
  const setCategory = send("put", CATEGORY);
  return {
    campaigns: {
      /** Promotes a product. Errors: CONFLICT, FORBIDDEN, NOT_FOUND, VALIDATION_ERROR. */
      create: create("/api/v1/top-placement/campaigns"),
      /** A page of campaigns, newest first. Suppliers see their own. */
      list: list("/api/v1/top-placement/campaigns"),
      /** Every campaign, oldest first unless asked otherwise. */
      listAll: listAll("/api/v1/top-placement/campaigns", "campaigns"),
      /** Errors: NOT_FOUND. */
      get: read(CAMPAIGN),
      /** Pauses, resumes or cancels it, or changes its bids and budget. Errors: INVALID_TRANSITION, NOT_FOUND. */
      update: send("patch", CAMPAIGN),
      /** For admins: lets it run. Errors: INVALID_TRANSITION, NOT_FOUND. */
      approve: create(`${CAMPAIGN}/approve`),
      /** For admins: keeps it from running, for the reason in `note`. Errors: INVALID_TRANSITION, NOT_FOUND. */
      reject: create(`${CAMPAIGN}/reject`),
      /**
       * What it brought and cost, from the first to the last day of the query. Errors: FORBIDDEN, NOT_FOUND.
       */
      stats: list(`${CAMPAIGN}/stats`),
      /** What share of the auctions that were kept it won, and what it lost the others to. Errors: NOT_FOUND. */
      auctions: list(`${CAMPAIGN}/auctions`),
      /** A page of its ledger, newest first. Errors: NOT_FOUND. */
      charges: list(`${CAMPAIGN}/charges`),
      /** Every charge of it, oldest first unless asked otherwise. Errors: NOT_FOUND. */
      chargesAll: listAll(`${CAMPAIGN}/charges`, "charges"),
      /**
       * For admins: a visitor's clicks, or those with these ids, were not valid. Errors: NOT_FOUND,
       * VALIDATION_ERROR.
       */
      refund: create(`${CAMPAIGN}/refunds`),
    },
    /** What the first places of a category cost, and how many there are. */
    category: (id: string) => ({
      /** Errors: NOT_FOUND. */
      get: (options?: CallOptions) => getCategory(id, options),
      /** For admins: changes the fields that are given. Errors: NOT_FOUND. */
      update: (body: BodyOf<"put", typeof CATEGORY>, options?: CallOptions) =>
        setCategory(id, body, options),
    }),
    /** Who would be shown first of a category now; bids and prices where they are one's own. Errors: NOT_FOUND. */
    slots: list("/api/v1/top-placement/slots"),
    auctions: {
      /** For admins and clients: a page of the auctions of the last day that were kept, newest first. */
      list: list("/api/v1/top-placement/auctions"),
      /** For admins and clients: why each campaign took its place or none. Errors: NOT_FOUND. */
      get: read("/api/v1/top-placement/auctions/{id}"),
    },
    /** Reports up to 1000 impressions, clicks and sales, and answers what became of each. */
    report: create("/api/v1/top-placement/events"),
    /** For admins: what the first places earned, the last 30 days unless said otherwise. */
    earnings: list("/api/v1/top-placement/report"),
    settings: {
      /** For admins and clients. */
      get: read("/api/v1/top-placement/settings"),
      /** For admins: changes the fields that are given. */
      update: send("put", "/api/v1/top-placement/settings"),
    },
  };
}

/** Products that their suppliers pay to have shown first. */
export interface Placement extends ReturnType<typeof placementOf> {}
