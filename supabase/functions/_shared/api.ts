import { auth } from "./auth/routes.ts";
import { categories } from "./catalog/categories.ts";
import { events, eventTypeRoutes } from "./events/routes.ts";
import { createApp } from "./http/app.ts";
import { addDocumentation } from "./http/documentation.ts";
import { inventory } from "./inventory/routes.ts";
import { marketplaces } from "./marketplaces/routes.ts";
import { commissions } from "./orders/commissions.ts";
import { orders } from "./orders.ts";
import { placement } from "./placement/routes.ts";
import { products } from "./products.ts";
import { semanticSearch } from "./search/routes.ts";
import { synonyms } from "./search/synonyms.ts";
import { bookings } from "./services/routes.ts";
import { customers } from "./tenancy/customers.ts";
import { members } from "./tenancy/members.ts";
import { suppliers } from "./tenancy/suppliers.ts";
import { tenantRoutes } from "./tenancy/tenant.ts";
import { webhooks } from "./webhooks/routes.ts";

/** The function `api`: every capability under one roof, and the document that describes them all. */
export const api = createApp({
  "/api/tenant": tenantRoutes,
  "/api/members": members,
  "/api/suppliers": suppliers,
  "/api/customers": customers,
  "/api/marketplaces": marketplaces,
  "/api/categories": categories,
  "/api/products": products,
  "/api/inventory": inventory,
  "/api/search/synonyms": synonyms,
  "/api/orders": orders,
  "/api/bookings": bookings,
  "/api/commissions": commissions,
  "/api/events": events,
  "/api/event-types": eventTypeRoutes,
  "/api/webhooks": webhooks,
  "/api/v1/top-placement": placement,
});

addDocumentation(api, { "/auth": auth, "/semantic-search": semanticSearch });
