/** The roles of members, as in the database's `member_role`: those with fewer rights first. */
export const ROLES = ["customer", "supplier", "client", "admin"] as const;

export type Role = (typeof ROLES)[number];
