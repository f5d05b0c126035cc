import { documentedOperations } from "../../scripts/document.js";

// The expected result of each operation, table and view for each caller. The roles in a route's declaration define most
// of it; the exceptions are here. `npm run types` generates the tables in docs/roles.md from it.

/** The callers of the matrix, in the order of its columns. */
export const CALLERS = [
  "admin",
  "client",
  "supplier",
  "another supplier",
  "customer",
  "another customer",
  "guest",
  "visitor",
  "anon",
] as const;
export type Caller = (typeof CALLERS)[number];

/** All callers but visitors, whose answers follow from the routes. */
const MEMBERS = CALLERS.filter((caller) => caller !== "visitor");

/** The role of each caller that has one. */
const ROLES: Partial<Record<Caller, string>> = {
  admin: "admin",
  client: "client",
  supplier: "supplier",
  "another supplier": "supplier",
  customer: "customer",
  "another customer": "customer",
  guest: "customer",
};

/**
 * Operations that do not answer `done` to the roles of their route and 403 to others: the answers in the order of
 * `CALLERS`, without visitors. Lists answer `all`, `none`, or another word. A suffix in brackets distinguishes two uses of one operation.
 */
const exceptions: Record<string, readonly string[]> = {
  "done done done done done done 422 done": ["POST /auth/register"],
  "done done done done done done 403 401": ["POST /auth/tenants"],
  "all all all none none none none 401": ["GET /auth/invitations", "GET /api/product-approvals"],
  "all all none none all none none 401": ["GET /api/supplier-applications"],
  "all all none none none none none 401": ["GET /api/email-templates", "GET /api/webhooks"],
  "all all own own none none none 401": [
    "GET /api/commissions",
    "GET /api/discounts",
    "GET /api/ledger",
    "GET /api/payouts",
    "GET /api/payout-holds",
    "GET /api/v1/top-placement/campaigns",
  ],
  "done 403 done done 403 403 403 401": ["POST /auth/invitations (a colleague)"],
  "404 404 404 404 404 404 403 401": ["POST /auth/invitations/accept"],
  "done done 404 404 404 404 404 401": [
    "GET /api/email-templates/{id}",
    "POST /api/email-templates/{id}/render",
    "GET /api/webhooks/{id}",
    "POST /api/webhooks/{id}/test",
    "GET /api/webhooks/{id}/logs",
    "GET /api/webhooks/{id}/deliveries/{delivery_id}",
  ],
  "done 403 403 403 403 403 403 401": [
    "POST /auth/invitations",
    "PATCH /api/tenant (settings)",
    "PATCH /api/suppliers/{id} (verified)",
    "POST /api/content/{type}",
    "PUT /api/content/{type}/{id}",
    "DELETE /api/content/{type}/{id}",
  ],
  "422 403 403 403 403 403 403 401": ["DELETE /api/tenant"],
  "all all own own own own own 401": ["GET /api/members", "GET /api/orders", "GET /api/bookings"],
  "done done 404 404 done 404 404 401": [
    "GET /api/members/{user_id}",
    "GET /api/customers/{id}",
    "GET /api/supplier-applications/{id}",
  ],
  "all all all all all all all 401": [
    "GET /api/suppliers",
    "GET /api/categories",
    "GET /api/media",
    "GET /api/media/folders",
    "GET /api/content-types",
    "GET /api/templates",
    "GET /api/search/synonyms",
  ],
  "done 403 done 403 403 403 403 401": [
    "PATCH /api/suppliers/{id}",
    "PATCH /api/suppliers/{id} (legal)",
    "PATCH /api/media/{id}",
    "POST /api/media/{id}/complete",
    "POST /api/media/{id}/replace",
    "DELETE /api/media/{id}",
    "POST /api/content/{type} (about a product)",
  ],
  "all all none none own own own 401": ["GET /api/customers"],
  "403 403 403 403 all none none 401": ["GET /api/customers/me/addresses"],
  "403 403 403 403 done 404 404 401": [
    "GET /api/customers/me/addresses/{id}",
    "PATCH /api/customers/me/addresses/{id}",
    "DELETE /api/customers/me/addresses/{id}",
  ],
  "done 403 403 403 done 404 404 401": ["GET /api/customers/{id}/personal-data"],
  // Of a customer without an account.
  "done 403 403 403 404 404 404 401": ["DELETE /api/customers/{id}/personal-data"],
  "all all all all active active active 401": ["GET /api/marketplaces"],
  "all published published published published published published 401": [
    "GET /api/content/{type}",
  ],
  "all none own own none none none 401": [
    "GET /api/content/{type} (about products)",
    "GET /api/api-keys",
  ],
  "done 404 404 404 404 404 404 401": [
    "GET /api/content/{type}/{id} (a draft)",
    "GET /api/templates/components/{id}",
    "GET /api/mails/{id}",
    "GET /api/analytics/exports/{id}",
    "DELETE /api/analytics/exports/{id}",
    "GET /api/analytics/exports/schedules/{id}",
    "DELETE /api/analytics/exports/schedules/{id}",
  ],
  "done 404 done 404 404 404 404 401": [
    "GET /api/api-keys/{id}",
    "GET /api/content/{type}/{id} (a draft about a product)",
    "PUT /api/content/{type}/{id} (about a product)",
    "DELETE /api/content/{type}/{id} (about a product)",
    "POST /api/content/{type}/{id}/submit",
    "GET /api/content/{type}/{id}/moves",
    "GET /api/content/{type}/{id}/versions",
    "GET /api/content/{type}/{id}/versions/{version}",
    "GET /api/content/{type}/{id}/compare",
    "POST /api/content/{type}/{id}/rollback",
    "GET /api/content/{type}/{id}/branches",
    "POST /api/content/{type}/{id}/branches",
    "DELETE /api/content/{type}/{id}/branches/{name}",
    "POST /api/content/{type}/{id}/merge",
    "GET /api/content/{type}/{id}/localizations/{language}",
    "PUT /api/content/{type}/{id}/localizations/{language}",
    "PATCH /api/content/{type}/{id}/localizations/{language}/status",
    "POST /api/content/{type}/{id}/preview",
    "DELETE /api/content/{type}/{id}/preview",
  ],
  "done 404 403 404 404 404 404 401": [
    "POST /api/content/{type}/{id}/approve",
    "POST /api/content/{type}/{id}/reject",
    "POST /api/content/{type}/{id}/publish",
    "POST /api/content/{type}/{id}/unpublish",
    "POST /api/content/{type}/{id}/archive",
    "POST /api/content/{type}/{id}/restore",
    "DELETE /api/content/{type}/{id}/schedule",
  ],
  "all none none none none none none 401": [
    "GET /api/audit-log",
    "GET /api/templates/components",
    "GET /api/mails",
    "GET /api/mails/suppressions",
  ],
  "all all own own active active active 401": ["GET /api/products"],
  "all all own own 403 403 403 401": [
    "GET /api/products/export",
    "GET /api/inventory",
    "GET /api/inventory/movements",
  ],
  "done done done 404 done done done 401": [
    "GET /api/products/{id}/similar",
    "GET /api/products/{id}",
    "GET /api/products/{id}/calendar",
    "GET /api/products/{id}/slots",
  ],
  "done 403 done 404 403 403 403 401": [
    "DELETE /auth/invitations/{id}",
    "DELETE /api/api-keys/{id}",
    "PUT /api/products/{id}",
    "DELETE /api/products/{id}",
    "PATCH /api/products/{id}/inventory",
    "POST /api/products/{id}/files",
    "DELETE /api/products/{id}/files/{file_id}",
    "POST /api/products/{id}/licence-keys",
    "DELETE /api/products/{id}/licence-keys/{licence_key_id}",
    "PUT /api/products/{id}/calendar",
    "POST /api/orders/{id}/return-requests/{request_id}/approve",
    "POST /api/orders/{id}/return-requests/{request_id}/reject",
    "POST /api/orders/{id}/return-requests/{request_id}/receive",
    "POST /api/v1/top-placement/campaigns",
    "PATCH /api/v1/top-placement/campaigns/{id}",
  ],
  "done done done 404 403 403 403 401": [
    "GET /api/products/{id}/inventory",
    "GET /api/products/{id}/files",
    "GET /api/products/{id}/licence-keys",
    "POST /api/orders/{id}/shipments",
    "PATCH /api/orders/{id}/shipments/{shipment_id}",
    "PATCH /api/discounts/{id}",
    "DELETE /api/discounts/{id}",
    "GET /api/v1/top-placement/campaigns/{id}/stats",
  ],
  "done done 403 403 done 403 403 401": ["POST /api/orders"],
  "done done done 404 done 404 404 401": [
    "GET /api/orders/{id}",
    "POST /api/orders/{id}/cancellations",
    "GET /api/orders/{id}/shipments",
    "GET /api/orders/{id}/return-requests",
    "POST /api/orders/{id}/notes",
  ],
  "done 403 done 404 403 404 404 401": [
    "PATCH /api/orders/{id}/status",
    "PUT /api/orders/{id}/status",
  ],
  "done 403 403 404 done 404 404 401": ["PATCH /api/orders/{id}/status (cancelled)"],
  "done done 403 403 done 404 404 401": [
    "POST /api/orders/{id}/payment-sessions",
    "PATCH /api/customers/{id}",
    "GET /api/checkouts/{id}",
    "PUT /api/checkouts/{id}",
    "POST /api/checkouts/{id}/cancel",
    "POST /api/checkouts/{id}/complete",
    "POST /api/orders/{id}/return-requests",
    "POST /api/orders/{id}/return-requests/{request_id}/cancel",
  ],
  // Suppliers see their orders, and no rows of these lists.
  "done done 200 404 done 404 404 401": [
    "GET /api/orders/{id}/payment-sessions",
    "GET /api/orders/{id}/refunds",
  ],
  "done done 403 404 done 404 404 401": ["GET /api/orders/{id}/downloads"],
  "all all all own none none none 401": ["GET /api/commission-rates"],
  "all all all all none none none 401": ["GET /api/tax-rates"],
  "done done done done 404 404 404 401": ["GET /api/tax-rates/{id}"],
  "all all 403 403 403 403 403 401": ["GET /api/events", "GET /api/v1/top-placement/auctions"],
  "done done done 404 404 404 404 401": [
    "GET /auth/invitations/{id}",
    "GET /api/discounts/{id}",
    "GET /api/payouts/{id}",
    "GET /api/payouts/{id}/statement",
    "GET /api/v1/top-placement/campaigns/{id}",
    "GET /api/v1/top-placement/campaigns/{id}/auctions",
    "GET /api/v1/top-placement/campaigns/{id}/charges",
  ],
  "all all none none 403 403 403 401": ["GET /api/analytics/dashboards"],
  "done done 404 404 403 403 403 401": [
    "GET /api/analytics/dashboards/{id}",
    "PUT /api/analytics/dashboards/{id}",
    "DELETE /api/analytics/dashboards/{id}",
    "GET /api/analytics/dashboards/{id}/data",
  ],
  "none none all none 403 403 403 401": ["GET /api/analytics/dashboards (a supplier's)"],
  "404 404 done 404 403 403 403 401": [
    "GET /api/analytics/dashboards/{id} (a supplier's)",
    "PUT /api/analytics/dashboards/{id} (a supplier's)",
    "DELETE /api/analytics/dashboards/{id} (a supplier's)",
    "GET /api/analytics/dashboards/{id}/data (a supplier's)",
  ],
  "all own own own none none none 401": [
    "GET /api/analytics/exports",
    "GET /api/analytics/exports/schedules",
  ],
  "401 401 401 401 401 401 401 401": ["POST /auth/refresh"],
};

