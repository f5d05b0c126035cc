import type { Http } from "./http.js";
import type { Operations } from "./operations.js";
import { type TrackingOptions, trackingOf } from "./tracking.js";

const ANALYTICS = "/api/analytics";

export const analyticsOf = (
  { create, list, listAll, read }: Operations,
  http: Http,
  tracking?: TrackingOptions,
) => ({
  ...trackingOf(http, tracking),
  /** Records up to 1000 visits, product views, additions to a cart and checkouts, and answers what became of each. */
  record: create(`${ANALYTICS}/events`),
  /** How many visitors came as far as each stage. Errors: FORBIDDEN, NOT_FOUND, VALIDATION_ERROR. */
  funnel: list(`${ANALYTICS}/funnel`),
  /** A period at a glance. Errors, as of all below: FORBIDDEN, NOT_FOUND, VALIDATION_ERROR. */
  overview: list(`${ANALYTICS}/overview`),
  /** Sales by hour, day, week, month or quarter, and in all. */
  sales: list(`${ANALYTICS}/sales`),
  /** Revenue by marketplace, category, supplier, product or source. */
  revenue: list(`${ANALYTICS}/revenue`),
  /** The products that sell best, by revenue or by pieces. */
  topProducts: list(`${ANALYTICS}/products/top`),
  /** How many customers are prospects, lost, at_risk, vip, new and returning. */
  segments: list(`${ANALYTICS}/customers/segments`),
  /** A page of the customers of one segment, by its name. */
  segmentCustomers: list(`${ANALYTICS}/customers/segments/{name}`),
  segmentCustomersAll: listAll(`${ANALYTICS}/customers/segments/{name}`, "customers"),
  /** By month of the first order: how many come back, or what they bring. */
  cohorts: list(`${ANALYTICS}/cohorts`),
  /** What every figure means, in words and as a formula. */
  definitions: read(`${ANALYTICS}/definitions`),
});

const DASHBOARDS = `${ANALYTICS}/dashboards` as const;

export const dashboardsOf = ({ create, read, send, act }: Operations) => ({
  /** All of them, the oldest first. Errors, as of all: FORBIDDEN. */
  list: read(DASHBOARDS),
  /** A dashboard of up to 20 widgets. Errors: LIMIT_REACHED, VALIDATION_ERROR. */
  create: create(DASHBOARDS),
  /** Errors: NOT_FOUND. */
  get: read(`${DASHBOARDS}/{id}`),
  /** Gives it another name and other widgets, as a whole. Errors: NOT_FOUND, VALIDATION_ERROR. */
  update: send("put", `${DASHBOARDS}/{id}`),
  /** Errors: NOT_FOUND. */
  remove: act("delete", `${DASHBOARDS}/{id}`),
  /** What its widgets show now. Errors: NOT_FOUND. */
  data: read(`${DASHBOARDS}/{id}/data`),
});

/** What is earned, what visitors do, and who buys. */
export interface Analytics extends ReturnType<typeof analyticsOf> {}
/** Figures that are looked at together. */
export interface Dashboards extends ReturnType<typeof dashboardsOf> {}
