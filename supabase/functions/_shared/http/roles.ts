import { Enums } from "../values/enums.generated.ts";

/** The roles of members: those with fewer rights first. */
export const ROLES = Enums.member_role;

export type Role = (typeof ROLES)[number];

/** The roles that read all data of their tenant, as `private.reads_all` of the database. */
export const READS_ALL = ["admin", "client"] as const satisfies readonly Role[];
