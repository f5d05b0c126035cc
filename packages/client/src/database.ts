import type { Database as Made } from "./database.generated.js";
import type {
  AddedLicenceKeys,
  Auction,
  AuctionDetails,
  AuctionShare,
  Booking,
  Campaign,
  CampaignChanges,
  CampaignStatistics,
  Category,
  CategoryChanges,
  CategoryTree,
  ChangedInventory,
  Cohorts,
  Commission,
  CommissionRate,
  CommissionTotal,
  ComponentTemplate,
  ComponentTemplateChanges,
  Content,
  ContentBranch,
  ContentChanges,
  ContentMoveList,
  ContentPreview,
  ContentType,
  ContentTypeChanges,
  ContentVersionList,
  ContentVersionWithDocument,
  ContentWorkflow,
  CreatedInvitation,
  CreatedWebhook,
  Customer,
  CustomerSegments,
  Dashboard,
  DashboardAnswer,
  DashboardList,
  Delivery,
  DeliveryDetails,
  EmailTemplate,
  Event,
  EventPage,
  Funnel,
  ImportSummary,
  InventoryList,
  InventoryMovementList,
  LedgerLine,
  LedgerTotal,
  LicenceKeyList,
  ListedProduct,
  LocalizedContent,
  LocalizedContentChanges,
  LocalizedString,
  LocalizedTemplate,
  LocalizedTemplateChanges,
  Mail,
  Marketplace,
  MarketplaceChanges,
  Me,
  MediaAsset,
  MediaChanges,
  MediaFolder,
  MediaFolderChanges,
  MediaFolderInTree,
  Membership,
  MovedReturnRequest,
  MovedShipment,
  NewCampaign,
  NewCategory,
  NewComponentTemplate,
  NewContent,
  NewContentType,
  NewDashboard,
  NewEmailTemplate,
  NewMarketplace,
  NewOrder,
  NewOrderCancellation,
  NewOrderReturn,
  NewPayment,
  NewProduct,
  NewReturnRequest,
  NewServiceCalendar,
  NewShipment,
  NewSupplier,
  NewTemplate,
  NewWebhook,
  Order,
  OrderCancellation,
  OrderDownloads,
  OrderNote,
  OrderReturn,
  Overview,
  PageTemplate,
  PageTemplateList,
  PastOrderLine,
  Payment,
  Payout,
  PayoutChanges,
  PayoutHold,
  PayoutLine,
  PayoutTotal,
  PlacementCategory,
  PlacementCategoryChanges,
  PlacementCharge,
  PlacementEvent,
  PlacementRefunded,
  PlacementReport,
  PlacementResults,
  PlacementSettings,
  PlacementSettingsChanges,
  Product,
  ProductChanges,
  ProductFile,
  ProductFileList,
  ProductInventory,
  ProductLine,
  ProductList,
  ProductMatches,
  ReceivedReturn,
  Recovered,
  ReturnRequest,
  RevenueReport,
  RolledBackContent,
  RotatedWebhook,
  SalesReport,
  SearchSynonyms,
  SegmentCustomers,
  ServiceCalendar,
  ServiceSlotList,
  Shipment,
  ShipmentChanges,
  Slots,
  Storefront,
  StorefrontEvent,
  StorefrontResults,
  Supplier,
  SupplierBalances,
  TemplateChanges,
  TemplateContent,
  TemplatePreview,
  TemplateVersionList,
  Tenant,
  TenantChanges,
  TopProducts,
  TopSales,
  Webhook,
  WebhookChanges,
} from "./openapi.generated.js";

// The database's types as supabase-js takes them. What is made from the database knows json as json alone: what it
// holds is said here, by the schemas of the OpenAPI document, which routes read the same answers with.

/** What the columns of tables and views hold that are json. */
export interface Columns {
  bookings: Pick<Booking, "location">;
  categories: Pick<Category, "attributes">;
  content: { title: LocalizedString };
  content_types: Pick<ContentType, "fields" | "workflow">;
  dashboards: Pick<Dashboard, "widgets">;
  email_templates: Pick<EmailTemplate, "subject" | "html_content" | "text_content">;
  events: { payload: Event; xact_id: string };
  marketplaces: Pick<Marketplace, "settings">;
  media_assets: Pick<MediaAsset, "alt_texts" | "focal_point">;
  order_cancellation_details: Pick<Order["cancellations"][number], "items" | "amount">;
  order_details: Order;
  order_parts: Pick<Order["parts"][number], "legal">;
  order_return_details: Pick<Order["returns"][number], "items" | "amount">;
  orders: Pick<Order, "shipping_address" | "contact">;
  payments: Pick<Payment, "items">;
  payout_details: Pick<Payout, "amounts">;
  placement_charges: Pick<PlacementCharge, "explanation">;
  product_details: Product;
  products: Pick<Product, "attributes" | "images" | "physical">;
  published_content: { title: LocalizedString };
  ranked_products: Omit<ListedProduct, "relevance_score">;
  return_request_details: Pick<ReturnRequest, "items">;
  service_calendars: Pick<ServiceCalendar, "location">;
  shipment_details: Pick<Shipment, "items">;
  suppliers: Pick<Supplier, "legal">;
  template_components: Pick<ComponentTemplate, "props" | "variants" | "responsive">;
  template_localizations: Pick<LocalizedTemplate, "translations" | "formatting">;
  templates: Pick<PageTemplate, "caching">;
  tenants: Pick<Tenant, "settings">;
  webhook_details: Webhook;
  webhooks: { headers: Record<string, string> | null };
}

