import type { Operations } from "./operations.js";

const PLACEMENT = "/api/v1/top-placement";
const CAMPAIGN = `${PLACEMENT}/campaigns/{id}` as const;

export const campaignsOf = ({ list, listAll, create, read, send }: Operations) => ({
  /** Promotes a product. Errors: CONFLICT, FORBIDDEN, NOT_FOUND, VALIDATION_ERROR. */
  create: create(`${PLACEMENT}/campaigns`),
  /** A page of campaigns, newest first. Suppliers see their own. */
  list: list(`${PLACEMENT}/campaigns`),
  /** Every campaign, oldest first unless asked otherwise. */
  listAll: listAll(`${PLACEMENT}/campaigns`, "campaigns"),
  /** Errors: NOT_FOUND. */
  get: read(CAMPAIGN),
  /** Pauses, resumes or cancels it, or changes its bids and budget. Errors: INVALID_TRANSITION, NOT_FOUND. */
  update: send("patch", CAMPAIGN),
  /** For admins: lets it run. Errors: INVALID_TRANSITION, NOT_FOUND. */
  approve: create(`${CAMPAIGN}/approve`),
  /** For admins: keeps it from running, for the reason in `note`. Errors: INVALID_TRANSITION, NOT_FOUND. */
  reject: send("post", `${CAMPAIGN}/reject`),
  /** What it brought and cost, from the first to the last day of the query. Errors: FORBIDDEN, NOT_FOUND. */
  stats: list(`${CAMPAIGN}/stats`),
  /** What share of the auctions that were kept it won, and what it lost the others to. Errors: NOT_FOUND. */
  auctions: list(`${CAMPAIGN}/auctions`),
  /** A page of its ledger, newest first. Errors: NOT_FOUND. */
  charges: list(`${CAMPAIGN}/charges`),
  /** Every charge of it, oldest first unless asked otherwise. Errors: NOT_FOUND. */
  chargesAll: listAll(`${CAMPAIGN}/charges`, "charges"),
  /** For admins: a visitor's clicks, or those with these ids, were not valid. Errors: NOT_FOUND, VALIDATION_ERROR. */
  refund: create(`${CAMPAIGN}/refunds`),
});

export const placementOf = ({ list, create, read, send }: Operations) => ({
  /** What the first places of a category cost, and how many there are. Errors: NOT_FOUND. */
  category: read(`${PLACEMENT}/categories/{id}`),
  /** For admins: changes the fields that are given. Errors: NOT_FOUND. */
  setCategory: send("put", `${PLACEMENT}/categories/{id}`),
  /** For admins and clients. */
  settings: read(`${PLACEMENT}/settings`),
  /** For admins: changes the fields that are given. */
  setSettings: send("put", `${PLACEMENT}/settings`),
  /** Who would be shown first of a category now; bids and prices where they are one's own. Errors: NOT_FOUND. */
  slots: list(`${PLACEMENT}/slots`),
  /** Records up to 1000 impressions, clicks and sales, and answers what became of each. */
  record: create(`${PLACEMENT}/events`),
  /** For admins: what the first places earned, the last 30 days unless said otherwise. */
  report: list(`${PLACEMENT}/report`),
});

export const auctionsOf = ({ list, listAll, read }: Operations) => ({
  /** For admins and clients: a page of the auctions of the last day that were kept, newest first. */
  list: list(`${PLACEMENT}/auctions`),
  /** Every one of them, oldest first unless asked otherwise. */
  listAll: listAll(`${PLACEMENT}/auctions`, "auctions"),
  /** For admins and clients: why each campaign took its place or none. Errors: NOT_FOUND. */
  get: read(`${PLACEMENT}/auctions/{id}`),
});

/** What suppliers pay to have their products shown first. */
export interface Campaigns extends ReturnType<typeof campaignsOf> {}
/** The first places: what they cost, who has them, what happens there and what it earns. */
export interface Placement extends ReturnType<typeof placementOf> {}
/** How the first places were given away. */
export interface Auctions extends ReturnType<typeof auctionsOf> {}