/** What visitors see where their route is open to them and the answer is not just `done`. */
const visited: Record<string, string> = {
  "GET /api/suppliers": "all",
  "GET /api/categories": "all",
  "GET /api/products": "active",
  "GET /api/content/{type}": "published",
  "GET /api/content/{type} (about products)": "none",
  "GET /api/content/{type}/{id} (a draft)": "404",
  "GET /api/content/{type}/{id} (a draft about a product)": "404",
  // Its token is missing.
  "GET /api/checkouts/{id}": "404",
  "PUT /api/checkouts/{id}": "404",
  "POST /api/checkouts/{id}/cancel": "404",
  "POST /api/analytics/events": "422",
  "POST /api/v1/top-placement/events": "422",
};

/** The tables and views of which visitors see rows. */
const readByVisitors: Record<string, string> = {
  categories: "all",
  inventory: "active",
  product_details: "active",
  product_variants: "active",
  products: "active",
  published_content: "all",
  service_calendars: "active",
  suppliers: "selling",
};

/** The rows of tables and views that each caller sees through supabase-js, in the order of `CALLERS`, without visitors. */
const readable: Record<string, readonly string[]> = {
  "people people own own own own own 401": ["members"],
  "all all own own own own own 401": [
    "booking_details",
    "bookings",
    "order_cancellation_details",
    "order_cancellation_items",
    "order_cancellations",
    "order_details",
    "order_items",
    "order_notes",
    "order_parts",
    "order_return_details",
    "order_return_items",
    "order_returns",
    "order_status_changes",
    "orders",
    "return_request_details",
    "return_request_items",
    "return_requests",
    "shipment_details",
    "shipment_items",
    "shipments",
  ],
  "all all own own none none none 401": [
    "campaign_auctions",
    "campaign_statistics",
    "campaigns",
    "commission_details",
    "discount_details",
    "discounts",
    "inventory_movements",
    "invitation_details",
    "invitations",
    "ledger_adjustments",
    "ledger_details",
    "ledger_lines",
    "licence_keys",
    "order_commissions",
    "order_item_commissions",
    "payout_holds",
    "payouts",
    "placement_charges",
    "product_files",
  ],
  "all all all all all all all 401": [
    "categories",
    "content_types",
    "media_folders",
    "published_content",
    "search_synonyms",
    "suppliers",
    "templates",
    "tenants",
  ],
  "all all all own none none none 401": ["commission_rates"],
  "all all all none none none none 401": ["product_approvals"],
  "all none own own none none none 401": [
    "api_keys",
    "content",
    "content_localizations",
    "content_moves",
  ],
  "listed listed none none own own own 401": ["customer_details", "customers"],
  "all all none none own own own 401": [
    "payment_sessions",
    "payments",
    "refunds",
    "supplier_applications",
  ],
  "own own own own none none none 401": ["dashboards"],
  "all all none none none none none 401": [
    "email_templates",
    "events",
    "placement_settings",
    "webhook_attempts",
    "webhook_deliveries",
    "webhook_details",
    "webhooks",
  ],
  "all own own own none none none 401": ["export_schedules", "exports"],
  "all all own own active active active 401": [
    "inventory",
    "product_details",
    "product_variants",
    "products",
    "service_calendars",
    "service_exceptions",
    "service_hours",
  ],
  "all none none none none none none 401": [
    "audit_log",
    "mail_suppressions",
    "mails",
    "template_components",
    "template_localizations",
  ],
  "all all all all active active active 401": ["marketplaces"],
  "all ready ready ready ready ready ready 401": ["media_assets"],
  "all all all all none none none 401": ["placement_categories", "tax_rates"],
  "all all own own all all all 401": ["ranked_products"],
};

