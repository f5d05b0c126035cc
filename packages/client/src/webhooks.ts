import type { Operations } from "./operations.js";

export const webhooksOf = ({ list, listAll, create, read, send, act }: Operations) => ({
  /** A page of the tenant's webhooks, newest first. */
  list: list("/api/webhooks"),
  /** All webhooks, by default the oldest first. */
  listAll: listAll("/api/webhooks", "webhooks"),
  /** Registers a URL for events. Only this response contains the secret. */
  create: create("/api/webhooks"),
  /** Errors: NOT_FOUND. */
  get: read("/api/webhooks/{id}"),
  /**
   * Changes the given fields; `filter` and `headers` are replaced as a whole. Errors: NOT_FOUND.
   */
  update: send("put", "/api/webhooks/{id}"),
  /** Deletes a webhook with its deliveries. Errors: NOT_FOUND. */
  remove: act("delete", "/api/webhooks/{id}"),
  /** Delivers an example of an event now, once, and returns the result. Errors: NOT_FOUND. */
  test: send("post", "/api/webhooks/{id}/test"),
  /**
   * Creates a new secret, which only this response contains. For 24 hours deliveries are also signed
   * with the previous
   * one. Errors: NOT_FOUND.
   */
  rotateSecret: create("/api/webhooks/{id}/rotate-secret"),
  /** A page of a webhook's deliveries, newest first. Errors: NOT_FOUND. */
  deliveries: list("/api/webhooks/{id}/logs"),
  /** All deliveries of a webhook, by default the oldest first. Errors: NOT_FOUND. */
  deliveriesAll: listAll("/api/webhooks/{id}/logs", "logs"),
  /** A delivery: its content and all attempts. Errors: NOT_FOUND. */
  delivery: read("/api/webhooks/{id}/deliveries/{delivery_id}"),
  /** Sends a delivery again, with the same id. Errors: CONFLICT, NOT_FOUND. */
  retry: act("post", "/api/webhooks/{id}/deliveries/{delivery_id}/retry"),
  /** Sends all deliveries again that failed since a time. Errors: CONFLICT, NOT_FOUND. */
  recover: send("post", "/api/webhooks/{id}/recover"),
});

/** Webhooks: signed deliveries of events. For admins and clients. */
export interface Webhooks extends ReturnType<typeof webhooksOf> {}
