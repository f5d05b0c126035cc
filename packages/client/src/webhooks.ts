import { bodyOf, type CallOptions, type Http } from "./http.js";
import { eachRecord } from "./lists.js";
import type { CreatedWebhook, Delivery, NewWebhook, paths, Webhook } from "./openapi.generated.js";

/** Page, length and sequence of a list of webhooks. */
export type WebhookQuery = NonNullable<paths["/api/webhooks"]["get"]["parameters"]["query"]>;

export type WebhookPage =
  paths["/api/webhooks"]["get"]["responses"][200]["content"]["application/json"];

/** Page, length and sequence of a list of deliveries. */
export type DeliveryQuery = NonNullable<
  paths["/api/webhooks/{id}/logs"]["get"]["parameters"]["query"]
>;

export type DeliveryPage =
  paths["/api/webhooks/{id}/logs"]["get"]["responses"][200]["content"]["application/json"];

/** For admins and clients. */
export interface Webhooks {
  /** A page of the tenant's registrations, newest first. */
  list(query?: WebhookQuery, options?: CallOptions): Promise<WebhookPage>;
  /** Every registration, oldest first unless asked otherwise. */
  listAll(query?: Omit<WebhookQuery, "page">, options?: CallOptions): AsyncIterable<Webhook>;
  /** Registers an address for some events. The secret is in this answer, and never in another. */
  register(webhook: NewWebhook, options?: CallOptions): Promise<CreatedWebhook>;
  /** Errors: NOT_FOUND. */
  get(id: string, options?: CallOptions): Promise<Webhook>;
  /** A page of a webhook's deliveries, newest first. Errors: NOT_FOUND. */
  logs(id: string, query?: DeliveryQuery, options?: CallOptions): Promise<DeliveryPage>;
  /** Every delivery of a webhook, oldest first unless asked otherwise. Errors: NOT_FOUND. */
  logsAll(
    id: string,
    query?: Omit<DeliveryQuery, "page">,
    options?: CallOptions,
  ): AsyncIterable<Delivery>;
}

export function webhooksOf(http: Http): Webhooks {
  const list: Webhooks["list"] = (query, options) =>
    bodyOf(http.GET("/api/webhooks", { params: { query }, ...options }));
  const logs: Webhooks["logs"] = (id, query, options) =>
    bodyOf(http.GET("/api/webhooks/{id}/logs", { params: { path: { id }, query }, ...options }));
  return {
    list,
    listAll: (query = {}, options) =>
      eachRecord(
        query,
        (page) => list(page, options),
        ({ webhooks }) => webhooks,
      ),
    register: (body, options) => bodyOf(http.POST("/api/webhooks", { body, ...options })),
    get: (id, options) =>
      bodyOf(http.GET("/api/webhooks/{id}", { params: { path: { id } }, ...options })),
    logs,
    logsAll: (id, query = {}, options) =>
      eachRecord(
        query,
        (page) => logs(id, page, options),
        (page) => page.logs,
      ),
  };
}
