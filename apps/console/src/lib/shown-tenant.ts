import { ApiError } from "@souk/client";

/** The tenant that the page shows. Calls name it, so that nothing is done in another one by mistake. */
export const shownTenant: { id: string | null } = { id: null };

/** Whether a call was refused because the session has switched to another tenant, in another tab. */
export const isOfOtherTenant = (error: Error): boolean =>
  error instanceof ApiError && error.code === "CONFLICT" && error.field === "x-souk-tenant";
