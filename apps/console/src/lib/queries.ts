import { ApiError, type SoukClient } from "@souk/client";
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";

/** Keeps what the API answered. The client repeats failed calls itself, so nothing is repeated here. */
export function createQueries(souk: SoukClient): QueryClient {
  // A session that the server does not accept any more is over.
  const onError = (error: Error) => {
    if (error instanceof ApiError && error.status === 401) {
      void souk.supabase.auth.signOut({ scope: "local" });
    }
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: { queries: { retry: false, staleTime: 15_000 } },
  });
}
