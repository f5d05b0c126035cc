import { downloadsOfOrder } from "./digital/routes.ts";
import { createRoutes } from "./http/door.ts";
import { orders as placed } from "./orders/routes.ts";

/** All that answers below /orders, of whichever capability. */
export const orders = createRoutes();

orders.route("/", downloadsOfOrder);
orders.route("/", placed);