/** What functions take as json; the other arguments are the same in both. */
export interface Arguments {
  cancel_order_items: NewOrderCancellation;
  change_campaign: { changes: SnakeCase<CampaignChanges> };
  change_marketplace: { changes: MarketplaceChanges };
  change_webhook: { changes: WebhookChanges };
  create_campaign: SnakeCase<NewCampaign>;
  create_category: NewCategory;
  create_content: { document: Omit<NewContent, "marketplace_id" | "subject_id" | "comment"> };
  create_content_type: NewContentType;
  create_dashboard: NewDashboard;
  create_email_template: NewEmailTemplate;
  create_marketplace: NewMarketplace;
  create_product: NewProduct;
  create_shipment: NewShipment;
  create_supplier: NewSupplier;
  create_template: NewTemplate;
  create_template_component: NewComponentTemplate;
  create_webhook: NewWebhook;
  import_orders: { lines: PastOrderLine[] };
  import_products: { lines: ProductLine[] };
  merge_content: { document: ContentDocument };
  place_order: NewOrder;
  record_placement_events: { events: PlacementEvent[] };
  record_storefront_events: { events: StorefrontEvent[] };
  receive_return: Pick<ReceivedReturn, "items">;
  report_payment: Pick<NewPayment, "items">;
  request_return: Pick<NewReturnRequest, "items">;
  return_order_items: NewOrderReturn;
  save_content: { changes: Omit<ContentChanges, SaidBeside> };
  save_localization: { changes: Omit<LocalizedContentChanges, SaidBeside> };
  save_template: { changes: Omit<TemplateChanges, SaidBeside> };
  save_template_component: { changes: Omit<ComponentTemplateChanges, SaidBeside> };
  save_template_localization: { changes: Omit<LocalizedTemplateChanges, SaidBeside> };
  set_placement_category: { changes: SnakeCase<PlacementCategoryChanges> };
  set_placement_settings: { changes: PlacementSettingsChanges };
  set_service_calendar: NewServiceCalendar;
  template_inputs: { options?: TemplateOptions };
  template_key: { options?: TemplateOptions };
  update_category: { changes: CategoryChanges };
  update_content_type: {
    changes: ContentTypeChanges & { workflow?: ContentWorkflow["steps"] };
  };
  update_media_asset: { changes: MediaChanges };
  update_media_folder: { changes: MediaFolderChanges };
  update_payout: { changes: PayoutChanges };
  update_product: { changes: ProductChanges };
  update_shipment: { changes: ShipmentChanges };
  update_tenant: { changes: TenantChanges };
}