const byName = (groups: Record<string, readonly string[]>) =>
  new Map(
    Object.entries(groups).flatMap(([cells, names]) =>
      names.map((name) => [name, cells.split(" ")] as const),
    ),
  );

const documented = new Map((await documentedOperations()).map((one) => [one.name, one]));
const excepted = byName(exceptions);

/** The operation of a row: its method and path. */
export const operationOf = (name: string) => name.split(" ").slice(0, 2).join(" ");

/** The result of an operation for each caller, in the order of `CALLERS`. */
export function cellsOf(name: string): string[] {
  const operation = documented.get(operationOf(name));
  if (!operation) throw new Error(`the API has no operation ${name}`);
  const { roles, open, status } = operation;
  const cells = excepted.get(name);
  return CALLERS.map((caller) => {
    if (caller === "visitor") {
      if (!operation.visited)
        return open ? (cells?.at(-1)?.replace("done", status) ?? status) : "401";
      return visited[name] ?? status;
    }
    const cell = cells?.[MEMBERS.indexOf(caller)];
    if (cell !== undefined) return cell === "done" ? status : cell;
    const role = ROLES[caller];
    if (open) return status;
    if (!role) return "401";
    return roles?.includes(role) ? status : "403";
  });
}

/** Every row in the table of operations: each operation, followed by its other uses. */
export const uses = [...documented.keys()].flatMap((operation) => [
  operation,
  ...[...excepted.keys()].filter((use) => use.startsWith(`${operation} `)),
]);

/** The visible rows of each table and view for each caller, in the order of `CALLERS`. */
export const reads = Object.fromEntries(
  [...byName(readable)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, cells]) => {
      const visible = readByVisitors[name];
      // A caller without a marketplace is like a visitor of none.
      return [name, [...cells.slice(0, -1), ...(visible ? [visible, "none"] : ["401", "401"])]];
    }),
);
