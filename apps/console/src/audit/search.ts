import { oneOf, textOf } from "../lib/search-params";

/** Who makes changes, as the API names them. */
export const ACTORS = ["admin", "client", "supplier", "editor", "key", "service"] as const;
export const ACTIONS = ["created", "changed", "deleted"] as const;

/** The filters of the audit log. */
export interface AuditSearch {
  actor?: (typeof ACTORS)[number];
  action?: (typeof ACTIONS)[number];
  /** The id of a record. */
  record?: string;
}

/** Reads the filters from the URL. */
export const readAuditSearch = (search: Record<string, unknown>): AuditSearch => ({
  actor: oneOf(ACTORS, search.actor),
  action: oneOf(ACTIONS, search.action),
  record: textOf(search.record),
});
