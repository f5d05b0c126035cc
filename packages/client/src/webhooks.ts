import type { Operations } from "./operations.js";

export const webhooksOf = ({ list, listAll, create, read }: Operations) => ({
  /** A page of the tenant's registrations, newest first. */
  list: list("/api/webhooks"),
  /** Every registration, oldest first unless asked otherwise. */
  listAll: listAll("/api/webhooks", "webhooks"),
  /** Registers an address for some events. The secret is in this answer, and never in another. */
  register: create("/api/webhooks"),
  /** Errors: NOT_FOUND. */
  get: read("/api/webhooks/{id}"),
  /** A page of a webhook's deliveries, newest first. Errors: NOT_FOUND. */
  logs: list("/api/webhooks/{id}/logs"),
  /** Every delivery of a webhook, oldest first unless asked otherwise. Errors: NOT_FOUND. */
  logsAll: listAll("/api/webhooks/{id}/logs", "logs"),
});

/** Where events are sent, signed. For admins and clients. */
export interface Webhooks extends ReturnType<typeof webhooksOf> {}
