import { PERMISSIONS, type Permission, ROLE_NAMES, type Role } from "@souk/client";

/** The roles of members: those with fewer rights first. */
export const ROLES = Object.keys(ROLE_NAMES.en) as Role[];

/** The roles that use the console. */
export type ConsoleRole = Extract<Role, "admin" | "supplier">;

/**
 * What a part of the console needs: a permission, or a permission for all records of the tenant, or for the caller's own
 * only. The database enforces permissions; the console hides what it would refuse.
 */
export type Needed = Permission | `${Permission}:${"all" | "own"}`;

export const may = (role: ConsoleRole, needed: Needed): boolean => {
  const [permission, scope] = needed.split(":") as [Permission, ("all" | "own")?];
  const scopes: Partial<Record<Role, "all" | "own">> = PERMISSIONS[permission];
  return scope === undefined ? scopes[role] !== undefined : scopes[role] === scope;
};

export const isConsoleRole = (role: Role): role is ConsoleRole =>
  role === "admin" || role === "supplier";
