import { downloadsOfOrder } from "../_shared/digital/routes.ts";
import { createRoutes } from "../_shared/http/routes.ts";
import { importsOfOrders } from "../_shared/orders/imports.ts";
import { returnRequests } from "../_shared/orders/return_requests.ts";
import { orders as placed } from "../_shared/orders/routes.ts";
import { shipments } from "../_shared/orders/shipments.ts";
import { paymentsOfOrder } from "../_shared/payments/routes.ts";

/** All routes below /orders, of several capabilities. */
export const orders = createRoutes();

orders.route("/", importsOfOrders);
orders.route("/", downloadsOfOrder);
orders.route("/", shipments);
orders.route("/", returnRequests);
orders.route("/", paymentsOfOrder);
orders.route("/", placed);
