import { Enums } from "./enums.generated.ts";

/** The roles of members: those with fewer rights first. */
export const ROLES = Enums.member_role;

export type Role = (typeof ROLES)[number];
