export type { Analytics } from "./analytics.js";
export type { Auth } from "./auth.js";
export type { Products } from "./catalog.js";
export { type ClientOptions, createClient, type SoukClient } from "./client.js";
export type { ContentByType, ContentFields, ContentOf } from "./content.js";
export type { Database } from "./database.js";
export { ApiError, type Cap, type ContentConflict, type FieldError } from "./errors.js";
export type { Events } from "./events.js";
export { ExportError, type ExportRequest, type Exports, type ReadyExport } from "./exports.js";
export type { CallOptions } from "./http.js";
export type { ExportQuery, ImportOptions, ImportSource } from "./imports.js";
export type { JoinOptions, Subscription } from "./join-channel.js";
export { wallClock } from "./local-time.js";
export type { Media, UploadFields, UploadOptions } from "./media.js";
// All groups of methods that the OpenAPI document describes completely.
export type * from "./methods.generated.js";
// A schema has this name, too.
export type { Placement } from "./methods.generated.js";
export { addMoney, decimalsOf, moneyFormat, multiplyMoney } from "./money.js";
export * from "./names.generated.js";
// All schemas of the OpenAPI document, by name.
export type * from "./openapi.generated.js";
export type { AnswerOf, BodyOf, CreateOptions, QueryOf } from "./operations.js";
export type {
  OrderListener,
  OrderMove,
  OrderPiecesEvent,
  OrderSubscription,
  Presence,
} from "./order-channels.js";
export type { Orders } from "./orders.js";
export type { Payouts } from "./payouts.js";
export { PERMISSIONS, type Permission } from "./permissions.generated.js";
export type {
  Change,
  ListenOptions,
  Realtime,
  RealtimeEvent,
  RealtimeTable,
  Row,
} from "./realtime.js";
export type { RetryOptions, Wait } from "./retry.js";
export type { TrackingOptions } from "./tracking.js";
export {
  type ReceivedWebhook,
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
  WebhookVerificationError,
} from "./verify-webhook.js";
