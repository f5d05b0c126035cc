import { ApiError, type SoukClient } from "@souk/client";
import {
  infiniteQueryOptions,
  MutationCache,
  QueryCache,
  QueryClient,
} from "@tanstack/react-query";

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

interface Page {
  total: number;
  page: number;
  limit: number;
}

/** A list that is read page by page while it is scrolled. `key` begins with the name of the records. */
export function pagedList<Answer extends Page>(
  key: readonly unknown[],
  readPage: (query: { page: number; limit: number }, signal: AbortSignal) => Promise<Answer>,
) {
  return infiniteQueryOptions({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => readPage({ page: pageParam, limit: 100 }, signal),
    initialPageParam: 1,
    getNextPageParam: ({ page, limit, total }: Answer) =>
      page * limit < total ? page + 1 : undefined,
  });
}
