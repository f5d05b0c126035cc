import {
  createClient as createSupabaseClient,
  isAuthRetryableFetchError,
  type SupabaseClient,
  type SupabaseClientOptions,
} from "@supabase/supabase-js";
import { type Auth, authOf } from "./auth.js";
import { type Products, productsOf } from "./catalog.js";
import type { Database } from "./database.generated.js";
import { createHttp } from "./http.js";
import { type Marketplaces, marketplacesOf } from "./marketplaces.js";
import { type Orders, ordersOf } from "./orders.js";
import { type Realtime, realtimeOf } from "./realtime.js";
import type { RetryOptions } from "./retry.js";
import { type Webhooks, webhooksOf } from "./webhooks.js";

/** Those of supabase-js, which get there, and a few more. */
export interface ClientOptions extends SupabaseClientOptions<"public"> {
  /**
   * Signs every call with a token of the caller's own, asked for each time: for servers that act
   * for somebody who has signed in elsewhere. The client then keeps no session.
   */
  accessToken?: () => Promise<string | null>;
  /** Makes every HTTP call, those of supabase-js too. */
  fetch?: typeof fetch;
  /** How calls are repeated that were refused for the moment (429, and 502, 503, 504 to a GET). */
  retry?: RetryOptions;
}

export interface SoukClient {
  auth: Auth;
  marketplaces: Marketplaces;
  products: Products;
  orders: Orders;
  webhooks: Webhooks;
  realtime: Realtime;
  /** The same session's supabase-js, typed with the database: tables, functions, channels. */
  supabase: SupabaseClient<Database>;
}

/**
 * A client of one Souk, `supabaseUrl` and `publishableKey` being those of its Supabase project. Nothing is
 * sent before the first call.
 */
export function createClient(
  supabaseUrl: string,
  publishableKey: string,
  { retry, ...options }: ClientOptions = {},
): SoukClient {
  const fetch = options.fetch ?? options.global?.fetch ?? ((...call) => globalThis.fetch(...call));
  const supabase = createSupabaseClient<Database>(supabaseUrl, publishableKey, {
    ...options,
    global: { ...options.global, fetch },
  });
  const accessToken = options.accessToken ?? (() => sessionToken(supabase));
  const http = createHttp({
    supabaseUrl,
    publishableKey,
    accessToken,
    fetch,
    headers: options.global?.headers,
    retry,
  });
  return {
    auth: authOf(http, options.accessToken ? null : supabase),
    marketplaces: marketplacesOf(http),
    products: productsOf(http),
    orders: ordersOf(http),
    webhooks: webhooksOf(http),
    realtime: realtimeOf(supabase, accessToken),
    supabase,
  };
}

/** The session's access token, refreshed if it has expired; null when nobody is signed in. */
async function sessionToken(supabase: SupabaseClient<Database>): Promise<string | null> {
  const { data, error } = await supabase.auth.getSession();
  // The network failed, and the session may still be good. Any other error is its end: without a
  // token the server answers UNAUTHORIZED, which callers know how to take.
  if (isAuthRetryableFetchError(error)) throw error;
  return data.session?.access_token ?? null;
}
