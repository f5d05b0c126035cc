export type { Analytics, Dashboards } from "./analytics.js";
export type { Auth } from "./auth.js";
export type { Categories, Products } from "./catalog.js";
export { type ClientOptions, createClient, type SoukClient } from "./client.js";
export type { ContentByType, ContentFields, ContentOf, ContentTypes } from "./content.js";
export type { Database } from "./database.generated.js";
export type { Downloads, Files, LicenceKeys } from "./digital.js";
export { ApiError, type Cap, type ContentConflict, type FieldError } from "./errors.js";
export type { Events } from "./events.js";
export { ExportError, type ExportRequest, type Exports, type ReadyExport } from "./exports.js";
export type { CallOptions } from "./http.js";
export type { ExportQuery, ImportOptions, ImportSource } from "./imports.js";
export type { Stock } from "./inventory.js";
export type { Invitations } from "./invitations.js";
export type { JoinOptions, Subscription } from "./join-channel.js";
export type { EmailTemplates, Mails } from "./mails.js";
export type { Marketplaces } from "./marketplaces.js";
export type { Media, MediaFolders, UploadFields, UploadOptions } from "./media.js";
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
export type {
  CommissionRates,
  Commissions,
  Orders,
  Payments,
  Returns,
  Shipments,
} from "./orders.js";
export type { Auctions, Campaigns, Placement } from "./placement.js";
export type {
  Change,
  ListenOptions,
  Realtime,
  RealtimeEvent,
  RealtimeTable,
  Row,
} from "./realtime.js";
export type { RetryOptions, Wait } from "./retry.js";
export type { Search, Synonyms } from "./search.js";
export type { Bookings, Calendars } from "./services.js";
export type { Components, Templates } from "./templates.js";
export type { Customers, Members, OwnTenant, Suppliers } from "./tenancy.js";
export type { TrackingOptions } from "./tracking.js";
export {
  type ReceivedWebhook,
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
  WebhookVerificationError,
} from "./verify-webhook.js";
export type { Webhooks } from "./webhooks.js";
