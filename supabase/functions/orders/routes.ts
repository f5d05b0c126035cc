import { downloadsOfOrder } from "../_shared/digital/routes.ts";
import { createRoutes } from "../_shared/http/routes.ts";
import { orders as placed } from "../_shared/orders/routes.ts";

/** All that answers below /orders, of whichever capability. */
export const orders = createRoutes();

orders.route("/", downloadsOfOrder);
orders.route("/", placed);
