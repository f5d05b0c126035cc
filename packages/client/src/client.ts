import {
  createClient as createSupabaseClient,
  type SupabaseClient,
  type SupabaseClientOptions,
} from "@supabase/supabase-js";
import { type Analytics, analyticsOf, type Dashboards, dashboardsOf } from "./analytics.js";
import { type Auth, authOf } from "./auth.js";
import { type Categories, categoriesOf, type Products, productsOf } from "./catalog.js";
import { type ContentByType, type ContentTypes, contentOf, contentTypesOf } from "./content.js";
import type { Database } from "./database.generated.js";
import {
  type Downloads,
  downloadsOf,
  type Files,
  filesOf,
  type LicenceKeys,
  licenceKeysOf,
} from "./digital.js";
import { type Events, eventsOf } from "./events.js";
import { type Exports, exportsOf } from "./exports.js";
import { createHttp } from "./http.js";
import { inventoryOf, type Stock } from "./inventory.js";
import { type Invitations, invitationsOf } from "./invitations.js";
import { type EmailTemplates, emailTemplatesOf, type Mails, mailsOf } from "./mails.js";
import { type Marketplaces, marketplacesOf } from "./marketplaces.js";
import { type Media, type MediaFolders, mediaFoldersOf, mediaOf } from "./media.js";
import { operationsOf } from "./operations.js";
import {
  type CommissionRates,
  type Commissions,
  commissionRatesOf,
  commissionsOf,
  type Orders,
  ordersOf,
  type Payments,
  paymentsOf,
  type Returns,
  returnsOf,
  type Shipments,
  shipmentsOf,
} from "./orders.js";
import {
  type Auctions,
  auctionsOf,
  type Campaigns,
  campaignsOf,
  type Placement,
  placementOf,
} from "./placement.js";
import { type Realtime, realtimeOf } from "./realtime.js";
import type { RetryOptions } from "./retry.js";
import { type Search, type Synonyms, searchOf, synonymsOf } from "./search.js";
import { type Bookings, bookingsOf, type Calendars, calendarsOf } from "./services.js";
import { refreshPatiently, sessionToken } from "./session-token.js";
import { type Components, componentsOf, type Templates, templatesOf } from "./templates.js";
import {
  type Customers,
  customersOf,
  type Members,
  membersOf,
  type OwnTenant,
  type Suppliers,
  suppliersOf,
  tenantOf,
} from "./tenancy.js";
import type { TrackingOptions } from "./tracking.js";
import { type Webhooks, webhooksOf } from "./webhooks.js";

/** The options of supabase-js, which are passed on, and those of this client. */
export interface ClientOptions extends SupabaseClientOptions<"public"> {
  /**
   * Returns the token for a call, null without one. It is called for every call: for servers that act
   * for a user who signed in elsewhere. The client then stores no session.
   */
  accessToken?: () => Promise<string | null>;
  /** Used for every HTTP call, including those of supabase-js. */
  fetch?: typeof fetch;
  /**
   * An existing supabase-js client, typed or not. Its session is used for all calls, and no other
   * client is created.
   * The options of supabase-js are then those of that client. If it was created with an
   * `accessToken`, give the same
   * one here.
   */
  // biome-ignore lint/suspicious/noExplicitAny: typed with whatever database.
  supabase?: SupabaseClient<any, any, any, any, any>;
  /** How calls are repeated that failed temporarily. */
  retry?: RetryOptions;
  /** How `analytics.track` collects events. */
  tracking?: TrackingOptions;
}

