import { isAuthRetryableFetchError, type SupabaseClient } from "@supabase/supabase-js";

/**
 * Waits of supabase-js before a repeated refresh, in ms. By default they double up to 12.8 s; with
 * these they are at most 3.2 s.
 */
const REPEAT_MS = 1000;
const REPEATS = 4;

/**
 * The access token of the session, refreshed if it has expired; null when nobody is signed in.
 * Rejects with the error of supabase-js when the network failed and the session may still be valid.
 */
// biome-ignore lint/suspicious/noExplicitAny: typed with any database.
export async function sessionToken(supabase: SupabaseClient<any>): Promise<string | null> {
  clearNetworkError(supabase.auth);
  const { data, error } = await supabase.auth.getSession();
  // Any other error ends the session. Without a token the server answers UNAUTHORIZED, which
  // callers handle.
  if (isAuthRetryableFetchError(error)) throw error;
  return data.session?.access_token ?? null;
}

/** Internal fields of supabase-js's Auth. If a version lacks them, refreshing only takes longer. */
interface AuthInside {
  fetch?: typeof fetch;
  lastRefreshFailure?: { result: { error: unknown } } | null;
}

/**
 * Makes supabase-js refresh the session again after a network error. Otherwise it returns the same
 * error for a minute, even when the network is back. Errors that the server answered are kept,
 * because they protect the server.
 */
function clearNetworkError(auth: object): void {
  const inside = auth as AuthInside;
  const error = inside.lastRefreshFailure?.result.error;
  if (isAuthRetryableFetchError(error) && error.status === 0) inside.lastRefreshFailure = null;
}

const patient = new WeakSet<object>();

/**
 * Repeats requests every second that fail in the network while supabase-js refreshes the session.
 */
// biome-ignore lint/suspicious/noExplicitAny: typed with any database.
export function refreshPatiently(supabase: SupabaseClient<any>): void {
  const auth: object = supabase.auth;
  const inside = auth as AuthInside;
  const { fetch } = inside;
  if (!fetch || patient.has(auth)) return;
  patient.add(auth);
  inside.fetch = async (input, init) => {
    if (!String(input).includes("/token?grant_type=refresh_token")) return fetch(input, init);
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
