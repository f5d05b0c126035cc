import type { Http } from "./http.js";
import { analyticsMethods } from "./methods.generated.js";
import type { Operations } from "./operations.js";
import { type TrackingOptions, trackingOf } from "./tracking.js";

export const analyticsOf = (operations: Operations, http: Http, tracking?: TrackingOptions) => ({
  ...trackingOf(http, tracking),
  ...analyticsMethods(operations),
});

/** Figures about sales, customers and visitors. */
export interface Analytics extends ReturnType<typeof analyticsOf> {}
