import { ApiError, type SoukClient } from "@souk/client";
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { isOfOtherTenant } from "./shown-tenant";

/** Caches the answers of the API. The client retries failed calls, so nothing is retried here. */
export function createQueries(souk: SoukClient): QueryClient {
  // The session has ended when the server no longer accepts it.
  const onError = (error: Error) => {
    if (error instanceof ApiError && error.status === 401) {
      void souk.supabase.auth.signOut({ scope: "local" });
    } else if (isOfOtherTenant(error)) {
      // The page of the session's tenant has none of this one's data.
      location.assign(import.meta.env.BASE_URL);
    }
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: { queries: { retry: false, staleTime: 15_000 } },
  });
}
