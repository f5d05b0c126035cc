import { auth } from "./auth/routes.ts";
import { products } from "./catalog/routes.ts";
import { createApp } from "./http/app.ts";
import { addDocumentation } from "./http/documentation.ts";
import { marketplaces } from "./marketplaces/routes.ts";
import { orders } from "./orders/routes.ts";
import { webhooks } from "./webhooks/routes.ts";

/** The function `api`: every capability under one roof, and the document that describes them all. */
export const api = createApp({
  "/api/marketplaces": marketplaces,
  "/api/products": products,
  "/api/orders": orders,
  "/api/webhooks": webhooks,
});

addDocumentation(api, { "/auth": auth });
