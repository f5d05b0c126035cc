import { isAuthRetryableFetchError, type SupabaseClient } from "@supabase/supabase-js";

/** How long supabase-js waits at most before it repeats a refresh grows to 12.8 s. With these it is 3.2 s. */
const REPEAT_MS = 1000;
const REPEATS = 4;

/**
 * The access token of the session, refreshed if it has expired; null when nobody is signed in. Rejects with the error
 * of supabase-js when the network failed and the session may still be good.
 */
// biome-ignore lint/suspicious/noExplicitAny: typed with whatever database.
export async function sessionToken(supabase: SupabaseClient<any>): Promise<string | null> {
  forgetOffline(supabase.auth);
  const { data, error } = await supabase.auth.getSession();
  // Any other error is the end of the session: without a token the server answers UNAUTHORIZED, which callers know
  // how to handle.
  if (isAuthRetryableFetchError(error)) throw error;
  return data.session?.access_token ?? null;
}

/**
 * Makes supabase-js refresh the session again after the network failed it. Otherwise it answers the same failure for
 * a minute, also when the network is back. A failure that the server answered stays: it protects the server.
 */
function forgetOffline(auth: object): void {
  const remembering = auth as { lastRefreshFailure?: { result: { error: unknown } } | null };
  const error = remembering.lastRefreshFailure?.result.error;
  if (isAuthRetryableFetchError(error) && error.status === 0) remembering.lastRefreshFailure = null;
}

/** The same `fetch`, but for refreshing the session: where the network fails it, it is repeated every second. */
export function refreshPatiently(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    if (!String(input).includes("/auth/v1/token?grant_type=refresh_token")) {
      return fetch(input, init);
    }
    for (let repeated = 0; ; repeated += 1) {
      try {
        return await fetch(input, init);
      } catch (error) {
        if (repeated === REPEATS || init?.signal?.aborted) throw error;
        await new Promise((resolve) => setTimeout(resolve, REPEAT_MS));
      }
    }
  };
}
