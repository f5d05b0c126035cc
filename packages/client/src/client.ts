import {
  createClient as createSupabaseClient,
  type SupabaseClient,
  type SupabaseClientOptions,
} from "@supabase/supabase-js";
import { addingContext } from "./adding-context.js";
import { type Analytics, analyticsOf } from "./analytics.js";
import { type Auth, authOf } from "./auth.js";
import { type Products, productsOf } from "./catalog.js";
import { type ContentByType, contentOf } from "./content.js";
import type { Database } from "./database.js";
import { type Events, eventsOf } from "./events.js";
import { type Exports, exportsOf } from "./exports.js";
import { createHttp } from "./http.js";
import { keySession } from "./key-session.js";
import { type Media, mediaOf } from "./media.js";
import { type Methods, methodsOf } from "./methods.generated.js";
import { operationsOf } from "./operations.js";
import { type Orders, ordersOf } from "./orders.js";
import { type Payouts, payoutsOf } from "./payouts.js";
import { type Realtime, realtimeOf } from "./realtime.js";
import type { RetryOptions } from "./retry.js";
import { refreshPatiently, sessionToken } from "./session-token.js";
import type { TrackingOptions } from "./tracking.js";

/** The options of supabase-js, which are passed on, and those of this client. */
export interface ClientOptions extends SupabaseClientOptions<"public"> {
  /**
   * Returns the token for a call, null without one. It is called for every call: for servers that act
   * for a user who signed in elsewhere. The client then stores no session.
   */
  accessToken?: () => Promise<string | null>;
  /**
   * The credentials of an API key, for machines: the client gets its sessions by itself, and renews them before they
   * expire. Never in a browser, where everybody could read the secret. Not together with `accessToken`.
   */
  clientId?: string;
  clientSecret?: string;
  /**
   * The domain or id of the marketplace that visitors read, who have no session. Sent with every call
   * of the API and of PostgREST; with a session it has no effect.
   */
  marketplace?: string;
  /**
   * The random uuid of a visitor who consented to promotions and analytics, kept by the shop; null or
   * undefined without consent. It is called for every call.
   */
  visitor?: () => string | null | undefined;
  /**
   * The id of the tenant that calls are meant for; null or undefined if it does not matter. It is called for every call.
   * If the session has switched to another tenant meanwhile, in another tab, the call rejects with CONFLICT.
   */
  tenant?: () => string | null | undefined;
  /** Used for every HTTP call, including those of supabase-js. */
  fetch?: typeof fetch;
  /**
   * An existing supabase-js client, typed or not. Its session is used for all calls, and no other
   * client is created.
   * The options of supabase-js are then those of that client. If it was created with an `accessToken`, give the same
   * one here.
   */
  // biome-ignore lint/suspicious/noExplicitAny: typed with any database.
  supabase?: SupabaseClient<any, any, any, any, any>;
  /** Options for repeating calls that failed temporarily. */
  retry?: RetryOptions;
  /** Options of `analytics.track`. */
  tracking?: TrackingOptions;
}

/** All operations of the HTTP API, grouped by subject, and supabase-js. */
export interface SoukClient extends Methods {
  auth: Auth;
  products: Products;
  media: Media;
  /** The content of one type: `content("static_pages").publish(id, {})`. */
  content: ContentByType;
  orders: Orders;
  payouts: Payouts;
  events: Events;
  analytics: Analytics & Exports;
  realtime: Realtime;
  /** supabase-js with the same session, typed with the database: tables, functions, channels. */
  supabase: SupabaseClient<Database>;
}

/**
 * Creates a client of Souk, with the URL and publishable key of its Supabase project. It sends nothing before the first
 * call, except that supabase-js asks for the session of an API key at once.
 */
export function createClient(
  supabaseUrl: string,
  publishableKey: string,
  {
    retry,
    tracking,
    supabase: existing,
    marketplace,
    visitor,
    tenant,
    clientId,
    clientSecret,
    ...options
  }: ClientOptions = {},
): SoukClient {
  let send: typeof globalThis.fetch =
    options.fetch ?? options.global?.fetch ?? ((...call) => globalThis.fetch(...call));
  if (clientId !== undefined && clientSecret !== undefined) {
    const credentials = { clientId, clientSecret };
    const session = keySession(credentials, supabaseUrl, publishableKey, send);
    options.accessToken = session.accessToken;
    send = session.fetch;
  }
  const fetch = addingContext({ marketplace, visitor, tenant }, supabaseUrl, send);
  const accessToken = options.accessToken ?? (() => sessionToken(supabase));
  const supabase: SupabaseClient<Database> =
    existing ??
    createSupabaseClient<Database>(supabaseUrl, publishableKey, {
      ...options,
      global: { ...options.global, fetch },
      realtime: {
        // Without a WebSocket, supabase-js would throw.
        ...(!("WebSocket" in globalThis) && { transport: MissingWebSocket as never }),
        // The callback of supabase-js returns the key while the session cannot be refreshed, so
        // channels would join without a user.
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
    ...methodsOf(operations),
    auth: authOf(operations, options.accessToken ? null : supabase),
    products: productsOf(operations, http),
    media: mediaOf(operations, http),
    content: contentOf(operations),
    orders: ordersOf(operations, http),
    payouts: payoutsOf(operations, http),
    events: eventsOf(operations),
    analytics: { ...analyticsOf(operations, http, tracking), ...exportsOf(operations) },
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
