import type { LinkProps } from "@tanstack/react-router";
import type { IconName } from "../components/icon";
import type { Needed } from "../lib/permissions";

interface Entry {
  to: LinkProps["to"];
  /** The key of its name in the texts: `orders.title`. */
  name:
    | "overview"
    | "orders"
    | "products"
    | "stock"
    | "categories"
    | "campaigns"
    | "discounts"
    | "suppliers"
    | "customers"
    | "members"
    | "commissions"
    | "earnings"
    | "payouts"
    | "exports"
    | "marketplaces"
    | "taxRates"
    | "settings"
    | "organisation"
    | "auditLog";
  icon: IconName;
  needs: Needed;
  /** The shortcut: `g` and this key open the page. */
  key: string;
}

/** The pages in the menu, in groups. */
export const NAVIGATION: readonly (readonly Entry[])[] = [
  [
    { to: "/", name: "overview", icon: "overview", needs: "analytics.read", key: "h" },
    { to: "/orders", name: "orders", icon: "orders", needs: "orders.read", key: "o" },
    { to: "/products", name: "products", icon: "products", needs: "products.read", key: "p" },
    { to: "/stock", name: "stock", icon: "stock", needs: "inventory.read", key: "s" },
    {
      to: "/categories",
      name: "categories",
      icon: "categories",
      needs: "categories.write",
      key: "c",
    },
    { to: "/campaigns", name: "campaigns", icon: "campaigns", needs: "campaigns.read", key: "r" },
    { to: "/discounts", name: "discounts", icon: "tag", needs: "discounts.read", key: "d" },
  ],
  [
    { to: "/suppliers", name: "suppliers", icon: "suppliers", needs: "suppliers.create", key: "l" },
    { to: "/customers", name: "customers", icon: "customers", needs: "customers.read", key: "k" },
    { to: "/members", name: "members", icon: "members", needs: "members.write", key: "m" },
  ],
  [
    {
      to: "/commissions",
      name: "commissions",
      icon: "earnings",
      needs: "commissions.read:all",
      key: "n",
    },
    {
      to: "/earnings",
      name: "earnings",
      icon: "earnings",
      needs: "commissions.read:own",
      key: "e",
    },
    { to: "/payouts", name: "payouts", icon: "payouts", needs: "payouts.read", key: "y" },
    { to: "/exports", name: "exports", icon: "exports", needs: "exports.read", key: "x" },
    {
      to: "/marketplaces",
      name: "marketplaces",
      icon: "marketplaces",
      needs: "marketplaces.write",
      key: "t",
    },
    {
      to: "/settings/tax-rates",
      name: "taxRates",
      icon: "percent",
      needs: "tax_rates.write",
      key: "v",
    },
    { to: "/audit-log", name: "auditLog", icon: "search", needs: "audit_log.read", key: "a" },
    { to: "/settings", name: "settings", icon: "settings", needs: "tenant.write", key: "," },
    {
      to: "/organisation",
      name: "organisation",
      icon: "settings",
      needs: "suppliers.write:own",
      key: ",",
    },
  ],
];
