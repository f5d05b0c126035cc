import type { Operations } from "./operations.js";

export const webhooksOf = ({ list, listAll, create, read, send, act }: Operations) => ({
  /** A page of the tenant's registrations, newest first. */
  list: list("/api/webhooks"),
  /** Every registration, oldest first unless asked otherwise. */
  listAll: listAll("/api/webhooks", "webhooks"),
  /** Registers an address for some events. The secret is in this answer, and never in another. */
  create: create("/api/webhooks"),
  /** Errors: NOT_FOUND. */
  get: read("/api/webhooks/{id}"),
  /** Changes the fields that are given; `filter` and `headers` as wholes. Errors: NOT_FOUND. */
  update: send("put", "/api/webhooks/{id}"),
  /** Deletes a webhook with its deliveries. Errors: NOT_FOUND. */
  remove: act("delete", "/api/webhooks/{id}"),
  /** Delivers an example of an event now, once, and tells how it went. Errors: NOT_FOUND. */
  test: send("post", "/api/webhooks/{id}/test"),
  /**
   * A new secret, in this answer alone; for 24 hours the one before signs beside it. Errors: NOT_FOUND.
   */
  rotateSecret: create("/api/webhooks/{id}/rotate-secret"),
  /** A page of a webhook's deliveries, newest first. Errors: NOT_FOUND. */
  deliveries: list("/api/webhooks/{id}/logs"),
  /** Every delivery of a webhook, oldest first unless asked otherwise. Errors: NOT_FOUND. */
  deliveriesAll: listAll("/api/webhooks/{id}/logs", "logs"),
  /** A delivery: what was sent, and every attempt at it. Errors: NOT_FOUND. */
  delivery: read("/api/webhooks/{id}/deliveries/{delivery_id}"),
  /** Sends a delivery again, under the same id. Errors: CONFLICT, NOT_FOUND. */
  retry: act("post", "/api/webhooks/{id}/deliveries/{delivery_id}/retry"),
  /** Sends again the deliveries that failed since then. Errors: CONFLICT, NOT_FOUND. */
  recover: send("post", "/api/webhooks/{id}/recover"),
});

/** Where events are sent, signed. For admins and clients. */
export interface Webhooks extends ReturnType<typeof webhooksOf> {}
