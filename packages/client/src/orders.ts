import type { Http } from "./http.js";
import { importOf } from "./imports.js";
import { ordersMethods } from "./methods.generated.js";
import type { PastOrderLine } from "./openapi.generated.js";
import type { Operations } from "./operations.js";

export const ordersOf = (operations: Operations, http: Http) => ({
  ...ordersMethods(operations),
  /**
   * Imports any number of past orders of another system, which are sent while they are read. A refused line is listed
   * in `errors` and does not stop the others. An order is identified by its `external_id`, so repeating an import
   * changes nothing. For admins.
   */
  import: importOf<PastOrderLine>(http, "/api/orders/import"),
});

/** Orders, from the reservation to the delivery. */
export interface Orders extends ReturnType<typeof ordersOf> {}
