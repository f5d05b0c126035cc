export type { Auth } from "./auth.js";
export type { ProductQuery, Products } from "./catalog.js";
export { type ClientOptions, createClient, type SoukClient } from "./client.js";
export type { Database } from "./database.generated.js";
export { ApiError, type FieldError } from "./errors.js";
export type { CallOptions } from "./http.js";
export type { MarketplacePage, MarketplaceQuery, Marketplaces } from "./marketplaces.js";
export type {
  Address,
  CreatedWebhook,
  components,
  Delivery,
  DeliveryStatus,
  EventName,
  Inventory,
  Login,
  Marketplace,
  MarketplaceChanges,
  MarketplaceSettings,
  MarketplaceStatus,
  Me,
  NewMarketplace,
  NewOrder,
  NewProduct,
  NewWebhook,
  Order,
  OrderItem,
  OrderStatus,
  OrderStatusChange,
  PaymentStatus,
  Product,
  ProductAttribute,
  ProductImage,
  ProductList,
  ProductStatus,
  ProductVariant,
  paths,
  Registration,
  Role,
  Session,
  User,
  Webhook,
} from "./openapi.generated.js";
export type { OrderPage, OrderQuery, Orders } from "./orders.js";
export type {
  Change,
  ListenOptions,
  Realtime,
  RealtimeEvent,
  RealtimeTable,
  Row,
  Subscription,
} from "./realtime.js";
export type { RetryOptions } from "./retry.js";
export {
  type ReceivedWebhook,
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
  WebhookVerificationError,
} from "./verify-webhook.js";
export type {
  DeliveryPage,
  DeliveryQuery,
  WebhookPage,
  WebhookQuery,
  Webhooks,
} from "./webhooks.js";
