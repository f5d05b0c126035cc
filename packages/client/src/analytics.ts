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
  /** Records up to 1000 visits, product views, additions to a cart and checkouts, and resolves to a result for each. */
  record: create(`${ANALYTICS}/events`),
  /** The number of visitors who reached each stage. Errors: FORBIDDEN, NOT_FOUND, VALIDATION_ERROR. */
  funnel: list(`${ANALYTICS}/funnel`),
  /** Revenue, orders, customers and conversion of a period. Errors of all reports: FORBIDDEN, NOT_FOUND, VALIDATION_ERROR. */
  overview: list(`${ANALYTICS}/overview`),
  /** Sales by hour, day, week, month or quarter, and their sum. */
  sales: list(`${ANALYTICS}/sales`),
  /** Revenue by marketplace, category, supplier, product or source. */
  revenue: list(`${ANALYTICS}/revenue`),
  /** The best-selling products, by revenue or by pieces. */
  topProducts: list(`${ANALYTICS}/products/top`),
  /** The number of customers in each segment. */
  segments: list(`${ANALYTICS}/customers/segments`),
  /** A page of the customers of one segment, by its name. */
  segmentCustomers: list(`${ANALYTICS}/customers/segments/{name}`),
  segmentCustomersAll: listAll(`${ANALYTICS}/customers/segments/{name}`, "customers"),
  /** Customers by month of their first order: how many come back, or their revenue. */
  cohorts: list(`${ANALYTICS}/cohorts`),
  /** The meaning of every figure, in words and as a formula. */
  definitions: read(`${ANALYTICS}/definitions`),
});

const DASHBOARDS = `${ANALYTICS}/dashboards` as const;

export const dashboardsOf = ({ create, read, send, act }: Operations) => ({
  /** All dashboards, the oldest first. Errors of all methods: FORBIDDEN. */
  list: read(DASHBOARDS),
  /** Creates a dashboard of up to 20 widgets. Errors: LIMIT_REACHED, VALIDATION_ERROR. */
  create: create(DASHBOARDS),
  /** Errors: NOT_FOUND. */
  get: read(`${DASHBOARDS}/{id}`),
  /** Replaces its name and widgets. Errors: NOT_FOUND, VALIDATION_ERROR. */
  update: send("put", `${DASHBOARDS}/{id}`),
  /** Errors: NOT_FOUND. */
  remove: act("delete", `${DASHBOARDS}/{id}`),
  /** The data of its widgets. Errors: NOT_FOUND. */
  data: read(`${DASHBOARDS}/{id}/data`),
});

/** Figures about sales, customers and visitors. */
export interface Analytics extends ReturnType<typeof analyticsOf> {}
/** Saved sets of figures. */
export interface Dashboards extends ReturnType<typeof dashboardsOf> {}