/** What functions answer as json. */
export interface Answers {
  accept_invitation: Membership;
  activate_template_version: PageTemplate;
  add_licence_keys: AddedLicenceKeys;
  add_order_note: OrderNote;
  add_product_file: ProductFile;
  analytics_cohorts: Cohorts;
  analytics_dashboard: DashboardAnswer;
  analytics_funnel: Funnel;
  analytics_overview: Overview;
  analytics_revenue: RevenueReport;
  analytics_sales: SalesReport;
  analytics_segment_customers: Omit<SegmentCustomers, "page" | "limit">;
  analytics_segments: CustomerSegments;
  analytics_top_products: TopProducts;
  approve_campaign: Campaign;
  approve_return: MovedReturnRequest;
  branches_to_merge: MergedSides & { theirs: MergedSide };
  campaign_report: CampaignStatistics;
  cancel_content_schedule: Content;
  cancel_order_items: OrderCancellation;
  cancel_return: MovedReturnRequest;
  change_campaign: Campaign;
  change_inventory: ChangedInventory;
  change_marketplace: Marketplace;
  change_order_status: Order;
  change_webhook: Webhook;
  compare_content: { from: ContentDocument; to: ContentDocument };
  compare_template_versions: { from: TemplateContent; to: TemplateContent };
  content_to_merge: MergedSides & { theirs: null };
  create_adjustment: LedgerLine;
  create_campaign: Campaign;
  create_category: Category;
  create_content: Content;
  create_content_branch: ContentBranch;
  create_content_preview: ContentPreview;
  create_content_type: ContentType;
  create_customer: Customer;
  create_dashboard: Dashboard;
  create_email_template: EmailTemplate;
  create_invitation: CreatedInvitation;
  create_marketplace: Marketplace;
  create_media_asset: AnnouncedMedia;
  create_media_folder: MediaFolder;
  create_payout: Payout;
  create_product: Product;
  create_search_synonyms: SearchSynonyms;
  create_shipment: MovedShipment;
  create_supplier: Supplier;
  create_template: PageTemplate;
  create_template_component: ComponentTemplate;
  create_template_preview: TemplatePreview;
  create_webhook: CreatedWebhook;
  export_products: ProductLine[];
  get_auction: AuctionDetails;
  get_campaign_auctions: AuctionShare;
  email_template_preview: EmailTemplatePreview;
  get_category: Category;
  get_content: StoredContent;
  get_content_version: ContentVersionWithDocument;
  get_dashboard: Dashboard;
  get_delivery: DeliveryDetails;
  get_inventory: ProductInventory;
  get_localization: LocalizedContent;
  get_media: StoredMedia;
  get_placement_category: SnakeCase<PlacementCategory>;
  get_placement_settings: PlacementSettings;
  get_product: Product;
  get_service_calendar: ServiceCalendar;
  get_template: StoredTemplate;
  get_template_localization: LocalizedTemplate;
  hold_payouts: PayoutHold;
  import_orders: ImportSummary;
  import_products: ImportSummary;
  join_tenant: Membership;
  list_auctions: Unpaged<{ auctions: Auction[]; total: number }>;
  list_categories: CategoryTree;
  list_commissions: { commissions: Commission[]; totals: CommissionTotal[]; total: number };
  list_content: { content: StoredContent[]; total: number };
  list_content_branches: ContentBranch[];
  list_content_moves: Unpaged<ContentMoveList>;
  list_content_versions: Unpaged<ContentVersionList>;
  list_dashboards: DashboardList;
  list_events: EventPage;
  list_inventory: Unpaged<InventoryList>;
  list_inventory_movements: Unpaged<InventoryMovementList>;
  list_ledger: { lines: LedgerLine[]; totals: LedgerTotal[]; total: number };
  list_licence_keys: Unpaged<LicenceKeyList>;
  list_media: { media: StoredMedia[]; total: number };
  list_media_folders: MediaFolderInTree[];
  list_payout_holds: { holds: PayoutHold[] };
  list_payout_lines: { lines: PayoutLine[]; total: number };
  list_payouts: { payouts: Payout[]; totals: PayoutTotal[]; total: number };
  list_placement_slots: Slots;
  list_product_files: Unpaged<ProductFileList>;
  list_products: ProductList;
  list_return_requests: { return_requests: ReturnRequest[] };
  list_shipments: { shipments: Shipment[] };
  list_service_slots: Unpaged<ServiceSlotList>;
  list_template_localizations: LocalizedTemplate[];
  list_template_versions: Unpaged<TemplateVersionList>;
  list_templates: Unpaged<PageTemplateList>;
  me: Me;
  media_upload: { asset: StoredMedia; upload: { path: string; size: number } | null };
  merge_content: Content;
  move_content: Content;
  open_tenant: Membership;
  order_downloads: OrderDownloads;
  place_order: Order;
  placement_report: PlacementReport;
  preview_content: StoredContent;
  publish_content: Content;
  record_placement_events: PlacementResults;
  record_storefront_events: StorefrontResults;
  recover_webhook: Recovered;
  refund_placement_clicks: PlacementRefunded;
  register_media: StoredMedia;
  receive_return: MovedReturnRequest;
  reject_campaign: Campaign;
  reject_return: MovedReturnRequest;
  replace_media_asset: AnnouncedMedia;
  report_payment: Payment;
  request_return: MovedReturnRequest;
  retry_delivery: Delivery;
  retry_mail: Mail;
  return_order_items: OrderReturn;
  rollback_content: RolledBackContent;
  rotate_webhook_secret: RotatedWebhook;
  save_content: Content;
  save_localization: LocalizedContent;
  save_template: PageTemplate;
  save_template_component: ComponentTemplate;
  save_template_localization: LocalizedTemplate;
  search_by_meaning: ProductMatches;
  set_commission_rate: CommissionRate;
  set_localization_status: LocalizedContent;
  set_placement_category: SnakeCase<PlacementCategory>;
  set_placement_settings: PlacementSettings;
  set_service_calendar: ServiceCalendar;
  similar_products: ProductMatches;
  storefront: Storefront;
  supplier_balance: SupplierBalances;
  switch_tenant: Membership;
  template_inputs: TemplateInputs;
  test_email_template: Mail;
  top_sales: TopSales;
  unpublish_content: Content;
  update_category: Category;
  update_content_type: ContentType;
  update_media_asset: StoredMedia;
  update_media_folder: MediaFolder;
  update_payout: Payout;
  update_product: Product;
  update_shipment: MovedShipment;
  update_tenant: Tenant;
}

