import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from "@tanstack/react-router";
import { readAuditSearch } from "../audit/search";
import { readCampaignSearch, readStatisticsSearch } from "../campaigns/search";
import { ErrorNote } from "../components/error-note";
import { Loading } from "../components/loading";
import { readCommissionSearch } from "../earnings/search";
import type { Needed } from "../lib/permissions";
import { readOrderSearch } from "../orders/search";
import { readPayoutSearch } from "../payouts/search";
import { readCustomerSearch } from "../people/search";
import { readProductSearch } from "../products/search";
import { readStockSearch } from "../stock/search";
import { NotFound } from "./not-found";
import { Shell } from "./shell";

const root = createRootRoute({ component: Shell });

/** The options that all pages share. */
const page = { getParentRoute: () => root };

const overview = createRoute({
  ...page,
  path: "/",
  staticData: { needs: "analytics.read" },
  component: lazyRouteComponent(() => import("../overview/overview-page"), "OverviewPage"),
});
const orders = createRoute({
  ...page,
  path: "orders",
  staticData: { needs: "orders.read" },
  validateSearch: readOrderSearch,
  component: lazyRouteComponent(() => import("../orders/orders-page"), "OrdersPage"),
});
const order = createRoute({
  ...page,
  path: "orders/$orderId",
  staticData: { needs: "orders.read" },
  component: lazyRouteComponent(() => import("../orders/order-page"), "OrderPage"),
});
const products = createRoute({
  ...page,
  path: "products",
  staticData: { needs: "products.read" },
  validateSearch: readProductSearch,
  component: lazyRouteComponent(() => import("../products/products-page"), "ProductsPage"),
});
const newProduct = createRoute({
  ...page,
  path: "products/new",
  staticData: { needs: "products.write" },
  component: lazyRouteComponent(() => import("../products/new-product-page"), "NewProductPage"),
});
const importProducts = createRoute({
  ...page,
  path: "products/import",
  staticData: { needs: "products.write" },
  component: lazyRouteComponent(() => import("../products/import-page"), "ImportPage"),
});
const product = createRoute({
  ...page,
  path: "products/$productId",
  staticData: { needs: "products.read" },
  component: lazyRouteComponent(() => import("../products/product-page"), "ProductPage"),
});
const stock = createRoute({
  ...page,
  path: "stock",
  staticData: { needs: "inventory.read" },
  validateSearch: readStockSearch,
  component: lazyRouteComponent(() => import("../stock/stock-page"), "StockPage"),
});
const categories = createRoute({
  ...page,
  path: "categories",
  staticData: { needs: "categories.write" },
  component: lazyRouteComponent(() => import("../products/categories-page"), "CategoriesPage"),
});
const campaigns = createRoute({
  ...page,
  path: "campaigns",
  staticData: { needs: "campaigns.read" },
  validateSearch: readCampaignSearch,
  component: lazyRouteComponent(() => import("../campaigns/campaigns-page"), "CampaignsPage"),
});
const campaign = createRoute({
  ...page,
  path: "campaigns/$campaignId",
  staticData: { needs: "campaigns.read" },
  validateSearch: readStatisticsSearch,
  component: lazyRouteComponent(() => import("../campaigns/campaign-page"), "CampaignPage"),
});
const discounts = createRoute({
  ...page,
  path: "discounts",
  staticData: { needs: "discounts.read" },
  component: lazyRouteComponent(() => import("../discounts/discounts-page"), "DiscountsPage"),
});
const suppliers = createRoute({
  ...page,
  path: "suppliers",
  staticData: { needs: "suppliers.create" },
  component: lazyRouteComponent(() => import("../people/suppliers-page"), "SuppliersPage"),
});
const customers = createRoute({
  ...page,
  path: "customers",
  validateSearch: readCustomerSearch,
  staticData: { needs: "customers.read" },
  component: lazyRouteComponent(() => import("../people/customers-page"), "CustomersPage"),
});
const customer = createRoute({
  ...page,
  path: "customers/$customerId",
  staticData: { needs: "customers.read" },
  component: lazyRouteComponent(() => import("../people/customer-page"), "CustomerPage"),
});
const members = createRoute({
  ...page,
  path: "members",
  staticData: { needs: "members.write" },
  component: lazyRouteComponent(() => import("../people/members-page"), "MembersPage"),
});
const commissions = createRoute({
  ...page,
  path: "commissions",
  staticData: { needs: "commissions.read:all" },
  validateSearch: readCommissionSearch,
  component: lazyRouteComponent(() => import("../earnings/commissions-page"), "CommissionsPage"),
});
const earnings = createRoute({
  ...page,
  path: "earnings",
  staticData: { needs: "commissions.read:own" },
  validateSearch: readCommissionSearch,
  component: lazyRouteComponent(() => import("../earnings/earnings-page"), "EarningsPage"),
});
const payouts = createRoute({
  ...page,
  path: "payouts",
  staticData: { needs: "payouts.read" },
  validateSearch: readPayoutSearch,
  component: lazyRouteComponent(() => import("../payouts/payouts-page"), "PayoutsPage"),
});
const payout = createRoute({
  ...page,
  path: "payouts/$payoutId",
  staticData: { needs: "payouts.read" },
  component: lazyRouteComponent(() => import("../payouts/payout-page"), "PayoutPage"),
});
const exports = createRoute({
  ...page,
  path: "exports",
  staticData: { needs: "exports.read" },
  component: lazyRouteComponent(() => import("../exports/exports-page"), "ExportsPage"),
});
const marketplaces = createRoute({
  ...page,
  path: "marketplaces",
  staticData: { needs: "marketplaces.write" },
  component: lazyRouteComponent(
    () => import("../marketplaces/marketplaces-page"),
    "MarketplacesPage",
  ),
});
const marketplace = createRoute({
  ...page,
  path: "marketplaces/$marketplaceId",
  staticData: { needs: "marketplaces.write" },
  component: lazyRouteComponent(
    () => import("../marketplaces/marketplace-page"),
    "MarketplacePage",
  ),
});
const settings = createRoute({
  ...page,
  path: "settings",
  staticData: { needs: "tenant.write" },
  component: lazyRouteComponent(() => import("../settings/tenant-page"), "TenantPage"),
});
const taxRates = createRoute({
  ...page,
  path: "settings/tax-rates",
  staticData: { needs: "tax_rates.write" },
  component: lazyRouteComponent(() => import("../settings/tax-rates-page"), "TaxRatesPage"),
});
const organisation = createRoute({
  ...page,
  path: "organisation",
  staticData: { needs: "suppliers.write:own" },
  component: lazyRouteComponent(() => import("../settings/organisation-page"), "OrganisationPage"),
});

const auditLog = createRoute({
  ...page,
  path: "audit-log",
  validateSearch: readAuditSearch,
  staticData: { needs: "audit_log.read" },
  component: lazyRouteComponent(() => import("../audit/audit-log-page"), "AuditLogPage"),
});

const routeTree = root.addChildren([
  overview,
  orders,
  order,
  products,
  newProduct,
  importProducts,
  product,
  stock,
  categories,
  campaigns,
  campaign,
  discounts,
  suppliers,
  customers,
  customer,
  members,
  commissions,
  earnings,
  payouts,
  payout,
  exports,
  marketplaces,
  marketplace,
  settings,
  taxRates,
  organisation,
  auditLog,
]);

/** Creates the router. Each person gets a new one, so no state is kept from the previous person. */
export function createAppRouter() {
  return createRouter({
    routeTree,
    defaultPreload: "intent",
    scrollRestoration: true,
    defaultNotFoundComponent: NotFound,
    defaultPendingComponent: Loading,
    defaultErrorComponent: ({ error, reset }) => (
      <ErrorNote
        error={error instanceof Error ? error : new Error(String(error))}
        onRetry={reset}
      />
    ),
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
  interface StaticDataRouteOption {
    needs?: Needed;
  }
}
