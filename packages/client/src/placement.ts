import type { Operations } from "./operations.js";

const PLACEMENT = "/api/v1/top-placement";
const CAMPAIGN = `${PLACEMENT}/campaigns/{id}` as const;

export const campaignsOf = ({ list, listAll, create, read, send }: Operations) => ({
  /** Promotes a product. Errors: CONFLICT, FORBIDDEN, NOT_FOUND, VALIDATION_ERROR. */
  create: create(`${PLACEMENT}/campaigns`),
  /** A page of campaigns, newest first. Suppliers see their own. */
  list: list(`${PLACEMENT}/campaigns`),
  /** All campaigns, by default the oldest first. */
  listAll: listAll(`${PLACEMENT}/campaigns`, "campaigns"),
  /** Errors: NOT_FOUND. */
  get: read(CAMPAIGN),
  /**
   * Pauses, resumes or cancels a campaign, or changes its bids and budget. Errors:
   * INVALID_TRANSITION, NOT_FOUND.
   */
  update: send("patch", CAMPAIGN),
  /** Approves a campaign, so that it runs. For admins. Errors: INVALID_TRANSITION, NOT_FOUND. */
  approve: create(`${CAMPAIGN}/approve`),
  /**
   * Rejects a campaign, for the reason in `note`. For admins. Errors: INVALID_TRANSITION,
   * NOT_FOUND.
   */
  reject: send("post", `${CAMPAIGN}/reject`),
  /**
   * Results and costs, from the first to the last day of the query. Errors: FORBIDDEN, NOT_FOUND.
   */
  stats: list(`${CAMPAIGN}/stats`),
  /**
   * The share of the stored auctions that it won, and why it lost the others. Errors: NOT_FOUND.
   */
  auctions: list(`${CAMPAIGN}/auctions`),
  /** A page of its ledger, newest first. Errors: NOT_FOUND. */
  charges: list(`${CAMPAIGN}/charges`),
  /** All its charges, by default the oldest first. Errors: NOT_FOUND. */
  chargesAll: listAll(`${CAMPAIGN}/charges`, "charges"),
  /**
   * Refunds the clicks of a visitor, or those with the given ids, as invalid. For admins. Errors:
   * NOT_FOUND, VALIDATION_ERROR.
   */
  refund: create(`${CAMPAIGN}/refunds`),
});

export const placementOf = ({ list, create, read, send }: Operations) => ({
  /** The prices and number of the top places of a category. Errors: NOT_FOUND. */
  category: read(`${PLACEMENT}/categories/{id}`),
  /** Changes the given fields. For admins. Errors: NOT_FOUND. */
  setCategory: send("put", `${PLACEMENT}/categories/{id}`),
  /** For admins and clients. */
  settings: read(`${PLACEMENT}/settings`),
  /** Changes the given fields. For admins. */
  setSettings: send("put", `${PLACEMENT}/settings`),
  /**
   * The campaigns that would be shown first in a category now, with bids and prices of the caller's
   * own. Errors: NOT_FOUND.
   */
  slots: list(`${PLACEMENT}/slots`),
  /** Records up to 1000 impressions, clicks and sales, and returns a result for each. */
  record: create(`${PLACEMENT}/events`),
  /** The revenue of the top places, by default in the last 30 days. For admins. */
  report: list(`${PLACEMENT}/report`),
});

export const auctionsOf = ({ list, listAll, read }: Operations) => ({
  /** A page of the stored auctions of the last day, newest first. For admins and clients. */
  list: list(`${PLACEMENT}/auctions`),
  /** All stored auctions of the last day, by default the oldest first. */
  listAll: listAll(`${PLACEMENT}/auctions`, "auctions"),
  /**
   * The reason why each campaign got its place or none. For admins and clients. Errors: NOT_FOUND.
   */
  get: read(`${PLACEMENT}/auctions/{id}`),
});

/** Paid promotions of products in the top places. */
export interface Campaigns extends ReturnType<typeof campaignsOf> {}
/** The top places: prices, winners, events and revenue. */
export interface Placement extends ReturnType<typeof placementOf> {}
/** The auctions of the top places. */
export interface Auctions extends ReturnType<typeof auctionsOf> {}