/** All operations of the HTTP API, grouped by subject, and supabase-js. */
export interface SoukClient {
  auth: Auth;
  tenant: OwnTenant;
  members: Members;
  invitations: Invitations;
  suppliers: Suppliers;
  customers: Customers;
  marketplaces: Marketplaces;
  categories: Categories;
  products: Products;
  inventory: Stock;
  media: Media;
  mediaFolders: MediaFolders;
  /** The content of one type: `content("static_pages").publish(id, {})`. */
  content: ContentByType;
  contentTypes: ContentTypes;
  templates: Templates;
  components: Components;
  emailTemplates: EmailTemplates;
  mails: Mails;
  search: Search;
  synonyms: Synonyms;
  files: Files;
  licenceKeys: LicenceKeys;
  calendars: Calendars;
  orders: Orders;
  shipments: Shipments;
  returns: Returns;
  payments: Payments;
  commissions: Commissions;
  commissionRates: CommissionRates;
  downloads: Downloads;
  bookings: Bookings;
  events: Events;
  webhooks: Webhooks;
  campaigns: Campaigns;
  placement: Placement;
  auctions: Auctions;
  analytics: Analytics & Exports;
  dashboards: Dashboards;
  realtime: Realtime;
  /** supabase-js with the same session, typed with the database: tables, functions, channels. */
  supabase: SupabaseClient<Database>;
}

/**
 * Creates a client of Souk, with the URL and publishable key of its Supabase project. It sends
 * nothing before the first
 * call.
 */
export function createClient(
  supabaseUrl: string,
  publishableKey: string,
  { retry, tracking, supabase: existing, ...options }: ClientOptions = {},
): SoukClient {
  const fetch = options.fetch ?? options.global?.fetch ?? ((...call) => globalThis.fetch(...call));
  const accessToken = options.accessToken ?? (() => sessionToken(supabase));
  const supabase: SupabaseClient<Database> =
    existing ??
    createSupabaseClient<Database>(supabaseUrl, publishableKey, {
      ...options,
      global: { ...options.global, fetch },
      realtime: {
        // supabase-js would refuse to start where there is none.
        ...(!("WebSocket" in globalThis) && { transport: MissingWebSocket as never }),
        // Its own answers the key while the session cannot be refreshed, and channels would be joined as nobody.
        accessToken: async () => (await accessToken()) ?? publishableKey,
        ...options.realtime,
      },
    });
  if (!options.accessToken) refreshPatiently(supabase);
  const http = createHttp({
    supabaseUrl,
    publishableKey,
    accessToken,
    fetch,
    headers: options.global?.headers,
    retry,
  });
  const operations = operationsOf(http);
  return {
    auth: authOf(operations, options.accessToken ? null : supabase),
    tenant: tenantOf(operations),
    members: membersOf(operations),
    invitations: invitationsOf(operations),
    suppliers: suppliersOf(operations),
    customers: customersOf(operations),
    marketplaces: marketplacesOf(operations),
    categories: categoriesOf(operations),
    products: productsOf(operations, http),
    inventory: inventoryOf(operations),
    media: mediaOf(operations, http),
    mediaFolders: mediaFoldersOf(operations),
    content: contentOf(operations),
    contentTypes: contentTypesOf(operations),
    templates: templatesOf(operations),
    components: componentsOf(operations),
    emailTemplates: emailTemplatesOf(operations),
    mails: mailsOf(operations),
    search: searchOf(operations),
    synonyms: synonymsOf(operations),
    files: filesOf(operations),
    licenceKeys: licenceKeysOf(operations),
    calendars: calendarsOf(operations),
    orders: ordersOf(operations, http),
    shipments: shipmentsOf(operations),
    returns: returnsOf(operations),
    payments: paymentsOf(operations),
    commissions: commissionsOf(operations),
    commissionRates: commissionRatesOf(operations),
    downloads: downloadsOf(operations),
    bookings: bookingsOf(operations),
    events: eventsOf(operations),
    webhooks: webhooksOf(operations),
    campaigns: campaignsOf(operations),
    placement: placementOf(operations),
    auctions: auctionsOf(operations),
    analytics: { ...analyticsOf(operations, http, tracking), ...exportsOf(operations) },
    dashboards: dashboardsOf(operations),
    realtime: realtimeOf(supabase, accessToken),
    supabase,
  };
}

/** Used if the runtime has no WebSocket, such as Node before 22. Everything but realtime works without one. */
class MissingWebSocket {
  constructor() {
    throw new Error(
      "realtime needs a WebSocket, which this runtime lacks: pass that of the package ws to createClient, " +
        "{ realtime: { transport: WebSocket } }",
    );
  }
}
