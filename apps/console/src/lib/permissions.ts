import { ROLE_NAMES, type Role } from "@souk/client";

/** The roles of members: those with fewer rights first. */
export const ROLES = Object.keys(ROLE_NAMES.en) as Role[];

/** The roles that use the console. */
export type ConsoleRole = Extract<Role, "admin" | "supplier">;

const both: readonly ConsoleRole[] = ["admin", "supplier"];
const admin: readonly ConsoleRole[] = ["admin"];
const supplier: readonly ConsoleRole[] = ["supplier"];

/**
 * The permissions of each role, as in docs/roles.md. The database enforces them. The console uses this table to hide
 * actions that the database would refuse.
 */
const PERMISSIONS = {
  "overview.read": both,
  "orders.read": both,
  "orders.ship": both,
  "orders.cancelItems": both,
  "orders.note": both,
  "orders.takeBack": admin,
  "shipments.voidAny": admin,
  "returns.answer": both,
  "returns.request": admin,
  "returns.cancel": admin,
  "payments.record": admin,
  "products.read": both,
  "products.write": both,
  "products.forAnySupplier": admin,
  "stock.read": both,
  "stock.write": both,
  "categories.write": admin,
  "suppliers.manage": admin,
  "suppliers.editOwn": supplier,
  "customers.read": admin,
  "customers.write": admin,
  "members.manage": admin,
  "invitations.manage": admin,
  "commissions.read": admin,
  "commissionRates.write": admin,
  "earnings.read": supplier,
  "campaigns.read": both,
  "campaigns.write": both,
  "campaigns.ofAll": admin,
  "campaigns.review": admin,
  "exports.create": both,
  "exports.ofTenant": admin,
  "tenant.write": admin,
  "marketplaces.write": admin,
} satisfies Record<string, readonly ConsoleRole[]>;

export type Permission = keyof typeof PERMISSIONS;

export const may = (role: ConsoleRole, permission: Permission): boolean =>
  PERMISSIONS[permission].includes(role);

export const isConsoleRole = (role: Role): role is ConsoleRole =>
  role === "admin" || role === "supplier";
