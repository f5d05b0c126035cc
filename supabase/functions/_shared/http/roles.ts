import { Enums } from "../values/enums.generated.ts";
import { PERMISSIONS, type Permission } from "../values/permissions.generated.ts";

/** The roles of members: those with fewer rights first. */
export const ROLES = Enums.member_role;

export type Role = (typeof ROLES)[number];

/**
 * What an operation asks of its caller: a permission, for all records of the tenant or for its own, or only to be a member.
 */
export type Needed = Permission | "everyone";

/** The roles that have what an operation asks for: those with more rights first. */
export const rolesWith = (needed: Needed): Role[] =>
  ROLES.toReversed().filter((role) => needed === "everyone" || role in PERMISSIONS[needed]);