/** An asset as the database answers it: where its bytes are in Storage, which signs what is private. */
type StoredMedia = MediaAsset & { bucket: string | null; path: string | null };

/** The same with the path in the bucket uploads where its bytes are to be sent. */
type AnnouncedMedia = StoredMedia & {
  upload: { path: string; content_type: string; expires_at: string };
};

/** Content as the database answers it: where its links lead, by `<type>/<id>`, stands beside its rich texts. */
type StoredContent = Content & { links?: Record<string, string | null> };

/** A template as the database answers it: of a built-in one the content comes with the functions. */
type StoredTemplate = Omit<PageTemplate, "content"> & { content: TemplateContent | null };

/** An e-mail template with what it takes to render it. */
interface EmailTemplatePreview {
  key: string;
  own: Pick<EmailTemplate, "subject" | "html_content" | "text_content">;
  tenant: { name: string };
  time_zone: string;
  marketplace: Pick<
    Marketplace,
    "id" | "name" | "domain" | "currency" | "language" | "settings"
  > | null;
}

/** For which page something is asked. */
interface TemplateOptions {
  language?: string;
  device?: "mobile" | "tablet" | "desktop";
  marketplace_id?: string;
  product_id?: string;
  category_id?: string;
  asset_ids?: string[];
  version?: number;
  preview?: string;
}

interface VersionOfTemplate {
  id: string;
  version: number;
  content: TemplateContent;
}

/** All that a page is made of. */
interface TemplateInputs {
  template: Pick<StoredTemplate, "id" | "name" | "type" | "marketplace_id" | "caching">;
  version: number;
  content: TemplateContent | null;
  /** The nearest first. */
  parents: VersionOfTemplate[];
  includes: Record<string, VersionOfTemplate & { parents: VersionOfTemplate[] }>;
  components: Record<string, ComponentTemplate>;
  /** The dearest language first. */
  localizations: Pick<
    LocalizedTemplate,
    "language" | "translations" | "rtl_support" | "custom_styles" | "formatting"
  >[];
  marketplace: Storefront | null;
  product: Product | null;
  category: Category | null;
  language: string;
  languages: string[];
  assets: Content["assets"];
  /** Of the grids in blocks, by the block's id, or `<template>/<block>` in what is included. */
  products: Record<string, ListedProduct[]>;
  role: string;
  key: string;
}

/** The texts of a piece of content, as a version keeps them. */
type ContentDocument = ContentVersionWithDocument["document"];

/** What is no part of the document that is saved. */
type SaidBeside = "version_number" | "comment" | "autosave";

/** The documents that a merge compares; null is that of a version that is not kept any more. */
interface MergedSides {
  base: { version_number: number; document: ContentDocument | null };
  ours: MergedSide;
}
interface MergedSide {
  version_number: number;
  document: ContentDocument;
}

/** Souk's database, for `createClient<Database>()` of supabase-js. */
export type Database = Omit<Made, "public"> & {
  public: Omit<Public, "Tables" | "Views" | "Functions"> & {
    Tables: Told<Public["Tables"]>;
    Views: Told<Public["Views"]>;
    Functions: {
      [Name in keyof Public["Functions"]]: {
        Args: Name extends keyof Arguments
          ? With<Public["Functions"][Name]["Args"], Arguments[Name]>
          : Public["Functions"][Name]["Args"];
        Returns: Name extends keyof Answers ? Answers[Name] : Public["Functions"][Name]["Returns"];
      };
    };
  };
};

type Public = Made["public"];

/** Tables or views, whose rows hold what `Columns` says. */
type Told<Relations> = {
  [Name in keyof Relations]: Name extends keyof Columns
    ? {
        [Part in keyof Relations[Name]]: Part extends "Row" | "Insert" | "Update"
          ? With<Relations[Name][Part], Columns[Name]>
          : Relations[Name][Part];
      }
    : Relations[Name];
};

/** `Fields` with the types that `Known` has for some of them; what may be left out stays so. */
type With<Fields, Known> = {
  [Name in keyof Fields]: Name extends keyof Known ? Known[Name] : Fields[Name];
};

/** A list without the page that was asked for, which routes add. */
type Unpaged<List> = Omit<List, "page" | "limit">;

/** The database's names of what the HTTP API calls in camelCase. */
type SnakeCase<Fields> = { [Name in keyof Fields as Snake<Name & string>]: Fields[Name] };
type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : Name;
