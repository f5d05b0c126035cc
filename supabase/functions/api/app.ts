import { analytics } from "../_shared/analytics/routes.ts";
import { auditLog } from "../_shared/audit/routes.ts";
import { apiKeys } from "../_shared/auth/api_keys.ts";
import { auth } from "../_shared/auth/routes.ts";
import { categories } from "../_shared/catalog/categories.ts";
import { checkouts } from "../_shared/checkouts/routes.ts";
import { content } from "../_shared/content/routes.ts";
import { contentTypes } from "../_shared/content/types.ts";
import { countryRoutes } from "../_shared/countries/routes.ts";
import { customerAddressRoutes } from "../_shared/customers/addresses.ts";
import { personalDataRoutes } from "../_shared/customers/personal_data.ts";
import { discounts } from "../_shared/discounts/routes.ts";
import { addDocumentation } from "../_shared/documentation/routes.ts";
import { events, eventTypeRoutes } from "../_shared/events/routes.ts";
import { exportRoutes, newExports } from "../_shared/exports/routes.ts";
import { createApp } from "../_shared/http/app.ts";
import { inventory } from "../_shared/inventory/routes.ts";
import { healthRoutes } from "../_shared/jobs/routes.ts";
import { mails } from "../_shared/mail/routes.ts";
import { emailTemplates } from "../_shared/mail/templates.ts";
import { deliveryMethodRoutes } from "../_shared/marketplaces/checkout_methods.ts";
import { marketplaces } from "../_shared/marketplaces/routes.ts";
import { storefronts } from "../_shared/marketplaces/storefront.ts";
import { media } from "../_shared/media/routes.ts";
import { commissionRates } from "../_shared/orders/commission_rates.ts";
import { commissions } from "../_shared/orders/commissions.ts";
import { paymentMethodRoutes } from "../_shared/payments/payment_methods.ts";
import { paymentSessionRoutes } from "../_shared/payments/routes.ts";
import { payoutHolds } from "../_shared/payouts/holds.ts";
import { adjustments, ledger } from "../_shared/payouts/ledger.ts";
import { payouts } from "../_shared/payouts/routes.ts";
import { placement } from "../_shared/placement/routes.ts";
import { semanticSearch } from "../_shared/search/routes.ts";
import { synonyms } from "../_shared/search/synonyms.ts";
import { bookings } from "../_shared/services/routes.ts";
import { supplierApplications } from "../_shared/suppliers/applications.ts";
import { productApprovals } from "../_shared/suppliers/product_approvals.ts";
import { suppliers } from "../_shared/suppliers/routes.ts";
import { taxRates } from "../_shared/taxes/routes.ts";
import { templates } from "../_shared/templates/routes.ts";
import { customers } from "../_shared/tenancy/customers.ts";
import { members } from "../_shared/tenancy/members.ts";
import { tenantRoutes } from "../_shared/tenancy/tenant.ts";
import { webhooks } from "../_shared/webhooks/routes.ts";
import { testRoutes } from "../_shared/webhooks/test_delivery.ts";
import { orders } from "../orders/routes.ts";
import { products } from "../products/routes.ts";
import { about } from "./about.ts";
import { eventTypes, exampleOf } from "./event_types.ts";

webhooks.route("/", testRoutes(exampleOf));
customers.route("/", personalDataRoutes);
suppliers.route("/", adjustments);

/** The function `api`: all capabilities, and the document that describes them. */
export const api = createApp({
  "/api/tenant": tenantRoutes,
  "/api/members": members,
  "/api/api-keys": apiKeys,
  "/api/audit-log": auditLog,
  "/api/suppliers": suppliers,
  "/api/supplier-applications": supplierApplications,
  "/api/customers/me/addresses": customerAddressRoutes,
  "/api/customers": customers,
  "/api/marketplaces": marketplaces,
  "/api/storefront": storefronts,
  "/api/delivery-methods": deliveryMethodRoutes,
  "/api/payment-methods": paymentMethodRoutes,
  "/api/countries": countryRoutes,
  "/api/categories": categories,
  "/api/products": products,
  "/api/product-approvals": productApprovals,
  "/api/media": media,
  "/api/content-types": contentTypes,
  "/api/content": content,
  "/api/templates": templates,
  "/api/email-templates": emailTemplates,
  "/api/mails": mails,
  "/api/inventory": inventory,
  "/api/search/synonyms": synonyms,
  "/api/orders": orders,
  "/api/checkouts": checkouts,
  "/api/payment-sessions": paymentSessionRoutes,
  "/api/bookings": bookings,
  "/api/commissions": commissions,
  "/api/commission-rates": commissionRates,
  "/api/tax-rates": taxRates,
  "/api/discounts": discounts,
  "/api/ledger": ledger,
  "/api/payouts": payouts,
  "/api/payout-holds": payoutHolds,
  "/api/events": events,
  "/api/event-types": eventTypeRoutes(eventTypes),
  "/api/webhooks": webhooks,
  "/api/v1/top-placement": placement,
  "/api/health": healthRoutes,
  "/api/analytics": analytics,
  "/api/analytics/export": newExports,
  "/api/analytics/exports": exportRoutes,
});

addDocumentation(api, about, { "/auth": auth, "/semantic-search": semanticSearch });
