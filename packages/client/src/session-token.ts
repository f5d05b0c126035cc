import { isAuthRetryableFetchError, type SupabaseClient } from "@supabase/supabase-js";

/** supabase-js doubles its wait before each repeated refresh, up to 12.8 s. With these it is 3.2 s at most. */
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

/** What supabase-js does not show of its Auth. Where a version lacks it, refreshing only takes longer. */
interface AuthInside {
  fetch?: typeof fetch;
  lastRefreshFailure?: { result: { error: unknown } } | null;
}

/**
 * Makes supabase-js refresh the session again after the network failed it. Otherwise it answers the same failure for
 * a minute, also when the network is back. A failure that the server answered stays: it protects the server.
 */
function forgetOffline(auth: object): void {
  const inside = auth as AuthInside;
  const error = inside.lastRefreshFailure?.result.error;
  if (isAuthRetryableFetchError(error) && error.status === 0) inside.lastRefreshFailure = null;
}

const patient = new WeakSet<object>();

/** Repeats every second what the network failed while supabase-js refreshes the session. */
// biome-ignore lint/suspicious/noExplicitAny: typed with whatever database.
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
